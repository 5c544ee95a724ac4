package ide

import (
	"halfsecond/pipeline"
	"halfsecond/simulators/ide/typing"
)

// read has the person read what is shown, and perhaps take it, unless something is typed
// before. Who has taken one types a key before the next is taken: assumed.
func (e *Editor) read() {
	reads := e.sim.config.Reads
	if _, ok := e.typing.(typing.Accepter); !ok || reads == nil || e.typed == e.taken {
		return
	}
	after, accepts := reads.Decide(e.user, e.typed-1, e.screen.rest, e.truth)
	e.reading.Stop()
	if accepts {
		e.reading = e.sim.config.Loop.After(after, pipeline.RankInput, e.take)
	}
}

// take accepts what is shown, in place of the step to come. Nobody does after the last one.
func (e *Editor) take() {
	if e.screen.rest == "" || e.thread.busy() || !e.more {
		return
	}
	if e.next.Kind == typing.Key {
		e.keys++ // it will not be typed
	}
	e.timer.Stop()
	e.taken = e.typed
	s, now := typing.Step{Kind: typing.Accept}, e.sim.config.Loop.Now()
	e.more, e.came = false, now
	if !e.thread.holds(&s, now) {
		e.handle(&s, now)
	}
}
