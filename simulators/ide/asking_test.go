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
