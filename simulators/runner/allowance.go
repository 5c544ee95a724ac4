package runner

import (
	"fmt"
	"time"

	"halfsecond/pipeline"
)

// allowance is what a cap on requests leaves for the services of a run together: the language
// model and those of speech. The first request for which there is no room ends as Dropped, and
// so does what comes after it; the run ends once those under way have. Its methods run on the
// loop.
type allowance struct {
	loop   pipeline.Scheduler
	most   int
	n      int  // requests, those of runs before that share the cap included
	asked  *int // turns of speech services; nil for nobody who counts them
	flying int
	over   error // nil while there is room
	spent  func(error)
}

// allow puts a cap on the services of the run.
func (r *run) allow(loop pipeline.Scheduler) {
	s := &r.settings.Speech
	if s.MaxRequests == 0 {
		return
	}
	a := &allowance{loop: loop, most: s.MaxRequests, n: r.settings.Endpoint.Before.Requests, asked: s.Asked, spent: r.fail}
	model := r.over
	r.over = func() error {
		if model != nil && model() != nil {
			return model()
		}
		return a.over
	}
	if x := r.services.STT; x != nil {
		r.services.STT = allowedSTT{x, a}
	}
	if x := r.services.TTS; x != nil {
		r.services.TTS = allowedTTS{x, a}
	}
	if x := r.services.Direct; x != nil {
		r.services.Direct = allowedConverser{x, a}
	}
	if r.settings.Endpoint.URL != "" {
		r.model = allowedLLM{r.model, a}
	}
}

// take takes a request that ends with done. Without room it has it dropped, and returns nil;
// else what is to be called in place of done.
func (a *allowance) take(done func(), drop func(at time.Duration, o pipeline.Outcome, reason string)) func() {
	if a.over == nil && a.n >= a.most {
		a.over = fmt.Errorf("over the cap of %d requests", a.most)
	}
	if a.over != nil {
		a.loop.After(0, pipeline.RankOutput, func() {
			drop(a.loop.Now(), pipeline.Dropped, a.over.Error())
			done()
			a.end()
		})
		return nil
	}
	a.n++
	return a.under(done)
}

// under has the run go on until done was called, and returns what is to be called in its place.
func (a *allowance) under(done func()) func() {
	a.flying++
	return func() {
		a.flying--
		done()
		a.end()
	}
}

// turn takes a turn of a speech service, as take does.
func (a *allowance) turn(done func(), drop func(at time.Duration, o pipeline.Outcome, reason string)) func() {
	taken := a.take(done, drop)
	if taken != nil && a.asked != nil {
		*a.asked++
	}
	return taken
}

// end ends the run when there is no room, and nothing under way.
func (a *allowance) end() {
	if a.over != nil && a.flying == 0 {
		a.spent(a.over)
	}
}

type allowedLLM struct {
	pipeline.LLM
	*allowance
}

// Start implements pipeline.LLM.
func (l allowedLLM) Start(c *pipeline.Call) {
	r := &c.Record
	drop := func(at time.Duration, o pipeline.Outcome, reason string) { r.End, r.Outcome, r.Reason = at, o, reason }
	if done := l.take(c.Done, drop); done != nil {
		c.Done = done
		l.LLM.Start(c)
	}
}

type allowedSTT struct {
	pipeline.STT
	*allowance
}

// Start implements pipeline.STT.
func (s allowedSTT) Start(h *pipeline.Hearing) {
	r := &h.Record
	drop := func(at time.Duration, o pipeline.Outcome, reason string) { r.End, r.Outcome, r.Reason = at, o, reason }
	if done := s.turn(h.Done, drop); done != nil {
		h.Done = done
		s.STT.Start(h)
	}
}

type allowedTTS struct {
	pipeline.TTS
	*allowance
}

// Start implements pipeline.TTS. A reply is one turn, however many requests speak it.
func (s allowedTTS) Start(x *pipeline.Saying) {
	if x.Rest {
		x.Done = s.under(x.Done)
		s.TTS.Start(x)
		return
	}
	r := &x.Record
	drop := func(at time.Duration, o pipeline.Outcome, reason string) { r.End, r.Outcome, r.Reason = at, o, reason }
	if done := s.turn(x.Done, drop); done != nil {
		x.Done = done
		s.TTS.Start(x)
	}
}

type allowedConverser struct {
	pipeline.Converser
	*allowance
}

// Start implements pipeline.Converser.
func (s allowedConverser) Start(t *pipeline.Turn) {
	r := &t.Record
	drop := func(at time.Duration, o pipeline.Outcome, reason string) { r.End, r.Outcome, r.Reason = at, o, reason }
	if done := s.turn(t.Done, drop); done != nil {
		t.Done = done
		s.Converser.Start(t)
	}
}
