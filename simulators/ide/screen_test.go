package ide

import (
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/typing"
)

// steps adds a step that is no key.
func (a *at) step(t int, s typing.Step) *at { return a.add(time.Duration(t)*ms, s) }

// seen returns when suggestions came and went, as the traces of their requests tell.
func seen(traces []*pipeline.Trace) (all []pipeline.Mark) {
	for _, x := range traces {
		for _, m := range x.Marks {
			switch m.Name {
			case "first_character", "first_line", "last_character":
			default:
				m.At /= ms
				all = append(all, m)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b pipeline.Mark) int { return int(a.At - b.At) })
	return all
}

// A list of completions hides what does not go on with the entry that is selected: with what
// is left to type of it, and with nothing when all of it is typed.
func TestPopup(t *testing.T) {
	for _, c := range []struct {
		before, key, line, entry string
		hidden                   bool
	}{
		{"obj", ".", "obj.get(x)", "get", false},
		{"obj", ".", "obj.get(x)", "getAll", true},
		{"obj.g", "e", "obj.get(x)", "get", false},
		{"obj.ge", "t", "obj.get(x)", "get", false},
		{"obj.ge", "t", "obj.get(x)", "getAll", true},
	} {
		r := newRig(t, 1, 60*ms, 0)
		traces := r.play(open(c.before, "").will(c.line).key(0, c.key).step(110, typing.Step{Kind: typing.Popup, Text: c.entry}))
		want := []pipeline.Mark{{Name: "shown", At: 60}}
		if c.hidden {
			want = append(want, pipeline.Mark{Name: "hidden_by_popup", At: 110})
		}
		if got := seen(traces); !slices.Equal(got, want) {
			t.Errorf("%s after %s%s: %v, want %v", c.entry, c.before, c.key, got, want)
		}
	}
}

// What comes while another entry is selected is right, and cannot be shown.
func TestPopupBefore(t *testing.T) {
	r := newRig(t, 1, 60*ms, 0)
	traces := r.play(open("obj", "").will("obj.get(x)").key(0, ".").step(30, typing.Step{Kind: typing.Popup, Text: "getAll"}))
	if got := seen(traces); len(got) > 0 || traces[0].Fact("verdict") != "not_displayable" {
		t.Errorf("seen %v, verdict %s; want nothing, not_displayable", got, traces[0].Fact("verdict"))
	}
}

// A suggestion that is hidden before it counts as shown is a flash, and one that is taken is
// none.
func TestFlashes(t *testing.T) {
	for _, c := range []struct {
		at   int
		step typing.Step
		want string
	}{
		{359, typing.Step{Kind: typing.Move}, "1"}, {360, typing.Step{Kind: typing.Move}, ""}, {200, typing.Step{Kind: typing.Accept}, ""},
	} {
		r := newRig(t, 1, 60*ms, 0)
		r.config.Plugin.Display.LeastVisible = 300 * ms
		key := r.play(open("", "").will("ab = 1").key(0, "a").step(c.at, c.step))[0]
		if got := key.Fact("flashes"); got != c.want {
			t.Errorf("hidden at %d ms by a step of kind %d: flashes %q, want %q", c.at, c.step.Kind, got, c.want)
		}
	}
}

// What is asked for by hand with a text hides what that does not go on with, and what comes
// for the version before is judged by it.
func TestInvoke(t *testing.T) {
	for _, c := range []struct {
		reuse plugin.Reuse
		want  []pipeline.Mark
	}{
		{plugin.ReuseNone, []pipeline.Mark{{Name: "shown", At: 60}, {Name: "hidden_by_key", At: 100}, {Name: "shown_again", At: 160}}},
		{plugin.TypedAsSuggested, []pipeline.Mark{{Name: "shown", At: 60}}},
	} {
		r := newRig(t, 4, 60*ms, 0)
		r.config.Plugin.Reuse = c.reuse
		b := typing.Step{Kind: typing.Invoke, Text: "b", Truth: " = 1"}
		traces := r.play(open("", "").will("ab = 1").key(0, "a").step(100, b))
		if got := seen(traces); !slices.Equal(got, c.want) {
			t.Errorf("reuse %s: %v, want %v", c.reuse, got, c.want)
		}
	}
	r := newRig(t, 4, 60*ms, 0)
	z := typing.Step{Kind: typing.Invoke, Text: "z"}
	if key := r.play(open("", "").will("ab = 1").key(0, "a").step(50, z))[0]; key.Fact("verdict") != "diverged" {
		t.Errorf("an answer that comes after z is %s, want diverged", key.Fact("verdict"))
	}
}

// A suggestion that stood there at the start is one like any other: what follows it is asked
// for ahead, and keys of that instant come before.
func TestGiven(t *testing.T) {
	for _, c := range []struct {
		key  int
		sent []int64
		want []pipeline.Mark
	}{
		{500, []int64{0, 500, 560}, []pipeline.Mark{{Name: "shown", At: 0}, {Name: "hidden_by_key", At: 500}}},
		{0, []int64{0, 60}, []pipeline.Mark{{Name: "shown", At: 0}, {Name: "hidden_by_key", At: 0}}},
	} {
		r := newRig(t, 4, 60*ms, 0)
		r.config.Plugin.Speculate, r.config.Plugin.Cancel = true, plugin.CancelWire
		steps := scripted(open("", "").key(time.Duration(c.key)*ms, "z").steps)
		e := r.start(1, 9, func(int) typing.Source { return &steps }, func() {})[0]
		r.loop.At(0, pipeline.RankInput, func() { e.Show("foo()") })
		if err := r.virtual.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		all := requests(r.traces)
		slices.SortFunc(all, func(a, b pipeline.Request) int { return int(a.ID - b.ID) })
		if got := sent(all); !slices.Equal(got, c.sent) {
			t.Errorf("a key at %d: asked at %v, want %v", c.key, got, c.sent)
		}
		if got := seen(r.traces)[:2]; !slices.Equal(got, c.want) {
			t.Errorf("a key at %d: %v, want %v", c.key, got, c.want)
		}
	}
}

// What the editor gave up is dropped when more of it comes, unless it is still on the screen.
func TestDiscardWhileItStreams(t *testing.T) {
	for reuse, want := range map[plugin.Reuse]string{plugin.ReuseNone: "dropped", plugin.TypedAsSuggested: "exact"} {
		r := newRig(t, 4, 50*ms, 50*ms)
		r.config.Plugin.Cancel, r.config.Plugin.Reuse = plugin.CancelDiscard, reuse
		if got := r.play(open("", "").will("a bc d").key(0, "a").key(70*ms, " "))[0].Fact("verdict"); got != want {
			t.Errorf("reuse %s: the answer is %s, want %s", reuse, got, want)
		}
	}
}

// A request that was made ahead is given up by the plugin's rule and by no other.
func TestGuessGivenUp(t *testing.T) {
	for cancel, want := range map[plugin.Cancel]string{plugin.CancelNone: "", plugin.CancelDiscard: "discarded", plugin.CancelWire: "rule"} {
		r := newRig(t, 4, 100*ms, 0)
		r.config.Plugin.Speculate, r.config.Plugin.Cancel = true, cancel
		for _, x := range r.play(open("", "").will("ab = 1").key(0, "a").key(150*ms, "q")) {
			if x.Fact("class") == "speculation" && x.Requests[0].Due == 100*ms && x.Fact("given_up") != want {
				t.Errorf("cancel %s: given up by %q, want %q", cancel, x.Fact("given_up"), want)
			}
		}
	}
}
