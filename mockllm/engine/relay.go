package engine

import "halfsecond/pipeline"

// Relay passes a request on to an engine that may be lost or left for another. The
// engine works on a copy; its asker is told as if it were the request itself. A
// Relay serves once and must not be copied.
type Relay struct {
	copy   Request
	asked  *Request // nil when there is nobody left to tell
	engine Engine
	ended  func(pipeline.Outcome)
}

// Send submits a copy of r to the engine. When the engine is done with it, r
// holds the results and ended is called, in place of r.Done; r is not to be sent
// again.
func (p *Relay) Send(e Engine, r *Request, ended func(pipeline.Outcome)) {
	r.arrive()
	r.state, r.relayed = running, &p.copy
	p.asked, p.engine, p.ended = r, e, ended
	p.copy = Request{
		Prompt: r.Prompt, Output: r.Output, Limit: r.Limit, Blocks: r.Blocks, Priority: r.Priority, Draw: r.Draw, Kind: r.Kind, Loading: r.Loading,
		NotifyAt: r.NotifyAt, Started: p.started, Notify: p.notify, Done: p.done,
	}
	e.Submit(&p.copy)
}

// Cancel gives the request up; its end follows.
func (p *Relay) Cancel() { p.engine.Cancel(&p.copy) }

// Abandon leaves the engine. The request holds what it got so far, and may be sent
// again or ended by End.
func (p *Relay) Abandon() {
	p.engine.Cancel(&p.copy)
	p.report()
	p.asked.state, p.asked.relayed = fresh, nil
	p.asked = nil
}

// report brings the request up to the copy.
func (p *Relay) report() {
	r := p.asked
	r.Scheduled, r.Last, r.Reason = p.copy.Scheduled, p.copy.Last, p.copy.Reason
	r.CachedTokens, r.generated, r.Loading = p.copy.CachedTokens, p.copy.generated, p.copy.Loading
	r.computed, r.first, r.answer = p.copy.computed, p.copy.first, p.copy.answer
}

func (p *Relay) started() {
	if p.asked != nil && p.asked.Started != nil {
		p.report()
		p.asked.Started()
	}
}

func (p *Relay) notify(n int) (next int) {
	if p.asked == nil || p.asked.Notify == nil {
		return 0
	}
	p.report()
	return p.asked.Notify(n)
}

func (p *Relay) done(o pipeline.Outcome) {
	if p.asked == nil {
		return
	}
	p.report()
	p.asked.relayed = nil
	p.ended(o)
}

// End ends a request that is at no engine. Its Done runs at this instant, from the
// loop.
func End(loop pipeline.Scheduler, r *Request, o pipeline.Outcome, reason error) {
	if r.state != fresh {
		panic("engine: the end of a request that is at an engine")
	}
	r.Reason = reason
	leave(loop, r, o)
}
