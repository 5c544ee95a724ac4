package engine

import (
	"errors"
	"time"

	"halfsecond/pipeline"
)

// Stage is an Engine as the language model of a pipeline.
type Stage struct {
	// Caches says that the engine reuses what it computed before. The records then
	// say how much of their prompts was there.
	Caches bool
	// Loads says that the model is not always in memory. The records then say how long
	// they waited until it was there.
	Loads bool

	loop   pipeline.Scheduler
	engine Engine
	idle   []*job // jobs that are over, to serve again
}

var (
	_ pipeline.LLM      = (*Stage)(nil)
	_ pipeline.Reporter = (*Stage)(nil)
)

// NewStage returns the stage of an engine that runs on the same loop.
func NewStage(loop pipeline.Scheduler, e Engine) *Stage { return &Stage{loop: loop, engine: e} }

// job ties a call to its request on the engine.
type job struct {
	Request
	stage *Stage
	call  *pipeline.Call
	next  int // index of the next of the call's Counts
}

// Start implements pipeline.LLM. The record's instants are those of the engine;
// FirstByte stays unknown, since nothing is sent.
func (s *Stage) Start(c *pipeline.Call) {
	c.Record.Sent, c.Record.Simulated = s.loop.Now(), true
	c.Record.PromptTokens, c.Record.TokenSource = c.PromptTokens, "engine"
	j := s.job()
	j.call, j.next = c, 0
	j.Prompt, j.Output, j.Limit = c.PromptTokens, c.OutputTokens, c.MaxTokens
	j.Kind, j.Priority, j.Draw, j.Blocks, j.ID = c.Kind, c.Priority, c.Draw, c.Blocks, c.Record.ID
	j.Scheduled, j.Last = pipeline.Unknown, pipeline.Unknown // it may fail before an engine sees it
	j.NotifyAt = 1
	c.State = j
	s.engine.Submit(&j.Request)
}

// job returns a new job, or an idle one with the memory that it has already.
func (s *Stage) job() *job {
	n := len(s.idle)
	if n == 0 {
		j := &job{stage: s}
		j.Notify, j.Done = j.notify, j.done
		return j
	}
	j := s.idle[n-1]
	s.idle = s.idle[:n-1]
	j.Request = Request{Notify: j.Notify, Done: j.Done, extra: j.extra}
	return j
}

// Cancel implements pipeline.LLM. Of a call that says when it was closed, the record then says
// what was computed by now.
func (s *Stage) Cancel(c *pipeline.Call) {
	if j, ok := c.State.(*job); ok {
		if c.Record.Closed != pipeline.Unknown {
			c.Record.AtClose = pipeline.Work{Prompt: j.Evaluated(s.loop.Now()), Output: j.Generated()}
		}
		s.engine.Cancel(&j.Request)
	}
}

// notify records the first token and passes on the counts that the asker wants.
func (j *job) notify(n int) (next int) {
	c := j.call
	if n == 1 {
		now := j.stage.loop.Now()
		c.Record.FirstOutput, c.Record.FirstText, c.Record.FirstSeen = now, now, now
		j.recordLoad()
	}
	if j.next < len(c.Counts) && c.Counts[j.next] == n {
		j.next++
		c.Notify(pipeline.Progress{Tokens: n, Modelled: true})
	}
	if j.next < len(c.Counts) {
		return c.Counts[j.next]
	}
	return 0
}

// recordLoad records how long the model was not there.
func (j *job) recordLoad() {
	if j.stage.Loads {
		j.call.Record.Loading = j.Loading
	}
}

// Report implements pipeline.Reporter.
func (s *Stage) Report(c *pipeline.Call) {
	if j, ok := c.State.(*job); ok {
		j.record(s.loop.Now())
	}
}

// record records what the engine has done by now.
func (j *job) record(now time.Duration) {
	r := &j.call.Record
	r.Scheduled = j.Scheduled
	r.OutputTokens, r.Chunks, r.LastOutput = j.Generated(), j.Generated(), j.Last
	if r.Closed != pipeline.Unknown {
		r.AtEnd = pipeline.Work{Prompt: j.Evaluated(now), Output: j.Generated()}
	}
	j.recordLoad()
	if j.stage.Caches {
		r.CachedTokens = j.CachedTokens
	}
}

func (j *job) done(o pipeline.Outcome) {
	r := &j.call.Record
	r.End, r.Outcome = j.stage.loop.Now(), o
	j.record(r.End)
	switch {
	case o == pipeline.OK:
		r.Finish = j.Finish()
	case j.Reason != nil:
		r.Reason = j.Reason.Error()
		var quota *QuotaError
		if errors.As(j.Reason, &quota) {
			r.Transport.RetryAfter = quota.Config.RetryAfter
		}
	}
	call := j.call
	call.State = nil
	if o == pipeline.OK { // others may still stand in a queue
		j.stage.idle = append(j.stage.idle, j)
	}
	call.Done()
}
