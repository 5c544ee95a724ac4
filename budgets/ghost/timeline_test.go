package ghost

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline"
)

// What a moment is told to have come to: text of an answer that broke off was there, and counts for
// nothing; text that was held back for a key needs no rule beside it.
func TestFate(t *testing.T) {
	broken := shownAt(answered(1, "verdict=exact"), 100, 900)
	broken.Outcome, broken.Requests[0].Outcome = pipeline.Truncated, pipeline.Truncated
	timed := asks(key(0, "verdict=none"), 1, 10, nil)
	timed.Outcome = pipeline.Timeout
	for _, c := range []struct {
		trace *pipeline.Trace
		want  string
	}{
		{broken, "failed"}, {timed, "tester limit"}, {key(0, "held=hold"), "held"}, {key(0, "held=in_word"), "held: in word"}, {answered(1, "verdict=diverged", "arrival=exact"), "exact"},
	} {
		if m := Of([]*pipeline.Trace{c.trace}, Options{}).Window(c.trace)[0]; m.Fate() != c.want {
			t.Errorf("%v: %s, want %s", c.trace.Facts, m.Fate(), c.want)
		}
	}
}

// A window has what one person did a few seconds around a key, and what became of it.
func TestWindow(t *testing.T) {
	traces := session()
	other := traced(pipeline.KindIDE, 1, 1100)
	accepted := traced(pipeline.KindStep, 0, 2000, "class=accept", "saved=12")
	guess := traced(pipeline.KindStep, 0, 1400, "class=speculation")
	r := Of(append(traces, other, accepted, guess), Options{})
	var words []string
	for _, m := range r.Window(traces[2]) {
		words = append(words, fmt.Sprintf("%d %s to %d", m.Due/ms, m.Fate(), m.Waited/ms))
	}
	want := "0 exact to 75, 1000 typed on: diverged to 1075, 1100 cancelled to 1175, 1200 cancelled to 1275, 1300 refused to 1375, " +
		"1400 held: throttle to 1400, 1500 overtaken to 2000, 2000 12 characters accepted to 3000"
	if got := strings.Join(words, ", "); got != want {
		t.Errorf("window: %s\nwant %s", got, want)
	}
	reused := traced(pipeline.KindIDE, 0, 2500, "source=typed_as_suggested", "verdict=none")
	reused.Marks = []pipeline.Mark{{Name: pipeline.MarkFirstCharacter, At: 2500 * ms}}
	reused.Uses = []pipeline.Use{{Request: traces[0].Requests[0].ID, How: "typed-as-suggested"}}
	nobody := *reused
	nobody.Due, nobody.Uses = 2600*ms, []pipeline.Use{{Request: 999, How: "typed-as-suggested"}}
	for _, c := range []struct {
		key  *pipeline.Trace
		want string
	}{{reused, "typed as suggested: exact"}, {&nobody, "typed as suggested"}} {
		w := Of(slices.Concat(session()[:1], []*pipeline.Trace{reused, &nobody}), Options{}).Window(c.key)
		at := slices.IndexFunc(w, func(m Moment) bool { return m.Trace == c.key })
		if got := w[at].Fate(); got != c.want {
			t.Errorf("a text of an earlier answer: %q, want %q", got, c.want)
		}
	}
	middle, worst := r.Typical()
	if middle != traces[0] || worst != traces[0] {
		t.Errorf("typical keys at %v and %v, want both at 0", middle, worst)
	}
	var many []*pipeline.Trace
	for i := range 60 {
		many = append(many, key(50*i))
	}
	if w := Of(many, Options{}).Window(many[40]); len(w) != windowMost || w[windowMost*2/3].Trace != many[40] {
		t.Errorf("%d steps in a window, want %d with the key two thirds along", len(w), windowMost)
	}
}
