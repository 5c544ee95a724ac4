package scenario

import (
	"errors"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/strict"
	"halfsecond/simulators/ide/plugin"
)

const varied = `
halfsecond: 1
kind: ide
name: varied
arrivals: {process: closed, users: 1}
ide:
  typist: {profile: average, text: go-handler}
  plugin: {cancel: wire}
  llm: {model: Qwen2.5-1.5B, hardware: L4}
budgets:
  - share(ttfc < 150ms) >= 90%
`

func TestParseWith(t *testing.T) {
	with := func(changes ...Change) *Scenario {
		t.Helper()
		s, err := ParseWith("test.yaml", []byte(varied), nil, changes)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	plain := with()
	s := with(Change{"ide.plugin.debounce", "350ms"}, Change{"ide.plugin.cancel", "none"}, Change{"ide.plugin.cache.capacity", "7"},
		Change{"ide.answer.truth", "40%"}, Change{"ide.llm.hardware", "L40S"}, Change{"ide.round_trip", "{p50: 10ms, p95: 20ms}"})
	p := s.IDE.Plugin
	if p.Wait.For != 350*time.Millisecond || p.Cancel != plugin.CancelNone || p.Cache.Capacity != 7 || s.IDE.Truth != .4 || s.IDE.LLM.Engine.Hardware != "L40S" {
		t.Errorf("changed to %+v, %+v", p, s.IDE)
	}
	if got := with(Change{"ide.plugin.cancel", "none"}, Change{"ide.plugin.cancel", ""}); got.Hash() != plain.Hash() {
		t.Error("a key that is left out again does not stand for its default")
	}
	if got := with(Change{"ide.plugin.triggers.after", ""}); got.Hash() != plain.Hash() {
		t.Error("leaving a key out that is not there changes something")
	}
	// A change is as if the file had it.
	own, err := Parse("test.yaml", []byte(strings.Replace(varied, "{cancel: wire}", "{cancel: wire, debounce: 20ms}", 1)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := with(Change{"ide.plugin.debounce", "20ms"}); got.Canonical() != own.Canonical() {
		t.Errorf("changed:\n%s\nwritten:\n%s", got.Canonical(), own.Canonical())
	}
}

func TestParseWithWhatCannotBe(t *testing.T) {
	for _, c := range []struct {
		change Change
		want   string
		unfit  bool
	}{
		{Change{"ide.plugin.debounse", "1ms"}, "ide.plugin.debounse: unknown key", false},
		{Change{"ide.plugin.debounce", "soon"}, "ide.plugin.debounce: want a duration", false},
		{Change{"ide.llm.model", "Qwen2.5-72B"}, "Qwen2.5-72B in fp16 does not fit", true},
		{Change{"ide.llm.model", "Qwen2.5-73B"}, "unknown model", false},
		{Change{"ide.llm.model.name", "x"}, "there is no mapping above name", false},
		{Change{"ide.plugin.debounce", "[1"}, "change of ide.plugin.debounce: [1", false},
	} {
		_, err := ParseWith("test.yaml", []byte(varied), nil, []Change{c.change})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.change, err, c.want)
		}
		var p strict.Problem
		if errors.As(err, &p); p.Unfit != c.unfit {
			t.Errorf("%s: unfit %v, want %v", c.change, p.Unfit, c.unfit)
		}
	}
}

func TestValues(t *testing.T) {
	got, err := Values("0ms, {capacity: 250, prefix: {reach: 8}}, ~, 60%, Qwen2.5-1.5B")
	if want := "0ms|{capacity: 250, prefix: {reach: 8}}||60%|Qwen2.5-1.5B"; err != nil || strings.Join(got, "|") != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	for _, list := range []string{"", "a, a", "{a", "a]: b"} {
		if got, err := Values(list); err == nil {
			t.Errorf("%q: %q, want an error", list, got)
		}
	}
	for _, key := range []string{"", "ide..x", "run.n", "kind", "budgets"} {
		if _, err := NewChange(key, "1"); err == nil {
			t.Errorf("key %q can be changed", key)
		}
	}
}
