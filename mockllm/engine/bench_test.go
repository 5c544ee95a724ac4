package engine

import (
	"syscall"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// BenchmarkRequests simulates 5,000 requests of 256 prompt and 60 output tokens,
// Poisson 20/s, and reports simulated requests a CPU second.
func BenchmarkRequests(b *testing.B) {
	const n = 5000
	plan := llama(b)
	used := cpuTime(b)
	b.ReportAllocs()
	for b.Loop() {
		var loop pipeline.Virtual
		e := NewBatched(&loop, BatchedConfig{Steps: plan, MaxSequences: 256, TokenBudget: 2048, KVBlocks: 20_000})
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
	b.ReportMetric(n*float64(b.N)/(cpuTime(b)-used).Seconds(), "requests/CPU-s")
}

// BenchmarkStreams simulates 256 streams that decode together, 300 prompt and 2,000
// output tokens each, and reports simulated tokens a CPU second.
func BenchmarkStreams(b *testing.B) {
	const n, output = 256, 2000
	plan := llama(b)
	used := cpuTime(b)
	b.ReportAllocs()
	for b.Loop() {
		var loop pipeline.Virtual
		e := NewBatched(&loop, BatchedConfig{Steps: plan, MaxSequences: n, TokenBudget: 2048, KVBlocks: 40_000})
		done := 0
		for range n {
			e.Submit(&Request{Prompt: 300, Output: output, Done: func(pipeline.Outcome) { done++ }})
		}
		if err := loop.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
		if done != n {
			b.Fatalf("%d of %d streams ended", done, n)
		}
	}
	b.ReportMetric(n*output*float64(b.N)/(cpuTime(b)-used).Seconds(), "tokens/CPU-s")
}

// BenchmarkPrefixCache is BenchmarkRequests with a prefix cache that is full and in
// which each prompt finds half of its tokens.
func BenchmarkPrefixCache(b *testing.B) {
	const n = 5000
	plan := llama(b)
	used := cpuTime(b)
	b.ReportAllocs()
	for b.Loop() {
		var loop pipeline.Virtual
		e := NewBatched(&loop, BatchedConfig{Steps: plan, MaxSequences: 256, TokenBudget: 2048, KVBlocks: 20_000, PrefixCache: true})
		requests := make([]Request, n)
		done := 0
		ended := func(pipeline.Outcome) { done++ }
		arrivals, gap, at := dist.Stream(1, "arrivals"), dist.Exponential(50*time.Millisecond), time.Duration(0)
		for i := range requests {
			r := &requests[i]
			*r = Request{Prompt: 256, Output: 60, Done: ended}
			r.Blocks = func(dst []uint64, size int) []uint64 {
				for k := 1; k <= (256+60)/size; k++ {
					h := uint64(k)
					if k*size > 128 {
						h += uint64(i+1) << 32
					}
					dst = append(dst, h)
				}
				return dst
			}
			at += gap.Draw(&arrivals)
			loop.At(at, pipeline.RankTimer, func() { e.Submit(r) })
		}
		if err := loop.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
		if s := e.Stats(); done != n || s.PrefixHits < 126*n || s.Evictions == 0 {
			b.Fatalf("%d of %d requests ended: %+v", done, n, s)
		}
	}
	b.ReportMetric(n*float64(b.N)/(cpuTime(b)-used).Seconds(), "requests/CPU-s")
}

// llama is Llama-3.1-8B in 16 bits on one H100.
func llama(tb testing.TB) *roofline.Plan {
	m, err := catalog.FindModel("Llama-3.1-8B")
	if err != nil {
		tb.Fatal(err)
	}
	h, err := catalog.FindHardware("H100-SXM")
	if err != nil {
		tb.Fatal(err)
	}
	plan, err := roofline.New(roofline.Deployment{Model: m, Hardware: h})
	if err != nil {
		tb.Fatal(err)
	}
	return plan
}

// cpuTime returns the processor time of this process, all threads together.
func cpuTime(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
