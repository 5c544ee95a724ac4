package engine

import (
	"math"
	"time"

	"halfsecond/pipeline"
)

// HostedConfig describes a rented model of which only published latencies are
// known.
type HostedConfig struct {
	// First draws the time from a request to its first token, by the request's Draw.
	First func(draw uint64) time.Duration
	// Next is the time to each further token; zero or more.
	Next time.Duration
}

// Hosted is a model that somebody else runs: every request starts at once, and
// what others do to it is inside the published figures. It has no queue and no
// memory of its own.
type Hosted struct {
	loop   pipeline.Scheduler
	config HostedConfig
	stats  Stats
}

// answer is one request under way at a Hosted.
type answer struct {
	hosted  *Hosted
	request *Request
	first   time.Duration // instant of the first token
	n       int           // the count that timer waits for
	timer   pipeline.Timer
	tick    func()
}

// NewHosted returns the model on the loop.
func NewHosted(loop pipeline.Scheduler, c HostedConfig) *Hosted {
	return &Hosted{loop: loop, config: c}
}

// Stats implements Engine.
func (h *Hosted) Stats() Stats { return h.stats }

// Submit implements Engine.
func (h *Hosted) Submit(r *Request) {
	h.stats.Submitted++
	if err := r.accept(math.MaxInt); err != nil {
		panic("engine: a hosted model refused: " + err.Error())
	}
	h.stats.Running++
	r.state = running
	r.start(h.loop.Now())
	wait := h.config.First(r.Draw)
	a := &answer{hosted: h, request: r, first: h.loop.Now() + wait, n: 1}
	a.tick = a.output
	r.answer = a
	a.timer = h.loop.After(wait, pipeline.RankOutput, a.tick)
}

// Cancel implements Engine.
func (h *Hosted) Cancel(r *Request) {
	if r.state != running {
		return
	}
	a := r.answer
	a.timer.Stop()
	h.count(r, a.outAt(h.loop.Now()))
	h.stats.Running--
	h.stats.Cancelled++
	leave(h.loop, r, pipeline.Cancelled)
}

// outAt returns the tokens out at an instant.
func (a *answer) outAt(t time.Duration) int {
	switch next := a.hosted.config.Next; {
	case t < a.first:
		return 0
	case next == 0:
		return a.request.target
	default:
		return min(a.request.target, 1+int((t-a.first)/next))
	}
}

// count brings the request's tokens to n.
func (h *Hosted) count(r *Request, n int) {
	if n > 0 {
		r.Last = r.answer.first + time.Duration(n-1)*h.config.Next
	}
	if r.generated == 0 && n > 0 {
		h.stats.PromptTokens += r.Prompt
	}
	h.stats.OutputTokens += n - r.generated
	r.generated = n
}

// output is at the token a.n, which is the first, of interest or the last.
func (a *answer) output() {
	h, r := a.hosted, a.request
	h.count(r, a.n)
	r.tell()
	if r.state != running { // the asker gave it up at this very token
		return
	}
	if a.n == r.target {
		h.stats.Running--
		h.stats.Finished++
		r.state = ended
		r.Done(pipeline.OK)
		return
	}
	a.n = r.target
	if r.NotifyAt > 0 {
		a.n = min(max(r.NotifyAt, r.generated+1), r.target)
	}
	a.timer = h.loop.After(time.Duration(a.n-r.generated)*h.config.Next, pipeline.RankOutput, a.tick)
}
