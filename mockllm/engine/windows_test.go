package engine

import (
	"slices"
	"testing"

	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// two is a window of 32 tokens in layers that take as much as the others: two blocks
// at most.
var two = roofline.Windows{{Tokens: 32, Share: 1}}

// TestWindowsGrow: a block of tokens takes another for the window until that is full. A
// sequence that grows from 16 tokens to 49 holds 2, 4, 5 and 6 blocks, wherever they are.
func TestWindowsGrow(t *testing.T) {
	for _, shared := range []bool{false, true} {
		var loop pipeline.Virtual
		e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 4, TokenBudget: 100, KVBlocks: 6, Windows: two, PrefixCache: shared})
		var used []int
		r := &Request{Prompt: 16, Output: 34, NotifyAt: 1, Done: func(pipeline.Outcome) {}}
		r.Notify = func(n int) int { used = append(used, e.Stats().BlocksUsed); return n + 1 }
		e.Submit(r)
		loop.RunUntil(pipeline.LastInstant)
		want := slices.Concat(slices.Repeat([]int{2}, 1), slices.Repeat([]int{4}, 16), slices.Repeat([]int{5}, 16), []int{6})
		if !slices.Equal(used, want) {
			t.Errorf("shared %t: blocks held at each token are %v, want %v", shared, used, want)
		}
		if s := e.Stats(); s.BlocksUsed != 0 || s.Preemptions != 0 || s.Finished != 1 {
			t.Errorf("shared %t: at the end %+v", shared, s)
		}
	}
}

// TestWindowsPreempt is TestPreemption with windows that take as much again.
func TestWindowsPreempt(t *testing.T) {
	for _, shared := range []bool{false, true} {
		var loop pipeline.Virtual
		e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 4, TokenBudget: 100, KVBlocks: 8, Windows: two, PrefixCache: shared})
		var log []string
		ask(&loop, e, &log, "a", 0, 31, 4)
		ask(&loop, e, &log, "b", 0, 20, 4)
		expect(t, &loop, &log, "a1@10 b1@10 a2@20 b2@20 a3@30 a4@40 a:ok@40 b3@50 b4@60 b:ok@60")
	}
}

// TestWindowsStayInTheCache: a sequence that outgrows the cache spills tokens, not its
// windows. One block is beside it when 64 tokens and two blocks of windows are there.
func TestWindowsStayInTheCache(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 4, TokenBudget: 100, KVBlocks: 5, Windows: two, OnFull: Spill, Overflow: beside})
	var slow []int
	r := &Request{Prompt: 47, Output: 3, NotifyAt: 1, Done: func(pipeline.Outcome) {}}
	r.Notify = func(n int) int { slow = append(slow, e.Stats().BlocksSlow); return n + 1 }
	e.Submit(r)
	loop.RunUntil(pipeline.LastInstant)
	if want := []int{0, 0, 1}; !slices.Equal(slow, want) {
		t.Errorf("blocks beside the cache at each token are %v, want %v", slow, want)
	}
}

// TestWindowsOfSlots: a slot's context is what fits its part of the cache.
func TestWindowsOfSlots(t *testing.T) {
	c := BatchedConfig{Slots: 2, KVBlocks: 14, BlockTokens: 16, Windows: two}
	if got := c.slotContext(); got != 5*16 {
		t.Errorf("a slot of 7 blocks has a context of %d tokens, want 80", got)
	}
}

func TestWindowsThatFillTheCache(t *testing.T) {
	c := BatchedConfig{Steps: &recorder{}, MaxSequences: 1, TokenBudget: 1, KVBlocks: 1, Windows: two}
	if err := c.Validate(); err == nil || err.Error() != "1 KV blocks hold no sequence of one block and its windows" {
		t.Errorf("Validate = %v", err)
	}
}
