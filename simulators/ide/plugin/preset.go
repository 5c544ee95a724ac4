package plugin

import (
	"fmt"
	"time"

	"halfsecond/pipeline/strict"
	"halfsecond/simulators/ide/prompt"
)

// Preset is the rules of a plugin that is in use, as its public code had them, under a name
// that says what they do. They are what was read in one version, nothing was run, and nobody
// who makes the plugin has a part in them.
type Preset struct {
	Name   string
	Of     string // whose behaviour it is, and of which version
	Source string // repository, paths, and commits where they are known
	Rules  Rules
	Facts  []Fact   // of each rule that is stated
	Open   []string // what the rules have no part for, or what was not found
}

// ReadOn is the day on which the sources of the presets were read.
const ReadOn = "2026-11-30"

// Fact is what a rule rests on.
type Fact struct {
	Key  string // of scenario files, under plugin
	Says string
	From string // the file that says so; Assumed where none does
}

// Assumed is where a fact is from that nothing was read of.
const Assumed = "assumed"

// Fact returns what is known of a key; false for nothing.
func (p *Preset) Fact(key string) (Fact, bool) {
	for _, f := range p.Facts {
		if f.Key == key {
			return f, true
		}
	}
	return Fact{}, false
}

// PresetNames returns the names of all presets.
func PresetNames() (names []string) {
	for _, p := range Presets() {
		names = append(names, p.Name)
	}
	return names
}

// FindPreset returns the preset of that name.
func FindPreset(name string) (Preset, error) {
	for _, p := range Presets() {
		if p.Name == name {
			return p, nil
		}
	}
	return Preset{}, fmt.Errorf("no preset of a plugin is called %q; %s", name, strict.Suggest(name, PresetNames()))
}

// Presets returns all presets, in the order of docs/plugins.md. There is none of CodeGPT,
// whose wait was not found: see there.
func Presets() []Preset {
	return []Preset{
		llamaVim(), llamaVSCode(), continueDev(), tabby(), cody(), copilot(), vsCode(), zed(), zedLSP(),
		copilotLua(), minuet(), twinny(), codeium(), supermaven(), llmVSCode(),
	}
}

const ms = time.Millisecond

// usual is the size of a prompt and of an answer where none was found: those of a scenario
// that states none.
func usual() (prompt.Shape, int) {
	return prompt.Shape{Layout: prompt.PSM, Prefix: prompt.Size{N: 1500}, Suffix: prompt.Size{N: 500}}, 48
}

// notFound are the facts of the usual size of a prompt and of an answer.
func notFound() []Fact {
	return append(noWindow(), noLimit())
}

func noWindow() []Fact {
	return []Fact{{"prefix_tokens", "not found", Assumed}, {"suffix_tokens", "not found", Assumed}}
}

func noLimit() Fact { return Fact{"max_tokens", "not found", Assumed} }

func rows(n int) prompt.Size   { return prompt.Size{N: n, Unit: prompt.Lines} }
func octets(n int) prompt.Size { return prompt.Size{N: n, Unit: prompt.Bytes} }

const (
	vsCodePath = "microsoft/vscode src/vs/editor/contrib/inlineCompletions (e677c4d)"
	// vsCodeAsks is what VS Code's core does to an item that is typed through. Its
	// _fetchInlineCompletionsPromise reads the version of the text ("Refetch on text change"), and
	// makes no exception of such a change.
	vsCodeAsks = "VS Code keeps an item while the typing is its prefix, and asks for others at each change all the same"
	vsCodeCore = "microsoft/vscode src/vs/editor/contrib/inlineCompletions/browser/model/inlineCompletionsModel.ts (005f93e), inlineCompletionsSource.ts (e677c4d)"

	vimPath   = "autoload/llama.vim"
	codePath  = "src/completion.ts"
	tabbyPath = "clients/tabby-agent/src/codeCompletion"
	codyPath  = "vscode/src/completions"
)

// llamaFacts are what llama.vim and llama.vscode have in common, read in a file.
func llamaFacts(path string) []Fact {
	return []Fact{
		{"prompt.layout", "/infill: input_prefix, input_suffix, and the line so far as prompt", path},
		{"prompt.prefix", "256 lines before", path},
		{"prompt.suffix", "64 lines after", path},
		{"prompt.skip_blank", "a line that is only white space is sent as empty", path},
		{"prompt.snippets.n", "a ring of 16 chunks", path},
		{"prompt.snippets.tokens", "of at most 64 lines; 10 tokens a line", Assumed},
		{"prompt.snippets.every", "how often one changes was not found", Assumed},
		{"prompt.snippets.ring", "the oldest goes, the new one stands behind the others", path},
		{"max_tokens", "n_predict 128", path},
		{"display.lines", "the answer is not streamed", path},
	}
}

// llamaShape is how both make their prompts.
func llamaShape() prompt.Shape {
	return prompt.Shape{
		Layout: prompt.LineAfterMiddle, Prefix: rows(256), Suffix: rows(64), SkipBlank: true,
		Snippets: prompt.Snippets{N: 16, Tokens: 640, Every: 50, Ring: true},
	}
}
