package talk

import (
	"time"

	"halfsecond/pipeline"
)

// Idle ends what a client has left alone for too long. It runs on the loop. A zero Idle
// waits for nothing.
type Idle struct {
	loop  pipeline.Scheduler
	limit time.Duration
	end   func()
	timer pipeline.Timer
}

// Watch begins to wait for the client; end is called when it has said nothing for the
// limit, 0 being none.
func (i *Idle) Watch(loop pipeline.Scheduler, limit time.Duration, end func()) {
	i.loop, i.limit, i.end = loop, limit, end
	i.Heard()
}

// Heard says that the client has said something: the wait begins anew, unless it was
// stopped.
func (i *Idle) Heard() {
	if i.timer.Stop(); i.limit > 0 {
		i.timer = i.loop.After(i.limit, pipeline.RankTimer, i.end)
	}
}

// Stop waits no more, whatever is heard.
func (i *Idle) Stop() {
	i.timer.Stop()
	i.limit = 0
}
