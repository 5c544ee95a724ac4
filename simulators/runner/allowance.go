package runner

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
)

// allowance is what a cap on requests leaves for the services of speech, which share it with
// the language model and with whoever else asks that: the model's client takes from the same
// quota. The first turn for which there is no room ends as Dropped, and so does what comes
// after it; the run ends once those under way have. Its methods run on the loop.
type allowance struct {
	loop   pipeline.Scheduler
	quota  *endpoint.Quota
	asked  *int  // turns of speech services; nil for nobody who counts them
	flying int   // turns, and requests of users to the language model
	over   error // nil while there is room
	spent  func(error)
}

// quota returns the cap on requests that the services of the run share; nil for none.
func (r *run) quota() *endpoint.Quota {
	if most := r.settings.Speech.MaxRequests; r.shared == nil && most > 0 {
		r.shared = &endpoint.Quota{Most: most, Taken: r.settings.Endpoint.Before.Requests}
	}
	return r.shared
}

// allow puts a cap on the services of the run.
func (r *run) allow(loop pipeline.Scheduler) {
	quota := r.quota()
	if quota == nil {
		return
	}
	a := &allowance{loop: loop, quota: quota, asked: r.settings.Speech.Asked, spent: r.fail}
	r.spent = a.stop
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
		r.model = watchedLLM{r.model, a}
	}
}

// turn takes a turn of a speech service that ends with done. Without room it has it dropped,
// and returns nil; else what is to be called in place of done.
func (a *allowance) turn(done func(), drop func(at time.Duration, o pipeline.Outcome, reason string)) func() {
	if a.over == nil {
		a.over = a.quota.Room()
	}
	if a.over != nil {
		a.loop.After(0, pipeline.RankOutput, func() {
			drop(a.loop.Now(), pipeline.Dropped, a.over.Error())
			done()
			a.end()
		})
		return nil
	}
	a.quota.Taken++
	if a.asked != nil {
		*a.asked++
	}
	return a.under(done)
}

// stop has nothing begin any more, for a cap was met, and the run end when nothing is under way.
func (a *allowance) stop(cap error) {
	if a.over == nil {
		a.over = cap
	}
	a.end()
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

// end ends the run when there is no room, and nothing under way.
func (a *allowance) end() {
	if a.over != nil && a.flying == 0 {
		a.spent(a.over)
	}
}

// watchedLLM is a language model whose client takes from the quota itself.
type watchedLLM struct {
	pipeline.LLM
	*allowance
}

// Start implements pipeline.LLM.
func (l watchedLLM) Start(c *pipeline.Call) {
	c.Done = l.under(c.Done)
	l.LLM.Start(c)
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
