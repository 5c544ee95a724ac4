package scenario

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/simulators/ide/cache"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/prompt"
)

// pluginOf reads the rules of a plugin, which begin in column 12 of line 7.
func pluginOf(keys string) (*Scenario, error) {
	const head = "halfsecond: 1\nkind: ide\nname: n\nide:\n  typist: {profile: fast}\n  llm: {ttft: 1ms, tokens_per_second: 50}\n  plugin: "
	return Parse("f", []byte(head+keys+"\n"), nil)
}

// TestPlugin: every key is read to the rule that it stands for, and written such that it is
// read again.
func TestPlugin(t *testing.T) {
	rules := func(change func(p *plugin.Rules)) plugin.Rules {
		p := defaultPlugin
		change(&p)
		return p
	}
	for _, c := range []struct {
		keys string
		want plugin.Rules
	}{
		{"{}", defaultPlugin},
		{"{wait: {}, requests: {}, cache: {}, prompt: {}, display: {}, triggers: {}}", defaultPlugin},
		{"{wait: {by: rhythm, factor: 0.8, least: 20ms, end_of_line: 10ms, prepare: 3ms}}", rules(func(p *plugin.Rules) {
			p.Wait = plugin.Wait{Debounce: plugin.Rhythm, For: 75 * ms, Least: 20 * ms, Factor: .8, EndOfLine: 10 * ms}
			p.Prepare = 3 * ms
		})},
		{"{wait: {accept_at_once: true}}", rules(func(p *plugin.Rules) { p.Wait.AcceptAtOnce = true })},
		{"{wait: {by: response}}", rules(func(p *plugin.Rules) { p.Wait.Debounce, p.Wait.Factor = plugin.Response, 1 })},
		{"{debounce: 0s, cancel: none, requests: {throttle: 300ms, trailing: true, speculate: true, speculation_lives: true, warm_up: true, most_live: 2, join: true, on_limit: wait}}", rules(func(p *plugin.Rules) {
			p.Wait.For, p.Cancel = 0, plugin.CancelNone
			p.Throttle, p.Trailing, p.Speculate, p.SpeculationLives, p.WarmUp, p.MostLive, p.Join, p.OnLimit = 300*ms, true, true, true, true, 2, true, plugin.LimitWait
		})},
		{"{requests: {keep_matching: true, rest: close}}", rules(func(p *plugin.Rules) { p.KeepMatching, p.Rest = true, plugin.RestClose })},
		{"{reuse: shrink_and_ask}", rules(func(p *plugin.Rules) { p.Reuse = plugin.ShrinkAndAsk })},
		{"{requests: {editor_token: true}}", rules(func(p *plugin.Rules) { p.EditorToken = true })},
		{"{triggers: {moves: true, nearby: {within: 10s, line: 5s}, changes: true, empty: true, not_in_word: true, after: closing, comment: //, least_line: 3}}", rules(func(p *plugin.Rules) {
			p.Triggers = plugin.Triggers{Moves: true, Nearby: plugin.Nearby{Within: 10 * time.Second, Line: 5 * time.Second}, Changes: true, Empty: true, NotInWord: true, After: plugin.AfterClosing, Comment: "//", LeastLine: 3}
		})},
		{"{cache: {capacity: 250, bytes: 1000, ttl: 5m, partial: true, empty: true, superseded: true, prefix: {reach: any, same_line: true, most_left: true}, forward: {characters: 50, next_line: true}, back: 9, fuzzy: {spaces: true, lost_lines: 3, near: {before: 500, after: 400}, edits: {lines: 5}}}}", rules(func(p *plugin.Rules) {
			p.Cache = cache.Config{
				Capacity: 250, Bytes: 1000, TTL: 5 * time.Minute, Partial: true, Empty: true, Back: 9,
				Prefix:  cache.Prefix{Reach: cache.Unlimited, SameLine: true, MostLeft: true},
				Forward: cache.Forward{Characters: 50, NextLine: true},
				Fuzzy:   cache.Fuzzy{Spaces: true, LostLines: 3, Near: cache.Near{Before: 500, After: 400}, Edits: cache.Edits{Lines: 5, Base: 3, Step: 20, Most: 5}},
			}
			p.KeepSuperseded = true
		})},
		{"{cache: {capacity: 1, prefix: {reach: 128, longest: true}, fuzzy: {edits: {lines: 1, base: 0, step: 9, most: 2}}}}", rules(func(p *plugin.Rules) {
			p.Cache = cache.Config{Capacity: 1, Prefix: cache.Prefix{Reach: 128, Longest: true}, Fuzzy: cache.Fuzzy{Edits: cache.Edits{Lines: 1, Step: 9, Most: 2}}}
		})},
		{"{prompt: {layout: line_after_middle, prefix: 256 lines, suffix: 64 lines, grid: 32, skip_blank: true, header: [\"// {path}\", second]}}", rules(func(p *plugin.Rules) {
			p.Prompt = prompt.Shape{Layout: prompt.LineAfterMiddle, Prefix: prompt.Size{N: 256, Unit: prompt.Lines}, Suffix: prompt.Size{N: 64, Unit: prompt.Lines}, Grid: 32, SkipBlank: true, Header: "// {path}\nsecond\n"}
		})},
		{"{prefix_tokens: 1000, prompt: {layout: spm, family: qwen, suffix: 100 bytes, whole_lines: true, next_line: true, sticky: {tokens: 50}, snippets: {n: 4, every: 2, ring: true, after: true}}}", rules(func(p *plugin.Rules) {
			p.Prompt = prompt.Shape{
				Layout: prompt.SPM, Family: "qwen", Prefix: prompt.Size{N: 1000}, Suffix: prompt.Size{N: 100, Unit: prompt.Bytes}, WholeLines: true, NextLine: true,
				Sticky: prompt.Sticky{Tokens: 50, Percent: 10}, Snippets: prompt.Snippets{N: 4, Tokens: 200, Every: 2, Ring: true, After: true},
			}
		})},
		{"{prompt: {layout: prefix_only, prefix: all}}", rules(func(p *plugin.Rules) {
			p.Prompt = prompt.Shape{Layout: prompt.PrefixOnly, Prefix: prompt.Size{N: prompt.All}}
		})},
		{"{prompt: {prefix: 700 tokens, suffix: 0 tokens}}", rules(func(p *plugin.Rules) { p.Prompt.Prefix.N, p.Prompt.Suffix.N = 700, 0 })},
		{"{display: {hold: 200ms, render: 16ms, lines: first, accept: replace_line, least_visible: 250ms}}", rules(func(p *plugin.Rules) {
			p.Display = plugin.Display{Hold: 200 * ms, Render: 16 * ms, Lines: plugin.LinesFirst, Accept: plugin.AcceptReplace, LeastVisible: 250 * ms}
		})},
	} {
		s, err := pluginOf(c.keys)
		if err != nil {
			t.Errorf("%s: %v", c.keys, err)
			continue
		}
		if s.IDE.Plugin != c.want {
			t.Errorf("%s: %+v, want %+v", c.keys, s.IDE.Plugin, c.want)
		}
		again := parse(t, s.Canonical())
		if !reflect.DeepEqual(again.IDE.Plugin, s.IDE.Plugin) || again.Canonical() != s.Canonical() {
			t.Errorf("%s: read again from\n%s\nit is %+v", c.keys, s.Canonical(), again.IDE.Plugin)
		}
	}
}

// TestPluginWritesWhatIsNew: rules that a file does not touch are not in the canonical text, so
// that a scenario's hash is what it was before they were there.
func TestPluginWritesWhatIsNew(t *testing.T) {
	for keys, want := range map[string]string{
		"{}": "  plugin:\n    debounce: 75ms\n    cancel: wire\n    reuse: typed_as_suggested\n    prefix_tokens: 1500\n    suffix_tokens: 500\n    max_tokens: 48\n  llm:",
		"{wait: {by: restart}, cache: {capacity: 0}, prompt: {prefix: 1500 tokens}}": "  plugin:\n    debounce: 75ms\n    cancel: wire\n    reuse: typed_as_suggested\n    prefix_tokens: 1500\n    suffix_tokens: 500\n    max_tokens: 48\n  llm:",
		"{display: {hold: 200ms}, prompt: {suffix: 9 lines}}":                        "    prefix_tokens: 1500\n    max_tokens: 48\n    prompt:\n      layout: psm\n      suffix: 9 lines\n      grid: 0\n      whole_lines: false\n      next_line: false\n      skip_blank: false\n    display:\n      hold: 200ms\n      render: 0s\n      lines: all\n      accept: insert\n      least_visible: 0s\n  llm:",
	} {
		s, err := pluginOf(keys)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(s.Canonical(), want) {
			t.Errorf("%s is written as\n%s\nwant in it\n%s", keys, s.Canonical(), want)
		}
	}
}

// TestPluginRefuses: rules that contradict each other, or that nothing could show.
func TestPluginRefuses(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"{debounse: 1ms}", "f:7:12: ide.plugin.debounse: unknown key; nearest: debounce"},
		{"{wait: {by: leding}}", `f:7:23: ide.plugin.wait.by: found "leding"; nearest: leading`},
		{"{debounce: 0s, wait: {by: leading}}", "f:7:33: ide.plugin.wait.by: has no effect here: it goes with a debounce above 0"},
		{"{debounce: 0s, wait: {accept_at_once: true}}", "f:7:33: ide.plugin.wait.accept_at_once: has no effect here: it goes with a debounce above 0"},
		{"{triggers: {nearby: {within: 1s}}}", "f:7:32: ide.plugin.triggers.nearby.within: has no effect here: it goes with moves: true"},
		{"{reuse: shrink_and_asks}", `f:7:19: ide.plugin.reuse: found "shrink_and_asks"; nearest: shrink_and_ask`},
		{"{wait: {factor: 2}}", "f:7:19: ide.plugin.wait.factor: goes with by: rhythm or response, and by is restart"},
		{"{wait: {by: response, least: 75ms}}", "f:7:40: ide.plugin.wait.least: is 75ms, and leaves nothing to adapt below the debounce of 75ms: want a shorter one"},
		{"{wait: {end_of_line: 75ms}}", "f:7:32: ide.plugin.wait.end_of_line: has no effect: it is the debounce"},
		{"{requests: {trailing: true}}", "f:7:23: ide.plugin.requests.trailing: goes with a throttle above 0, and throttle is 0s"},
		{"{cancel: none, requests: {editor_token: true}}", "f:7:37: ide.plugin.requests.editor_token: has no effect here: it goes with cancel: wire"},
		{"{cancel: discard, requests: {keep_matching: true}}", "f:7:40: ide.plugin.requests.keep_matching: has no effect here: it goes with cancel: wire and no editor_token"},
		{"{requests: {editor_token: true, keep_matching: true}}", "f:7:43: ide.plugin.requests.keep_matching: has no effect here: it goes with cancel: wire and no editor_token"},
		{"{requests: {rest: close}}", "f:7:23: ide.plugin.requests.rest: goes with keep_matching: true, and keep_matching is false"},
		{"{requests: {speculation_lives: true}}", "f:7:23: ide.plugin.requests.speculation_lives: goes with speculate: true, and speculate is false"},
		{"{requests: {most_live: 1}}", "f:7:23: ide.plugin.requests.most_live: has no effect here: it goes with requests that outlive a key: cancel none or discard, keep_matching, speculation_lives or warm_up"},
		{"{cancel: discard, requests: {join: true}}", "f:7:40: ide.plugin.requests.join: has no effect here: it goes with requests that are heard after the next key: cancel: none, keep_matching or speculation_lives"},
		{"{cancel: wier, requests: {join: true}}", `f:7:20: ide.plugin.cancel: found "wier"; nearest: wire`},
		{"{cache: {ttl: 5m}}", "f:7:20: ide.plugin.cache.ttl: goes with a capacity above 0, and capacity is 0"},
		{"{cache: {prefix: {reach: 9}}}", "f:7:20: ide.plugin.cache.prefix: goes with a capacity above 0, and capacity is 0"},
		{"{cache: {capacity: 1, prefix: {same_line: true}}}", "f:7:42: ide.plugin.cache.prefix.same_line: goes with a reach above 0, and reach is 0"},
		{"{cache: {capacity: 1, prefix: {reach: some}}}", `f:7:49: ide.plugin.cache.prefix.reach: want a whole number, or any; found "some"`},
		{"{cache: {capacity: 1, prefix: {reach: 9, longest: true, most_left: true}}}", "f:7:78: ide.plugin.cache.prefix.most_left: has no effect beside longest, which looks at one place only: leave out one of the two"},
		{"{cache: {capacity: 1, fuzzy: {near: {before: 9}}}}", "f:7:47: ide.plugin.cache.fuzzy.near: has no effect: want both before and after above 0"},
		{"{cache: {capacity: 1, fuzzy: {edits: {lines: 5, base: 0, step: 0}}}}", "f:7:48: ide.plugin.cache.fuzzy.edits: has no effect: no character may differ; want a base or a step above 0"},
		{"{cache: {capacity: 1, fuzzy: {edits: {most: 5}}}}", "f:7:49: ide.plugin.cache.fuzzy.edits.most: goes with lines above 0, and lines is 0"},
		{"{prefix_tokens: 9, prompt: {prefix: 3 lines}}", "f:7:47: ide.plugin.prompt.prefix: stands in place of prefix_tokens: leave out one of the two"},
		{"{suffix_tokens: 9, prompt: {suffix: 3 lines}}", "f:7:47: ide.plugin.prompt.suffix: stands in place of suffix_tokens: leave out one of the two"},
		{"{prompt: {prefix: 3 words}}", `f:7:29: ide.plugin.prompt.prefix: want a size such as 1500 tokens, 256 lines or 1536 bytes, or all; found "3 words"`},
		{"{prompt: {prefix: 0 bytes}}", "f:7:29: ide.plugin.prompt.prefix: 0 bytes is not possible: it must be from 1 to 20000000"},
		{"{suffix_tokens: 9, prompt: {layout: prefix_only}}", "f:7:27: ide.plugin.suffix_tokens: has no effect: a prompt of layout prefix_only has no suffix"},
		{"{prompt: {layout: prefix_only, next_line: true}}", "f:7:42: ide.plugin.prompt.next_line: goes with a layout that has a suffix, and layout is prefix_only"},
		{"{prompt: {layout: line_after_middle, family: codestral}}", "f:7:29: ide.plugin.prompt.layout: layout is line_after_middle, and family codestral has no middle token"},
		{"{prompt: {grid: 1}}", "f:7:27: ide.plugin.prompt.grid: has no effect: want 2 or more, or 0 to slide"},
		{"{prompt: {prefix: all, grid: 8}}", "f:7:34: ide.plugin.prompt.grid: has no effect here: it goes with a prefix that is not all"},
		{"{prompt: {prefix: 9 lines, suffix: 9 lines, whole_lines: true}}", "f:7:55: ide.plugin.prompt.whole_lines: has no effect here: it goes with a prefix or a suffix that is not in lines"},
		{"{suffix_tokens: 0, prompt: {sticky: {tokens: 50}}}", "f:7:47: ide.plugin.prompt.sticky: has no effect: the suffix has no token"},
		{"{cache: {capacity: 9, superseded: true}}", "f:7:45: ide.plugin.cache.superseded: has no effect: cancel: wire closes each request at the next key; want partial: true, requests.keep_matching or another cancel"},
		{"{preset: cached_prefix_and_suffix, suffix_tokens: 0, prompt: {sticky: {tokens: 50}}}", "f:7:81: ide.plugin.prompt.sticky: has no effect: the suffix has no token"},
		{"{prompt: {sticky: {percent: 5}}}", "f:7:30: ide.plugin.prompt.sticky.percent: goes with tokens above 0, and tokens is 0"},
		{"{prompt: {snippets: {tokens: 5}}}", "f:7:32: ide.plugin.prompt.snippets.tokens: goes with an n above 0, and n is 0"},
		{"{prompt: {snippets: {n: 2, ring: true}}}", "f:7:38: ide.plugin.prompt.snippets.ring: has no effect here: it goes with an every above 0"},
		{"{prompt: {layout: prefix_only, snippets: {n: 2, after: true}}}", "f:7:59: ide.plugin.prompt.snippets.after: has no effect here: it goes with an n above 0 and a layout that has a suffix"},
		{"{display: {hold: -1ms}}", "f:7:28: ide.plugin.display.hold: -1ms is not possible: it must be from 0s to 1h0m0s"},
	} {
		_, err := pluginOf(c.keys)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n%v\nwant\n%s", c.keys, err, c.want)
		}
	}
}
