package ide

import (
	"slices"
	"testing"

	"halfsecond/simulators/ide/plugin"
)

// Where nothing is asked the wait is over, and begins anew with the next step.
func TestWaitBeginsAnew(t *testing.T) {
	for name, between := range map[string]func(a *at) *at{
		"a step that is refused": func(a *at) *at { return a.key(40*ms, "#") },
		"a step that never asks": func(a *at) *at { return a.move(40*ms, 1) },
	} {
		r := newRig(t, 1, 0, 0)
		r.config.Plugin.Wait = plugin.Wait{Debounce: plugin.Trailing, For: 100 * ms}
		r.config.Plugin.Triggers.Comment = "#"
		a := between(open("", "").will("x = 1").key(0, "x"))
		if len(a.doc.Text()) > 1 {
			a = a.backspace(60 * ms)
		} else {
			a = a.key(60*ms, " ")
		}
		if got := sent(requests(r.play(a))); !slices.Equal(got, []int64{160}) {
			t.Errorf("after %s the plugin asks at %v, want 160", name, got)
		}
	}
}

// A plugin may ask about an empty document.
func TestAsksAboutNothing(t *testing.T) {
	r := newRig(t, 1, 0, 0)
	r.config.Plugin.Triggers.Empty = true
	if n := len(requests(r.play(open("a", "").backspace(0)))); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// Waits that go by what was done before know of steps that need no request.
func TestWaitKnowsEachStep(t *testing.T) {
	for debounce, want := range map[plugin.Debounce][]int64{
		plugin.Leading: {0, 700}, // q comes 100 ms after the key that shrinks the suggestion
		plugin.Rhythm:  {500, 700},
	} {
		r := newRig(t, 1, 0, 0)
		r.config.Plugin.Wait = plugin.Wait{Debounce: debounce, For: 500 * ms, Least: 10 * ms, Factor: 1}
		a := open("", "").will("ab = 1").key(0, "a")
		if r.config.Plugin.Reuse = plugin.TypedAsSuggested; debounce == plugin.Leading {
			a = a.key(100*ms, "b").key(200*ms, "q")
		} else {
			a = a.key(600*ms, "b").key(620*ms, " ").key(640*ms, "q")
			want = []int64{500, 640 + (600+20+20)/3}
		}
		if got := sent(requests(r.play(a))); !slices.Equal(got, want) {
			t.Errorf("%s: asked at %v, want %v", debounce, got, want)
		}
	}
}
