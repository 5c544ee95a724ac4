package ide

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/ide/typing"
)

// thread is the editor's own thread, on which a plugin may work at each key. Steps that
// come meanwhile are handled afterwards, in their order.
type thread struct {
	editor *Editor
	until  time.Duration // it works until then
	queue  []arrival
}

// arrival is a step, and when it came.
type arrival struct {
	step typing.Step
	came time.Duration
}

// holds keeps a step that came while the thread works.
func (t *thread) holds(s *typing.Step, came time.Duration) bool {
	loop := t.editor.sim.config.Loop
	if len(t.queue) == 0 && loop.Now() >= t.until {
		return false
	}
	t.queue = append(t.queue, arrival{*s, came})
	if len(t.queue) == 1 {
		loop.At(t.until, pipeline.RankInput, t.next)
	}
	return true
}

// work begins what a plugin does at a key, and returns its end.
func (t *thread) work() (end time.Duration) {
	t.until = t.editor.sim.config.Loop.Now() + t.editor.sim.config.Plugin.Prepare
	return t.until
}

// next handles the oldest step that waits.
func (t *thread) next() {
	first := t.queue[0]
	t.queue = t.queue[1:]
	t.editor.handle(&first.step, first.came)
	if len(t.queue) > 0 {
		t.editor.sim.config.Loop.At(max(t.until, t.editor.sim.config.Loop.Now()), pipeline.RankInput, t.next)
	}
}

func (t *thread) busy() bool { return len(t.queue) > 0 }
