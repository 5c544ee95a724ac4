// Package link models the network between two stages.
package link

import (
	"time"

	"halfsecond/pipeline"
)

// Path is a network path. The zero Path has no length.
type Path struct {
	// RoundTrip draws the time there and back for one exchange, half of it each
	// way, by the call's Draw; zero or more. nil means none.
	RoundTrip func(draw uint64) time.Duration
}

// Between returns the language model as it is seen over the path: what is sent
// arrives half a round trip later, and so does what comes back. The connection
// is open before. Over a path of no length that is the model itself.
func Between(loop pipeline.Scheduler, p Path, m pipeline.LLM) pipeline.LLM {
	if p.RoundTrip == nil {
		return m
	}
	return &distant{loop: loop, path: p, model: m}
}

var _ pipeline.Reporter = (*distant)(nil)

// distant is a language model at the end of a path.
type distant struct {
	loop  pipeline.Scheduler
	path  Path
	model pipeline.LLM
	idle  []*exchange // exchanges that are over, to serve again
}

// exchange ties the asker's call to the one that the model sees.
type exchange struct {
	link      *distant
	near      *pipeline.Call
	far       pipeline.Call
	out, back time.Duration // the way there, and the way back
	ended     bool
	use       int // how often it has served another call before
}

// Start implements pipeline.LLM.
func (d *distant) Start(c *pipeline.Call) {
	trip := d.path.RoundTrip(c.Draw)
	x := &exchange{}
	if n := len(d.idle); n > 0 {
		x, d.idle = d.idle[n-1], d.idle[:n-1]
	}
	*x = exchange{link: d, near: c, far: *c, out: trip / 2, back: trip - trip/2, use: x.use + 1}
	x.far.Done, x.far.State = x.done, nil
	if c.Notify != nil {
		x.far.Notify = x.notify
	}
	c.State = x
	d.loop.After(x.out, pipeline.RankTimer, func() { d.model.Start(&x.far) })
}

// Cancel implements pipeline.LLM. The model learns of it after one way; the asker
// hears nothing more of the answer, and is done when the model is.
func (d *distant) Cancel(c *pipeline.Call) {
	x, ok := c.State.(*exchange)
	if !ok || x.ended {
		return
	}
	x.ended = true
	x.far.Record.Closed = c.Record.Closed
	// Ranked after Start, which takes the same way at the same rank. The answer may be home
	// before the cancel arrives, and the exchange serve another call.
	use := x.use
	d.loop.After(x.out, pipeline.RankTimer, func() {
		if x.use == use {
			d.model.Cancel(&x.far)
		}
	})
}

// notify is called where the model is; the asker hears it one way later, before whatever a
// person does at that instant.
func (x *exchange) notify(p pipeline.Progress) {
	use := x.use
	x.link.loop.After(x.back, pipeline.RankOutput, func() {
		if x.use == use && !x.ended {
			x.near.Notify(p)
		}
	})
}

// done brings the record home. The end of a cancelled call is known to the model
// only; it needs no way back.
func (x *exchange) done() {
	if x.far.Record.Outcome == pipeline.Cancelled {
		x.deliver()
		return
	}
	x.link.loop.After(x.back, pipeline.RankOutput, x.deliver)
}

// Report implements pipeline.Reporter: it says at once what is known where the model is.
func (d *distant) Report(c *pipeline.Call) {
	m, ok := d.model.(pipeline.Reporter)
	x, mine := c.State.(*exchange)
	if !ok || !mine {
		return
	}
	if x.far.Record.End == pipeline.Unknown { // else it is on its way home
		m.Report(&x.far)
	}
	before := x.near.Record
	x.home()
	if r := &x.near.Record; r.End > d.loop.Now() { // nobody has heard of it yet
		r.End, r.Outcome, r.Reason, r.Finish, r.Transport = before.End, before.Outcome, before.Reason, before.Finish, before.Transport
	}
}

// home has the record say when what is known of the call is known here.
func (x *exchange) home() {
	x.near.Record = x.far.Record
	r := &x.near.Record
	for _, at := range []*time.Duration{&r.Sent, &r.Scheduled} { // so that the queue is the model's alone
		if *at != pipeline.Unknown {
			*at -= x.out
		}
	}
	for _, at := range []*time.Duration{&r.FirstByte, &r.FirstOutput, &r.FirstText, &r.FirstSeen, &r.LastOutput} {
		if *at != pipeline.Unknown {
			*at += x.back
		}
	}
	if r.End != pipeline.Unknown && r.Outcome != pipeline.Cancelled {
		r.End += x.back
	}
	r.Way = pipeline.Way{Out: x.out, Back: x.back}
}

func (x *exchange) deliver() {
	x.home()
	r := &x.near.Record
	if r.End == pipeline.Unknown { // nothing was sent
		r.End = x.link.loop.Now()
	}
	if x.ended && r.Outcome != pipeline.Cancelled { // it had ended before the cancel reached it, and nobody hears how
		r.Outcome, r.Reason, r.Transport.RetryAfter = pipeline.Cancelled, "", pipeline.Unknown
	}
	near := x.near
	near.State = nil
	x.link.idle = append(x.link.idle, x)
	near.Done()
}
