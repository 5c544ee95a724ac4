package versus

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/trace"
)

const ms = time.Millisecond

// header is that of a run of plain requests on an endpoint.
func header(n int, exprs ...string) trace.Header {
	return trace.Header{
		Scenario: "chat", Kind: pipeline.KindBench, ScenarioHash: "c0ffee", Target: "endpoint", Seed: 7, N: n, Version: "v1", Budgets: exprs,
		Stages:    []trace.Stage{{Name: pipeline.SpanLLMFirstToken}},
		Endpoints: []trace.Endpoint{{Stage: "llm", URL: "https://secret.example/v1", Protocol: "openai-chat", Model: "m"}},
	}
}

// interaction returns a request that ended ok, of a session, with a first output and an end.
func interaction(i, session int, first, last time.Duration) pipeline.Trace {
	t := pipeline.Trace{Kind: pipeline.KindBench, Session: session, Index: i, Due: time.Duration(i) * time.Second}
	r := pipeline.NewRequest(int64(i+1), t.Due)
	r.Sent, r.FirstByte, r.FirstOutput, r.LastOutput, r.End = t.Due, t.Due+first, t.Due+first, t.Due+last, t.Due+last
	r.FirstText, r.FirstSeen, r.OutputTokens, r.Chunks = r.FirstOutput, r.FirstOutput, 11, 11
	t.Append(pipeline.SpanLLMFirstToken, first, false)
	t.Requests, t.End = []pipeline.Request{r}, r.End
	return t
}

// fail makes an interaction one that failed.
func fail(t *pipeline.Trace) {
	r := &t.Requests[0]
	r.Outcome, r.Reason, r.FirstOutput, r.LastOutput = pipeline.Error, "HTTP 500: key sk-secret", pipeline.Unknown, pipeline.Unknown
	t.Outcome, t.Reason = pipeline.Error, r.Reason
}

// runOf returns what a comparison needs of traces.
func runOf(t testing.TB, h trace.Header, traces []pipeline.Trace) *Run {
	t.Helper()
	a, err := budgets.Analyse(trace.Run{Header: h, Traces: traces, Footer: trace.Footer{N: len(traces), Finished: true}})
	if err != nil {
		t.Fatal(err)
	}
	return Of(a)
}

// drawn returns n interactions with lognormal latencies of a median, three in a session
// that has a level of its own.
func drawn(rng *rand.Rand, n int, median time.Duration) []pipeline.Trace {
	traces := make([]pipeline.Trace, n)
	level := 0.0
	for i := range traces {
		if i%3 == 0 {
			level = .15 * rng.NormFloat64()
		}
		first := time.Duration(float64(median) * math.Exp(level+.2*rng.NormFloat64()))
		traces[i] = interaction(i, i/3, first, first+time.Duration(float64(400*ms)*math.Exp(.1*rng.NormFloat64())))
	}
	return traces
}

func (c *Comparison) row(t testing.TB, metric, figure string) *Row {
	t.Helper()
	for i := range c.Rows {
		if c.Rows[i].Metric == metric && c.Rows[i].Figure == figure {
			return &c.Rows[i]
		}
	}
	t.Fatalf("no row %s %s", metric, figure)
	return nil
}

func compare(t testing.TB, a, b *Run, set Settings) *Comparison {
	t.Helper()
	if set.resamples == 0 {
		set.resamples = 999
	}
	c, err := Compare(a, b, set)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func seeded() dist.Rand { return dist.Stream(1, "test") }
