package engine

import (
	"testing"

	"halfsecond/pipeline"
)

// slotted returns an engine of n slots of 160 tokens each, in micro-batches of 32,
// 10 ms a step and 1 ms a token.
func slotted(loop pipeline.Scheduler, n int) *Batched {
	return NewBatched(loop, BatchedConfig{Steps: dear, TokenBudget: 32, KVBlocks: 10 * n, Slots: n, SlotCache: true})
}

// TestSlotsShareMicroBatches: what decodes goes first in a micro-batch, and prompts
// fill it.
func TestSlotsShareMicroBatches(t *testing.T) {
	var loop pipeline.Virtual
	e := slotted(&loop, 2)
	var log []string
	ask(&loop, e, &log, "a", 0, 10, 4)
	ask(&loop, e, &log, "b", 5*ms, 50, 1)
	ask(&loop, e, &log, "c", 6*ms, 10, 1)
	// b has 31 tokens beside a's second, 19 beside its third; c waits for a slot.
	expect(t, &loop, &log, "a1@20 a2@62 a3@92 b1@92 b:ok@92 a4@113 c1@113 a:ok@113 c:ok@113")
}

// TestSlotCancel: a cancel takes effect at the next micro-batch boundary.
func TestSlotCancel(t *testing.T) {
	var loop pipeline.Virtual
	e := slotted(&loop, 1)
	var log []string
	a := ask(&loop, e, &log, "a", 0, 100, 1)
	ask(&loop, e, &log, "b", 1*ms, 10, 1)
	loop.At(50*ms, pipeline.RankInput, func() { e.Cancel(a) })
	expect(t, &loop, &log, "a:cancelled@84 b1@104 b:ok@104")
}

// TestSlotCache: the free slot with the longest common prefix serves a prompt, and only
// what differs is computed.
func TestSlotCache(t *testing.T) {
	var loop pipeline.Virtual
	e := slotted(&loop, 2)
	var log []string
	about(ask(&loop, e, &log, "a", 0, 32, 1), 1, 1, 32)
	about(ask(&loop, e, &log, "b", 1*ms, 32, 1), 2, 1, 32)
	c := about(ask(&loop, e, &log, "c", 200*ms, 48, 1), 2, 2, 32)
	d := about(ask(&loop, e, &log, "d", 300*ms, 48, 1), 2, 2, 32)
	again := about(ask(&loop, e, &log, "e", 400*ms, 48, 1), 1, 3, 32)
	expect(t, &loop, &log, "a1@42 a:ok@42 b1@84 b:ok@84 c1@226 c:ok@226 d1@311 d:ok@311 e1@426 e:ok@426")
	if c.CachedTokens != 32 || d.CachedTokens != 47 || again.CachedTokens != 32 {
		t.Errorf("c found %d tokens, d %d and e %d, want 32, 47 (all but the last) and 32", c.CachedTokens, d.CachedTokens, again.CachedTokens)
	}
	if s := e.Stats(); s.BlocksUsed != 0 || s.BlocksCached != 3+3 {
		t.Errorf("at the end %+v, want the 48 tokens of each slot's last prompt cached", s)
	}
}

// TestSlotChoice: a common prefix of less than a tenth of the prompt does not choose a
// slot; the one used least recently is taken, and what it has is used all the same.
func TestSlotChoice(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: dear, TokenBudget: 512, KVBlocks: 60, Slots: 2, SlotCache: true})
	var log []string
	about(ask(&loop, e, &log, "a", 0, 40, 1), 1, 1, 16)
	about(ask(&loop, e, &log, "b", 100*ms, 40, 1), 2, 1, 16)
	// Both slots hold a text now, a's being the older. c has 16 tokens in common with b.
	c := about(ask(&loop, e, &log, "c", 200*ms, 200, 1), 2, 2, 16)
	d := about(ask(&loop, e, &log, "d", 500*ms, 150, 1), 2, 3, 16)
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.CachedTokens != 0 {
		t.Errorf("c found %d tokens, want none: 16 of 200 are too few to choose b's slot", c.CachedTokens)
	}
	if d.CachedTokens != 16 {
		t.Errorf("d found %d tokens, want the 16 that chose a slot", d.CachedTokens)
	}
}

// TestSlotContext: each slot has its part of the cache in whole blocks, and a request
// that needs more is refused.
func TestSlotContext(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: dear, TokenBudget: 32, KVBlocks: 21, Slots: 2})
	var log []string
	ask(&loop, e, &log, "a", 0, 150, 11)
	r := ask(&loop, e, &log, "b", 0, 150, 12)
	loop.At(1*ms, pipeline.RankTimer, func() {
		if s := e.Stats(); s.BlocksUsed != 10 || s.BlocksTotal != 21 {
			t.Errorf("%d of %d blocks used, want one slot's 10 of 21", s.BlocksUsed, s.BlocksTotal)
		}
	})
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := "request is larger than the engine's context: prompt 150 and output 12 need 162 tokens, 161 fit"; r.Reason == nil || r.Reason.Error() != want {
		t.Errorf("b ended with reason %v, want %s", r.Reason, want)
	}
}
