package voice

import (
	"time"

	"halfsecond/pipeline"
)

// How long a call is on the line, and speech in it, matters to the workers that all calls
// share. A turn is known from the instant on at which its speech is over: what it asked for
// before is counted from there, for as long as it took. Over many turns that is the same
// load, later by the length of one utterance.

// dial has the detectors listen to a session whose turns go on, from now until the run is
// over.
func (s *Simulator) dial(session int) {
	d := &s.detectors
	if d.workers == 0 || s.config.Stack.Context.Alone || s.dialled[session] {
		return
	}
	s.dialled[session] = true
	d.come(1, s.config.Loop.Now())
}

// load has the turn's audio be work for the detectors, where its call is this turn, and for
// recognizers that hear it as it comes. It is called when the speech is over, after both
// have been asked how far they are behind.
func (t *turn) load() {
	s, now := t.simulator, t.loop().Now()
	if s.detectors.workers > 0 && s.config.Stack.Context.Alone {
		s.detectors.come(1, now)
		t.onLine = true
	}
	if r := &s.recognizers; r.workers > 0 && t.drawn.utterance > 0 {
		r.come(1, now)
		loop := t.loop()
		loop.After(t.drawn.utterance, pipeline.RankOutput, func() { r.come(-1, loop.Now()) })
	}
}

// hangUp has the call of a session of one turn end, once the user has heard the reply out.
func (t *turn) hangUp() {
	if !t.onLine {
		return
	}
	left := t.drawn.utterance
	if over := t.heardOut(); over != pipeline.Unknown {
		left += max(0, over-t.loop().Now())
	}
	d, loop := &t.simulator.detectors, t.loop()
	loop.After(left, pipeline.RankOutput, func() { d.come(-1, loop.Now()) })
}

// behind returns how far recognizers are behind that hear speech as it comes: as far as all
// the others' has them, or as far as this utterance alone has, which one of them hears.
func (t *turn) behind() time.Duration {
	s := t.simulator
	if s.recognizers.workers == 0 {
		return 0
	}
	alone := time.Duration(max(0, s.recognizers.each-1) * float64(t.drawn.utterance))
	return max(alone, s.recognizers.wait(t.loop().Now()))
}
