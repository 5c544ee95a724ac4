package runner

import (
	"reflect"
	"strings"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/simulators/scenario"
)

// typedBy is people who type, jump, paste and accept, with ghost text by a model whose prompts
// cost what is not in its cache.
const typedBy = `halfsecond: 1
kind: ide
name: keys
arrivals: {process: closed, users: 3}
ide:
  typist: {profile: average, text: go-handler, jumps: 30%, pastes: 10%, rethinks: 30%, max_pause: 2s, accepts: {right: 60%, wrong: 10%}}
  plugin: PLUGIN
  llm: {model: Qwen2.5-3B, hardware: RTX-4090}
`

// pluginKeys are rules of a plugin, each with a value of one of its keys beside that of the
// rules before, which are those that it needs.
var pluginKeys = []struct{ key, was, is string }{
	{"preset", "", "preset: editor_core_50"},
	{"debounce", "", "debounce: 150ms"},
	{"cancel", "", "cancel: none"},
	{"cancel", "", "cancel: discard"},
	{"reuse", "", "reuse: none"},
	{"reuse", "", "reuse: shrink_and_ask"},
	{"reuse", "reuse: none", "reuse: shrink_and_ask"},
	{"prefix_tokens", "", "prefix_tokens: 300"},
	{"suffix_tokens", "", "suffix_tokens: 30"},
	{"max_tokens", "", "max_tokens: 4"},

	{"wait.by", "", "wait: {by: leading}"},
	{"wait.by", "debounce: 300ms", "debounce: 300ms, wait: {by: trailing}"},
	{"wait.by", "debounce: 300ms", "debounce: 300ms, wait: {by: rhythm}"},
	{"wait.by", "debounce: 300ms", "debounce: 300ms, wait: {by: response}"},
	{"wait.factor", "debounce: 300ms, wait: {by: rhythm}", "debounce: 300ms, wait: {by: rhythm, factor: 0.5}"},
	{"wait.least", "debounce: 300ms, wait: {by: response}", "debounce: 300ms, wait: {by: response, least: 150ms}"},
	{"wait.end_of_line", "", "wait: {end_of_line: 10ms}"},
	{"wait.accept_at_once", "", "wait: {accept_at_once: true}"},
	{"wait.prepare", "", "wait: {prepare: 30ms}"},

	{"requests.throttle", "", "requests: {throttle: 500ms}"},
	{"requests.trailing", "requests: {throttle: 500ms}", "requests: {throttle: 500ms, trailing: true}"},
	{"requests.editor_token", "", "requests: {editor_token: true}"},
	{"requests.keep_matching", "", "requests: {keep_matching: true}"},
	{"requests.rest", "debounce: 5ms, requests: {keep_matching: true}", "debounce: 5ms, requests: {keep_matching: true, rest: close}"},
	{"requests.speculate", "", "requests: {speculate: true}"},
	{"requests.speculation_lives", "requests: {speculate: true}", "requests: {speculate: true, speculation_lives: true}"},
	{"requests.warm_up", "", "requests: {warm_up: true}"},
	{"requests.most_live", "cancel: none", "cancel: none, requests: {most_live: 1}"},
	{"requests.most_live", "cancel: discard", "cancel: discard, requests: {most_live: 1}"},
	{"requests.most_live", "debounce: 5ms, requests: {keep_matching: true}", "debounce: 5ms, requests: {keep_matching: true, most_live: 1}"},
	{"requests.join", "cancel: none", "cancel: none, requests: {join: true}"},
	{"requests.join", "debounce: 5ms, requests: {keep_matching: true}", "debounce: 5ms, requests: {keep_matching: true, join: true}"},

	{"triggers.moves", "", "triggers: {moves: true}"},
	{"triggers.nearby.within", "triggers: {moves: true}", "triggers: {moves: true, nearby: {within: 100ms}}"},
	{"triggers.changes", "", "triggers: {changes: true}"},
	{"triggers.after", "", "triggers: {after: nothing}"},
	{"triggers.after", "triggers: {after: nothing}", "triggers: {after: closing}"},
	{"triggers.comment", "", "triggers: {comment: //}"},
	{"triggers.least_line", "", "triggers: {least_line: 5}"},

	{"cache.capacity", "", "cache: {capacity: 50}"},
	{"cache.capacity", "cache: {capacity: 50, prefix: {reach: any}}", "cache: {capacity: 1, prefix: {reach: any}}"},
	{"cache.bytes", "cache: {capacity: 50}", "cache: {capacity: 50, bytes: 20}"},
	{"cache.ttl", "cache: {capacity: 50}", "cache: {capacity: 50, ttl: 10ms}"},
	{"cache.partial", "max_tokens: 200, cache: {capacity: 50, prefix: {reach: any}}", "max_tokens: 200, cache: {capacity: 50, superseded: true, partial: true, prefix: {reach: any}}"},
	{"cache.superseded", "cancel: none, cache: {capacity: 50, prefix: {reach: any}}", "cancel: none, cache: {capacity: 50, superseded: true, prefix: {reach: any}}"},
	{"cache.prefix.reach", "reuse: none, cache: {capacity: 50}", "reuse: none, cache: {capacity: 50, prefix: {reach: 128}}"},
	{"cache.prefix.same_line", "reuse: none, cache: {capacity: 50, prefix: {reach: any}}", "reuse: none, cache: {capacity: 50, prefix: {reach: any, same_line: true}}"},
	{"cache.prefix.longest", "reuse: none, cache: {capacity: 50, prefix: {reach: any}}", "reuse: none, cache: {capacity: 50, prefix: {reach: any, longest: true}}"},
	{"cache.prefix.most_left", "reuse: none, cache: {capacity: 50, prefix: {reach: any}}", "reuse: none, cache: {capacity: 50, prefix: {reach: any, most_left: true}}"},
	{"cache.forward.characters", "reuse: none, cache: {capacity: 500}", "reuse: none, cache: {capacity: 500, forward: {characters: 50}}"},
	{"cache.forward.next_line", "reuse: none, cache: {capacity: 500}", "reuse: none, cache: {capacity: 500, forward: {next_line: true}}"},
	{"cache.fuzzy.spaces", "cache: {capacity: 50}", "cache: {capacity: 50, fuzzy: {spaces: true}}"},
	{"cache.fuzzy.near.before", "cache: {capacity: 50, fuzzy: {near: {before: 500, after: 10}}}", "cache: {capacity: 50, fuzzy: {near: {before: 1, after: 10}}}"},
	{"cache.fuzzy.near.after", "cache: {capacity: 50, fuzzy: {near: {before: 1, after: 500}}}", "cache: {capacity: 50, fuzzy: {near: {before: 1, after: 1}}}"},
	{"cache.fuzzy.edits.lines", "cache: {capacity: 50}", "cache: {capacity: 50, fuzzy: {edits: {lines: 5}}}"},

	{"prompt.layout", "", "prompt: {layout: prefix_only}"},
	{"prompt.layout", "", "prompt: {layout: spm}"},
	{"prompt.layout", "", "prompt: {layout: line_after_middle}"},
	{"prompt.layout", "prompt: {layout: spm, family: qwen}", "prompt: {layout: spm_middle, family: qwen}"},
	{"prompt.family", "", "prompt: {family: qwen}"},
	{"prompt.prefix", "", "prompt: {prefix: 30 lines}"},
	{"prompt.prefix", "", "prompt: {prefix: 300 bytes}"},
	{"prompt.suffix", "", "prompt: {suffix: 3 lines}"},
	{"prompt.grid", "prefix_tokens: 200", "prefix_tokens: 200, prompt: {grid: 100}"},
	{"prompt.whole_lines", "prefix_tokens: 200", "prefix_tokens: 200, prompt: {whole_lines: true}"},
	{"prompt.next_line", "", "prompt: {next_line: true}"},
	{"prompt.skip_blank", "", "prompt: {skip_blank: true}"},
	{"prompt.header", "", `prompt: {header: ["// {path}", "// Language: Go"]}`},
	{"prompt.snippets.n", "", "prompt: {snippets: {n: 4}}"},
	{"prompt.snippets.tokens", "prompt: {snippets: {n: 4}}", "prompt: {snippets: {n: 4, tokens: 50}}"},
	{"prompt.snippets.every", "prompt: {snippets: {n: 4}}", "prompt: {snippets: {n: 4, every: 5}}"},
	{"prompt.snippets.ring", "prompt: {snippets: {n: 4, every: 5}}", "prompt: {snippets: {n: 4, every: 5, ring: true}}"},
	{"prompt.snippets.after", "prompt: {snippets: {n: 4, every: 5}}", "prompt: {snippets: {n: 4, every: 5, after: true}}"},

	{"display.hold", "", "display: {hold: 300ms}"},
	{"display.render", "", "display: {render: 16ms}"},
	{"display.lines", "", "display: {lines: whole}"},
	{"display.lines", "", "display: {lines: first}"},
	{"display.lines", "", "display: {lines: end}"},
	{"display.accept", "", "display: {accept: replace_line}"},
	{"display.least_visible", "", "display: {least_visible: 250ms}"},
}

// ofSession are those that a generated typist gives no occasion for: documents 22 and 19 of the
// built-in session.
var ofSession = []struct{ key, document, was, is string }{
	{"triggers.nearby.line", "22", "triggers: {moves: true}", "triggers: {moves: true, nearby: {line: 1h}}"},
	{"triggers.not_in_word", "22", "", "triggers: {not_in_word: true}"},
	{"cache.back", "22", "cache: {capacity: 50}", "cache: {capacity: 50, back: 20}"},
	{"cache.fuzzy.edits.lines", "22", "cache: {capacity: 50}", "cache: {capacity: 50, fuzzy: {edits: {lines: 5}}}"},
	{"cache.fuzzy.edits.base", "22", "cache: {capacity: 50, fuzzy: {edits: {lines: 5, step: 0}}}", "cache: {capacity: 50, fuzzy: {edits: {lines: 5, base: 1, step: 0}}}"},
	{"cache.fuzzy.edits.step", "22", "cache: {capacity: 50, fuzzy: {edits: {lines: 5, base: 1, step: 0}}}", "cache: {capacity: 50, fuzzy: {edits: {lines: 5, base: 1}}}"},
	{"cache.fuzzy.edits.most", "22", "cache: {capacity: 50, fuzzy: {edits: {lines: 5}}}", "cache: {capacity: 50, fuzzy: {edits: {lines: 5, most: 1}}}"},
	{"prompt.sticky.tokens", "19", "suffix_tokens: 50", "suffix_tokens: 50, prompt: {sticky: {tokens: 50, percent: 90}}"},
	{"prompt.sticky.percent", "19", "suffix_tokens: 50, prompt: {sticky: {tokens: 50}}", "suffix_tokens: 50, prompt: {sticky: {tokens: 50, percent: 90}}"},
}

// otherwhere are keys that a modelled model and its typists give no occasion for. Of the first two
// plugin_occasion_test.go has one. The others are seen to in simulators/ide and its cache: a
// modelled model never says nothing, and nobody takes back the first character of a document that
// is empty then.
var otherwhere = []string{"requests.on_limit", "cache.fuzzy.lost_lines", "cache.empty", "triggers.empty"}

// TestPluginKeys: each key of a plugin changes what happens.
func TestPluginKeys(t *testing.T) {
	tried := map[string]bool{}
	typed := tracesOf(t, typedBy)
	for _, c := range pluginKeys {
		tried[c.key] = true
		if reflect.DeepEqual(typed(c.was), typed(c.is)) {
			t.Errorf("%s: {%s} gives what {%s} gives", c.key, c.is, c.was)
		}
	}
	replayed := map[string]func(string) []pipeline.Trace{"22": tracesOf(t, sessionOf("22")), "19": tracesOf(t, sessionOf("19"))}
	for _, c := range ofSession {
		tried[c.key] = true
		if reflect.DeepEqual(replayed[c.document](c.was), replayed[c.document](c.is)) {
			t.Errorf("%s: {%s} gives what {%s} gives for document %s", c.key, c.is, c.was, c.document)
		}
	}
	for _, key := range otherwhere {
		tried[key] = true
	}
	for _, k := range scenario.Keys() {
		if path, ours := strings.CutPrefix(k.Path, "ide.plugin."); ours && k.Want != "a mapping" && !tried[path] {
			t.Errorf("%s: nobody looks at what it changes", path)
		}
	}
}

// tracesOf returns what comes of a scenario with the rules of a plugin.
func tracesOf(t *testing.T, text string) func(plugin string) []pipeline.Trace {
	runs := map[string][]pipeline.Trace{}
	return func(plugin string) []pipeline.Trace {
		if _, there := runs[plugin]; !there {
			run, err := Run(t.Context(), parse(t, strings.Replace(text, "PLUGIN", "{"+plugin+"}", 1)), Settings{Target: Sim, Seed: 1, N: 900})
			if err != nil {
				t.Fatalf("%s: %v", plugin, err)
			}
			runs[plugin] = run.Traces
		}
		return runs[plugin]
	}
}

// sessionOf is a document of the built-in session in the place of the people.
func sessionOf(document string) string {
	const replay = `halfsecond: 1
kind: ide
name: keys
ide:
  typist: {session: vscode_session1, document: DOCUMENT, max_pause: 2s}
  plugin: PLUGIN
  llm: {model: Qwen2.5-3B, hardware: RTX-4090}
`
	return strings.Replace(replay, "DOCUMENT", document, 1)
}
