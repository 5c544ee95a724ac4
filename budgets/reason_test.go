package budgets

import (
	"testing"
	"time"

	"halfsecond/pipeline"
)

// typed returns a key that landed after a debounce, a queue and a prefill at a modelled server.
func typed(index int, debounce, queue, prefill time.Duration) pipeline.Trace {
	t := pipeline.Trace{Kind: "ide", Index: index, Due: time.Duration(index) * time.Second}
	t.Facts = []pipeline.Fact{{Name: "opportunity", Value: "yes"}, {Name: "source", Value: "network"}, {Name: "verdict", Value: "exact"}}
	wait := t.Append("debounce", debounce, true)
	r := pipeline.NewRequest(int64(index+1), t.Spans[wait].End)
	r.Sent, r.Scheduled, r.FirstOutput, r.Simulated = r.Due, r.Due+queue, r.Due+queue+prefill, true
	t.Append("llm_first_token", queue+prefill, true, wait)
	t.Requests, t.Marks = []pipeline.Request{r}, []pipeline.Mark{{Name: "first_character", At: r.FirstOutput}}
	t.End = r.FirstOutput
	return t
}

func TestReason(t *testing.T) {
	closed := typed(9, 75*ms, 0, 0)
	closed.Marks, closed.Spans[1].End = nil, pipeline.Unknown
	r := &closed.Requests[0]
	r.Scheduled, r.FirstOutput, r.Outcome, r.End = r.Sent+20*ms, pipeline.Unknown, pipeline.Cancelled, r.Sent+90*ms
	keys := func(debounce, queue, prefill time.Duration) (all []pipeline.Trace) {
		for i := range 9 {
			all = append(all, typed(i, debounce, queue, prefill))
		}
		return append(all, closed)
	}
	for _, c := range []struct {
		name    string
		traces  []pipeline.Trace
		stage   string
		takes   time.Duration
		alone   bool
		without float64
		lever   string
		limit   time.Duration
	}{
		{"a debounce alone", keys(350*ms, 10*ms, 30*ms), "debounce", 350 * ms, true, .1, "", 0},
		{"the queue", keys(75*ms, 100*ms, 30*ms), "server_queue", 100 * ms, false, 0, "server_queue", 45*ms - 1},
		{"inside", keys(50*ms, 10*ms, 30*ms), "debounce", 50 * ms, false, 0, "", 0},
	} {
		a, err := Analyse(ideRun(c.traces, "share(ttfc < 150ms) >= 90%"))
		if err != nil {
			t.Fatal(err)
		}
		got := a.Reason()
		if got == nil || got.Stage != c.stage || got.Takes != c.takes || got.Alone != c.alone || got.Without != c.without {
			t.Errorf("%s: %+v, want %s %s, alone %v with %v", c.name, got, c.stage, c.takes, c.alone, c.without)
			continue
		}
		if c.lever != "" && (len(got.Levers) == 0 || got.Levers[0].Stages[0] != c.lever || got.Levers[0].Cap != c.limit) {
			t.Errorf("%s: levers %+v, want %s up to %s first", c.name, got.Levers, c.lever, c.limit)
		}
	}
}
