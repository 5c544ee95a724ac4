package plugin

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// columns of the table of docs/plugins.md.
const (
	debounceCell = iota + 2
	throttleCell
	nextKeyCell
	cachesCell
	contextCell
	layoutCell
	mostCell
	triggersCell
)

// documented returns the rows of the table of docs/plugins.md, by behaviour.
func documented(t *testing.T) (names []string, rows map[string][]string) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/plugins.md")
	if err != nil {
		t.Fatal(err)
	}
	rows = map[string][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, "/"), "|\n "), " | ")
		if name, ok := strings.CutPrefix(cells[0], "`"); ok && len(cells) > 8 {
			name = strings.TrimSuffix(name, "`")
			names, rows[name] = append(names, name), cells
		}
	}
	return names, rows
}

// TestPresetsAreDocumented: a preset is there for each plugin of docs/plugins.md but the one
// whose wait was not found, by the same name and in the same order.
func TestPresetsAreDocumented(t *testing.T) {
	names, _ := documented(t)
	names = slices.DeleteFunc(names, func(n string) bool { return n == "adaptive_unread" })
	if got := PresetNames(); !slices.Equal(got, names) {
		t.Errorf("presets are %q, want %q", got, names)
	}
	for _, p := range Presets() {
		if err := p.Rules.Validate(); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		if p.Of == "" || p.Source == "" || len(p.Open) == 0 {
			t.Errorf("%s does not say whose it is, where that is from or what is open", p.Name)
		}
		seen := map[string]bool{}
		for _, f := range p.Facts {
			if f.Key == "" || f.Says == "" || f.From == "" || seen[f.Key] {
				t.Errorf("%s: a fact is there twice, or not whole: %+v", p.Name, f)
			}
			seen[f.Key] = true
		}
	}
	if _, err := FindPreset("restart_7"); err == nil || !strings.Contains(err.Error(), "nearest: restart_75") {
		t.Errorf("%v, want the nearest name", err)
	}
}

// TestPresetsAreAsDocumented: the figures of docs/plugins.md, in its words, and the rules that
// stand for them.
func TestPresetsAreAsDocumented(t *testing.T) {
	_, rows := documented(t)
	for _, c := range []struct {
		name  string
		cell  int
		words string
		rule  func(p *Rules) any
		want  string
	}{
		{"single_flight_line_after_middle", debounceCell, "none; asks on every cursor move", func(p *Rules) any { return fmt.Sprint(p.Wait.For, p.Triggers.Moves) }, "0s true"},
		{"single_flight_line_after_middle", throttleCell, "single flight", func(p *Rules) any { return p.MostLive }, "1"},
		{"single_flight_line_after_middle", nextKeyCell, "none: the running one finishes; its answer goes into the cache under ITS text", func(p *Rules) any { return fmt.Sprint(p.Cancel, p.KeepSuperseded) }, "none true"},
		{"single_flight_line_after_middle", cachesCell, "LRU 250 keys", func(p *Rules) any { return p.Cache.Capacity }, "250"},
		{"single_flight_line_after_middle", cachesCell, "with 1, 2, 3 first lines dropped", func(p *Rules) any { return p.Cache.Fuzzy.LostLines }, "3"},
		{"single_flight_line_after_middle", cachesCell, "1..128 characters back, the LONGEST rest wins", func(p *Rules) any { return fmt.Sprint(p.Cache.Prefix.Reach, p.Cache.Prefix.MostLeft) }, "128 true"},
		{"single_flight_line_after_middle", cachesCell, "empty answers kept", func(p *Rules) any { return p.Cache.Empty }, "true"},
		{"single_flight_line_after_middle", contextCell, "256 lines before, 64 after; ring of 16 chunks", windows, "256 lines 64 lines, 16 true"},
		{"single_flight_line_after_middle", layoutCell, "prompt = the line so far", func(p *Rules) any { return p.Prompt.Layout }, "line_after_middle"},
		{"single_flight_line_after_middle", mostCell, "n_predict 128", maxTokens, "128"},
		{"single_flight_line_after_middle", mostCell, "not streamed", func(p *Rules) any { return p.Display.Lines }, "end"},
		{"wait_for_free_150", debounceCell, "VS Code's (50)", waits, "50ms restart"},
		{"wait_for_free_150", throttleCell, "single flight", func(p *Rules) any { return p.MostLive }, "1"},
		{"wait_for_free_150", nextKeyCell, "discard", cancels, "discard"},
		{"wait_for_free_150", cachesCell, "LRU 250", func(p *Rules) any { return p.Cache.Capacity }, "250"},
		{"wait_for_free_150", cachesCell, "(same line only, to its start)", func(p *Rules) any { return p.Cache.Prefix.SameLine }, "true"},
		{"wait_for_free_150", cachesCell, "the rest at the start of line 2, and a speculative REQUEST", func(p *Rules) any { return fmt.Sprint(p.Cache.Forward.NextLine, p.Speculate) }, "true true"},
		{"wait_for_free_150", contextCell, "256 / 64 lines; ring 16 x 64", windows, "256 lines 64 lines, 16 true"},
		{"wait_for_free_150", mostCell, "128", maxTokens, "128"},
		{"leading_then_trailing_350", debounceCell, "350: the FIRST key after a quiet 350 ms asks AT ONCE", waits, "350ms leading"},
		{"leading_then_trailing_350", nextKeyCell, "keep while typing continues what came (and is not shorter); else cancel (wire: abort)", func(p *Rules) any { return fmt.Sprint(p.Cancel, p.KeepMatching) }, "wire true"},
		{"leading_then_trailing_350", cachesCell, "map of 1000", func(p *Rules) any { return p.Cache.Capacity }, "1000"},
		{"leading_then_trailing_350", cachesCell, "and only that one", func(p *Rules) any { return p.Cache.Prefix.Longest }, "true"},
		{"leading_then_trailing_350", contextCell, "maxPromptTokens 1024; prefix 30 %, suffix 20 %", windows, fmt.Sprintf("%d tokens %d tokens, 0 false", 1024*30/100, 1024*20/100)},
		{"leading_then_trailing_350", contextCell, "whole lines dropped", func(p *Rules) any { return p.Prompt.WholeLines }, "true"},
		{"adaptive", debounceCell, "clamp(100, 1000, rate x base", func(p *Rules) any { return fmt.Sprint(p.Wait.Debounce, p.Wait.Least, p.Wait.For) }, "rhythm 100ms 1s"},
		{"adaptive", debounceCell, "rate = 3.0 - 1.5 x score", func(p *Rules) any { return p.Wait.Factor }, fmt.Sprint((1.5 + 3.0) / 2)},
		{"adaptive", nextKeyCell, "wire", cancels, "wire"},
		{"adaptive", cachesCell, "LRU 100, TTL 5 min", func(p *Rules) any { return fmt.Sprint(p.Cache.Capacity, p.Cache.TTL) }, "100 5m0s"},
		{"adaptive", cachesCell, "after each of the first 50 characters", func(p *Rules) any { return p.Cache.Forward.Characters }, "50"},
		{"adaptive", contextCell, "20 lines before/after", windows, "20 lines 20 lines, 0 false"},
		{"adaptive", mostCell, "server 64 tokens", maxTokens, "64"},
		{"fuzzy_throttle", debounceCell, "others after 25 ms", waits, "25ms restart"},
		{"fuzzy_throttle", nextKeyCell, "an answer that fits a LATER waiting request is given to it (joined)", func(p *Rules) any { return fmt.Sprint(p.KeepMatching, p.Join) }, "true true"},
		{"fuzzy_throttle", cachesCell, "LRU 250", func(p *Rules) any { return p.Cache.Capacity }, "250"},
		{"fuzzy_throttle", cachesCell, "each of those 5 within Levenshtein 3 + len/20, at most 5", func(p *Rules) any { return p.Cache.Fuzzy.Edits }, "{5 3 20 5}"},
		{"fuzzy_throttle", mostCell, "256", maxTokens, "256"},
		{"fuzzy_throttle", triggersCell, "not when a word character follows", func(p *Rules) any { return p.Triggers.NotInWord }, "true"},
		{"cached_prefix_and_suffix", debounceCell, "VS Code 50", waits, "50ms restart"},
		{"cached_prefix_and_suffix", throttleCell, "waits <= 200 ms", func(p *Rules) any { return p.Join }, "true"},
		{"cached_prefix_and_suffix", nextKeyCell, "keep while it fits", func(p *Rules) any { return fmt.Sprint(p.Cancel, p.KeepMatching) }, "wire true"},
		{"cached_prefix_and_suffix", cachesCell, "typed-as-suggested (current); radix trie LRU 100", func(p *Rules) any { return fmt.Sprint(p.Reuse, p.Cache.Capacity) }, "typed_as_suggested 100"},
		{"cached_prefix_and_suffix", cachesCell, "(from the next line on) stays the earlier one while the first of 50 tokens is equal and the edit distance of the first 50 tokens is < 10 %", func(p *Rules) any { return fmt.Sprint(p.Prompt.NextLine, p.Prompt.Sticky) }, "true {50 10}"},
		{"cached_prefix_and_suffix", contextCell, "8192 - 500 tokens; prefix 35 %, suffix 15 %", windows, fmt.Sprintf("%d tokens %d tokens, 4 false", (8192-500)*35/100, (8192-500)*15/100)},
		{"cached_prefix_and_suffix", triggersCell, "maxMultilineTokens 200", maxTokens, "200"},
		{"cached_prefix_and_suffix", triggersCell, "completionsDelay = hold, default 200 ms", func(p *Rules) any { return p.Display.Hold }, "200ms"},
		{"cached_prefix_and_suffix", triggersCell, "speculative request as if accepted", func(p *Rules) any { return p.Speculate }, "true"},
		{"cached_prefix_and_suffix", triggersCell, "middle of line only before", func(p *Rules) any { return p.Triggers.After }, "closing"},
		{"editor_core_50", debounceCell, "50", waits, "50ms restart"},
		{"editor_core_50", nextKeyCell, "any content change clears the operation", func(p *Rules) any { return p.EditorToken }, "true"},
		{"editor_core_50", cachesCell, "item stays while typing is its prefix, and the providers are asked at each change all the same", func(p *Rules) any { return p.Reuse }, "shrink_and_ask"},
		{"throttle_two_pending", debounceCell, "-", waits, "0s restart"},
		{"throttle_two_pending", throttleCell, "THROTTLE 300 from the last request (same buffer): waits for the rest, trailing kept; at most 2 pending", func(p *Rules) any { return fmt.Sprint(p.Throttle, p.Trailing, p.MostLive) }, "300ms true 2"},
		{"throttle_two_pending", contextCell, "FIM: 512 tokens", func(p *Rules) any { return p.Prompt.Prefix.N + p.Prompt.Suffix.N }, "512"},
		{"restart_75", debounceCell, "75", waits, "75ms restart"},
		{"restart_75", cachesCell, "a new one is asked for all the same", func(p *Rules) any { return p.Reuse }, "shrink_and_ask"},
		{"restart_75", nextKeyCell, "task dropped", cancels, "discard"},
		{"restart_15", debounceCell, "15", waits, "15ms restart"},
		{"throttle_without_trailing", debounceCell, "400, restart", waits, "400ms restart"},
		{"throttle_without_trailing", throttleCell, "throttle 1000 from the request; keys INSIDE ARE LOST", func(p *Rules) any { return fmt.Sprint(p.Throttle, p.Trailing) }, "1s false"},
		{"throttle_without_trailing", nextKeyCell, "discard by timestamp", cancels, "discard"},
		{"throttle_without_trailing", cachesCell, "none at all", func(p *Rules) any { return fmt.Sprint(p.Reuse, p.Cache.Capacity) }, "none 0"},
		{"throttle_without_trailing", contextCell, "16 000 characters in all, 3 : 1", windows, "12000 bytes 4000 bytes, 0 false"},
		{"throttle_without_trailing", layoutCell, "(2 header lines", func(p *Rules) any { return strings.Count(p.Prompt.Header, "\n") }, "2"},
		{"throttle_without_trailing", mostCell, "256", maxTokens, "256"},
		{"abort_previous_300", debounceCell, "300 restart", waits, "300ms restart"},
		{"abort_previous_300", nextKeyCell, "wire: abort", cancels, "wire"},
		{"abort_previous_300", cachesCell, "off by default", func(p *Rules) any { return p.Cache.Capacity }, "0"},
		{"abort_previous_300", contextCell, "contextLength 100 lines, 85 : 15", func(p *Rules) any { return fmt.Sprint(p.Prompt.Prefix, p.Prompt.Suffix) }, "{85 lines} {15 lines}"},
		{"abort_previous_300", contextCell, "<= 3 files of 6000 characters", func(p *Rules) any { return fmt.Sprint(p.Prompt.Snippets.N, 4*p.Prompt.Snippets.Tokens) }, "3 6000"},
		{"abort_previous_300", mostCell, "numPredictFim 512", maxTokens, "512"},
		{"abort_previous_300", triggersCell, "warm-up on window focus", func(p *Rules) any { return p.WarmUp }, "true"},
		{"idle_75_cancel", debounceCell, "75 (codeium_idle_delay), restart", waits, "75ms restart"},
		{"idle_75_cancel", nextKeyCell, "CancelRequest", cancels, "wire"},
		{"no_debounce_poll", debounceCell, "none", waits, "0s restart"},
		{"no_debounce_poll", throttleCell, "50 states kept", func(p *Rules) any { return p.Cache.Capacity }, "50"},
		{"no_debounce_poll", nextKeyCell, "none", cancels, "none"},
		{"no_debounce_poll", cachesCell, "PARTIAL answers included", func(p *Rules) any { return p.Cache.Partial }, "true"},
		{"no_debounce_poll", cachesCell, "most left wins", func(p *Rules) any { return p.Cache.Prefix.MostLeft }, "true"},
		{"none_of_its_own", debounceCell, "VS Code's 50", waits, "50ms restart"},
	} {
		p, err := FindPreset(c.name)
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(rows[c.name][c.cell], c.words) {
			t.Errorf("%s: docs/plugins.md has %q, want in it %q", c.name, rows[c.name][c.cell], c.words)
		}
		if got := fmt.Sprint(c.rule(&p.Rules)); got != c.want {
			t.Errorf("%s, %q: the rules have %s, want %s", c.name, c.words, got, c.want)
		}
	}
}

func waits(p *Rules) any     { return fmt.Sprint(p.Wait.For, " ", p.Wait.Debounce) }
func cancels(p *Rules) any   { return p.Cancel }
func maxTokens(p *Rules) any { return p.MaxTokens }

func windows(p *Rules) any {
	s := &p.Prompt
	return fmt.Sprintf("%d %s %d %s, %d %t", s.Prefix.N, s.Prefix.Unit, s.Suffix.N, s.Suffix.Unit, s.Snippets.N, s.Snippets.Ring)
}
