package engine

import (
	"fmt"
	"time"

	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// MicroBatch is the number of prompt tokens that a slot computes at a time:
// llama.cpp's default physical batch; source: ggml-org/llama.cpp
// tools/server/README.md (--ubatch-size, 512), commit 00dc8057, read 2026-11-29.
const MicroBatch = 512

// Modelled is a Service whose times are those of a plan: prompts in micro-batches,
// then one token a step in a batch of the busy slots, taken as alike.
type Modelled struct{ Steps Stepper }

// First implements Service.
func (m Modelled) First(prompt int) time.Duration {
	total := time.Duration(0)
	for before := 0; before < prompt; before += MicroBatch {
		n := min(MicroBatch, prompt-before)
		var b roofline.Batch
		b.Add(n, before, before+n == prompt)
		total += m.Steps.Step(b)
	}
	return total
}

// Next implements Service.
func (m Modelled) Next(context, busy int) time.Duration {
	return m.Steps.Step(roofline.DecodeBatch(busy, context))
}

// Replica describes an engine on modelled hardware, ready to be built on a loop.
type Replica struct {
	Plan         *roofline.Plan
	Slots        int // N above 0 makes it an engine of N slots; else it is batched
	MaxSequences int // batched: most requests running at once
	TokenBudget  int // batched: most tokens a step
}

// Validate reports what makes the replica impossible: settings, or a model that
// leaves no memory for its cache.
func (r Replica) Validate() error {
	if _, err := r.Plan.KVTokens(); err != nil {
		return err
	}
	if n := r.Context(); n < leastContext {
		return fmt.Errorf("%d slots share a cache that leaves %d tokens to each, want at least %d", r.Slots, n, leastContext)
	}
	if r.Slots != 0 {
		return r.slots().Validate()
	}
	return r.batched().Validate()
}

// Build returns the engine. It panics when the replica is not valid.
func (r Replica) Build(loop pipeline.Scheduler) Engine {
	if r.Slots != 0 {
		return NewSlots(loop, r.slots())
	}
	return NewBatched(loop, r.batched())
}

// First returns the time from the start of a lone prompt to its first token.
func (r Replica) First(prompt int) time.Duration {
	if r.Slots != 0 {
		return Modelled{r.Plan}.First(prompt)
	}
	return r.Plan.Prefill(prompt)
}

// leastContext is the shortest context that is worth serving: a block.
const leastContext = BlockTokens

// Context returns the most tokens, prompt and output, of one request.
func (r Replica) Context() int {
	fits, err := r.Plan.KVTokens()
	if err != nil {
		panic(fmt.Sprintf("engine: %v", err))
	}
	if r.Slots > 0 {
		fits /= r.Slots
	}
	return min(fits, r.Plan.Deployment().Model.MaxContext)
}

func (r Replica) slots() SlotsConfig {
	return SlotsConfig{Service: Modelled{r.Plan}, Slots: r.Slots, MaxContext: r.Context()}
}

func (r Replica) batched() BatchedConfig {
	fits, _ := r.Plan.KVTokens()
	return BatchedConfig{
		Steps: r.Plan, MaxSequences: r.MaxSequences, TokenBudget: r.TokenBudget,
		KVBlocks: fits / BlockTokens, MaxContext: r.Context(),
	}
}
