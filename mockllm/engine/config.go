package engine

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
)

// Stepper tells how long one step of a batch takes; *roofline.Plan is one.
type Stepper interface {
	Step(b roofline.Batch) time.Duration
	Batch() roofline.Batch // an empty one to add sequences to
}

// BatchedConfig sets up a Batched engine: what it computes with and the habits of
// its scheduler. The zero habits are those of vLLM V1 without a prefix cache, and with
// steps that are planned one at a time.
type BatchedConfig struct {
	Steps        Stepper
	MaxSequences int // most requests running at once, at least 1
	TokenBudget  int // most tokens computed in a step, at least 1
	KVBlocks     int // blocks in the cache, at least 1
	BlockTokens  int // tokens of a block; 0 means BlockTokens
	// Windows says what sliding windows take of the cache: blocks of a sequence beside
	// those that it has for its tokens.
	Windows    roofline.Windows
	MaxContext int // most tokens of one request; 0 means what fits the cache

	// WholePrompts never cuts a prompt: one step computes all of it, and the budget
	// only limits how many more join it. Otherwise prompts are cut into chunks that
	// fill what decoding leaves of the budget.
	WholePrompts bool
	// PrefillFirst computes prompts in steps of their own for as long as there are
	// any, and decoding waits meanwhile. Otherwise decoding goes first in each step.
	PrefillFirst bool
	// AllLogits computes the output head for every token of a prompt, not for the last
	// one alone.
	AllLogits bool

	// Ahead plans a step while the one before it is computed, so that devices never wait
	// for a plan. Who comes while a step is computed then joins the step after the next
	// one, and so does who takes the place of one that ends with it. vLLM's asynchronous
	// scheduling, on by default in recent versions (vllm-project/vllm
	// vllm/v1/core/sched/async_scheduler.py and step_with_batch_queue of
	// vllm/v1/engine/core.py, read 2026-11-29); a recorded run of vLLM 0.19 shows it.
	Ahead bool

	// PrefixCache keeps the blocks of requests that have ended, and shares blocks
	// among those that run, by Request.Blocks. Looking up n tokens costs n /
	// BlockTokens hashes: blocks of 1 make a prompt of 4,000 tokens 4,000 of them.
	PrefixCache bool
	// PrefixTTL is how long a block is still found after it was last used; 0 means
	// until its room is needed.
	PrefixTTL time.Duration

	// Slots above 0 divides the cache into that many equal parts, each of which
	// serves one request at a time, in order of arrival whatever the priority, and
	// MaxSequences, PrefixCache and OnFull do not apply. SlotCache lets a slot keep
	// the tokens of its last request for one that begins like it.
	Slots     int
	SlotCache bool

	OnFull   Policy   // what happens when sequences outgrow the cache
	Overflow Overflow // the memory beside it, for Swap and Spill

	Speculation *Speculation // nil for none
}

// Policy says what an engine does when the cache is full. The zero Policy is
// Recompute.
type Policy string

// The policies. Sources: docs.vllm.ai "Optimization and Tuning" and vllm-project/vllm
// vllm/core/scheduler.py (V0) and vllm/v1/core/sched/scheduler.py, NVIDIA's
// TensorRT-LLM guide, "Capacity Scheduler Policy"; read 2026-11-29.
const (
	// Recompute: the last sequence gives up its blocks and goes back to the head of
	// the queue; it is computed again from the start, prompt and produced tokens.
	// vLLM's default, and SGLang's retraction.
	Recompute Policy = catalog.OnFullRecompute
	// Swap: the last sequence moves to the memory beside the cache, goes back to the
	// head of the queue, and moves back when there is room. As in vLLM V0 the copies
	// are not overlapped: they lengthen the step before which they are made. When the
	// memory beside is full too, the sequence is computed again.
	Swap Policy = catalog.OnFullSwap
	// Spill: nobody gives way and nobody waits. What does not fit lies in the memory
	// beside the cache, and each step reads it from there.
	Spill Policy = catalog.OnFullSpill
	// Reserve: a request starts only when there is room for its prompt and the
	// longest answer it allows. TensorRT-LLM's GUARANTEED_NO_EVICT.
	Reserve Policy = catalog.OnFullReserve
	// Refuse: a request is refused on arrival, with ErrFull, unless its prompt and
	// the longest answer it allows fit beside those of all accepted before it.
	Refuse Policy = catalog.OnFullRefuse
)

// Policies lists the policies.
func Policies() []Policy { return []Policy{Recompute, Swap, Spill, Reserve, Refuse} }

// Overflow is the slower memory that takes what the cache cannot hold: the host's,
// over PCIe, or an SSD.
type Overflow struct {
	Blocks     int           // blocks that it holds, at least 1
	TokenBytes int64         // bytes of one token's keys and values, at least 1
	Rate       float64       // bytes a second, in either direction; above 0
	Latency    time.Duration // of each step that moves any; 0 or more
}

// time returns how long a step takes longer when it moves so many tokens.
func (o *Overflow) time(tokens int) time.Duration {
	bytes := float64(tokens) * float64(o.TokenBytes)
	return o.Latency + time.Duration(bytes/o.Rate*float64(time.Second)+.5)
}

// Validate reports everything that makes a configuration impossible.
func (c BatchedConfig) Validate() error {
	c = c.withDefaults()
	errs := []error{atLeastOne(
		field{"max sequences", c.MaxSequences},
		field{"token budget", c.TokenBudget},
		field{"KV blocks", c.KVBlocks},
		field{"tokens of a block", c.BlockTokens},
	)}
	if need := c.MaxSequences * c.verified(); c.TokenBudget < need {
		errs = append(errs, fmt.Errorf("token budget is %d, must be at least %d, %s, or some would never decode", c.TokenBudget, need, c.decodes()))
	}
	return errors.Join(append(errs, c.validOptions())...)
}

// decodes says in words what the token budget must hold.
func (c BatchedConfig) decodes() string {
	if c.Speculation == nil {
		return "max sequences"
	}
	return fmt.Sprintf("max sequences of %d drafted and 1 more tokens each", c.Speculation.Tokens)
}

func (c BatchedConfig) validOptions() error {
	var errs []error
	if c.PrefixTTL < 0 {
		errs = append(errs, fmt.Errorf("prefix time to live is %s, must not be negative", c.PrefixTTL))
	}
	if c.Slots > 0 && c.slotContext() < c.BlockTokens {
		errs = append(errs, fmt.Errorf("%d slots share %d KV blocks, want at least %d each", c.Slots, c.KVBlocks, 1+c.windowBlocks(1)))
	}
	if c.Slots == 0 && c.KVBlocks > 0 && c.capacity() == 0 {
		errs = append(errs, fmt.Errorf("%d KV blocks hold no sequence of one block and its windows", c.KVBlocks))
	}
	if c.Speculation != nil {
		errs = append(errs, c.Speculation.validate())
	}
	switch c.OnFull {
	case Recompute, Reserve, Refuse:
	case Swap, Spill:
		errs = append(errs, c.Overflow.validate(c.OnFull))
	default:
		errs = append(errs, fmt.Errorf("policy %q is unknown: want one of %s", c.OnFull, join(Policies())))
	}
	return errors.Join(errs...)
}

func (o Overflow) validate(p Policy) error {
	err := atLeastOne(field{string(p) + " blocks", o.Blocks}, field{"bytes of a token", int(o.TokenBytes)})
	if !(o.Rate > 0) {
		err = errors.Join(err, fmt.Errorf("%s rate is %g bytes a second, must be above 0", p, o.Rate))
	}
	if o.Latency < 0 {
		err = errors.Join(err, fmt.Errorf("%s latency is %s, must not be negative", p, o.Latency))
	}
	return err
}

func join(policies []Policy) string {
	names := make([]string, len(policies))
	for i, p := range policies {
		names[i] = string(p)
	}
	return strings.Join(names, ", ")
}

// withDefaults returns the configuration with its zero fields filled in.
func (c BatchedConfig) withDefaults() BatchedConfig {
	if c.BlockTokens == 0 {
		c.BlockTokens = BlockTokens
	}
	if c.OnFull == "" {
		c.OnFull = Recompute
	}
	if c.Slots > 0 {
		c.MaxSequences, c.OnFull, c.PrefixCache = c.Slots, Recompute, false
	}
	return c
}

// verified returns the tokens of a decoding sequence in a step: one, and those that
// were drafted.
func (c *BatchedConfig) verified() int {
	if c.Speculation == nil {
		return 1
	}
	return 1 + c.Speculation.Tokens
}

// windowBlocks returns the blocks that the windows of a sequence take which has n
// blocks for its tokens.
func (c *BatchedConfig) windowBlocks(n int) int {
	if len(c.Windows) == 0 {
		return 0
	}
	return c.Windows.Blocks(n, c.BlockTokens)
}

// slotBlocks returns the blocks of a slot.
func (c *BatchedConfig) slotBlocks() int { return c.KVBlocks / c.Slots }

// slotContext returns the tokens that a slot holds.
func (c *BatchedConfig) slotContext() int {
	return c.Windows.Longest(c.slotBlocks(), c.BlockTokens) * c.BlockTokens
}

// capacity returns the most blocks that one request may have for its tokens. What lies
// beside the cache leaves its windows in it.
func (c *BatchedConfig) capacity() int {
	if c.Slots > 0 {
		return c.Windows.Longest(c.slotBlocks(), c.BlockTokens)
	}
	if c.OnFull == Spill {
		n := c.Windows.Longest(c.KVBlocks+c.Overflow.Blocks, c.BlockTokens)
		if c.windowBlocks(n) <= c.KVBlocks {
			return n
		}
	}
	return c.Windows.Longest(c.KVBlocks, c.BlockTokens)
}

// CacheTokens returns the tokens that the cache holds: of all slots together where there
// are slots, otherwise of one sequence where there are sliding windows.
func (c BatchedConfig) CacheTokens() int {
	c = c.withDefaults()
	if c.Slots > 0 {
		return c.Slots * c.slotContext()
	}
	return c.Windows.Longest(c.KVBlocks, c.BlockTokens) * c.BlockTokens
}

// most returns the tokens that one request may hold. The last token produced is
// never written to the cache, hence one more than fits; drafted tokens are written
// before they are known to be right.
func (c *BatchedConfig) most() int {
	fits := c.capacity()*c.BlockTokens + 2 - c.verified()
	if c.MaxContext > 0 {
		return min(fits, c.MaxContext)
	}
	return fits
}
