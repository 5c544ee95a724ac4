package engine

import (
	"errors"
	"fmt"
	"time"

	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// Stepper tells how long one step of a batch takes; *roofline.Plan is one.
type Stepper interface {
	Step(b roofline.Batch) time.Duration
}

// BatchedConfig sets up a Batched engine.
type BatchedConfig struct {
	Steps        Stepper
	MaxSequences int // most requests running at once, at least 1
	TokenBudget  int // most tokens computed in a step, at least 1; prompts longer than what is left are cut into chunks
	KVBlocks     int // blocks of BlockTokens in the cache, at least 1
	MaxContext   int // most tokens of one request; 0 means what fits the cache
}

// Validate reports everything that makes a configuration impossible.
func (c BatchedConfig) Validate() error {
	err := atLeastOne(
		field{"max sequences", c.MaxSequences},
		field{"token budget", c.TokenBudget},
		field{"KV blocks", c.KVBlocks},
	)
	if c.TokenBudget < c.MaxSequences {
		err = errors.Join(err, fmt.Errorf("token budget is %d, must be at least max sequences, %d, or some would never decode", c.TokenBudget, c.MaxSequences))
	}
	return err
}

// Batched is an engine with continuous batching. It works in steps: each step
// computes one token for every sequence that decodes and fills the rest of the
// token budget with chunks of prompts, oldest first. Waiting requests join in
// order of arrival when a sequence is free and the cache holds their whole
// prompt. A sequence that needs a block when none is free makes the one that
// joined last give up its blocks and go back to the head of the queue; it is
// computed again from the start, prompt and produced tokens (vLLM's recompute
// preemption; source: vLLM optimization and tuning guide, "Preemption", as told
// in ai-dynamo's simulation docs, read 2026-11-29).
type Batched struct {
	loop   pipeline.Scheduler
	config BatchedConfig

	waiting queue
	running []*Request // in order of joining
	free    int        // KV blocks
	busy    bool       // a step is under way or about to be planned
	stats   Stats

	plan, end func() // bound once, so that a step allocates nothing
}

// NewBatched returns an idle engine. It panics when the configuration is not
// valid.
func NewBatched(loop pipeline.Scheduler, c BatchedConfig) *Batched {
	if err := c.Validate(); err != nil {
		panic(fmt.Sprintf("engine: %v", err))
	}
	e := &Batched{loop: loop, config: c, free: c.KVBlocks}
	e.stats.BlocksTotal = c.KVBlocks
	e.plan, e.end = e.planStep, e.endStep
	return e
}

// Submit implements Engine.
func (e *Batched) Submit(r *Request) {
	e.stats.Submitted++
	if err := r.accept(e.most()); err != nil {
		e.stats.Refused++
		refuse(e.loop, r, err)
		return
	}
	r.state = waiting
	e.stats.Waiting++
	e.waiting.pushBack(r)
	e.wake()
}

// most returns the tokens that one request may hold. The last token produced is
// never written to the cache, hence one more than fits.
func (e *Batched) most() int {
	fits := e.config.KVBlocks*BlockTokens + 1
	if e.config.MaxContext > 0 {
		return min(fits, e.config.MaxContext)
	}
	return fits
}

// Cancel implements Engine.
func (e *Batched) Cancel(r *Request) {
	switch r.state {
	case waiting:
		e.stats.Waiting--
		e.stats.Cancelled++
		leave(e.loop, r, pipeline.Cancelled)
	case running:
		r.state = leaving
	}
}

// Stats implements Engine.
func (e *Batched) Stats() Stats {
	s := e.stats
	s.BlocksUsed = e.config.KVBlocks - e.free
	return s
}

// wake plans a step at this instant, after everything else that happens at it.
func (e *Batched) wake() {
	if !e.busy {
		e.busy = true
		e.loop.After(0, pipeline.RankStart, e.plan)
	}
}

// planStep gathers the next step and starts it.
func (e *Batched) planStep() {
	e.sweep()
	var b roofline.Batch
	preempted := e.planDecodes(&b)
	e.planPrefills(&b)
	if !preempted {
		e.admit(&b)
	}
	if b.Tokens == 0 {
		e.busy = false
		return
	}
	e.stats.Steps++
	e.loop.After(e.config.Steps.Step(b), pipeline.RankOutput, e.end)
}

// planDecodes plans one token for every sequence whose prompt is computed, and
// reports whether one had to give way.
func (e *Batched) planDecodes(b *roofline.Batch) (preempted bool) {
	for i := 0; i < len(e.running); i++ {
		r := e.running[i]
		if r.generated == 0 || r.Prompt+r.generated-r.computed != 1 {
			continue
		}
		for r.blocks*BlockTokens <= r.computed && e.free == 0 {
			e.preemptLast()
			preempted = true
		}
		if i == len(e.running) {
			break // it was the last itself
		}
		if r.blocks*BlockTokens <= r.computed {
			r.blocks++
			e.free--
		}
		r.planned = 1
		b.Add(1, r.computed, true)
	}
	return preempted
}

// preemptLast sends the sequence that joined last back to the head of the queue.
func (e *Batched) preemptLast() {
	last := len(e.running) - 1
	r := e.running[last]
	e.running[last] = nil
	e.running = e.running[:last]
	e.release(r)
	r.computed, r.planned = 0, 0
	r.state = waiting
	e.stats.Running--
	e.stats.Waiting++
	e.stats.Preemptions++
	e.waiting.pushFront(r)
}

// planPrefills gives what is left of the budget to prompts under way.
func (e *Batched) planPrefills(b *roofline.Batch) {
	for _, r := range e.running {
		if r.planned == 0 {
			e.planChunk(r, b)
		}
	}
}

// planChunk plans as much of the sequence's uncomputed tokens as the budget
// leaves. Its blocks are held already.
func (e *Batched) planChunk(r *Request, b *roofline.Batch) {
	left := r.Prompt + r.generated - r.computed
	q := min(left, e.config.TokenBudget-b.Tokens)
	if q <= 0 {
		return
	}
	r.planned = q
	b.Add(q, r.computed, q == left)
}

// admit lets waiting requests join, in order, while there is room for them.
func (e *Batched) admit(b *roofline.Batch) {
	for len(e.running) < e.config.MaxSequences && b.Tokens < e.config.TokenBudget {
		r := e.waiting.front()
		if r == nil {
			return
		}
		need := blocksFor(r.Prompt + r.generated)
		if need > e.free {
			return
		}
		e.waiting.drop()
		e.free -= need
		r.blocks = need
		r.state = running
		e.stats.Waiting--
		e.stats.Running++
		if r.Scheduled == pipeline.Unknown {
			r.Scheduled = e.loop.Now()
		}
		e.running = append(e.running, r)
		e.planChunk(r, b)
	}
}

// endStep delivers the step's tokens, lets finished sequences go and plans the
// next step.
func (e *Batched) endStep() {
	now := e.loop.Now()
	for _, r := range e.running {
		if r.state != running || r.planned == 0 {
			continue
		}
		if r.generated == 0 || r.planned > 1 {
			e.stats.PromptTokens += r.planned
		}
		r.computed += r.planned
		r.planned = 0
		if r.computed == r.Prompt+r.generated {
			e.stats.OutputTokens++
			r.emit(now)
		}
	}
	e.sweep()
	e.loop.After(0, pipeline.RankStart, e.plan)
}

// sweep lets go of sequences that are complete or were given up, in order of
// joining. The end of one may give up others that were passed already, so it goes
// on until nobody leaves: a plan never meets a sequence that was given up.
func (e *Batched) sweep() {
	for e.sweepOnce() {
	}
}

// sweepOnce reports whether any sequence left.
func (e *Batched) sweepOnce() bool {
	kept := 0
	for _, r := range e.running {
		switch {
		case r.state == leaving:
			e.depart(r, pipeline.Cancelled, &e.stats.Cancelled)
		case r.generated == r.target:
			e.depart(r, pipeline.OK, &e.stats.Finished)
		default:
			e.running[kept] = r
			kept++
		}
	}
	left := kept < len(e.running)
	clear(e.running[kept:])
	e.running = e.running[:kept]
	return left
}

func (e *Batched) depart(r *Request, o pipeline.Outcome, counter *int) {
	e.release(r)
	e.stats.Running--
	*counter++
	r.state = ended
	r.Done(o)
}

func (e *Batched) release(r *Request) {
	e.free += r.blocks
	r.blocks = 0
}
