package ide

import (
	"slices"
	"testing"
	"time"

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

// TestJoinsWhatIsHeldBack: a key that waits for an answer has it when that is shown, and does not
// ask again while it is held back; nor does one whose wait ends meanwhile.
func TestJoinsWhatIsHeldBack(t *testing.T) {
	for _, c := range []struct{ debounce, key, hold, render, shown time.Duration }{
		{50, 60, 0, 0, 150},
		{50, 60, 200, 0, 260},
		{50, 60, 0, 70, 220},
		{100, 110, 200, 0, 310}, // the answer comes at 200, the wait ends at 210
	} {
		r := newRig(t, 4, 100*ms, 0)
		p := &r.config.Plugin
		p.Wait.For, p.Join, p.Display.Hold, p.Display.Render = c.debounce*ms, true, c.hold*ms, c.render*ms
		traces := r.play(open("", "").will("abc = 1").key(0, "a").key(c.key*ms, "b"))
		b := traces[1]
		if n := len(requests(traces)); n != 1 || b.Fact("source") != "joined" || b.Mark("first_character") != c.shown*ms {
			t.Errorf("debounce %d, hold %d, render %d: %d requests, text from %s at %s; want one, joined at %dms",
				c.debounce, c.hold, c.render, n, b.Fact("source"), b.Mark("first_character"), c.shown)
		}
	}
}

// TestWaitEndsWithAJoin: a key that waits for an earlier request has been asked for, and the next
// one waits by itself.
func TestWaitEndsWithAJoin(t *testing.T) {
	for join, want := range map[bool][]int64{true: {75, 275}, false: {75, 175, 275}} {
		r := newRig(t, 4, 115*ms, 0)
		r.config.Plugin.Wait, r.config.Plugin.Join = plugin.Wait{Debounce: plugin.Trailing, For: 75 * ms}, join
		if got := sent(requests(r.play(open("", "").will("abcd = 1").key(0, "a").key(100*ms, "b").key(200*ms, "c")))); !slices.Equal(got, want) {
			t.Errorf("join %t: asked at %v, want %v", join, got, want)
		}
	}
}

// TestOpportunityWhileTheThreadWorks: a key after which others wait for the editor's thread is no
// opportunity.
func TestOpportunityWhileTheThreadWorks(t *testing.T) {
	r := newRig(t, 4, 60*ms, 0)
	r.config.Plugin.Prepare, r.config.Plugin.Wait.For = 100*ms, 50*ms
	traces := r.play(open("", "").will("abcd = 1").key(0, "a").key(10*ms, "b").key(20*ms, "c").key(2000*ms, "d"))
	for i, want := range []string{"no", "no", "yes", "yes"} {
		if got := traces[i].Fact("opportunity"); got != want || len(traces[i].Requests) == 1 != (want == "yes") {
			t.Errorf("key %d: opportunity %s with %d requests, want %s", i, got, len(traces[i].Requests), want)
		}
	}
}
