package pipeline

import (
	"context"
	"time"
)

// Virtual drives a Loop by jumping to the next instant: an hour of traffic in a
// second. The zero Virtual is ready to use. It is not safe for concurrent use.
type Virtual struct{ Loop }

// Run runs all scheduled work, and the work that it schedules, in order. It
// returns nil when nothing is left and ctx's error when ctx ends first; what was
// not run stays scheduled.
func (v *Virtual) Run(ctx context.Context) error {
	for i := 0; ; i++ {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if _, ok := v.peek(); !ok {
			return nil
		}
		v.step()
	}
}

// RunUntil runs the work due at or before t and leaves Now at t.
func (v *Virtual) RunUntil(t time.Duration) {
	for {
		at, ok := v.peek()
		if !ok || at > t {
			break
		}
		v.step()
	}
	v.now = max(v.now, t)
}
