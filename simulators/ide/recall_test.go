package ide

import (
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/ide/cache"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/typing"
)

// TestKnownEmpty: where a model said nothing it is not asked again by a plugin that keeps that,
// and asked by one that does not.
func TestKnownEmpty(t *testing.T) {
	for _, c := range []struct {
		empty    bool
		requests int
		held     string // the last key
	}{{true, 2, "known_empty"}, {false, 3, ""}} {
		r := newRig(t, 1, 0, 0)
		model := &spoken{loop: r.loop, after: 10 * ms, says: []string{"", "c", "c"}}
		r.config.LLM = model
		r.config.Plugin.Cache = cache.Config{Capacity: 10, Empty: c.empty}
		traces := r.play(open("", "").key(100*ms, "a").key(200*ms, "b").backspace(300 * ms))
		if held := traces[2].Fact(pipeline.FactHeld); held != c.held || len(model.heard) != c.requests {
			t.Errorf("empty: %t: %d requests, the last key held by %q, want %d and %q", c.empty, len(model.heard), held, c.requests, c.held)
		}
	}
}

// TestGivenUpIsNotEmpty: a request that was closed before anything came did not say nothing.
func TestGivenUpIsNotEmpty(t *testing.T) {
	r := newRig(t, 1, 0, 0)
	model := &spoken{loop: r.loop, after: 150 * ms, says: []string{""}}
	r.config.LLM = model
	r.config.Plugin.Cancel = plugin.CancelWire
	r.config.Plugin.KeepSuperseded = true
	r.config.Plugin.Cache = cache.Config{Capacity: 10, Empty: true, Partial: true}
	r.play(open("", "").key(100*ms, "a").key(200*ms, "b").backspace(300 * ms))
	if len(model.heard) != 3 {
		t.Errorf("%d requests, want one a key", len(model.heard))
	}
}

// TestTakenBack: what is taken back stands in front of the answer that was there.
func TestTakenBack(t *testing.T) {
	for back, want := range map[int]string{0: "", 1: "bc"} {
		r := newRig(t, 1, 0, 0)
		model := &spoken{loop: r.loop, after: 10 * ms, says: []string{"x", "c", ""}}
		r.config.LLM = model
		r.config.Plugin.Cache = cache.Config{Capacity: 10, Back: back}
		steps := scripted(open("", "").key(100*ms, "a").key(200*ms, "b").backspace(300 * ms).steps)
		r.config.Plugin.Cache.TTL = 150 * ms // the answer to "a" itself is over by then
		e := r.start(1, len(steps), func(int) typing.Source { return &steps }, func() {})
		if err := r.virtual.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := e[0].Shown(); got != want {
			t.Errorf("back %d: %q is shown, want %q", back, got, want)
		}
	}
}

// TestFlash: a suggestion that is taken away before it counts as seen is a flash, and one that
// is accepted is none.
func TestFlash(t *testing.T) {
	for _, c := range []struct {
		least time.Duration
		next  func(a *at) *at
		want  string
	}{
		{0, func(a *at) *at { return a.key(200*ms, "z") }, ""},
		{91 * ms, func(a *at) *at { return a.key(200*ms, "z") }, "1"},
		{90 * ms, func(a *at) *at { return a.key(200*ms, "z") }, ""},
		{91 * ms, func(a *at) *at { return a.add(200*ms, typing.Step{Kind: typing.Accept}) }, ""},
	} {
		r := newRig(t, 1, 0, 0)
		r.config.LLM = &spoken{loop: r.loop, after: 10 * ms, says: []string{"bc", ""}}
		r.config.Plugin.Display.LeastVisible = c.least
		if got := r.play(c.next(open("", "").key(100*ms, "a")))[0].Fact(pipeline.FactFlashes); got != c.want {
			t.Errorf("visible for 90ms of %s: flashes is %q, want %q", c.least, got, c.want)
		}
	}
}

// What is known of a document is found again by who comes back to it, and not in another one
// that has the same text.
func TestCacheTellsDocumentsApart(t *testing.T) {
	for want, again := range map[string]int{"cache": 7, "network": 0} {
		r := newRig(t, 1, 100*ms, 0)
		r.config.Plugin.Cache = cache.Config{Capacity: 10}
		a := open("x", "").will("xa = 1")
		a.steps[0].Document = 7
		a.key(0, "a").step(500, typing.Step{Kind: typing.Open, Document: 8, Text: "z", Cursor: 1})
		a.step(600, typing.Step{Kind: typing.Open, Document: again, Text: "x", Cursor: 1}).key(700*ms, "a")
		if got := r.play(a)[1].Fact("source"); got != want {
			t.Errorf("document %d after document 7: its text is from %s, want %s", again, got, want)
		}
	}
}
