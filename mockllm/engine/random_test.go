package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// randomConfig draws a Batched engine: any policy with any memory, order of work and
// drafter. Some of them hardly hold a request.
func randomConfig(r *rand.Rand) BatchedConfig {
	coin := func() bool { return r.IntN(2) == 0 }
	c := BatchedConfig{
		Steps: linear{time.Duration(r.IntN(6)) * ms, 10 * us}, MaxSequences: 1 + r.IntN(9), BlockTokens: []int{1, 4, 16}[r.IntN(3)],
		WholePrompts: coin(), PrefillFirst: coin(), AllLogits: coin(), Ahead: coin(), PrefixCache: coin(), SlotCache: coin(),
		OnFull: Policies()[r.IntN(len(Policies()))], Overflow: beside,
	}
	c.KVBlocks, c.Overflow.Blocks = (200+r.IntN(600))/c.BlockTokens, (16+r.IntN(r.IntN(600)+1))/c.BlockTokens
	if coin() {
		c.Speculation = &Speculation{Tokens: 1 + r.IntN(5), Acceptance: []float64{0, .6, 1}[r.IntN(3)], Seed: r.Uint64()}
		if coin() {
			c.Speculation.Drafter = linear{ms, us}
		}
	}
	if r.IntN(3) == 0 {
		c.PrefixTTL = time.Duration(r.IntN(100)) * ms
	}
	if r.IntN(4) == 0 {
		c.MaxContext = 100 + r.IntN(200)
	}
	if r.IntN(8) == 0 {
		c.Slots = 1 + r.IntN(4)
	}
	if r.IntN(3) == 0 {
		c.Windows = randomWindows(r)
	}
	c.TokenBudget = max(c.MaxSequences, c.Slots)*c.verified() + r.IntN(100)
	return c
}

// randomWindows draws a window, at times one that no request fills, and at times that of
// a draft model beside it.
func randomWindows(r *rand.Rand) (w roofline.Windows) {
	for range 1 + r.IntN(2) {
		w = append(w, roofline.Window{Tokens: 1 + r.IntN([]int{64, 1000}[r.IntN(2)]), Share: 1.5 * r.Float64()})
	}
	return w
}

// longestStep returns what no step takes longer than: every token there is computed,
// drafted for and moved there and back.
func longestStep(c BatchedConfig) time.Duration {
	tokens := (c.KVBlocks+c.Overflow.Blocks)*c.BlockTokens + c.TokenBudget
	return 6*ms + time.Duration(tokens)*10*us + time.Duration(c.verified())*(ms+time.Duration(tokens)*us) + c.Overflow.time(2*tokens)
}

// randomSubject draws an engine, by itself or behind a load, an API server or both.
func randomSubject(seed uint64) (subject, BatchedConfig) {
	r := rand.New(rand.NewPCG(seed, 11))
	c := randomConfig(r)
	cold, front := r.IntN(4) == 0, r.IntN(4) == 0
	build := func(l pipeline.Scheduler) Engine {
		var e Engine = NewBatched(l, c)
		if cold {
			e = NewCold(l, ColdConfig{Load: 300 * ms, Reload: 100 * ms, Idle: 40 * ms}, func(l pipeline.Scheduler) Engine { return NewBatched(l, c) })
		}
		if front {
			e = NewFront(l, FrontConfig{Fixed: ms, PerToken: 20 * us, Workers: int(seed % 3)}, e)
		}
		return e
	}
	return subject{fmt.Sprintf("seed %d, cold %t, front %t: %+v", seed, cold, front, c), build, longestStep(c)}, c
}

// options names what is on in a configuration.
func options(c BatchedConfig) (on []string) {
	for _, o := range []struct {
		name string
		on   bool
	}{
		{"nothing else", true}, {"speculation", c.Speculation != nil}, {"prefix cache", c.PrefixCache}, {"whole prompts", c.WholePrompts},
		{"chunks", !c.WholePrompts}, {"prompts first", c.PrefillFirst}, {"decodes first", !c.PrefillFirst}, {"plans ahead", c.Ahead}, {"windows", len(c.Windows) > 0},
	} {
		if o.on {
			on = append(on, o.name)
		}
	}
	return on
}

// acted returns how often a policy showed.
func acted(p Policy, s Stats) int {
	switch p {
	case Recompute:
		return s.Preemptions
	case Swap, Spill:
		return int(s.BytesMoved)
	case Refuse:
		return s.Refused
	default:
		return s.Finished
	}
}

// TestRandomEngines runs the contract's traffic through engines with random habits,
// each twice for the same instants, and sees that every policy had to act beside every
// other habit. Those that keep room beforehand have nobody give way.
func TestRandomEngines(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(300) {
		s, c := randomSubject(seed)
		stats := sameTwice(t, s, seed)
		if t.Failed() {
			t.Fatal(s.name)
		}
		if never := c.OnFull == Reserve || c.OnFull == Refuse; never && stats.Preemptions > 0 {
			t.Fatalf("%s: %d gave way", s.name, stats.Preemptions)
		}
		if c.Slots == 0 {
			for _, o := range options(c) {
				seen[string(c.OnFull)+" with "+o] += acted(c.OnFull, stats)
			}
		}
	}
	everything := options(BatchedConfig{Speculation: &Speculation{}, PrefixCache: true, WholePrompts: true, PrefillFirst: true, Ahead: true, Windows: sliding})
	for _, p := range Policies() {
		for _, o := range append(everything, options(BatchedConfig{})...) {
			if what := string(p) + " with " + o; seen[what] == 0 {
				t.Errorf("%s never happened: the test does not test it", what)
			}
		}
	}
}
