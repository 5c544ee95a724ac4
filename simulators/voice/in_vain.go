package voice

import (
	"strconv"
	"time"

	"halfsecond/pipeline"
)

// pauses is an Ending that knows the pauses inside a turn.
type pauses interface {
	InVain(seed uint64, session, index int, from GuessFrom, interim time.Duration) []time.Duration
}

// vain is an early request at a pause inside the turn, which is given up when the user goes
// on.
type vain struct {
	*asking
	rest time.Duration // until then
}

// guessInVain has the model asked early at the pauses inside the turn, as it is at its end: an
// agent cannot know which is which. A turn is known from the end of its speech on, so that
// they are asked from there, one after the other, each for as long as its pause lasts: the
// same load, later by an utterance. Each has the turn's whole prompt, where it would have
// what was said by then.
func (t *turn) guessInVain() {
	k := &t.simulator.config.Stack
	known, ok := k.Ending.(pauses)
	if !ok || k.Guess == nil || t.simulator.config.Services.hears() {
		return
	}
	rest := known.InVain(t.simulator.config.Seed, t.trace.Session, t.trace.Index, k.Guess.From, t.drawn.interim)
	for i, r := range rest {
		if r == 0 {
			continue
		}
		a := t.request(false)
		a.wrong, a.vain, a.pause = true, true, i
		t.vain = append(t.vain, vain{a, r})
	}
	if n := len(t.vain); n > 0 {
		t.fact(pipeline.FactInVain, strconv.Itoa(n))
		t.nextInVain()
	}
}

// nextInVain asks at the next pause.
func (t *turn) nextInVain() {
	if len(t.vain) == 0 {
		return
	}
	a := t.vain[0]
	t.vain = t.vain[1:]
	t.prepare(a.asking)
	t.simulator.config.LLM.Start(&a.call)
	t.later(t.loop().Now()+a.rest, func() {
		if !a.ended {
			t.simulator.config.LLM.Cancel(&a.call)
		}
	})
}
