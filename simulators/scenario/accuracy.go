package scenario

import (
	"fmt"

	"halfsecond/mockllm/fit"
	"halfsecond/mockllm/roofline"
)

// Errors says in a few words how far off predictions of prefill and of decode are on
// average: over the published measurements that come nearest to what is asked, or with a
// profile over those that it was fitted to. Where none is like it, that is unknown, and it
// says how far off all published ones are. It is empty for an engine that cannot run.
func (e *Engine) Errors(asked fit.Asked) string {
	r, err := e.Replica()
	if err != nil {
		return ""
	}
	d := r.Plan.Deployment()
	return e.phaseError(fit.Prefill, d, asked) + "; " + e.phaseError(fit.Decode, d, asked)
}

// phaseError is the error of one phase, in words.
func (e *Engine) phaseError(phase fit.Phase, d roofline.Deployment, asked fit.Asked) string {
	figure, known := fit.AccuracyOf(phase, d, asked).Figure()
	if e.Profile != nil {
		figure, known = e.Profile.Fitted.ErrorOf(phase, d)
	}
	if known {
		return fmt.Sprintf("%s %.1f %%", phase, 100*figure)
	}
	return fmt.Sprintf("%s unknown, over all %.1f %%", phase, 100*fit.AccuracyOfAll(phase).LeftOut)
}
