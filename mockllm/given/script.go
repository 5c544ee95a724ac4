package given

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"halfsecond/mockllm/answer"
	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// Scripted is what one request is answered, and when, whatever the server has to do
// beside: a text, or an error in place of one.
type Scripted struct {
	// Request is its number, from 1, in the order in which requests come; see Server.Script.
	Request int `json:"request"`
	// At is when the first of the text comes, or all of it when an answer is sent as a
	// whole; it counts from the arrival of the first request, or as Server.Script has it. A
	// request that comes later is answered at once.
	At    float64 `json:"t_ms"`
	Text  string  `json:"text"`
	Error string  `json:"error"`
}

// checkScript reports the first entry that is impossible, "" for none.
func (s *Server) checkScript() string {
	seen := map[int]bool{}
	for i, a := range s.Answers {
		at := fmt.Sprintf("answers[%d]", i)
		switch {
		case a.Request < 1:
			return fmt.Sprintf("%s.request: %d, want the number of a request, from 1", at, a.Request)
		case seen[a.Request]:
			return fmt.Sprintf("%s.request: %d has an answer already", at, a.Request)
		case !(a.At >= 0 && a.At <= mostMS):
			return fmt.Sprintf("%s.t_ms: %g, want a number from 0 to %g", at, a.At, mostMS)
		case (a.Text == "") == (a.Error == ""):
			return at + ": want a text or an error, and not both"
		}
		seen[a.Request] = true
	}
	return ""
}

// scripted returns the script by the numbers of requests.
func (s *Server) scripted() map[int]Scripted {
	by := map[int]Scripted{}
	for _, a := range s.Answers {
		by[a.Request] = a
	}
	return by
}

// Says returns a source that answers as the script has it, and by next, which may be
// nil, where there is nothing in it. It numbers requests as it is asked, and so must be
// asked once for each.
func (s *Server) Says(next answer.Source) answer.Source {
	if len(s.Answers) == 0 {
		return next
	}
	return &prompter{script: s.scripted(), next: next}
}

// prompter is the texts of a script.
type prompter struct {
	script map[int]Scripted
	next   answer.Source
	asked  atomic.Int64
}

// Answer implements answer.Source.
func (p *prompter) Answer(a *answer.Asked) (text string, ok bool) {
	if said := p.script[int(p.asked.Add(1))].Text; said != "" {
		return said, true
	}
	if p.next == nil {
		return "", false
	}
	return p.next.Answer(a)
}

// stage is the instants of a script: an engine of which scripted requests take no slot,
// before one that serves the others.
type stage struct {
	loop   pipeline.Scheduler
	server *Server
	script map[int]Scripted
	texts  engine.Engine // serves the scripted ones, each after wait
	wait   time.Duration
	others engine.Engine

	came    int           // requests so far
	began   time.Duration // what the script counts from
	failing map[*engine.Request]pipeline.Timer
	stats   engine.Stats // of those that fail
}

// newStage puts the script before an engine. Hang-ups are noticed as detect has it.
func (s *Server) newStage(loop pipeline.Scheduler, detect engine.DetectorConfig, others engine.Engine) *stage {
	v := &stage{loop: loop, server: s, began: s.begins, script: s.scripted(), others: others, failing: map[*engine.Request]pipeline.Timer{}}
	c := engine.HostedConfig{First: func(uint64) time.Duration { return v.wait }, Next: span(s.TPOT)}
	if s.Whole() {
		c.Next = 0
	}
	v.texts = engine.NewDetector(detect, engine.NewHosted(loop, c))
	return v
}

// Submit implements engine.Engine.
func (v *stage) Submit(r *engine.Request) {
	a, scripted := v.script[v.number(r)]
	v.wait = max(0, v.began+span(a.At)-v.loop.Now())
	switch {
	case !scripted:
		v.others.Submit(r)
	case a.Error != "":
		v.fail(r, a.Error)
	default:
		v.texts.Submit(r)
	}
}

// number returns the number of a request that has just come, 0 for one that has none.
func (v *stage) number(r *engine.Request) int {
	if _, other := v.server.paces[r]; other {
		return 0
	}
	if v.came++; v.began < 0 {
		v.began = v.loop.Now()
	}
	if v.server.number != nil {
		return v.server.number(r)
	}
	return v.came
}

// fail has a request fail at its instant.
func (v *stage) fail(r *engine.Request, why string) {
	v.stats.Submitted++
	v.stats.Running++
	r.Scheduled, r.Last = v.loop.Now(), pipeline.Unknown
	v.failing[r] = v.loop.After(v.wait, pipeline.RankOutput, func() {
		v.forget(r, &v.stats.Failed)
		r.Reason = errors.New(why)
		r.Done(pipeline.Error)
	})
}

// forget counts a request that failed, or that was given up before it did.
func (v *stage) forget(r *engine.Request, as *int) {
	v.stats.Running--
	*as++
	delete(v.failing, r)
}

// Cancel implements engine.Engine.
func (v *stage) Cancel(r *engine.Request) {
	timer, fails := v.failing[r]
	if !fails {
		v.texts.Cancel(r) // each does nothing about a request that is not its own
		v.others.Cancel(r)
		return
	}
	timer.Stop()
	v.forget(r, &v.stats.Cancelled)
	v.loop.After(0, pipeline.RankOutput, func() { r.Done(pipeline.Cancelled) })
}

// Stats implements engine.Engine.
func (v *stage) Stats() engine.Stats {
	return engine.Total(v.texts.Stats(), v.others.Stats(), v.stats)
}
