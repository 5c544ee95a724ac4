package ide

import (
	"testing"
	"time"

	"halfsecond/simulators/ide/plugin"
)

// TestLineBuffer: how long text is there and waits for the rest of its line, or of the answer, is a
// span, before the hold; of a request that is given up meanwhile it stays open. Text that is
// shown as it comes has none. The answer "bc = 1" has tokens at 10, 20 and 30 ms.
func TestLineBuffer(t *testing.T) {
	const never = "-9223372036854" // pipeline.Unknown in ms
	for _, c := range []struct {
		name  string
		lines plugin.Lines
		hold  time.Duration
		next  time.Duration // another key, which closes the request; 0 for none
		want  string
	}{
		{"as it comes", plugin.LinesAll, 0, 0, "debounce 0-0, llm_first_token 0-10"},
		{"whole lines", plugin.LinesWhole, 0, 0, "debounce 0-0, llm_first_token 0-10, line_buffer 10-30"},
		{"the first line", plugin.LinesFirst, 0, 0, "debounce 0-0, llm_first_token 0-10, line_buffer 10-30"},
		{"all of it", plugin.LinesEnd, 0, 0, "debounce 0-0, llm_first_token 0-10, line_buffer 10-30"},
		{"and held", plugin.LinesEnd, 50 * ms, 0, "debounce 0-0, llm_first_token 0-10, line_buffer 10-30, hold 30-50"},
		{"given up", plugin.LinesEnd, 0, 25 * ms, "debounce 0-0, llm_first_token 0-10, line_buffer 10-" + never},
		{"given up before there was any", plugin.LinesEnd, 0, 5 * ms, "debounce 0-0, llm_first_token 0-" + never},
	} {
		r := newRig(t, 1, 10*ms, 10*ms)
		p := &r.config.Plugin
		p.Cancel, p.Display.Lines, p.Display.Hold = plugin.CancelWire, c.lines, c.hold
		a := open("", "").will("abc = 1").key(0, "a")
		if c.next > 0 {
			a = a.key(c.next, "b")
		}
		traces := r.play(a)
		if got := spans(traces[0]); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		addUp(t, traces)
	}
}
