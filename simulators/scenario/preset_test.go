package scenario

import (
	"strings"
	"testing"
	"time"

	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/prompt"
)

// TestPresets: a preset is read by its name and from its own text as the same rules, and every
// rule in it that another plugin has not says what it rests on.
func TestPresets(t *testing.T) {
	for _, p := range plugin.Presets() {
		s, err := pluginOf("{preset: " + p.Name + "}")
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		if s.IDE.Plugin != p.Rules {
			t.Errorf("%s is read as\n%+v\nwant\n%+v", p.Name, s.IDE.Plugin, p.Rules)
		}
		if again := parse(t, s.Canonical()); again.IDE.Plugin != p.Rules || again.Hash() != s.Hash() {
			t.Errorf("%s: the canonical text is read as %+v", p.Name, again.IDE.Plugin)
		}
		const head = "halfsecond: 1\nkind: ide\nname: n\nide:\n  typist: {profile: fast}\n  llm: {ttft: 1ms, tokens_per_second: 50}\n"
		text := "  " + strings.ReplaceAll(strings.TrimSpace(PresetText(p)), "\n", "\n  ") + "\n"
		if written := parse(t, head+text); written.IDE.Plugin != p.Rules {
			t.Errorf("%s: its text is read as %+v", p.Name, written.IDE.Plugin)
		}
		there := map[string]string{}
		for _, k := range PresetKeys(p) {
			there[k[0]] = k[1]
			if strings.HasPrefix(k[1], "[") {
				there[k[0]] = "" // its items stand below
			}
		}
		for _, f := range p.Facts {
			if _, ok := there[f.Key]; !ok {
				t.Errorf("%s: a fact of %s, which is no key of it", p.Name, f.Key)
			}
			if !strings.Contains(text, f.Key[strings.LastIndexByte(f.Key, '.')+1:]+":"+strings.TrimSuffix(" "+there[f.Key], " ")+" # "+f.Says+" ["+f.From+"]\n") {
				t.Errorf("%s: its text does not say of %s %q", p.Name, f.Key, f.Says)
			}
		}
		for key, value := range there {
			basic := !strings.Contains(key, ".")
			if _, known := p.Fact(key); !known && key != "prompt.snippets.after" && (basic || value != usualValues[key[strings.LastIndexByte(key, '.')+1:]]) {
				t.Errorf("%s: %s is %s, and nothing says why", p.Name, key, value)
			}
		}
	}
}

// usualValues are those of rules that a plugin does without.
var usualValues = map[string]string{
	"by": "restart", "end_of_line": "0s", "accept_at_once": "false", "prepare": "0s", "factor": "1", "least": "0s",
	"throttle": "0s", "trailing": "false", "editor_token": "false", "keep_matching": "false", "rest": "finish", "speculate": "false", "speculation_lives": "false", "warm_up": "false", "most_live": "0", "join": "false", "on_limit": "send",
	"moves": "false", "changes": "false", "not_in_word": "false", "after": "any", "least_line": "0",
	"bytes": "0", "ttl": "0s", "partial": "false", "empty": "false", "superseded": "false", "reach": "0", "same_line": "false", "longest": "false", "most_left": "false", "characters": "0", "back": "0", "spaces": "false", "lost_lines": "0",
	"layout": "psm", "grid": "0", "whole_lines": "false", "next_line": "false", "skip_blank": "false", "n": "0", "every": "0", "ring": "false",
	"hold": "0s", "render": "0s", "lines": "all", "accept": "insert", "least_visible": "0s",
}

// TestPresetGivesWay: what a file states takes the place of a preset's, and what it turns off
// takes with it what went with that.
func TestPresetGivesWay(t *testing.T) {
	of := func(name string, change func(p *plugin.Rules)) plugin.Rules {
		p, err := plugin.FindPreset(name)
		if err != nil {
			t.Fatal(err)
		}
		change(&p.Rules)
		return p.Rules
	}
	for _, c := range []struct {
		keys string
		want plugin.Rules
	}{
		{"{preset: restart_75, debounce: 90ms}", of("restart_75", func(p *plugin.Rules) { p.Wait.For = 90 * ms })},
		{"{debounce: 90ms, preset: restart_75}", of("restart_75", func(p *plugin.Rules) { p.Wait.For = 90 * ms })},
		{"{preset: adaptive, wait: {least: 50ms}}", of("adaptive", func(p *plugin.Rules) { p.Wait.Least = 50 * ms })},
		{"{preset: adaptive, wait: {by: restart}}", of("adaptive", func(p *plugin.Rules) { p.Wait = plugin.Wait{For: time.Second} })},
		{"{preset: adaptive, cache: {ttl: 1m}}", of("adaptive", func(p *plugin.Rules) { p.Cache.TTL = time.Minute })},
		{"{preset: adaptive, cache: {capacity: 0}}", of("adaptive", func(p *plugin.Rules) { p.Cache = defaultPlugin.Cache })},
		{"{preset: leading_then_trailing_350, cancel: none}", of("leading_then_trailing_350", func(p *plugin.Rules) { p.Cancel, p.KeepMatching = plugin.CancelNone, false })},
		{"{preset: wait_for_free_150, prefix_tokens: 700}", of("wait_for_free_150", func(p *plugin.Rules) { p.Prompt.Prefix = defaultPlugin.Prompt.Prefix; p.Prompt.Prefix.N = 700 })},
	} {
		s, err := pluginOf(c.keys)
		if err != nil {
			t.Errorf("%s: %v", c.keys, err)
			continue
		}
		if s.IDE.Plugin != c.want {
			t.Errorf("%s: %+v, want %+v", c.keys, s.IDE.Plugin, c.want)
		}
		if again := parse(t, s.Canonical()); again.IDE.Plugin != c.want {
			t.Errorf("%s: written and read again %+v", c.keys, again.IDE.Plugin)
		}
	}
	for keys, want := range map[string]string{
		"{preset: restart_7}":                               `f:7:20: ide.plugin.preset: found "restart_7"; nearest: restart_75`,
		"{preset: 3}":                                       "f:7:20: ide.plugin.preset: found 3; want one of " + strings.Join(plugin.PresetNames(), ", "),
		"{preset: adaptive, debounce: 90ms}":                "f:7:3: ide.plugin: wait.least is 100ms, and leaves nothing to adapt below the debounce of 90ms: want a shorter one",
		"{preset: leading_then_trailing_350, debounce: 0s}": "",
	} {
		_, err := pluginOf(keys)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s:\n%v\nwant\n%s", keys, err, want)
		}
	}
}

// TestPresetFallsAway: what a preset has and what the file states leaves without an effect falls
// away.
func TestPresetFallsAway(t *testing.T) {
	for keys, gone := range map[string]func(p *plugin.Rules) bool{
		"{preset: cached_prefix_and_suffix, suffix_tokens: 0}":                    func(p *plugin.Rules) bool { return p.Prompt.Sticky == prompt.Sticky{} },
		"{preset: single_flight_line_after_middle, cancel: wire}":                 func(p *plugin.Rules) bool { return !p.KeepSuperseded },
		"{preset: adaptive, debounce: 60ms, wait: {least: 0s}}":                   func(p *plugin.Rules) bool { return p.Wait.Least == 0 },
		"{preset: leading_then_trailing_350, cache: {prefix: {most_left: true}}}": func(p *plugin.Rules) bool { return p.Cache.Prefix.MostLeft && !p.Cache.Prefix.Longest },
	} {
		s, err := pluginOf(keys)
		if err != nil {
			t.Errorf("%s: %v", keys, err)
			continue
		}
		if !gone(&s.IDE.Plugin) {
			t.Errorf("%s: %+v", keys, s.IDE.Plugin)
		}
	}
}
