package engine

import (
	"time"

	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// linear is a Stepper with a fixed cost and a cost a token.
type linear struct{ step, token time.Duration }

func (l linear) Batch() roofline.Batch { return roofline.Batch{} }

func (l linear) Step(b roofline.Batch) time.Duration {
	return l.step + time.Duration(b.Tokens)*l.token
}

// subject is an engine under the contract, with the longest time that a cancel
// may take.
type subject struct {
	name    string
	make    func(loop pipeline.Scheduler) Engine
	longest time.Duration
}

// batched is a subject that differs from the usual Batched by what set does.
func batched(name string, longest time.Duration, set func(c *BatchedConfig)) subject {
	c := BatchedConfig{Steps: linear{5 * ms, 10 * time.Microsecond}, MaxSequences: 8, TokenBudget: 64, KVBlocks: 24}
	if set != nil {
		set(&c)
	}
	return subject{name, func(l pipeline.Scheduler) Engine { return NewBatched(l, c) }, longest}
}

// sliding is a window of 40 tokens in layers that take half as much as the others.
var sliding = roofline.Windows{{Tokens: 40, Share: .5}}

// beside is a memory of 40 blocks to which a block takes 16 us.
var beside = Overflow{Blocks: 40, TokenBytes: 1000, Rate: 1e9, Latency: 50 * time.Microsecond}

var subjects = []subject{
	batched("batched", 6*ms, func(c *BatchedConfig) { c.KVBlocks = 1000 }),
	batched("batched, little memory", 6*ms, nil),
	batched("batched, one sequence", 2, func(c *BatchedConfig) {
		*c = BatchedConfig{Steps: linear{1, 1}, MaxSequences: 1, TokenBudget: 1, KVBlocks: 30}
	}),
	batched("planned ahead", 6*ms, func(c *BatchedConfig) { c.Ahead = true }),
	batched("planned ahead, one sequence, prefix cache", 2, func(c *BatchedConfig) {
		*c = BatchedConfig{Steps: linear{1, 1}, MaxSequences: 1, TokenBudget: 1, KVBlocks: 30, Ahead: true, PrefixCache: true}
	}),
	batched("planned ahead, swap", 8*ms, func(c *BatchedConfig) { c.Ahead, c.OnFull, c.Overflow = true, Swap, beside }),
	batched("whole prompts", 8*ms, func(c *BatchedConfig) { c.WholePrompts = true }),
	batched("prompts first", 6*ms, func(c *BatchedConfig) { c.PrefillFirst = true }),
	batched("whole prompts first", 8*ms, func(c *BatchedConfig) { c.PrefillFirst, c.WholePrompts = true, true }),
	batched("swap", 8*ms, func(c *BatchedConfig) { c.OnFull, c.Overflow = Swap, beside }),
	batched("swap, little room", 8*ms, func(c *BatchedConfig) { c.OnFull, c.Overflow = Swap, beside; c.Overflow.Blocks = 9 }),
	batched("swap, prompts first", 8*ms, func(c *BatchedConfig) { c.OnFull, c.Overflow, c.PrefillFirst = Swap, beside, true }),
	batched("spill", 8*ms, func(c *BatchedConfig) { c.OnFull, c.Overflow = Spill, beside }),
	batched("spill, little room", 8*ms, func(c *BatchedConfig) { c.OnFull, c.Overflow = Spill, beside; c.Overflow.Blocks = 9 }),
	batched("reserve", 6*ms, func(c *BatchedConfig) { c.OnFull = Reserve }),
	batched("refuse", 6*ms, func(c *BatchedConfig) { c.OnFull, c.KVBlocks = Refuse, 60 }),
	batched("prefix cache", 6*ms, func(c *BatchedConfig) { c.PrefixCache, c.KVBlocks = true, 80 }),
	batched("prefix cache, little memory", 6*ms, func(c *BatchedConfig) { c.PrefixCache = true }),
	batched("prefix cache, blocks of one token, time to live", 6*ms, func(c *BatchedConfig) {
		c.PrefixCache, c.BlockTokens, c.KVBlocks, c.PrefixTTL = true, 1, 400, 30*ms
	}),
	batched("prefix cache, swap", 8*ms, func(c *BatchedConfig) { c.PrefixCache, c.OnFull, c.Overflow = true, Swap, beside }),
	batched("prefix cache, spill", 8*ms, func(c *BatchedConfig) { c.PrefixCache, c.OnFull, c.Overflow = true, Spill, beside }),
	batched("prefix cache, reserve, prompts first", 6*ms, func(c *BatchedConfig) { c.PrefixCache, c.OnFull, c.PrefillFirst = true, Reserve, true }),
	batched("prefix cache, refuse", 6*ms, func(c *BatchedConfig) { c.PrefixCache, c.OnFull, c.KVBlocks = true, Refuse, 60 }),
	batched("sliding windows", 6*ms, func(c *BatchedConfig) { c.Windows, c.KVBlocks = sliding, 40 }),
	batched("sliding windows, little memory, prefix cache", 6*ms, func(c *BatchedConfig) { c.Windows, c.PrefixCache, c.KVBlocks = sliding, true, 30 }),
	batched("sliding windows, swap", 8*ms, func(c *BatchedConfig) { c.Windows, c.OnFull, c.Overflow = sliding, Swap, beside }),
	batched("sliding windows, spill", 8*ms, func(c *BatchedConfig) { c.Windows, c.OnFull, c.Overflow = sliding, Spill, beside }),
	batched("sliding windows, reserve", 6*ms, func(c *BatchedConfig) { c.Windows, c.OnFull = sliding, Reserve }),
	batched("sliding windows, refuse", 6*ms, func(c *BatchedConfig) { c.Windows, c.OnFull, c.KVBlocks = sliding, Refuse, 60 }),
	batched("sliding windows, step slots", 6*ms, func(c *BatchedConfig) { c.Windows, c.Slots, c.KVBlocks = sliding, 3, 70 }),
	batched("speculation", 12*ms, func(c *BatchedConfig) {
		c.Speculation = &Speculation{Tokens: 3, Acceptance: .7, Drafter: linear{ms, 1000}}
	}),
	batched("n-gram lookup, prefix cache, swap", 8*ms, func(c *BatchedConfig) {
		c.PrefixCache, c.OnFull, c.Overflow, c.Speculation = true, Swap, beside, &Speculation{Tokens: 7, Acceptance: 1}
	}),
	batched("speculation, spill, prompts first", 14*ms, func(c *BatchedConfig) {
		c.OnFull, c.Overflow, c.PrefillFirst, c.Speculation = Spill, beside, true, &Speculation{Tokens: 3, Acceptance: .7, Drafter: linear{ms, 1000}}
	}),
	batched("step slots", 6*ms, func(c *BatchedConfig) { c.Slots, c.KVBlocks = 3, 50 }),
	batched("step slots that keep their last request", 6*ms, func(c *BatchedConfig) { c.Slots, c.SlotCache, c.KVBlocks = 3, true, 50 }),
	batched("step slots, speculation", 12*ms, func(c *BatchedConfig) {
		c.Slots, c.SlotCache, c.KVBlocks, c.Speculation = 3, true, 50, &Speculation{Tokens: 3, Acceptance: .7, Drafter: linear{ms, 1000}}
	}),
	{"slots", func(l pipeline.Scheduler) Engine {
		return NewSlots(l, SlotsConfig{Service: Fixed{40 * ms, 7 * ms}, Slots: 3, MaxContext: 300})
	}, 0},
	{"one slot", func(l pipeline.Scheduler) Engine {
		return NewSlots(l, SlotsConfig{Service: Fixed{ms, 0}, Slots: 1, MaxContext: 300})
	}, 0},
	{"hosted", func(l pipeline.Scheduler) Engine {
		return NewHosted(l, HostedConfig{First: func(uint64) time.Duration { return 30 * ms }, Next: 3 * ms})
	}, 0},
}

// text is what a request is about, token by token: the first shared tokens are those
// of every text of its family.
type text struct {
	family, own uint64
	shared      int
	tokens      int // prompt and answer
}

// blocks is a Request's Blocks.
func (x text) blocks(dst []uint64, size int) []uint64 {
	h := uint64(0)
	for i := range x.tokens {
		token := x.family
		if i >= x.shared {
			token = x.own << 32
		}
		h = (h ^ token + uint64(i)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
		if (i+1)%size == 0 {
			dst = append(dst, h)
		}
	}
	return dst
}
