package engine

import (
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// firsts returns when the first token of each request comes out, which arrives at
// some instant with a prompt of 10 tokens and wants so many.
func firsts(t *testing.T, c BatchedConfig, arrivals []time.Duration, outputs []int) []time.Duration {
	t.Helper()
	var loop pipeline.Virtual
	c.Steps, c.TokenBudget, c.KVBlocks = linear{10 * ms, 0}, 1000, 1000
	e := NewBatched(&loop, c)
	out := make([]time.Duration, len(arrivals))
	for i, at := range arrivals {
		loop.At(at, pipeline.RankInput, func() {
			r := &Request{Prompt: 10, Output: outputs[i], NotifyAt: 1, Done: func(pipeline.Outcome) {}}
			r.Notify = func(int) int { out[i] = loop.Now(); return 0 }
			e.Submit(r)
		})
	}
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out
}

// A request that comes while a step is computed, or as it ends, misses the next one,
// which is planned already. An idle engine begins at once.
func TestAhead(t *testing.T) {
	arrivals := []time.Duration{0, 5 * ms, 10 * ms, 11 * ms, 200 * ms}
	outputs := []int{10, 1, 1, 1, 1}
	c := BatchedConfig{MaxSequences: 8}
	if got, want := firsts(t, c, arrivals, outputs), []time.Duration{10 * ms, 20 * ms, 20 * ms, 30 * ms, 210 * ms}; !slices.Equal(got, want) {
		t.Errorf("first tokens at %v, want %v", got, want)
	}
	c.Ahead = true
	if got, want := firsts(t, c, arrivals, outputs), []time.Duration{10 * ms, 30 * ms, 30 * ms, 40 * ms, 210 * ms}; !slices.Equal(got, want) {
		t.Errorf("planned ahead: first tokens at %v, want %v", got, want)
	}
}

// The place of a sequence that ends is free a step later, unless nothing else runs.
func TestAheadPlaces(t *testing.T) {
	arrivals, outputs := []time.Duration{0, 0, 0, ms}, []int{2, 20, 5, 1}
	c := BatchedConfig{MaxSequences: 3}
	if got, want := firsts(t, c, arrivals, outputs)[3], 30*ms; got != want {
		t.Errorf("first token at %v, want %v", got, want)
	}
	c.Ahead = true
	if got, want := firsts(t, c, arrivals, outputs)[3], 40*ms; got != want {
		t.Errorf("planned ahead: first token at %v, want %v", got, want)
	}
	c.MaxSequences = 1
	if got, want := firsts(t, c, []time.Duration{0, ms}, []int{3, 1}), []time.Duration{10 * ms, 40 * ms}; !slices.Equal(got, want) {
		t.Errorf("planned ahead, one after the other: first tokens at %v, want %v", got, want)
	}
}

// One that gives up before anybody took note of it leaves at once.
func TestAheadCancel(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: linear{10 * ms, 0}, MaxSequences: 2, TokenBudget: 100, KVBlocks: 100, Ahead: true})
	e.Submit(&Request{Prompt: 10, Output: 5, Done: func(pipeline.Outcome) {}})
	outcome, at := pipeline.OK, time.Duration(0)
	r := &Request{Prompt: 10, Output: 5, Done: func(o pipeline.Outcome) { outcome, at = o, loop.Now() }}
	loop.At(3*ms, pipeline.RankInput, func() { e.Submit(r) })
	loop.At(4*ms, pipeline.RankInput, func() { e.Cancel(r) })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if outcome != pipeline.Cancelled || at != 4*ms {
		t.Errorf("%v at %v, want cancelled at 4ms", outcome, at)
	}
	if s := e.Stats(); s.Cancelled != 1 || s.Finished != 1 || s.Waiting != 0 {
		t.Errorf("%+v", s)
	}
}
