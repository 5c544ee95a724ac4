package link

import (
	"testing"
	"time"

	"halfsecond/pipeline"
)

const ms = time.Millisecond

func trip(d time.Duration) Path { return Path{RoundTrip: func(uint64) time.Duration { return d }} }

// echo is a model that puts out its first token after 100 ms and ends after 150.
type echo struct {
	loop      pipeline.Scheduler
	cancelled time.Duration
	end       pipeline.Timer
}

func (e *echo) Start(c *pipeline.Call) {
	c.Record.Sent, c.Record.Simulated = e.loop.Now(), true
	e.loop.After(100*ms, pipeline.RankOutput, func() {
		c.Record.FirstOutput = e.loop.Now()
		c.Notify(pipeline.Progress{Tokens: 1})
	})
	e.end = e.loop.After(150*ms, pipeline.RankOutput, func() {
		c.Record.LastOutput, c.Record.End = e.loop.Now(), e.loop.Now()
		c.Done()
	})
}

func (e *echo) Cancel(c *pipeline.Call) {
	e.cancelled = e.loop.Now()
	if !e.end.Stop() {
		return
	}
	c.Record.End, c.Record.Outcome = e.loop.Now(), pipeline.Cancelled
	e.loop.After(0, pipeline.RankOutput, c.Done)
}

func TestBetween(t *testing.T) {
	var loop pipeline.Virtual
	m := Between(&loop, trip(21*ms), &echo{loop: &loop})
	c := &pipeline.Call{Record: pipeline.NewRequest(1, 0)}
	var heard, done time.Duration
	c.Notify = func(pipeline.Progress) { heard = loop.Now() }
	c.Done = func() { done = loop.Now() }
	m.Start(c)
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := c.Record
	if heard != 121*ms || done != 171*ms {
		t.Errorf("heard at %s, done at %s; want 121ms, 171ms", heard, done)
	}
	if r.Sent != 0 || r.FirstOutput != 121*ms || r.LastOutput != 171*ms || r.End != 171*ms || r.FirstByte != pipeline.Unknown {
		t.Errorf("record %+v: want sent 0, first 121ms, last and end 171ms, first byte unknown", r)
	}
	// Of a modelled request as of a real one: the way is in its instants.
	if r.Way != (pipeline.Way{Out: 10*ms + ms/2, Back: 10*ms + ms/2}) {
		t.Errorf("way %+v, want 10.5 ms each", r.Way)
	}
}

// TestCancel: the model learns of it one way later and the asker hears nothing.
func TestCancel(t *testing.T) {
	for _, at := range []time.Duration{0, 40 * ms, 105 * ms, 155 * ms} {
		var loop pipeline.Virtual
		e := &echo{loop: &loop}
		m := Between(&loop, trip(20*ms), e)
		c := &pipeline.Call{Record: pipeline.NewRequest(1, 0)}
		c.Notify = func(pipeline.Progress) {
			if loop.Now() >= at {
				t.Errorf("cancelled at %s: heard at %s", at, loop.Now())
			}
		}
		done := 0
		c.Done = func() { done++ }
		m.Start(c)
		loop.At(at, pipeline.RankInput, func() { m.Cancel(c) })
		if err := loop.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if e.cancelled != at+10*ms || done != 1 || c.Record.Outcome != pipeline.Cancelled {
			t.Errorf("cancelled at %s: the model heard at %s, done %d times, outcome %s", at, e.cancelled, done, c.Record.Outcome)
		}
	}
}

func TestNoPath(t *testing.T) {
	e := &echo{}
	if m := Between(nil, Path{}, e); m != pipeline.LLM(e) {
		t.Error("a path of no length is not the model itself")
	}
}

// timed is a model that takes so long for each call, one after the other.
type timed struct {
	loop pipeline.Scheduler
	took []time.Duration
}

func (m *timed) Start(c *pipeline.Call) {
	c.Record.Sent = m.loop.Now()
	c.State = m.loop.After(m.took[0], pipeline.RankOutput, func() { m.end(c, pipeline.OK) })
	m.took = m.took[1:]
}

func (m *timed) end(c *pipeline.Call, o pipeline.Outcome) {
	c.Record.Outcome, c.Record.End, c.State = o, m.loop.Now(), nil
	c.Done()
}

func (m *timed) Cancel(c *pipeline.Call) {
	if end, ok := c.State.(pipeline.Timer); ok && end.Stop() {
		m.loop.After(0, pipeline.RankOutput, func() { m.end(c, pipeline.Cancelled) })
	}
}

// TestLateCancel: a cancel that arrives when its call is over reaches no other call, though that is
// on the same way by then.
func TestLateCancel(t *testing.T) {
	var loop pipeline.Virtual
	trips := map[uint64]time.Duration{1: 200 * ms, 2: 20 * ms}
	m := Between(&loop, Path{RoundTrip: func(draw uint64) time.Duration { return trips[draw] }}, &timed{&loop, []time.Duration{0, 100 * ms}})
	ended := 0
	first := &pipeline.Call{Draw: 1, Done: func() { ended++ }, Record: pipeline.NewRequest(1, 0)}
	second := &pipeline.Call{Draw: 2, Done: func() { ended++ }, Record: pipeline.NewRequest(2, 210*ms)}
	loop.At(0, pipeline.RankTimer, func() { m.Start(first) })
	loop.At(150*ms, pipeline.RankInput, func() { m.Cancel(first) }) // it is on its way home
	loop.At(210*ms, pipeline.RankTimer, func() { m.Start(second) })
	loop.RunUntil(time.Second)
	if first.Record.Outcome != pipeline.Cancelled || second.Record.Outcome != pipeline.OK || ended != 2 {
		t.Errorf("the calls ended %s and %s, %d of them; want cancelled and ok", first.Record.Outcome, second.Record.Outcome, ended)
	}
}

// streaming is a model that puts out a token each 10 ms, and is cancelled at once.
type streaming struct{ loop pipeline.Scheduler }

func (m streaming) Start(c *pipeline.Call) {
	var next func()
	n := 0
	next = func() {
		n++
		c.Notify(pipeline.Progress{Tokens: n})
		c.State = m.loop.After(10*ms, pipeline.RankOutput, next)
	}
	c.State = m.loop.After(10*ms, pipeline.RankOutput, next)
}

func (m streaming) Cancel(c *pipeline.Call) {
	c.State.(pipeline.Timer).Stop()
	m.loop.After(0, pipeline.RankOutput, func() {
		c.Record.Outcome, c.Record.End = pipeline.Cancelled, m.loop.Now()
		c.Done()
	})
}

// TestLateProgress: progress of a call that was given up, on its way home, reaches no other call.
func TestLateProgress(t *testing.T) {
	var loop pipeline.Virtual
	m := Between(&loop, trip(60*ms), streaming{&loop})
	var heard []time.Duration
	first := &pipeline.Call{Notify: func(pipeline.Progress) {}, Done: func() {}, Record: pipeline.NewRequest(1, 0)}
	second := &pipeline.Call{Notify: func(pipeline.Progress) { heard = append(heard, loop.Now()) }, Done: func() {}, Record: pipeline.NewRequest(2, 105*ms)}
	loop.At(0, pipeline.RankTimer, func() { m.Start(first) })
	loop.At(65*ms, pipeline.RankInput, func() { m.Cancel(first) }) // it is there at 95, and home too
	loop.At(105*ms, pipeline.RankTimer, func() { m.Start(second) })
	loop.At(200*ms, pipeline.RankInput, func() { m.Cancel(second) })
	loop.RunUntil(time.Second)
	if len(heard) == 0 || heard[0] != 175*ms {
		t.Errorf("the second call heard of tokens at %v, want from 175 ms on", heard)
	}
}

// refusing is a model that takes nothing.
type refusing struct{ loop pipeline.Scheduler }

func (m refusing) Start(c *pipeline.Call) {
	c.Record.Sent = m.loop.Now()
	m.loop.After(0, pipeline.RankOutput, func() {
		c.Record.Outcome, c.Record.Reason, c.Record.End, c.Record.Transport.RetryAfter = pipeline.Refused, "full", m.loop.Now(), time.Second
		c.Done()
	})
}

func (m refusing) Cancel(*pipeline.Call) {}

// TestRefusalOnItsWay: of a call that was given up nobody hears that it was refused.
func TestRefusalOnItsWay(t *testing.T) {
	var loop pipeline.Virtual
	m := Between(&loop, trip(60*ms), refusing{&loop})
	for _, closes := range []bool{false, true} {
		c := &pipeline.Call{Done: func() {}, Record: pipeline.NewRequest(1, 0)}
		at := loop.Now()
		loop.At(at, pipeline.RankTimer, func() { m.Start(c) })
		if closes {
			loop.At(at+40*ms, pipeline.RankInput, func() { m.Cancel(c) })
		}
		loop.RunUntil(at + time.Second)
		r := &c.Record
		want, wait := pipeline.Refused, time.Second
		if closes {
			want, wait = pipeline.Cancelled, pipeline.Unknown
		}
		if r.Outcome != want || r.Transport.RetryAfter != wait || (r.Reason == "") != closes || r.End != at+60*ms {
			t.Errorf("given up %t: %s %q, retry after %s, end %s; want %s, %s, %s", closes, r.Outcome, r.Reason, r.Transport.RetryAfter, r.End-at, want, wait, 60*ms)
		}
	}
}

// TestArrivalBeforeKey: what arrives at an instant is there before what a person does at it.
func TestArrivalBeforeKey(t *testing.T) {
	var loop pipeline.Virtual
	m := Between(&loop, trip(20*ms), &echo{loop: &loop})
	var log []string
	loop.At(120*ms, pipeline.RankInput, func() { log = append(log, "key") })
	c := &pipeline.Call{Record: pipeline.NewRequest(1, 0), Done: func() {}, Notify: func(pipeline.Progress) { log = append(log, "token") }}
	m.Start(c)
	loop.RunUntil(time.Second)
	if len(log) != 2 || log[0] != "token" {
		t.Errorf("heard %q, want the token before the key", log)
	}
}
