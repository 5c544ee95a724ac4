package scenario

import (
	"reflect"
	"strings"
	"testing"

	"halfsecond/simulators/ide/plugin"
)

// pluginKeyed is, of each field of the rules of a plugin, a file's keys that give it another
// value than it has beside was.
var pluginKeyed = map[string]struct{ was, is string }{
	"Prepare":       {"", "wait: {prepare: 1ms}"},
	"Wait.Debounce": {"", "wait: {by: leading}"}, "Wait.For": {"", "debounce: 1ms"}, "Wait.Least": {"wait: {by: rhythm}", "wait: {by: rhythm, least: 1ms}"},
	"Wait.Factor": {"wait: {by: rhythm}", "wait: {by: rhythm, factor: 2}"}, "Wait.EndOfLine": {"", "wait: {end_of_line: 1ms}"}, "Wait.AcceptAtOnce": {"", "wait: {accept_at_once: true}"},
	"Throttle": {"", "requests: {throttle: 1ms}"}, "Trailing": {"requests: {throttle: 1ms}", "requests: {throttle: 1ms, trailing: true}"},
	"MostLive": {"cancel: none", "cancel: none, requests: {most_live: 1}"}, "Join": {"cancel: none", "cancel: none, requests: {join: true}"},
	"OnLimit": {"", "requests: {on_limit: wait}"}, "Cancel": {"", "cancel: none"}, "KeepMatching": {"", "requests: {keep_matching: true}"},
	"Rest": {"requests: {keep_matching: true}", "requests: {keep_matching: true, rest: close}"}, "EditorToken": {"", "requests: {editor_token: true}"},
	"Reuse": {"", "reuse: none"}, "Speculate": {"", "requests: {speculate: true}"}, "SpeculationLives": {"requests: {speculate: true}", "requests: {speculate: true, speculation_lives: true}"},
	"WarmUp": {"", "requests: {warm_up: true}"}, "KeepSuperseded": {"cancel: none, cache: {capacity: 1}", "cancel: none, cache: {capacity: 1, superseded: true}"}, "MaxTokens": {"", "max_tokens: 1"},

	"Triggers.Moves": {"", "triggers: {moves: true}"}, "Triggers.Nearby.Within": {"triggers: {moves: true}", "triggers: {moves: true, nearby: {within: 1s}}"},
	"Triggers.Nearby.Line": {"triggers: {moves: true}", "triggers: {moves: true, nearby: {line: 1s}}"}, "Triggers.Changes": {"", "triggers: {changes: true}"}, "Triggers.Empty": {"", "triggers: {empty: true}"},
	"Triggers.NotInWord": {"", "triggers: {not_in_word: true}"}, "Triggers.After": {"", "triggers: {after: nothing}"}, "Triggers.Comment": {"", "triggers: {comment: //}"}, "Triggers.LeastLine": {"", "triggers: {least_line: 1}"},

	"Display.Hold": {"", "display: {hold: 1ms}"}, "Display.Render": {"", "display: {render: 1ms}"}, "Display.Lines": {"", "display: {lines: first}"},
	"Display.Accept": {"", "display: {accept: replace_line}"}, "Display.LeastVisible": {"", "display: {least_visible: 1ms}"},

	"Cache.Capacity": {"", "cache: {capacity: 1}"}, "Cache.Bytes": {"cache: {capacity: 1}", "cache: {capacity: 1, bytes: 1}"}, "Cache.TTL": {"cache: {capacity: 1}", "cache: {capacity: 1, ttl: 1s}"},
	"Cache.Partial": {"cache: {capacity: 1}", "cache: {capacity: 1, partial: true}"}, "Cache.Empty": {"cache: {capacity: 1}", "cache: {capacity: 1, empty: true}"}, "Cache.Back": {"cache: {capacity: 1}", "cache: {capacity: 1, back: 1}"},
	"Cache.Prefix.Reach": {"cache: {capacity: 1}", "cache: {capacity: 1, prefix: {reach: 1}}"}, "Cache.Prefix.SameLine": {"cache: {capacity: 1, prefix: {reach: 1}}", "cache: {capacity: 1, prefix: {reach: 1, same_line: true}}"},
	"Cache.Prefix.Longest": {"cache: {capacity: 1, prefix: {reach: 1}}", "cache: {capacity: 1, prefix: {reach: 1, longest: true}}"}, "Cache.Prefix.MostLeft": {"cache: {capacity: 1, prefix: {reach: 1}}", "cache: {capacity: 1, prefix: {reach: 1, most_left: true}}"},
	"Cache.Forward.Characters": {"cache: {capacity: 1}", "cache: {capacity: 1, forward: {characters: 1}}"}, "Cache.Forward.NextLine": {"cache: {capacity: 1}", "cache: {capacity: 1, forward: {next_line: true}}"},
	"Cache.Fuzzy.Spaces": {"cache: {capacity: 1}", "cache: {capacity: 1, fuzzy: {spaces: true}}"}, "Cache.Fuzzy.LostLines": {"cache: {capacity: 1}", "cache: {capacity: 1, fuzzy: {lost_lines: 1}}"},
	"Cache.Fuzzy.Near.Before": {"cache: {capacity: 1, fuzzy: {near: {before: 1, after: 1}}}", "cache: {capacity: 1, fuzzy: {near: {before: 2, after: 1}}}"},
	"Cache.Fuzzy.Near.After":  {"cache: {capacity: 1, fuzzy: {near: {before: 1, after: 1}}}", "cache: {capacity: 1, fuzzy: {near: {before: 1, after: 2}}}"},
	"Cache.Fuzzy.Edits.Lines": {"cache: {capacity: 1, fuzzy: {edits: {lines: 1}}}", "cache: {capacity: 1, fuzzy: {edits: {lines: 2}}}"},
	"Cache.Fuzzy.Edits.Base":  {"cache: {capacity: 1, fuzzy: {edits: {lines: 1}}}", "cache: {capacity: 1, fuzzy: {edits: {lines: 1, base: 2}}}"},
	"Cache.Fuzzy.Edits.Step":  {"cache: {capacity: 1, fuzzy: {edits: {lines: 1}}}", "cache: {capacity: 1, fuzzy: {edits: {lines: 1, step: 2}}}"},
	"Cache.Fuzzy.Edits.Most":  {"cache: {capacity: 1, fuzzy: {edits: {lines: 1}}}", "cache: {capacity: 1, fuzzy: {edits: {lines: 1, most: 2}}}"},

	"Prompt.Layout": {"", "prompt: {layout: spm}"}, "Prompt.Family": {"", "prompt: {family: qwen}"}, "Prompt.Grid": {"", "prompt: {grid: 2}"},
	"Prompt.Prefix.N": {"", "prefix_tokens: 1"}, "Prompt.Prefix.Unit": {"prefix_tokens: 7", "prompt: {prefix: 7 bytes}"},
	"Prompt.Suffix.N": {"", "suffix_tokens: 1"}, "Prompt.Suffix.Unit": {"suffix_tokens: 7", "prompt: {suffix: 7 bytes}"},
	"Prompt.WholeLines": {"", "prompt: {whole_lines: true}"}, "Prompt.NextLine": {"", "prompt: {next_line: true}"}, "Prompt.SkipBlank": {"", "prompt: {skip_blank: true}"},
	"Prompt.Sticky.Tokens": {"prompt: {sticky: {tokens: 1}}", "prompt: {sticky: {tokens: 2}}"}, "Prompt.Sticky.Percent": {"prompt: {sticky: {tokens: 1}}", "prompt: {sticky: {tokens: 1, percent: 9}}"},
	"Prompt.Header": {"", "prompt: {header: [a]}"}, "Prompt.Snippets.N": {"prompt: {snippets: {n: 1}}", "prompt: {snippets: {n: 2}}"},
	"Prompt.Snippets.Tokens": {"prompt: {snippets: {n: 1}}", "prompt: {snippets: {n: 1, tokens: 2}}"}, "Prompt.Snippets.Every": {"prompt: {snippets: {n: 1}}", "prompt: {snippets: {n: 1, every: 2}}"},
	"Prompt.Snippets.Ring":  {"prompt: {snippets: {n: 1, every: 2}}", "prompt: {snippets: {n: 1, every: 2, ring: true}}"},
	"Prompt.Snippets.After": {"prompt: {snippets: {n: 1}}", "prompt: {snippets: {n: 1, after: true}}"},
}

// TestPluginFields: every field of the rules has a key that changes it, and nothing else.
func TestPluginFields(t *testing.T) {
	seen := 0
	eachField(reflect.TypeFor[plugin.Rules](), "", func(path string) {
		c, there := pluginKeyed[path]
		if !there {
			t.Errorf("%s: no key of a file gives it another value", path)
			return
		}
		seen++
		was, wrong := pluginOf("{" + c.was + "}")
		is, err := pluginOf("{" + c.is + "}")
		if wrong != nil || err != nil {
			t.Errorf("%s: {%s} %v, {%s} %v", path, c.was, wrong, c.is, err)
			return
		}
		if got := differing(reflect.ValueOf(was.IDE.Plugin), reflect.ValueOf(is.IDE.Plugin), ""); !reflect.DeepEqual(got, []string{path}) {
			t.Errorf("{%s} and {%s} differ in %q, want %s", c.was, c.is, got, path)
		}
	})
	if seen != len(pluginKeyed) {
		t.Errorf("%d fields of %d stand in the rules", seen, len(pluginKeyed))
	}
}

// eachField tells the paths of all fields of a struct that are no structs themselves.
func eachField(of reflect.Type, path string, tell func(path string)) {
	if of.Kind() != reflect.Struct {
		tell(path)
		return
	}
	for i := range of.NumField() {
		f := of.Field(i)
		eachField(f.Type, dotted(path, f.Name), tell)
	}
}

// differing returns the paths of the fields in which two values differ.
func differing(a, b reflect.Value, path string) (paths []string) {
	eachField(a.Type(), path, func(field string) {
		if x, y := within(a, field), within(b, field); !x.Equal(y) {
			paths = append(paths, field)
		}
	})
	return paths
}

func dotted(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// within returns the field of that path.
func within(v reflect.Value, path string) reflect.Value {
	for name := range strings.SplitSeq(path, ".") {
		v = v.FieldByName(name)
	}
	return v
}
