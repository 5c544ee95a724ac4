package ide

import (
	"slices"
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

// TestLinesOfTheCache: of what the cache has as much is shown as of an answer that comes.
func TestLinesOfTheCache(t *testing.T) {
	for lines, want := range map[plugin.Lines]string{
		plugin.LinesFirst: "c = 1", plugin.LinesWhole: "c = 1\nfoo", plugin.LinesEnd: "c = 1\nfoo", plugin.LinesAll: "c = 1\nfoo",
	} {
		r := newRig(t, 4, 0, 0)
		model := &spoken{loop: r.loop, after: 10 * ms, says: []string{"c = 1\nfoo", "zz"}}
		r.config.LLM = model
		r.config.Plugin.Cache, r.config.Plugin.Display.Lines = cache.Config{Capacity: 10}, lines
		steps := scripted(open("", "").key(0, "a").key(100*ms, "b").backspace(200 * ms).steps)
		e := r.start(1, len(steps), func(int) typing.Source { return &steps }, func() {})[0]
		if err := r.virtual.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if e.Shown() != want || len(model.heard) != 2 {
			t.Errorf("lines %s: %q is shown after %d requests, want %q after 2", lines, e.Shown(), len(model.heard), want)
		}
	}
}

// TestPartOfTheCache: a part of an answer of which nothing may be shown is not what a step asks for.
func TestPartOfTheCache(t *testing.T) {
	r := newRig(t, 1, 10*ms, 10*ms)
	p := &r.config.Plugin
	p.Cancel, p.Cache, p.KeepSuperseded, p.Display.Lines = plugin.CancelWire, cache.Config{Capacity: 10, Partial: true}, true, plugin.LinesEnd
	traces := r.play(open("", "").will("abc = 1").key(0, "a").key(25*ms, "b").backspace(300 * ms))
	if traces[0].Fact("stored") != "yes" || len(traces[2].Requests) != 1 || spans(traces[2]) != "debounce 300-300, llm_first_token 300-310, line_buffer 310-330" {
		t.Errorf("stored: %q, %d requests, spans %s; want a part in the cache, and the answer asked for", traces[0].Fact("stored"), len(traces[2].Requests), spans(traces[2]))
	}
}

// TestHoldOfTheCache: what the cache has is held back and comes to the screen as any answer does,
// and a key that goes on with it meanwhile has it too.
func TestHoldOfTheCache(t *testing.T) {
	for _, c := range []struct {
		next  func(a *at) *at
		shown time.Duration
		spans string
	}{
		{func(a *at) *at { return a }, 620 * ms, "debounce 500-500, hold 500-600, render 600-620"},
		{func(a *at) *at { return a.key(560*ms, "c") }, 680 * ms, "debounce 500-500, hold 500-660, render 660-680"},
	} {
		r := newRig(t, 4, 10*ms, 0)
		p := &r.config.Plugin
		p.Cache, p.KeepSuperseded = cache.Config{Capacity: 10, Prefix: cache.Prefix{Reach: cache.Unlimited}}, true
		p.Display.Hold, p.Display.Render = 100*ms, 20*ms
		traces := r.play(c.next(open("", "").will("abcdef = 1").key(0, "a").key(500*ms, "b")))
		b, last := traces[1], traces[len(traces)-1]
		for _, x := range traces[1:] {
			if x.Fact("source") != "cache" || x.Mark("first_character") != c.shown {
				t.Errorf("key %d has its text from %s at %s, want the cache at %s", x.Index, x.Fact("source"), x.Mark("first_character"), c.shown)
			}
		}
		if b.Mark("shown_again") != c.shown || spans(b) != c.spans || len(requests(traces)) != 1 || len(last.Uses) != 1 {
			t.Errorf("shown again at %s, spans %s, %d requests, uses %v; want %s, %s, 1", b.Mark("shown_again"), spans(b), len(requests(traces)), last.Uses, c.shown, c.spans)
		}
		addUp(t, traces)
	}
}

// TestLandedBeforeTheCache: a key whose text is there when its wait ends has it from where it
// came, and the cache, which has the same by then, changes nothing on the screen.
func TestLandedBeforeTheCache(t *testing.T) {
	r := newRig(t, 4, 60*ms, 0)
	p := &r.config.Plugin
	p.Wait.For, p.KeepSuperseded, p.Display.LeastVisible = 75*ms, true, 250*ms
	p.Cache = cache.Config{Capacity: 10, Prefix: cache.Prefix{Reach: cache.Unlimited}}
	traces := r.play(open("", "").will("abc = 1").key(0, "a").key(100*ms, "b"))
	b := traces[1]
	if b.Fact("source") != "joined" || b.Mark("first_character") != 135*ms || len(b.Uses) != 1 || len(b.Requests) != 0 || spans(b) != "" {
		t.Errorf("text from %s at %s, uses %v, spans %s; want joined at 135ms, once, no spans", b.Fact("source"), b.Mark("first_character"), b.Uses, spans(b))
	}
	if got := seen(traces); len(got) != 1 || traces[0].Fact("flashes") != "" {
		t.Errorf("seen %v with %q flashes, want one suggestion and none", got, traces[0].Fact("flashes"))
	}
}

// TestGuessBehindTheCache: what follows a suggestion is asked for wherever that came from, unless
// the cache knows it.
func TestGuessBehindTheCache(t *testing.T) {
	for guess, want := range map[string][]string{
		"":  {"a", "ac", "ab", "abx", "ac"}, // nothing is known there, since the cache keeps no empty answer
		"d": {"a", "ac", "ab", "abx"},
	} {
		r := newRig(t, 1, 0, 0)
		model := &spoken{loop: r.loop, after: 10 * ms, says: []string{"c", guess, "x", "", "y"}}
		r.config.LLM, r.config.Plugin.Speculate = model, true
		r.config.Plugin.Cache = cache.Config{Capacity: 10}
		r.play(open("", "").key(100*ms, "a").key(200*ms, "b").backspace(300 * ms))
		var heard []string
		for _, p := range model.heard {
			heard = append(heard, p.Text)
		}
		if !slices.Equal(heard, want) {
			t.Errorf("the guess was %q: asked behind %q, want %q", guess, heard, want)
		}
	}
}
