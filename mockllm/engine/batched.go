package engine

import (
	"fmt"
	"slices"

	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// Batched is an engine with continuous batching. It works in steps: each computes
// one token for every sequence that decodes, or several that were drafted, and a part
// of the prompts; see BatchedConfig for who goes first. Waiting requests join in
// order of priority and arrival when a sequence is free and the cache has room for
// what is there of them. When sequences outgrow the cache, the Policy decides; the one
// that gives way is always the last to have joined among those of the lowest
// priority (vllm-project/vllm vllm/v1/core/sched/scheduler.py, where it is the last to
// have arrived among them; read 2026-11-29).
type Batched struct {
	loop   pipeline.Scheduler
	config BatchedConfig

	waiting queue
	coming  []*Request // who came after the plan of the next step, which was made ahead
	running []*Request // by priority, then in order of joining
	memory  memory
	extras  bool // requests need their extra
	shares  bool // the memory reuses what was computed
	busy    bool // a step is under way or about to be planned
	steps   bool // a step is under way
	leavers bool // some of running are complete or given up
	prompts int  // how many of running are not decoding yet
	left    int  // how many ended with the last step, after the plan of the next one

	cut      int // prompts in the step being planned
	moved    int // tokens that the step being planned moves to or from the memory beside the cache
	slowFree int // blocks of that memory
	promised int // blocks that admission control keeps

	most     int // tokens that one request may hold
	capacity int // blocks that one request may have for its tokens

	empty    roofline.Batch
	verified int     // tokens of a decoding sequence in a step
	drafts   *drafts // nil without speculation
	spills   bool    // the policy is Spill
	alike    bool    // what a step costs depends on the sum of what decodes only
	stats    Stats

	plan, end func() // bound once, so that a step allocates nothing
}

// NewBatched returns an idle engine. It panics when the configuration is not
// valid.
func NewBatched(loop pipeline.Scheduler, c BatchedConfig) *Batched {
	if err := c.Validate(); err != nil {
		panic(fmt.Sprintf("engine: %v", err))
	}
	c = c.withDefaults()
	e := &Batched{
		loop: loop, config: c, most: c.most(), capacity: c.capacity(), empty: c.Steps.Batch(), memory: newMemory(loop, &c), shares: c.PrefixCache || c.Slots > 0 && c.SlotCache,
		slowFree: c.Overflow.Blocks, verified: c.verified(), drafts: newDrafts(c.Speculation), spills: c.OnFull == Spill,
	}
	e.alike = !e.spills && e.drafts == nil && e.empty.Window == 0
	e.extras = e.shares || len(c.Windows) > 0 || e.drafts != nil || c.OnFull == Swap || c.OnFull == Spill || c.OnFull == Refuse
	e.stats.BlocksTotal = c.KVBlocks
	e.plan, e.end = e.planStep, e.endStep
	return e
}

func newMemory(loop pipeline.Scheduler, c *BatchedConfig) memory {
	switch {
	case c.Slots > 0:
		return newLanes(c)
	case c.PrefixCache:
		return newPrefixes(loop, c.KVBlocks, c.BlockTokens, c.PrefixTTL)
	default:
		return &counter{free: c.KVBlocks, total: c.KVBlocks}
	}
}

// Submit implements Engine.
func (e *Batched) Submit(r *Request) {
	e.stats.Submitted++
	if err := e.accept(r); err != nil {
		e.stats.Refused++
		refuse(e.loop, r, err)
		return
	}
	r.state = waiting
	e.stats.Waiting++
	if e.config.Ahead && e.steps {
		e.coming = append(e.coming, r)
		return
	}
	e.waiting.pushBack(r, e.priority(r))
	e.wake()
}

// accept checks the request against what can ever fit, and under admission control
// against what is promised already, and gets it ready for the queue.
func (e *Batched) accept(r *Request) error {
	if err := r.accept(e.most); err != nil {
		return err
	}
	if !e.extras {
		return nil
	}
	if r.extra == nil {
		r.extra = &extra{}
	}
	if err := e.promise(r); err != nil {
		return err
	}
	r.extra.chain = r.extra.chain[:0]
	if e.shares && r.Blocks != nil {
		size := e.config.BlockTokens
		r.extra.chain = r.Blocks(slices.Grow(r.extra.chain, (r.Prompt+r.target)/size), size)
	}
	if e.drafts != nil {
		r.extra.dice = e.drafts.dice(r, e.stats.Submitted)
	}
	return nil
}

// priority returns the place of the request before others. Slots have one queue.
func (e *Batched) priority(r *Request) int {
	if e.config.Slots > 0 {
		return 0
	}
	return r.Priority
}

// Cancel implements Engine.
func (e *Batched) Cancel(r *Request) {
	switch r.state {
	case waiting:
		e.forget(r)
		e.stats.Waiting--
		e.stats.Cancelled++
		leave(e.loop, r, pipeline.Cancelled)
	case running:
		r.state = leaving
		e.leavers = true
	}
}

// Stats implements Engine.
func (e *Batched) Stats() Stats {
	s := e.stats
	s.BlocksSlow = e.config.Overflow.Blocks - e.slowFree
	e.memory.count(&s)
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
	e.cut, e.moved = 0, 0
	if e.drafts != nil {
		e.drafts.clear()
	}
	b := e.empty
	if e.config.PrefillFirst {
		e.planPromptsFirst(&b)
	} else {
		e.planDecodesFirst(&b)
	}
	news := e.takeNote()
	if e.steps = b.Tokens > 0; !e.steps {
		if e.busy = news; news {
			e.loop.After(0, pipeline.RankStart, e.plan)
		}
		return
	}
	e.countStep()
	takes := e.config.Steps.Step(b)
	if e.drafts != nil {
		takes += e.drafts.time()
	}
	if e.moved > 0 {
		takes += e.config.Overflow.time(e.moved)
		e.stats.BytesMoved += int64(e.moved) * e.config.Overflow.TokenBytes
		e.stats.TokensMoved += e.moved
	}
	e.loop.After(takes, pipeline.RankOutput, e.end)
}

// countStep takes note of a step and of the blocks in use while it is computed.
func (e *Batched) countStep() {
	used := e.memory.used()
	e.stats.Steps++
	e.stats.BlocksHeld += used
	e.stats.BlocksPeak = max(e.stats.BlocksPeak, used)
	if float64(used) > FullCache*float64(e.config.KVBlocks) {
		e.stats.StepsFull++
	}
}

// takeNote looks at what happened since the next step was planned ahead, and reports
// whether anything did.
func (e *Batched) takeNote() (news bool) {
	news = e.left > 0 || len(e.coming) > 0
	e.left = 0
	for _, r := range e.coming {
		if r.state == waiting {
			e.waiting.pushBack(r, e.priority(r))
		}
	}
	clear(e.coming)
	e.coming = e.coming[:0]
	return news
}

// endStep delivers the step's tokens, lets finished sequences go and plans the
// next step.
func (e *Batched) endStep() {
	now := e.loop.Now()
	for _, r := range e.running {
		if r.planned == 0 || r.state != running {
			continue
		}
		n := e.advance(r)
		r.planned = 0
		if e.shares {
			e.memory.keep(r)
		}
		if n == 0 {
			continue
		}
		e.stats.OutputTokens += n
		if r.generated+n == r.target {
			e.leavers = true
		}
		r.emit(n, now)
	}
	before := len(e.running)
	e.sweep()
	if e.config.Ahead {
		e.left = before - len(e.running)
	}
	e.loop.After(0, pipeline.RankStart, e.plan)
}

// sweep lets go of sequences that are complete or were given up, in their order.
// The end of one may give up others that were passed already, so it goes on until
// nobody leaves: a plan never meets a sequence that was given up.
func (e *Batched) sweep() {
	for e.leavers {
		e.leavers = false
		e.sweepOnce()
	}
}

func (e *Batched) sweepOnce() {
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
	clear(e.running[kept:])
	e.running = e.running[:kept]
}

func (e *Batched) depart(r *Request, o pipeline.Outcome, counter *int) {
	e.stop(r)
	e.forget(r)
	e.stats.Running--
	*counter++
	r.state = ended
	r.Done(o)
}

// stop takes its blocks from a running sequence.
func (e *Batched) stop(r *Request) {
	if !r.decoding {
		e.prompts--
	}
	if e.spills {
		e.takeBack(r)
	}
	e.memory.release(r)
}

// forget takes back all else that was set aside for a request.
func (e *Batched) forget(r *Request) {
	if !e.extras {
		return
	}
	e.slowFree += r.extra.slow
	e.promised -= r.extra.promised
	r.extra.slow, r.extra.promised = 0, 0
}
