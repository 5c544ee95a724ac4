package engine

import (
	"errors"
	"fmt"

	"halfsecond/pipeline"
)

// leave ends a request that is not computed any more. Done runs at this instant,
// from the loop.
func leave(loop pipeline.Scheduler, r *Request, o pipeline.Outcome) {
	r.state = leaving
	loop.After(0, pipeline.RankOutput, func() {
		r.state = ended
		r.Done(o)
	})
}

// refuse ends a request that was never queued.
func refuse(loop pipeline.Scheduler, r *Request, reason error) {
	r.Reason = reason
	leave(loop, r, pipeline.Refused)
}

// field is a named setting that must be at least one.
type field struct {
	name  string
	value int
}

func atLeastOne(fields ...field) error {
	var errs []error
	for _, f := range fields {
		if f.value < 1 {
			errs = append(errs, fmt.Errorf("%s is %d, must be at least 1", f.name, f.value))
		}
	}
	return errors.Join(errs...)
}
