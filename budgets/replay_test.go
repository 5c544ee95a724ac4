package budgets

import (
	"math/rand/v2"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// As they were, interactions land where they did, and their paths add up to that.
func TestReplaysLandWhereTheyDid(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var traces []pipeline.Trace
	for range 500 {
		traces = append(traces, anyGraph(rng))
	}
	a, err := Analyse(voiceRun(traces))
	if err != nil {
		t.Fatal(err)
	}
	replays := a.Replays()
	if len(replays) != 500 {
		t.Fatalf("%d replays, want 500", len(replays))
	}
	for i := range replays {
		r := &replays[i]
		if got := r.With(func(_ pipeline.SpanID, took time.Duration) time.Duration { return took }); got != r.Value {
			t.Errorf("replay %d lands at %d, want %d", i, got, r.Value)
		}
		sum := time.Duration(0)
		for _, s := range r.Path() {
			sum += s.For()
		}
		if sum != r.Value {
			t.Errorf("path of %d adds up to %d, want %d", i, sum, r.Value)
		}
	}
}

// Without its model, a turn lands as much sooner as the model took.
func TestReplayWithout(t *testing.T) {
	a, err := Analyse(voiceRun(turns(5)))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range a.Replays() {
		got := r.With(func(id pipeline.SpanID, took time.Duration) time.Duration {
			if r.Trace.Spans[id].Name == "llm_first_token" {
				return 0
			}
			return took
		})
		if got != r.Value-ms {
			t.Errorf("turn %d without its model: %s, want %s", r.Trace.Index, got, r.Value-ms)
		}
	}
}
