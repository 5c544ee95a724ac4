package runner

import (
	"strings"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
	"halfsecond/pipeline/trace"
)

const beside = "background: {rate: 1/s, prompt_tokens: 4000, output_tokens: 30}\n"

// p95 returns the 95th percentile of the replies' landing, in ms.
func p95(t *testing.T, r trace.Run) float64 {
	t.Helper()
	var replies []float64
	for _, tr := range r.Traces {
		replies = append(replies, float64(pipeline.Since(tr.Due, tr.Mark(pipeline.MarkReplyHeard)))/1e6)
	}
	v, ok := quantile.Of(replies, quantile.P95)
	if !ok {
		t.Fatalf("%d replies are too few", len(replies))
	}
	return v
}

// judged runs a scenario on the simulator.
func judged(t *testing.T, text string, n int) trace.Run {
	t.Helper()
	got, err := Run(t.Context(), parse(t, text), Settings{Target: Sim, Seed: 1, N: n})
	if err != nil || len(got.Traces) != n || !got.Footer.Finished {
		t.Fatalf("%d traces, footer %+v, error %v", len(got.Traces), got.Footer, err)
	}
	return got
}

// TestBackground: what others ask slows the run's own interactions down, changes none
// of them, and is in the footer only.
func TestBackground(t *testing.T) {
	alone, together := judged(t, classic, 200), judged(t, classic+beside, 200)
	for i, tr := range together.Traces {
		if len(tr.Requests) != 1 || tr.Requests[0].PromptTokens != 800 {
			t.Fatalf("trace %d has the requests %+v, want its own of 800 tokens", i, tr.Requests)
		}
	}
	if a, b := p95(t, alone), p95(t, together); b < a+50 {
		t.Errorf("the p95 reply lands at %.0f ms alone and at %.0f ms beside long prompts, want 50 ms later at least", a, b)
	}
	// 205 turns at 3 a second take about 68 s, which is 68 requests at 1 a second.
	if got := together.Footer.Background; got.Requests < 50 || got.Requests > 95 || got.OK > got.Requests || got.OK < got.Requests-10 {
		t.Errorf("background %+v, want some 68 requests, nearly all ok", got)
	}
	if alone.Footer.Background != (trace.Background{}) {
		t.Errorf("background %+v of a run without one", alone.Footer.Background)
	}
}

// TestPriority: ahead of what others ask, the run's own requests do not wait for it.
func TestPriority(t *testing.T) {
	queued := strings.Replace(classic+beside, "hardware: L40S", "hardware: L40S, max_sequences: 1", 1)
	equal := judged(t, strings.Replace(queued, "rate: 3/s", "rate: 0.3/s", 1), 100)
	first := judged(t, strings.NewReplacer("rate: 3/s", "rate: 0.3/s", "rate: 1/s", "priority: -1, rate: 1/s").Replace(queued), 100)
	if a, b := p95(t, equal), p95(t, first); b > a/2 {
		t.Errorf("the p95 reply lands at %.0f ms in a common queue and at %.0f ms ahead of it, want less than half", a, b)
	}
}

// TestEstimateCountsOthers: what a run costs at an endpoint includes what others ask.
func TestEstimateCountsOthers(t *testing.T) {
	estimate := func(text string) Estimate {
		e, err := EstimateRun(t.Context(), parse(t, text), Settings{Seed: 1, N: 100})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	alone, together := estimate(classic), estimate(classic+beside)
	more := together.Requests - alone.Requests
	if more < 20 || more > 60 || together.PromptTokens-alone.PromptTokens < 4000*(more-10) {
		t.Errorf("alone %+v, together %+v: want some 35 requests of 4,000 tokens more", alone, together)
	}
}
