package ide

import (
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/typing"
)

// The trace of a request tells where its prompt differs from the one before, and that of a key
// what was typed, where somebody wants to know, and never otherwise.
func TestTracesTellOfDriftAndKeys(t *testing.T) {
	script := func() *at {
		return open("a b ", "\nc d").will("a b x y z").key(0, "x").key(1000*ms, " ").backspace(2000*ms).
			add(3000*ms, typing.Step{Kind: typing.Key, Class: typing.Punct, Edit: document.Edit{Offset: 5, Insert: "()", Cursor: 6}})
	}
	r := newRig(t, 1, 20*ms, 5*ms)
	r.config.Drift, r.config.Typed = true, true
	traces := r.play(script())
	for i, want := range []struct{ typed, at, by string }{{"x", "", ""}, {" ", "3", "key_at_cursor"}, {"⌫", "3", "key_at_cursor"}, {"(", "3", "key_at_cursor"}} {
		x := traces[i]
		if typed, at, by := x.Fact(pipeline.FactTyped), x.Fact(pipeline.FactDiffersAt), x.Fact(pipeline.FactDiffersBy); typed != want.typed || at != want.at || by != want.by {
			t.Errorf("key %d: typed %q, differs at %q by %q; want %+v", i, typed, at, by, want)
		}
	}
	plain := newRig(t, 1, 20*ms, 5*ms)
	for i, x := range plain.play(script()) {
		if x.Fact(pipeline.FactTyped)+x.Fact(pipeline.FactDiffersAt)+x.Fact(pipeline.FactDiffersBy) != "" {
			t.Errorf("key %d tells what nobody asked for: %v", i, x.Facts)
		}
	}
}

// How long text was held back, and how long it was on its way to the screen, is in the trace.
func TestTracesTellOfTheScreen(t *testing.T) {
	r := newRig(t, 1, 20*ms, 5*ms)
	r.config.Plugin.Display.Hold, r.config.Plugin.Display.Render = 60*ms, 8*ms
	x := r.play(open("", "").will("abc def ghi").key(0, "a"))[0]
	var spans []pipeline.Span
	for _, s := range x.Spans {
		if s.Name == pipeline.SpanHold || s.Name == pipeline.SpanRender {
			spans = append(spans, s)
		}
	}
	if len(spans) != 2 || spans[0].Start != 20*ms || spans[0].End != 60*ms || spans[1].Start != 60*ms || spans[1].End != 68*ms {
		t.Errorf("held and rendered in %+v, want 20 to 60 ms and on to 68 ms", spans)
	}
}
