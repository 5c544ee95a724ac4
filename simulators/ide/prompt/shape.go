package prompt

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"halfsecond/mockllm/server/text/fim"
	"halfsecond/pipeline/strict"
)

// Shape is how a plugin makes its prompts.
type Shape struct {
	Layout Layout
	// Family is the models whose tokens are written into the prompt, as fim.TemplateNamed
	// has them; "" for a server that is handed the texts and joins them itself.
	Family string
	// Prefix is how much of the text before the cursor goes in, Suffix of that after it.
	Prefix, Suffix Size
	// Grid has the prefix begin at a multiple of so many of its units from the start of
	// the document, which makes it up to Grid-1 longer. With 0 or 1 it begins elsewhere
	// after each key in a document longer than Prefix.
	Grid int
	// WholeLines leaves out a line of which only a part has room. Continue drops whole
	// lines until the tokens fit (continuedev/continue,
	// core/autocomplete/util/HelperVars.ts, commit 136b0f4, read 2026-11-30).
	WholeLines bool
	// NextLine has the suffix begin with the first line below the cursor's that is not
	// blank, so that what is typed of a line, and the brackets that the editor closes in it,
	// do not change it. Copilot does so, see Sticky.
	NextLine bool
	// Sticky has the suffix of the prompt before sent again while it is like the new one.
	Sticky Sticky
	// SkipBlank leaves white space out of the prefix where nothing else is typed of the
	// current line: llama.vim, llama.vscode and Copilot do so, as what follows the cursor
	// then begins with the indentation.
	SkipBlank bool
	// Header is lines before the text of the document, with {path} for its path; tokens of
	// model families in it count as such. "" or text that ends with a line break.
	Header   string
	Snippets Snippets
}

// Sticky is the rule that a suffix stays while its first token does, and the edit distance
// of its first Tokens from those of the new one is less than Percent of them; 0 Tokens is no
// such rule. Copilot has 50 and 10 (microsoft/vscode-copilot-chat, completions-core,
// prompt/components/currentFile.tsx, AfterCursor, read 2026-11-30).
type Sticky struct{ Tokens, Percent int }

// Snippets are texts of other files that go into a prompt: N of so many Tokens each.
type Snippets struct {
	N, Tokens int
	// Every is the number of prompts after which one snippet is another, 0 for never. A
	// Ring takes the oldest out at the front and puts the new one behind the others, as
	// llama.vim does (ggml-org/llama.vim, autoload/llama.vim, ring_update, commit 02e6a4f,
	// read 2026-11-30); else it takes the place of the oldest.
	Every int
	Ring  bool
	// After has them behind the text after the cursor rather than at the front.
	After bool
}

// Size is a length of text.
type Size struct {
	N    int
	Unit Unit
}

// All is more than any text has.
const All = math.MaxInt

// Unit is what a plugin cuts texts by.
type Unit uint8

const (
	Tokens Unit = iota // of mockllm/token
	// Lines are whole lines beside the rest of the cursor's own: llama.vim has 256 and 64,
	// Tabby 20 and 20.
	Lines
	Bytes // up to the next whole character; Tabby's server keeps the last 1536
)

var unitNames = []string{"tokens", "lines", "bytes"}

// String returns the name that scenario files use.
func (u Unit) String() string { return unitNames[u] }

// ParseUnit returns the unit of a name.
func ParseUnit(name string) (Unit, error) { return parse[Unit](name, unitNames, "unit") }

// Layout is the order of a prompt's parts. What stands last in it is what a server that
// keeps prompts evaluates anew after each key.
type Layout uint8

const (
	PrefixOnly Layout = iota // no suffix
	PSM                      // prefix, suffix, middle token
	SPM                      // suffix, prefix: Codestral; CodeLlama has its middle token before the prefix
	SPMMiddle                // suffix, prefix, middle token
	// LineAfterMiddle is PSM with what is typed of the current line after the middle
	// token, so that a key moves nothing: the prompt field of llama.cpp's /infill.
	LineAfterMiddle
)

var layoutNames = []string{"prefix_only", "psm", "spm", "spm_middle", "line_after_middle"}

// String returns the name that scenario files use.
func (l Layout) String() string { return layoutNames[l] }

// ParseLayout returns the layout of a name.
func ParseLayout(name string) (Layout, error) { return parse[Layout](name, layoutNames, "layout") }

func parse[T ~uint8](name string, names []string, what string) (T, error) {
	i := slices.Index(names, name)
	if i < 0 {
		return 0, fmt.Errorf("no %s is called %q; %s", what, name, strict.Suggest(name, names))
	}
	return T(i), nil
}

// Validate reports everything that makes the shape impossible.
func (s Shape) Validate() error {
	var errs []error
	say := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	say(int(s.Layout) >= len(layoutNames), "layout is %d, which is none", s.Layout)
	say(int(s.Prefix.Unit) >= len(unitNames), "unit of the prefix is %d, which is none", s.Prefix.Unit)
	say(int(s.Suffix.Unit) >= len(unitNames), "unit of the suffix is %d, which is none", s.Suffix.Unit)
	say(s.Prefix.N < 1 && s.Prefix.Unit != Lines || s.Prefix.N < 0, "prefix is %d, must be at least 1, or 0 lines", s.Prefix.N)
	say(s.Suffix.N < 0, "suffix is %d, must not be negative", s.Suffix.N)
	say(s.Grid < 0, "grid is %d, must not be negative", s.Grid)
	say(s.Sticky.Tokens < 0 || s.Sticky.Percent < 0, "sticky suffix is %d tokens and %d percent, must not be negative", s.Sticky.Tokens, s.Sticky.Percent)
	say(s.Header != "" && !strings.HasSuffix(s.Header, "\n"), "header is %q, must end with a line break", s.Header)
	n := s.Snippets
	say(n.N < 0 || n.N > 0 && n.Tokens < 1, "snippets are %d of %d tokens, must be 0 or more of at least 1", n.N, n.Tokens)
	say(n.After && s.Layout == PrefixOnly, "snippets stand behind the suffix, and layout prefix_only has none")
	say(n.Every < 0, "snippets change every %d prompts, must not be negative", n.Every)
	if s.Family == "" {
		return errors.Join(errs...)
	}
	t, err := fim.TemplateNamed(s.Family)
	say(err != nil, "family: %w", err)
	if err == nil {
		say(t.Middle == "" && s.Layout == LineAfterMiddle, "layout is line_after_middle, and family %s has no middle token", t.Name)
		say(s.Layout == SPMMiddle && (t.Middle == "" || t.Spaced), "layout is spm_middle, and family %s is asked suffix first by spm", t.Name)
	}
	return errors.Join(errs...)
}
