package budgets

import (
	"testing"
	"time"

	"halfsecond/pipeline"
)

// TestZeroIsNoCount: a server that says 0 of answers that came has not counted them, so
// that there is no rate of tokens; where nothing came, 0 is right.
func TestZeroIsNoCount(t *testing.T) {
	answer := func(chunks, tokens int) pipeline.Trace {
		r := pipeline.NewRequest(1, 0)
		r.Outcome, r.Sent, r.End, r.Chunks, r.OutputTokens = pipeline.OK, 0, 2*time.Second, chunks, tokens
		return pipeline.Trace{Outcome: pipeline.OK, End: 2 * time.Second, Requests: []pipeline.Request{r}}
	}
	if p := pool(t, "bench", "aggregate_tps", []pipeline.Trace{answer(30, 0)}); len(p.Values) != 0 {
		t.Errorf("30 chunks of 0 tokens make %v, want nothing", p.Values)
	}
	cut := answer(40, 1) // as Anthropic states it when an answer begins
	cut.Requests[0].Outcome = pipeline.Truncated
	if p := pool(t, "bench", "aggregate_tps", []pipeline.Trace{cut}); len(p.Values) != 1 || p.Values[0] != 20 {
		t.Errorf("40 chunks in 2 s of an answer that was cut make %v, want 20", p.Values)
	}
	if p := pool(t, "bench", "aggregate_tps", []pipeline.Trace{answer(0, 0)}); len(p.Values) != 1 || p.Values[0] != 0 {
		t.Errorf("no chunks of 0 tokens make %v, want 0", p.Values)
	}
}
