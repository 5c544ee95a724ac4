package ide

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/simulators/ide/cache"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/typing"
)

// worthOf writes down what the answer to a step's request was worth: on arrival, and when text of
// it last came.
func worthOf(x *pipeline.Trace) string {
	last := x.Fact(pipeline.FactVerdict)
	if on := x.Fact(pipeline.FactArrival); on != "" {
		return on + ", then " + last
	}
	return last
}

// What an answer is worth on arrival is told by when it could first be shown: the next key, and
// what the plugin then does to the request, are later. The same suggestion at the same instants
// is worth the same whether its request is left alone, dropped or closed.
func TestWorthOnArrival(t *testing.T) {
	for _, c := range []struct {
		cancel plugin.Cancel
		next   string // typed at 70
		want   string
	}{
		{plugin.CancelNone, "z", "exact, then diverged"}, {plugin.CancelDiscard, "z", "exact, then dropped"}, {plugin.CancelWire, "z", "exact"},
		{plugin.CancelNone, "b", "exact, then typed_through"}, {plugin.CancelDiscard, "b", "exact, then dropped"}, {plugin.CancelWire, "b", "exact"},
	} {
		r := newRig(t, 4, 50*ms, 50*ms)
		r.config.Plugin.Cancel = c.cancel
		key := r.play(open("", "").will("ab cd").key(0, "a").key(70*ms, c.next))[0]
		if got := worthOf(key); got != c.want {
			t.Errorf("cancel %s, then %s: %s, want %s", c.cancel, c.next, got, c.want)
		}
		if got, want := seen([]*pipeline.Trace{key})[0], (pipeline.Mark{Name: "shown", At: 50}); got != want {
			t.Errorf("cancel %s: %v, want %v", c.cancel, got, want)
		}
	}
}

// Text that was there in time and is held back was right on arrival; text of which there is not
// enough to be shown yet has not arrived.
func TestWorthOfWhatIsHeld(t *testing.T) {
	for name, c := range map[string]struct {
		display plugin.Display
		want    string
	}{
		"held":        {plugin.Display{Hold: 200 * ms}, "exact, then diverged"},
		"no line yet": {plugin.Display{Lines: plugin.LinesEnd}, "diverged"},
	} {
		r := newRig(t, 4, 50*ms, 50*ms)
		r.config.Plugin.Display = c.display
		key := r.play(open("", "").will("ab cd").key(0, "a").key(70*ms, "z"))[0]
		if got := worthOf(key); got != c.want || len(seen([]*pipeline.Trace{key})) > 0 {
			t.Errorf("%s: %s, seen %v, want %s and nothing", name, got, seen([]*pipeline.Trace{key}), c.want)
		}
	}
}

// A guess whose text is there before what it supposes has happened is ahead, until it comes true.
func TestWorthOfGuesses(t *testing.T) {
	for name, c := range map[string]struct {
		then typing.Step
		want string
	}{
		"accepted": {typing.Step{Kind: typing.Accept}, "exact"},
		"moved":    {typing.Step{Kind: typing.Move}, "ahead, then none"},
	} {
		r := newRig(t, 4, 50*ms, 0)
		r.config.LLM = &spoken{loop: r.loop, after: 50 * ms, says: []string{"bc"}}
		r.config.Plugin.Speculate = true
		traces := r.play(open("", "").key(0, "a").step(300, c.then))
		i := slices.IndexFunc(traces, func(x *pipeline.Trace) bool { return x.Fact("class") == pipeline.ClassSpeculation })
		if got := worthOf(traces[i]); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// An answer is right when its first line, as far as it came, is what will be typed, as far as that
// is known; where nothing follows none is.
func TestRight(t *testing.T) {
	for _, c := range []struct{ line, says, want string }{
		{"ab cd", "b c", "yes"}, {"ab cd", "b cd", "yes"}, {"ab cd", "b cd\nand more", "yes"}, {"ab cd", "b cd ef", "yes"}, {"ab cd", "b cd  ", "yes"},
		{"ab cd", "b x", "no"}, {"ab cd", "x", "no"}, {"a", "b", "no"}, {"ab cd", " ", ""}, {"ab cd", "", ""},
	} {
		r := newRig(t, 1, 0, 0)
		r.config.LLM = &spoken{loop: r.loop, after: 50 * ms, says: []string{c.says}}
		key := r.play(open("", "").will(c.line).key(0, "a"))[0]
		if got := key.Fact(pipeline.FactRight); got != c.want {
			t.Errorf("%q where %q will be typed: right %q, want %q", c.says, c.line, got, c.want)
		}
	}
	r := newRig(t, 1, 50*ms, 100*ms)
	r.config.Plugin.Cancel = plugin.CancelWire
	if key := r.play(open("", "").will("ab cd").key(0, "a").key(70*ms, "z"))[0]; key.Fact(pipeline.FactRight) != "yes" {
		t.Errorf("closed when %q had come: right %q, want yes", "b", key.Fact(pipeline.FactRight))
	}
}

// Text that is held back for a key, from its own request, an earlier one or the cache, until the
// next step comes is held, whoever asked for it; what was shown in the end was not.
func TestHeldBack(t *testing.T) {
	for name, c := range map[string]struct {
		typing *at
		want   string // of each key
	}{
		"of the own request": {open("", "").will("abcd").key(0, "a").key(70*ms, "z"), "hold -"},
		"of an earlier one":  {open("", "").will("abcd").key(0, "a").key(130*ms, "b").key(200*ms, "z"), "hold hold -"},
		"of the cache":       {open("", "").will("abcd").key(0, "a").backspace(300*ms).key(400*ms, "a").key(500*ms, "z"), "- empty hold -"},
		"shown in the end":   {open("", "").will("abcd").key(0, "a").key(600*ms, "z"), "- -"},
	} {
		r := newRig(t, 1, 50*ms, 0)
		r.config.Plugin.Display.Hold, r.config.Plugin.Join, r.config.Plugin.Reuse = 200*ms, true, plugin.TypedAsSuggested
		r.config.Plugin.Wait.For, r.config.Plugin.Cache = 10*ms, cache.Config{Capacity: 10}
		var held []string
		for _, x := range r.play(c.typing) {
			held = append(held, cmp.Or(x.Fact(pipeline.FactHeld), "-"))
		}
		if got := strings.Join(held, " "); got != c.want {
			t.Errorf("%s: held %s, want %s", name, got, c.want)
		}
	}
}
