package engine

import (
	"errors"
	"fmt"
	"time"

	"halfsecond/pipeline"
)

// Service tells how long one slot takes.
type Service interface {
	// First returns the time from start to first token of a request that starts in
	// that slot now.
	First(r *Request, slot int) time.Duration
	// Next returns the time to one more token when so many slots are busy.
	Next(r *Request, busy int) time.Duration
}

// Fixed is a Service that does not depend on the request.
type Fixed struct{ TTFT, TPOT time.Duration }

// First implements Service.
func (f Fixed) First(*Request, int) time.Duration { return f.TTFT }

// Next implements Service.
func (f Fixed) Next(*Request, int) time.Duration { return f.TPOT }

// SlotsConfig sets up a Slots engine.
type SlotsConfig struct {
	Service    Service
	Slots      int // requests served at once, at least 1
	MaxContext int // tokens of a slot's context, at least 1
	// Kinds pins the slots: slot i serves requests of kind Kinds[i] and no others. Nil
	// pins none.
	Kinds []string
}

// Validate reports everything that makes a configuration impossible.
func (c SlotsConfig) Validate() error {
	err := atLeastOne(field{"slots", c.Slots}, field{"max context", c.MaxContext})
	if n := len(c.Kinds); c.Kinds != nil && n != c.Slots {
		err = errors.Join(err, fmt.Errorf("%d kinds for %d slots: each slot has one when they are pinned", n, c.Slots))
	}
	return err
}

// ErrNoSlot: every slot is pinned to requests of another kind.
var ErrNoSlot = errors.New("no slot for requests of this kind")

// Slots is an engine of independent slots in continuous time: a request holds
// one from its start to its last token, and its cancel frees the slot at that
// very instant. Requests start in order of arrival, in the lowest free slot that
// takes them.
type Slots struct {
	loop    pipeline.Scheduler
	config  SlotsConfig
	waiting map[string]*queue // by kind; all under "" when slots are not pinned
	slots   []slot
	busy    int
	waking  bool // starts are about to be looked at
	stats   Stats
	start   func()
}

// slot is one place of service.
type slot struct {
	request *Request
	waiting *queue // what it serves
	next    pipeline.Timer
	token   func() // bound once
}

// NewSlots returns an idle engine. It panics when the configuration is not
// valid.
func NewSlots(loop pipeline.Scheduler, c SlotsConfig) *Slots {
	if err := c.Validate(); err != nil {
		panic(fmt.Sprintf("engine: %v", err))
	}
	e := &Slots{loop: loop, config: c, waiting: map[string]*queue{}, slots: make([]slot, c.Slots)}
	e.stats.BlocksTotal = c.Slots * blocksFor(c.MaxContext, BlockTokens)
	e.start = e.startWaiting
	for i := range e.slots {
		kind := ""
		if c.Kinds != nil {
			kind = c.Kinds[i]
		}
		if e.waiting[kind] == nil {
			e.waiting[kind] = &queue{}
		}
		e.slots[i] = slot{waiting: e.waiting[kind], token: func() { e.token(i) }}
	}
	return e
}

// Submit implements Engine.
func (e *Slots) Submit(r *Request) {
	e.stats.Submitted++
	err := r.accept(e.config.MaxContext)
	line := e.line(r)
	if err == nil && line == nil {
		err = fmt.Errorf("%w: %q", ErrNoSlot, r.Kind)
	}
	if err != nil {
		e.stats.Refused++
		refuse(e.loop, r, err)
		return
	}
	r.state = waiting
	e.stats.Waiting++
	line.pushBack(r, 0)
	e.wake()
}

// line returns the queue that a request joins, nil for none.
func (e *Slots) line(r *Request) *queue {
	if e.config.Kinds == nil {
		return e.waiting[""]
	}
	return e.waiting[r.Kind]
}

// Cancel implements Engine.
func (e *Slots) Cancel(r *Request) {
	switch r.state {
	case waiting:
		e.stats.Waiting--
	case running:
		e.free(r)
		e.wake()
	default:
		return
	}
	e.stats.Cancelled++
	leave(e.loop, r, pipeline.Cancelled)
}

// Stats implements Engine.
func (e *Slots) Stats() Stats {
	s := e.stats
	s.Running = e.busy
	s.BlocksUsed = e.busy * blocksFor(e.config.MaxContext, BlockTokens)
	return s
}

// wake looks for starts at this instant, after everything else that happens at
// it.
func (e *Slots) wake() {
	if !e.waking {
		e.waking = true
		e.loop.After(0, pipeline.RankStart, e.start)
	}
}

func (e *Slots) startWaiting() {
	e.waking = false
	for i := range e.slots {
		if e.stats.Waiting == 0 {
			return
		}
		if e.slots[i].request != nil {
			continue
		}
		if r := e.slots[i].waiting.front(); r != nil {
			e.slots[i].waiting.drop()
			e.begin(i, r)
		}
	}
}

func (e *Slots) begin(i int, r *Request) {
	r.state = running
	r.start(e.loop.Now())
	e.stats.Waiting--
	e.stats.Steps++
	e.busy++
	e.slots[i].request = r
	r.first = e.config.Service.First(r, i)
	e.slots[i].next = e.loop.After(r.first, pipeline.RankOutput, e.slots[i].token)
}

// token puts out one token of slot i and waits for the next, or frees the slot.
func (e *Slots) token(i int) {
	r := e.slots[i].request
	if r.generated == 0 {
		e.stats.PromptTokens += r.Prompt
	}
	e.stats.OutputTokens++
	r.emit(1, e.loop.Now())
	if r.state != running { // the asker gave it up at this very token
		return
	}
	if r.generated < r.target {
		e.stats.Steps++
		next := e.config.Service.Next(r, e.busy)
		e.slots[i].next = e.loop.After(next, pipeline.RankOutput, e.slots[i].token)
		return
	}
	e.free(r)
	e.stats.Finished++
	r.state = ended
	r.Done(pipeline.OK)
	e.wake()
}

// free takes the request out of its slot.
func (e *Slots) free(r *Request) {
	for i := range e.slots {
		if e.slots[i].request == r {
			e.slots[i].next.Stop()
			e.slots[i].request = nil
			e.busy--
			return
		}
	}
}
