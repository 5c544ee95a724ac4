package bench

import (
	"math"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// prompts returns the prompts of sessions 0 to n-1, as tokens.
func prompts(n int, c Config) [][]uint64 {
	var loop pipeline.Virtual
	llm := &silent{}
	c.Loop, c.LLM, c.NextRequest = &loop, llm, func() int64 { return 1 }
	c.OutputTokens = dist.ConstantCount(1)
	sim, out := New(c), make([][]uint64, n)
	for i := range out {
		sim.Begin(i, 0, func(*pipeline.Trace) {})
		out[i] = llm.blocks[:len(llm.blocks)-1]
	}
	return out
}

// alike counts the tokens with which two prompts begin alike.
func alike(a, b []uint64) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func TestPartOfAPrompt(t *testing.T) {
	for _, c := range []struct {
		tokens int
		part   float64
		want   int
	}{{100, .5, 50}, {101, .5, 51}, {7, .1, 1}, {100, 1, 100}} {
		p := prompts(2, Config{PromptTokens: dist.ConstantCount(c.tokens), Shared: Shared{Part: c.part, By: 1}})
		if got := alike(p[0], p[1]); got != c.want || len(p[0]) != c.tokens {
			t.Errorf("%g of %d tokens: %d of %d are shared, want %d", c.part, c.tokens, got, len(p[0]), c.want)
		}
	}
}

// Of the requests about so many begin alike, the others with nothing. The limit is 4.4
// standard errors.
func TestSharedByAPart(t *testing.T) {
	const n, by = 4000, .3
	all := prompts(n, Config{Seed: 1, PromptTokens: dist.ConstantCount(10), Shared: Shared{Tokens: 4, By: by}})
	count := map[uint64]int{}
	for _, p := range all {
		count[p[0]]++
	}
	most := 0
	for _, k := range count {
		most = max(most, k)
	}
	if got, limit := float64(most)/n, 4.4*math.Sqrt(by*(1-by)/n); math.Abs(got-by) > limit || len(count) != n-most+1 {
		t.Errorf("%g begin alike and there are %d beginnings, want %g within %g and %d", got, len(count), by, limit, n-most+1)
	}
}

// Each prompt begins with a name of its own, and a salt changes all of them, those that
// are shared as well; lengths and answers' lengths stay.
func TestSalt(t *testing.T) {
	c := Config{Seed: 1, PromptTokens: dist.UniformCount(5, 50)}
	plain := prompts(300, c)
	c.Salt = 99
	salted := prompts(300, c)
	seen := map[uint64]bool{}
	for i := range plain {
		if seen[plain[i][0]] || seen[salted[i][0]] {
			t.Errorf("prompt %d begins like another", i)
		}
		seen[plain[i][0]], seen[salted[i][0]] = true, true
		if len(plain[i]) != len(salted[i]) {
			t.Errorf("prompt %d has %d tokens, with salt %d", i, len(plain[i]), len(salted[i]))
		}
	}
	c.Shared = Shared{Tokens: 5, By: 1}
	again := prompts(2, c)
	c.Salt = 100
	if other := prompts(1, c); alike(again[0], again[1]) != 5 || alike(again[0], other[0]) != 0 {
		t.Errorf("%d tokens are shared within a run and %d with another, want 5 and 0", alike(again[0], again[1]), alike(again[0], other[0]))
	}
}

func TestStatedLengths(t *testing.T) {
	p := prompts(3, Config{Lengths: func(session, _ int) (int, int) { return 10 * (session + 1), 1 }})
	for i := range p {
		if len(p[i]) != 10*(i+1) {
			t.Errorf("prompt %d has %d tokens, want %d", i, len(p[i]), 10*(i+1))
		}
	}
}

// A server that counts half as many again gets prompts of two thirds, and the shared
// part with them.
func TestSizedPrompts(t *testing.T) {
	sizing := &Sizing{}
	sizing.Learn(100, 150)
	p := prompts(2, Config{PromptTokens: dist.ConstantCount(300), Shared: Shared{Tokens: 60, By: 1}, Sizing: sizing})
	if got := alike(p[0], p[1]); len(p[0]) != 200 || got != 40 {
		t.Errorf("%d words, %d of them shared, want 200 and 40", len(p[0]), got)
	}
}
