package ide_test

import (
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// attendance keeps what an engine knows of each request, by the name that its client gave it.
type attendance struct {
	engine.Engine
	t       *testing.T
	loop    pipeline.Scheduler
	streams bool // answers come token by token, and not as a whole
	way     pipeline.Way
	by      map[uint64]*attended
}

// attended is one request at the engine.
type attended struct {
	*engine.Request
	came    time.Duration
	first   time.Duration
	left    time.Duration // its client closed it
	ended   time.Duration
	outcome pipeline.Outcome
	atClose pipeline.Work
	atEnd   pipeline.Work
}

func newAttendance(t *testing.T, x *sockets) *attendance {
	return &attendance{Engine: x.world.Server(), t: t, loop: x.loop, streams: !x.setup.Server.Whole(), way: x.net.way(), by: map[uint64]*attended{}}
}

// Submit implements engine.Engine.
func (a *attendance) Submit(r *engine.Request) {
	x := &attended{Request: r, came: a.loop.Now(), first: pipeline.Unknown, left: pipeline.Unknown, ended: pipeline.Unknown, atClose: pipeline.Work{Prompt: pipeline.UnknownCount, Output: pipeline.UnknownCount}}
	a.by[r.Draw], r.ID = x, int64(r.Draw)
	notify, done := r.Notify, r.Done
	r.Notify = func(n int) int {
		if n == 1 {
			x.first = a.loop.Now()
		}
		return notify(n)
	}
	r.Done = func(o pipeline.Outcome) {
		x.ended, x.outcome, x.atEnd = a.loop.Now(), o, x.work(a.loop.Now())
		done(o)
	}
	a.Engine.Submit(r)
}

// work returns what was computed for the request by now.
func (x *attended) work(now time.Duration) pipeline.Work {
	return pipeline.Work{Prompt: x.Evaluated(now), Output: x.Generated()}
}

// Cancel implements engine.Engine.
func (a *attendance) Cancel(r *engine.Request) {
	if x := a.by[r.Draw]; x != nil && x.Request == r && x.ended == pipeline.Unknown {
		x.left, x.atClose = a.loop.Now(), x.work(a.loop.Now())
	}
	a.Engine.Cancel(r)
}

// fill adds what only the server knows to the record of a request. It reports where its
// client and the server do not agree on what both know.
func (a *attendance) fill(r *pipeline.Request) {
	x := a.by[uint64(r.ID)]
	if x == nil {
		if r.End != pipeline.Unknown && r.Outcome != pipeline.Cancelled { // before its connection was open
			a.t.Errorf("request %d ended %s, and never came to the server", r.ID, r.Outcome)
		}
		return
	}
	a.agree(r, x)
	if x.ended == pipeline.Unknown {
		x.atEnd = x.work(a.loop.Now())
	}
	r.Way = a.way
	r.Sent = x.came - a.way.Out
	r.Scheduled, r.Loading = before(x.Scheduled, a.way.Out), x.Loading
	r.FirstOutput, r.LastOutput = after(x.first, a.way.Back), after(x.Last, a.way.Back)
	r.PromptTokens, r.CachedTokens, r.OutputTokens = x.Prompt, x.CachedTokens, x.Generated()
	if r.Closed == pipeline.Unknown {
		return
	}
	r.AtClose, r.AtEnd = x.atClose, x.atEnd
	if r.End = x.ended; x.outcome != pipeline.Cancelled {
		r.End = after(r.End, a.way.Back)
	}
}

// before and after return an instant that is known, moved.
func before(at, d time.Duration) time.Duration { return after(at, -d) }

func after(at, d time.Duration) time.Duration {
	if at == pipeline.Unknown {
		return at
	}
	return at + d
}

// agree compares what the client saw of a request with what the server knows.
func (a *attendance) agree(r *pipeline.Request, x *attended) {
	same := func(what string, client, server any) {
		if client != server {
			a.t.Errorf("request %d: %s is %v to the client, and %v to the server", r.ID, what, client, server)
		}
	}
	switch {
	case r.Closed != pipeline.Unknown && r.Closed+a.way.Out > a.loop.Now(): // the server has not heard of it yet
	case r.Closed != pipeline.Unknown && (x.left != pipeline.Unknown || x.ended == pipeline.Unknown || x.ended > r.Closed+a.way.Out):
		same("when it was closed", r.Closed, before(x.left, a.way.Out))
	case r.Outcome == pipeline.OK && r.End != pipeline.Unknown:
		same("the outcome", r.Outcome, x.outcome)
		same("when it was sent", r.Sent, x.came-a.way.Out)
		same("its end", r.End, x.ended+a.way.Back)
		same("the tokens of the prompt", r.PromptTokens, x.Prompt)
		same("those in the cache", r.CachedTokens, x.CachedTokens)
		same("the tokens of the answer", r.OutputTokens, x.Generated())
		if r.FirstOutput != pipeline.Unknown && a.streams {
			same("the first token", r.FirstOutput, x.first+a.way.Back)
		}
	case r.End != pipeline.Unknown && r.Outcome != pipeline.Cancelled:
		same("the outcome", r.Outcome, x.outcome)
	}
}
