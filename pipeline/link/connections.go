package link

import (
	"time"

	"halfsecond/pipeline"
)

// Connections is how requests find a connection to travel on.
type Connections struct {
	// Shared says that one connection carries all requests, as HTTP/2 has it. Otherwise, as
	// HTTP/1.1 has it, each has one to itself, which the next may use; a request that is closed
	// takes its connection with it.
	Shared bool
	Dial   time.Duration // what it takes to open one; zero or more
	Open   int           // open before the first request
}

// Dialer is a language model behind connections. It is for one loop.
type Dialer struct {
	loop   pipeline.Scheduler
	config Connections
	model  pipeline.LLM

	idle    int  // connections that no request is on
	shared  bool // the one connection is open
	dialing []*journey
	dials   int
}

var (
	_ pipeline.LLM      = (*Dialer)(nil)
	_ pipeline.Reporter = (*Dialer)(nil)
)

// journey ties the asker's call to the one that travels on a connection.
type journey struct {
	dialer *Dialer
	near   *pipeline.Call
	far    pipeline.Call
	timer  pipeline.Timer // of its dial
	sent   bool
	closed bool
}

// Dialing returns the model behind connections.
func Dialing(loop pipeline.Scheduler, c Connections, m pipeline.LLM) *Dialer {
	return &Dialer{loop: loop, config: c, model: m, idle: c.Open, shared: c.Shared && c.Open > 0}
}

// Dials returns how many connections were opened for requests.
func (d *Dialer) Dials() int { return d.dials }

// Start implements pipeline.LLM.
func (d *Dialer) Start(c *pipeline.Call) {
	j := &journey{dialer: d, near: c, far: *c}
	j.far.Done, j.far.State = j.done, nil
	c.State = j
	switch {
	case d.config.Shared && d.shared:
		j.send(true)
	case d.config.Shared:
		d.dialing = append(d.dialing, j)
		if len(d.dialing) == 1 {
			d.dials++
			d.loop.After(d.config.Dial, pipeline.RankOutput, d.opened)
		}
	case d.idle > 0:
		d.idle--
		j.send(true)
	default:
		d.dials++
		j.timer = d.loop.After(d.config.Dial, pipeline.RankOutput, func() { j.send(false) })
	}
}

// opened sends everything that waited for the one connection.
func (d *Dialer) opened() {
	d.shared = true
	waiting := d.dialing
	d.dialing = nil
	for _, j := range waiting {
		if !j.closed {
			j.send(false)
		}
	}
}

// send has the call travel.
func (j *journey) send(reused bool) {
	j.sent = true
	j.far.Record.Transport.Reused = reused
	if !reused {
		j.far.Record.Transport.Connect = j.dialer.loop.Now() - j.near.Record.Due
	}
	j.dialer.model.Start(&j.far)
}

// Cancel implements pipeline.LLM. A call whose connection is not open is never sent.
func (d *Dialer) Cancel(c *pipeline.Call) {
	j, ok := c.State.(*journey)
	if !ok || j.closed {
		return
	}
	j.closed = true
	if j.far.Record.Closed = c.Record.Closed; j.sent {
		d.model.Cancel(&j.far)
		return
	}
	j.timer.Stop()
	d.loop.After(0, pipeline.RankInput, func() {
		j.far.Record.Outcome, j.far.Record.End = pipeline.Cancelled, d.loop.Now()
		j.finish()
	})
}

// Report implements pipeline.Reporter. Of a call whose connection is not open nothing is known.
func (d *Dialer) Report(c *pipeline.Call) {
	j, mine := c.State.(*journey)
	m, ok := d.model.(pipeline.Reporter)
	if !ok || !mine || !j.sent {
		return
	}
	m.Report(&j.far)
	j.near.Record = j.far.Record
}

// done gives the connection back.
func (j *journey) done() {
	if !j.closed && !j.dialer.config.Shared {
		j.dialer.idle++
	}
	j.finish()
}

func (j *journey) finish() {
	j.near.Record, j.near.State = j.far.Record, nil
	j.near.Done()
}
