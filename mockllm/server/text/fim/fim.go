// Package fim knows how models of code are asked to fill a hole in a text.
package fim

import "strings"

// Hole is a gap in a document that a model shall fill: what a prompt with fill-in-the-
// middle tokens says of it.
type Hole struct {
	Before, After string // the text around it
	path          string // of the document; "" when the prompt does not say
}

// family is how models of one family are asked to fill a hole.
type family struct {
	called, models         string // what it is called here, and the models of it
	prefix, suffix, middle string // the tokens before the two texts and before the answer
	// file begins the name of a file, which ends with its line, in prompts that hold
	// several; "" for a family that names none.
	file string
	// others are special tokens that do not frame the hole.
	others []string
	// spaced has a space after the prefix token and one before each of the others, none
	// of which belongs to the texts.
	spaced bool
}

// families are the known ones. Sources, read 2026-11-29: continuedev/continue
// core/autocomplete/templating/AutocompleteTemplate.ts (commit d0a3c0b), and
// zed-industries/zed crates/edit_prediction/src/ollama.rs (commit 01b31d4). The bars of
// DeepSeek's tokens are full-width and its blanks are U+2581.
var families = []family{
	{
		called: "qwen", models: "Qwen2.5-Coder, CodeGemma, Granite 4",
		prefix: "<|fim_prefix|>", suffix: "<|fim_suffix|>", middle: "<|fim_middle|>", file: "<|file_sep|>",
		others: []string{"<|repo_name|>", "<|fim_pad|>", "<|endoftext|>", "<|file_separator|>", "<|im_start|>", "<|im_end|>"},
	},
	{
		called: "starcoder", models: "StarCoder, StarCoder2, StableCode",
		prefix: "<fim_prefix>", suffix: "<fim_suffix>", middle: "<fim_middle>",
		others: []string{"<file_sep>", "<repo_name>", "<fim_pad>"},
	},
	{
		called: "codellama", models: "CodeLlama",
		prefix: "<PRE>", suffix: "<SUF>", middle: "<MID>", spaced: true,
		others: []string{"<EOT>"},
	},
	{
		called: "deepseek", models: "DeepSeek-Coder",
		prefix: "<｜fim▁begin｜>", suffix: "<｜fim▁hole｜>", middle: "<｜fim▁end｜>",
		others: []string{"<｜end▁of▁sentence｜>"},
	},
	{ // the suffix comes first, and the answer follows the prefix
		called: "codestral", models: "Codestral",
		prefix: "[PREFIX]", suffix: "[SUFFIX]", file: "+++++ ",
		others: []string{"[MIDDLE]"},
	},
	{
		called: "seed", models: "Seed-Coder",
		prefix: "<[fim-prefix]>", suffix: "<[fim-suffix]>", middle: "<[fim-middle]>",
		others: []string{"<[end▁of▁sentence]>"},
	},
	{
		called: "glm", models: "GLM-4",
		prefix: "<|code_prefix|>", suffix: "<|code_suffix|>", middle: "<|code_middle|>",
	},
}

// Find returns the hole that a prompt asks to fill, whether the prefix or the suffix
// comes first, and false for a prompt that asks for none.
func Find(prompt string) (Hole, bool) {
	for i := range families {
		if h, ok := families[i].find(prompt); ok {
			return h, true
		}
	}
	return Hole{}, false
}

// find is Find for one family.
func (f *family) find(prompt string) (h Hole, ok bool) {
	l, ok := f.layout(prompt)
	if !ok {
		return h, false
	}
	return Hole{Before: l.before.of(prompt) + l.typed.of(prompt), After: l.after.of(prompt), path: l.path}, true
}

// Mark returns a text with one private character for each special token of the families,
// which the tokenizer takes for a token of its own.
func Mark(text string) string { return marking.Replace(text) }

// Spell is the reverse of Mark.
func Spell(text string) string { return spelling.Replace(text) }

// Prompt returns what asks Qwen2.5-Coder to fill a hole, its tokens spelled out.
func Prompt(before, after string) string {
	f := &families[0]
	return f.prefix + before + f.suffix + after + f.middle
}

var marking, spelling = func() (*strings.Replacer, *strings.Replacer) {
	var there, back []string
	for _, f := range families {
		for _, t := range append([]string{f.prefix, f.suffix, f.middle, f.token()}, f.others...) {
			if t != "" {
				c := string(firstSpecial + rune(len(there)/2))
				there, back = append(there, t, c), append(back, c, t)
			}
		}
	}
	return strings.NewReplacer(there...), strings.NewReplacer(back...)
}()

// firstSpecial is the first character of Unicode's private use area, none of which is a
// letter.
const firstSpecial = '\ue000'

// token returns the token that begins the name of a file, "" where that is plain text.
func (f *family) token() string {
	if f.middle == "" {
		return ""
	}
	return f.file
}

// Qwen is the special tokens of Qwen2.5-Coder, one private character each.
var Qwen = Marks{
	Mark(families[0].prefix), Mark(families[0].suffix), Mark(families[0].middle),
	Mark(families[0].file), Mark("<|repo_name|>"),
}

// Marks are the special tokens of a family, one private character each: before the two
// texts around the hole and before the answer, and before the names of a file and of the
// repository.
type Marks struct{ Prefix, Suffix, Middle, File, Repository string }
