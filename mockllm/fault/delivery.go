package fault

import (
	"time"

	"halfsecond/pipeline"
)

// Delivery is what a client saw of an answer that rules had a hand in. Instants are those
// of Config.Now; pipeline.Unknown is one that never came.
type Delivery struct {
	Loaded   time.Duration    // how long the request waited for its model before a front saw it
	Held     bool             // bytes of the answer left later than they were written
	Streamed bool             // it was to go out in pieces
	First    time.Duration    // the first byte of the body left
	Wait     time.Duration    // how long that byte was held back
	Last     time.Duration    // the last byte left
	Left     time.Duration    // the client hung up before it had all
	Broken   pipeline.Outcome // how a rule ended the answer; OK when none did
}

// Delivered has f called when the request has ended, with what its client saw: at once
// when it has. Other than the rest of a plan it may be used from any goroutine. The plan
// must not be nil.
func (p *Plan) Delivered(f func(Delivery)) {
	p.mu.Lock()
	d := p.delivery
	if d == nil {
		p.told = append(p.told, f)
	}
	p.mu.Unlock()
	if d != nil {
		f(*d)
	}
}

// settle says what the client saw.
func (p *Plan) settle(d Delivery) {
	p.mu.Lock()
	p.delivery = &d
	told := p.told
	p.told = nil
	p.mu.Unlock()
	for _, f := range told {
		f(d)
	}
}

// delivery returns what the client saw of an answer that is over now.
func (o *writer) delivery(now time.Duration) Delivery {
	d := Delivery{
		Loaded: o.plan.wait, Held: o.plan.Holds(), Streamed: o.streamed,
		First: o.out.first, Last: o.out.last, Left: pipeline.Unknown,
	}
	if d.First != pipeline.Unknown {
		d.Wait = d.First - o.written
	}
	switch why := o.over.Load(); {
	case why != nil && *why == errFailed:
		d.Broken = pipeline.Error
	case why != nil:
		d.Broken = pipeline.Truncated
	case !o.delivered && o.request.Context().Err() != nil:
		d.Left = now
	}
	return d
}
