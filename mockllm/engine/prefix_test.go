package engine

import (
	"testing"
	"time"

	"halfsecond/pipeline"
)

// caching returns an engine of 10 ms a step and 1 ms a token with a prefix cache.
func caching(loop pipeline.Scheduler, set func(c *BatchedConfig)) *Batched {
	c := BatchedConfig{Steps: dear, MaxSequences: 4, TokenBudget: 200, KVBlocks: 20, PrefixCache: true}
	if set != nil {
		set(&c)
	}
	return NewBatched(loop, c)
}

// about makes a request one about a text.
func about(r *Request, family, own uint64, shared int) *Request {
	r.Blocks = text{family: family, own: own, shared: shared, tokens: r.Prompt + r.Output}.blocks
	return r
}

// TestPrefixHit: the second prompt finds the whole blocks that it shares with the
// first, and a third like the first finds all but the last, for the last token is
// always computed.
func TestPrefixHit(t *testing.T) {
	var loop pipeline.Virtual
	e := caching(&loop, nil)
	var log []string
	a := about(ask(&loop, e, &log, "a", 0, 64, 1), 1, 1, 50)
	b := about(ask(&loop, e, &log, "b", 100*ms, 64, 1), 1, 2, 50)
	c := about(ask(&loop, e, &log, "c", 200*ms, 64, 1), 1, 1, 50)
	d := about(ask(&loop, e, &log, "d", 300*ms, 65, 1), 1, 1, 50)
	expect(t, &loop, &log, "a1@74 a:ok@74 b1@126 b:ok@126 c1@226 c:ok@226 d1@311 d:ok@311")
	for _, r := range []struct {
		name      string
		got, want int
	}{{"a", a.CachedTokens, 0}, {"b", b.CachedTokens, 48}, {"c", c.CachedTokens, 48}, {"d", d.CachedTokens, 64}} {
		if r.got != r.want {
			t.Errorf("%s: %d tokens cached, want %d", r.name, r.got, r.want)
		}
	}
	s := e.Stats()
	if s.PrefixQueries != 64+64+64+65 || s.PrefixHits != 48+48+64 || s.PromptTokens != 64+16+16+1 {
		t.Errorf("at the end %+v", s)
	}
	if s.BlocksUsed != 0 || s.BlocksCached != 5 {
		t.Errorf("%d blocks used and %d cached, want 0 and 5: the shared 3, and the fourth of two texts", s.BlocksUsed, s.BlocksCached)
	}
}

// TestPrefixReads: cached tokens cost no computing, but are read.
func TestPrefixReads(t *testing.T) {
	var loop pipeline.Virtual
	steps := &recorder{}
	e := caching(&loop, func(c *BatchedConfig) { c.Steps = steps })
	var log []string
	about(ask(&loop, e, &log, "a", 0, 64, 1), 1, 1, 64)
	about(ask(&loop, e, &log, "b", 100*ms, 70, 1), 1, 2, 64)
	expect(t, &loop, &log, "a1@10 a:ok@10 b1@110 b:ok@110")
	if got := steps.batches[1]; got.Tokens != 6 || got.ContextTokens != 70 || got.AttentionPairs != 6*(64+3) {
		t.Errorf("the second prompt is %+v, want 6 tokens after 64", got)
	}
}

// TestPrefixNotYet: blocks of a running prompt are found once they are computed, and
// not before.
func TestPrefixNotYet(t *testing.T) {
	for _, c := range []struct {
		name   string
		budget int
		want   string
		cached int // by b, of the 100 tokens that it shares with a
	}{
		{"in the same step", 300, "a1@210 b1@210 a:ok@210 b:ok@210", 0},
		{"after a chunk of 64", 64, "a1@148 a:ok@148 b1@166 b:ok@166", 64},
	} {
		t.Run(c.name, func(t *testing.T) {
			var loop pipeline.Virtual
			e := caching(&loop, func(b *BatchedConfig) { b.TokenBudget = c.budget })
			var log []string
			about(ask(&loop, e, &log, "a", 0, 100, 1), 1, 1, 100)
			b := about(ask(&loop, e, &log, "b", 0, 100, 1), 1, 2, 100)
			expect(t, &loop, &log, c.want)
			if b.CachedTokens != c.cached {
				t.Errorf("b found %d tokens, want %d", b.CachedTokens, c.cached)
			}
			// 6 whole blocks of each prompt are alike, and end up as one.
			if s := e.Stats(); s.BlocksCached != 6 {
				t.Errorf("%d blocks cached, want 6", s.BlocksCached)
			}
		})
	}
}

// TestPrefixOfAnswer: what was produced is found too, by a prompt that goes on from
// it. Its last token was never written.
func TestPrefixOfAnswer(t *testing.T) {
	var loop pipeline.Virtual
	e := caching(&loop, nil)
	var log []string
	about(ask(&loop, e, &log, "a", 0, 20, 13), 1, 1, 100)
	b := about(ask(&loop, e, &log, "b", 500*ms, 40, 1), 1, 2, 100)
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if b.CachedTokens != 32 {
		t.Errorf("%d tokens found, want 32: 20 of the prompt and 12 of 13 produced", b.CachedTokens)
	}
}

// TestPrefixEviction: a prompt that needs the room of older ones takes it, the last
// blocks of the one used least recently first.
func TestPrefixEviction(t *testing.T) {
	var loop pipeline.Virtual
	e := caching(&loop, func(c *BatchedConfig) { c.KVBlocks = 6 })
	var log []string
	about(ask(&loop, e, &log, "a", 0, 48, 1), 1, 1, 48)
	about(ask(&loop, e, &log, "b", 100*ms, 32, 1), 2, 1, 48)
	about(ask(&loop, e, &log, "c", 200*ms, 48, 1), 3, 1, 48)
	again := about(ask(&loop, e, &log, "d", 300*ms, 49, 1), 1, 1, 48)
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	// c takes the free block and the last two of a's three.
	if again.CachedTokens != 16 {
		t.Errorf("%d tokens of a are left, want 16", again.CachedTokens)
	}
	if s := e.Stats(); s.Evictions != 2+3 {
		t.Errorf("%d evictions, want 2 for c and 3 for d", s.Evictions)
	}
}

func TestPrefixTTL(t *testing.T) {
	var loop pipeline.Virtual
	e := caching(&loop, func(c *BatchedConfig) { c.PrefixTTL = 100 * ms })
	var log []string
	about(ask(&loop, e, &log, "a", 0, 33, 1), 1, 1, 100)
	b := about(ask(&loop, e, &log, "b", 142*ms, 33, 1), 1, 1, 100)
	c := about(ask(&loop, e, &log, "c", 253*ms, 33, 1), 1, 1, 100)
	// a ends at 43 ms, b at 153 ms.
	expect(t, &loop, &log, "a1@43 a:ok@43 b1@153 b:ok@153 c1@296 c:ok@296")
	if b.CachedTokens != 32 || c.CachedTokens != 0 {
		t.Errorf("b found %d tokens and c %d, want 32 after 99 ms and none after 100 ms", b.CachedTokens, c.CachedTokens)
	}
}

// TestPrefixTTLIsNoEviction: a sequence that grows into room that was kept for too long
// evicts nothing.
func TestPrefixTTLIsNoEviction(t *testing.T) {
	for _, c := range []struct {
		ttl  time.Duration
		want int
	}{{60 * ms, 0}, {0, 1}} {
		var loop pipeline.Virtual
		e := caching(&loop, func(b *BatchedConfig) { b.PrefixTTL, b.KVBlocks = c.ttl, 4 })
		var log []string
		about(ask(&loop, e, &log, "a", 0, 32, 1), 1, 1, 100)   // leaves two blocks at 42 ms
		about(ask(&loop, e, &log, "b", 50*ms, 30, 4), 2, 2, 0) // takes the other two, and a third at 112 ms
		expect(t, &loop, &log, "a1@42 a:ok@42 b1@90 b2@101 b3@112 b4@123 b:ok@123")
		if got := e.Stats().Evictions; got != c.want {
			t.Errorf("time to live %s: %d evictions, want %d", c.ttl, got, c.want)
		}
	}
}

// TestPreemptedFindsItself: the sequence that gave way finds its own blocks when they
// are still there: it decodes on at once.
func TestPreemptedFindsItself(t *testing.T) {
	var loop pipeline.Virtual
	steps := &recorder{}
	e := caching(&loop, func(c *BatchedConfig) { c.Steps, c.KVBlocks = steps, 4 })
	var log []string
	about(ask(&loop, e, &log, "a", 0, 31, 4), 1, 1, 0)
	b := about(ask(&loop, e, &log, "b", 0, 20, 4), 2, 2, 0)
	expect(t, &loop, &log, "a1@10 b1@10 a2@20 b2@20 a3@30 a4@40 a:ok@40 b3@50 b4@60 b:ok@60")
	// As in TestPreemption, but the first block of b is there.
	if got := steps.batches[4]; got.Tokens != 22-16 || got.ContextTokens != 22 {
		t.Errorf("recomputation is %+v, want 6 tokens after 16", got)
	}
	if s := e.Stats(); s.Preemptions != 1 || s.PrefixHits != 16 || b.CachedTokens != 0 {
		t.Errorf("at the end %+v, %d tokens cached by b: its own are no gift", s, b.CachedTokens)
	}
}

// TestPrefixAnySize: blocks of one token find every token but the last.
func TestPrefixAnySize(t *testing.T) {
	var loop pipeline.Virtual
	e := caching(&loop, func(c *BatchedConfig) { c.BlockTokens, c.KVBlocks = 1, 320 })
	var log []string
	about(ask(&loop, e, &log, "a", 0, 50, 1), 1, 1, 33)
	b := about(ask(&loop, e, &log, "b", 100*ms, 50, 1), 1, 2, 33)
	c := about(ask(&loop, e, &log, "c", 200*ms, 50, 1), 1, 2, 33)
	expect(t, &loop, &log, "a1@60 a:ok@60 b1@127 b:ok@127 c1@211 c:ok@211")
	if b.CachedTokens != 33 || c.CachedTokens != 49 {
		t.Errorf("b found %d tokens and c %d, want 33 and 49", b.CachedTokens, c.CachedTokens)
	}
}

// TestWarmPrompt: with 4,000 tokens of a 70B model on two H100, of which 3,984 are
// there, the first token comes many times sooner than without.
func TestWarmPrompt(t *testing.T) {
	r := replica(t, "Llama-3.1-70B", "H100-SXM", 4)
	var loop pipeline.Virtual
	e := r.Build(&loop)
	var log []string
	cold := about(ask(&loop, e, &log, "a", 0, 4000, 1), 1, 1, 4000)
	const later = 100 * time.Second
	warm := about(ask(&loop, e, &log, "b", later, 4000, 1), 1, 2, 4000)
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	first, second := cold.Last, warm.Last-later
	t.Logf("TTFT of 4,000 tokens: cold %s, warm %s (%d cached)", first, second, warm.CachedTokens)
	if warm.CachedTokens != 3984 || first < 10*second {
		t.Errorf("cold %s, warm %s with %d tokens cached", first, second, warm.CachedTokens)
	}
}
