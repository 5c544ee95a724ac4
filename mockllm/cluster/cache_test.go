package cluster

import (
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// caching is a batched engine whose cache holds some twelve prompts of 544 tokens.
func caching(l pipeline.Scheduler) engine.Engine {
	return engine.NewBatched(l, engine.BatchedConfig{Steps: tenth{}, MaxSequences: 4, TokenBudget: 1024, KVBlocks: 420, PrefixCache: true})
}

// conversation returns a request that begins with one of 40 heads of 512 tokens and
// goes on with 32 tokens of its own.
func conversation(head, own uint64) *engine.Request {
	return &engine.Request{Prompt: 544, Output: 1, Done: func(pipeline.Outcome) {}, Blocks: func(dst []uint64, size int) []uint64 {
		for n := size; n <= 545; n += size {
			h := rank(head, n)
			if n > 512 {
				h = rank(own, n)
			}
			dst = append(dst, h)
		}
		return dst
	}}
}

// hitRate serves 2,000 requests with random heads by four replicas and returns the
// share of tokens that were found in a cache.
func hitRate(t *testing.T, policy Policy) float64 {
	var loop pipeline.Virtual
	k := New(&loop, Config{Replicas: []func(pipeline.Scheduler) engine.Engine{caching, caching, caching, caching}, Policy: policy})
	heads := dist.Stream(1, "heads")
	for i := range 2000 {
		r := conversation(uint64(heads.IntN(40)), uint64(100+i))
		loop.At(time.Duration(i)*30*ms, pipeline.RankTimer, func() { k.Submit(r) })
	}
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := k.Stats()
	if s.Finished != 2000 {
		t.Fatalf("at the end %+v", s)
	}
	return float64(s.PrefixHits) / float64(s.PrefixQueries)
}

// TestHitRate: of 40 heads, a cache holds twelve. Round robin shows each replica all
// of them, prefix affinity ten.
func TestHitRate(t *testing.T) {
	robin, prefix := hitRate(t, PolicyRoundRobin), hitRate(t, PolicyPrefix)
	t.Logf("share of prompt tokens found: round robin %.3f, prefix %.3f", robin, prefix)
	if robin > .4 || prefix < .8 {
		t.Errorf("share of prompt tokens found: round robin %.3f, want at most .4; prefix %.3f, want at least .8", robin, prefix)
	}
}

// TestEmptyCache: a replica that comes back has forgotten what it had.
func TestEmptyCache(t *testing.T) {
	var loop pipeline.Virtual
	k := New(&loop, Config{
		Replicas: []func(pipeline.Scheduler) engine.Engine{caching}, Policy: PolicyPrefix,
		Failures: []Failure{{Replica: 0, At: time.Second, For: time.Second}},
	})
	var found []int
	for i, at := range []time.Duration{0, 500 * ms, 2500 * ms, 3 * time.Second} {
		r := conversation(1, uint64(100+i))
		r.Done = func(pipeline.Outcome) { found = append(found, r.CachedTokens) }
		loop.At(at, pipeline.RankTimer, func() { k.Submit(r) })
	}
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(found) != 4 || found[0] != 0 || found[1] != 512 || found[2] != 0 || found[3] != 512 {
		t.Errorf("prompts found %d tokens in the cache, want 0, 512, 0 after the failure, 512", found)
	}
}
