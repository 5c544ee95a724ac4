package engine

import (
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// BenchmarkRequests simulates 5,000 requests of 256 prompt and 60 output tokens,
// Poisson 20/s, and reports simulated requests a CPU second.
func BenchmarkRequests(b *testing.B) {
	const n = 5000
	steps := linear{5 * ms, 10 * time.Microsecond}
	b.ReportAllocs()
	for b.Loop() {
		var loop pipeline.Virtual
		e := NewBatched(&loop, BatchedConfig{Steps: steps, MaxSequences: 256, TokenBudget: 2048, KVBlocks: 20_000})
		requests := make([]Request, n)
		done := 0
		ended := func(pipeline.Outcome) { done++ }
		arrivals, gap, at := dist.Stream(1, "arrivals"), dist.Exponential(50*time.Millisecond), time.Duration(0)
		next := 0
		var arrive func()
		arrive = func() {
			e.Submit(&requests[next])
			if next++; next < n {
				at += gap.Draw(&arrivals)
				loop.At(at, pipeline.RankTimer, arrive)
			}
		}
		for i := range requests {
			requests[i] = Request{Prompt: 256, Output: 60, Done: ended}
		}
		loop.At(0, pipeline.RankTimer, arrive)
		if err := loop.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
		if done != n {
			b.Fatalf("%d of %d requests ended", done, n)
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}
