package ear

import (
	"time"

	"halfsecond/mockllm/speech"
)

// Ear hears one channel of a stream, with a recognizer that begins when the rate of the
// audio is known. Its methods run on the loop.
type Ear struct {
	begin func(rate int) *speech.Recognizer
	inner *speech.Recognizer // nil until the rate is known
}

// New returns an ear; begin makes its recognizer.
func New(begin func(rate int) *speech.Recognizer) Ear { return Ear{begin: begin} }

// Hear hears samples that arrive now; the rate is 0 while there are none.
func (e *Ear) Hear(samples []int16, rate int) {
	if e.inner == nil && rate > 0 {
		e.inner = e.begin(rate)
	}
	if len(samples) > 0 {
		e.inner.Feed(samples)
	}
}

// Heard returns how much audio there was.
func (e *Ear) Heard() time.Duration {
	if e.inner == nil {
		return 0
	}
	return e.inner.Heard()
}

// Began reports whether the rate is known.
func (e *Ear) Began() bool { return e.inner != nil }

// unheard is the rate of a stream whose rate nobody came to know.
const unheard = 16_000

// Recognizer returns the recognizer, and one that has heard nothing when no audio came.
func (e *Ear) Recognizer() *speech.Recognizer {
	if e.inner == nil {
		e.inner = e.begin(unheard)
	}
	return e.inner
}

// Stop takes everything back that is still to be told.
func (e *Ear) Stop() {
	if e.inner != nil {
		e.inner.Stop()
	}
}
