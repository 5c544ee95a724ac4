package ghost

import (
	"fmt"
	"strings"
	"testing"

	"halfsecond/pipeline"
)

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
	want := "0 exact to 75, 1000 typed on to 1075, 1100 cancelled to 1175, 1200 cancelled to 1275, 1300 refused to 1375, " +
		"1400 held: throttle to 1400, 1500 overtaken to 2000, 2000 12 characters accepted to 3000"
	if got := strings.Join(words, ", "); got != want {
		t.Errorf("window: %s\nwant %s", got, want)
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
