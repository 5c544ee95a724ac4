package grid

import (
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// say has the server say what it did with the newest request.
func (m *made) say(load, prefill, decode time.Duration) {
	s := &m.traces[len(m.traces)-1].Requests[0].Server
	s.Load, s.Prefill, s.Decode = load, prefill, decode
}

func TestServed(t *testing.T) {
	var m made
	m.ask("a", "base", 128, 50*ms, 4*ms).Requests[0].Sent += 3 * ms // it went out late
	m.say(5*ms, 30*ms, 42*ms)
	m.ask("a", "base", 128, 60*ms, 5*ms)
	m.say(pipeline.Unknown, 40*ms, pipeline.Unknown)
	m.ask("a", "base", 128, 70*ms, 6*ms).Requests[0].Outcome = pipeline.Truncated
	m.say(5*ms, 60*ms, 62*ms)
	m.ask("a", "base", 128, 90*ms, 6*ms)
	m.say(5*ms, 80*ms, 62*ms)
	m.stall(70 * ms)
	got := m.grid(t).Cells[0].Served
	for _, c := range []struct {
		name      string
		got, want Sample
	}{
		{"ttft", got.TTFT, Sample{47e6, 60e6}}, // from sent
		{"queue", got.Queue, nil},
		{"load", got.Load, Sample{5e6}},
		{"prefill", got.Prefill, Sample{30e6, 40e6}},
		{"rest", got.Rest, Sample{12e6, 20e6}}, // 47 - 5 - 30, 60 - 40
		{"tpot", got.TPOT, Sample{4e6, 5e6}},
		{"pace", got.Pace, Sample{4.2e6}}, // 42 over 10 tokens
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s %v, want %v", c.name, c.got, c.want)
		}
	}
	if !got.Says() || (&Served{TTFT: Sample{1}}).Says() {
		t.Error("a server that says how long the prompt took says something, one that says nothing does not")
	}
}
