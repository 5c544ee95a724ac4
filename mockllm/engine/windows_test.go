package engine

import (
	"fmt"
	"slices"
	"testing"
	"time"

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

// TestWindowsSpillAlone: a sequence alone whose window grows when the cache is full of
// its tokens moves those out of it, and never gives way. Of 6 blocks, windows take up to
// 4 and the rest is tokens.
func TestWindowsSpillAlone(t *testing.T) {
	for _, shared := range []bool{false, true} {
		var loop pipeline.Virtual
		four := roofline.Windows{{Tokens: 64, Share: 1}}
		e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 4, TokenBudget: 200, KVBlocks: 6, Windows: four, OnFull: Spill, Overflow: beside, PrefixCache: shared})
		var slow []int
		r := &Request{Prompt: 16, Output: 64, NotifyAt: 1, Done: func(pipeline.Outcome) {}}
		r.Notify = func(n int) int { slow = append(slow, e.Stats().BlocksSlow); return n + 16 }
		e.Submit(r)
		loop.RunUntil(pipeline.LastInstant)
		// 1, 17, 33 and 49 tokens: 16, 32, 48 and 64 are in the cache, of 1, 2, 3 and 4 blocks.
		if want := []int{0, 0, 0, 2}; !slices.Equal(slow, want) {
			t.Errorf("shared %t: blocks beside the cache are %v, want %v", shared, slow, want)
		}
		// The 49th token pushes out one block of 16, then the fourth is written token by
		// token, and both are read at each step.
		if s := e.Stats(); s.Preemptions != 0 || s.Finished != 1 || s.BlocksUsed+s.BlocksSlow != 0 {
			t.Errorf("shared %t: at the end %+v, want nobody to give way", shared, s)
		}
	}
}

// TestWindowsSpillOthers: nobody waits for a cache that is full of others' tokens. The
// window of b is in it at once, and a block of a beside it for as long as b is there.
func TestWindowsSpillOthers(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 4, TokenBudget: 200, KVBlocks: 6, Windows: two, OnFull: Spill, Overflow: pcie})
	var log []string
	a := ask(&loop, e, &log, "a", 0, 60, 4)
	b := ask(&loop, e, &log, "b", 5*ms, 10, 1)
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	// a has 4 blocks and 2 of windows. One goes out with 12 tokens and one to come, and b's 10 are
	// written; then a reads 13 and has its room again.
	us := 100 * time.Microsecond
	if want := 20*ms + 23*us; b.Last != want {
		t.Errorf("b's token at %s, want %s", b.Last, want)
	}
	if want := 40*ms + 36*us; a.Last != want {
		t.Errorf("a's last token at %s, want %s", a.Last, want)
	}
	if s := e.Stats(); s.Preemptions != 0 || s.TokensMoved != 36 {
		t.Errorf("at the end %+v, want 36 tokens moved and nobody to give way", s)
	}
}

// TestWindowsRefuse: what is refused is told of in tokens that a sequence could have.
func TestWindowsRefuse(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 1, TokenBudget: 100, KVBlocks: 8, Windows: two, OnFull: Refuse})
	var log []string
	ask(&loop, e, &log, "a", 0, 15, 2)
	b := ask(&loop, e, &log, "b", 0, 65, 1)
	expect(t, &loop, &log, "b:refused@0 a1@10 a2@20 a:ok@20")
	if got, want := fmt.Sprint(b.Reason), "no room in the KV cache now: 80 tokens may be needed and 64 are not promised"; got != want {
		t.Errorf("b was refused because %s, want %s", got, want)
	}
}

// TestWindowsExpire: a block whose time to live is over does not count as evicted when a
// window takes its room.
func TestWindowsExpire(t *testing.T) {
	var loop pipeline.Virtual
	m := newPrefixes(&loop, 2, 16, 10*ms)
	r := &Request{extra: &extra{chain: []uint64{1}}, Prompt: 16, computed: 16}
	if !m.admit(r, 1, 0, 0) {
		t.Fatal("no room in an empty cache")
	}
	r.computed = 16
	m.keep(r)
	m.release(r)
	loop.At(20*ms, pipeline.RankTimer, func() {
		if !m.widen(&Request{extra: &extra{}}, 2) {
			t.Error("no room for two blocks of two")
		}
	})
	loop.RunUntil(pipeline.LastInstant)
	if n := m.cache.Evictions(); n != 0 {
		t.Errorf("%d evicted, want none", n)
	}
}

// TestWindowsBesideAPrefix: what is found of a prompt leaves room for its windows, which
// have to be in the cache; the rest of it lies beside. b finds a's 3 blocks when its own
// windows take 4 of 6, and holds 2 of them.
func TestWindowsBesideAPrefix(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{
		Steps: &recorder{}, MaxSequences: 4, TokenBudget: 100, KVBlocks: 6, Windows: roofline.Windows{{Tokens: 64, Share: 1}},
		OnFull: Spill, Overflow: pcie, PrefixCache: true,
	})
	var log []string
	same := text{family: 1, shared: 100, tokens: 80}
	ask(&loop, e, &log, "a", 0, 48, 1).Blocks = same.blocks
	b := ask(&loop, e, &log, "b", 50*ms, 80, 1)
	b.Blocks = same.blocks
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := e.Stats(); s.Finished != 2 || b.CachedTokens != 32 || s.TokensMoved != 48 {
		t.Errorf("b found %d tokens, want 32 and the other 48 moved; at the end %+v", b.CachedTokens, s)
	}
}
