package main

import (
	"fmt"
	"math"
	"strings"

	"halfsecond/mockllm/fit"
)

// nearRun is how far off a mean of a replay may be to count as near.
const nearRun = .15

// otherUnit is a factor that no server is off by: the times are in another unit.
const otherUnit = 100

// judge says in a sentence whether a replay is like the run, and what may be wrong when it
// is not.
func (r *replayResult) judge(measured, simulated fit.Crowd) {
	r.MeasuredMost, r.SimulatedMost, r.Hints = measured.Running, simulated.Running, []string{}
	var far, all []string
	for _, m := range r.Metrics {
		if m.Error.Mean == nil {
			continue
		}
		text := fmt.Sprintf("%s %s", m.Name, percent("%+.1f", *m.Error.Mean))
		all = append(all, text)
		if math.Abs(*m.Error.Mean) > nearRun {
			far = append(far, text)
		}
	}
	if len(far) == 0 {
		r.Verdict = fmt.Sprintf("NEAR: every mean is within %s of the measured one (%s).", percent("%.0f", nearRun), strings.Join(all, ", "))
		return
	}
	r.Verdict = fmt.Sprintf("FAR OFF: more than %s in the mean of %s.", percent("%.0f", nearRun), strings.Join(far, ", "))
	if hint := r.unitHint(); hint != "" {
		r.Hints = append(r.Hints, hint)
		return
	}
	if measured.HeldBack(simulated) {
		r.Hints = append(r.Hints, fmt.Sprintf("the recorded server never had more than %d under way at once, though up to %d waited; this replay had %d: if it had a limit, say so with --max-sequences %d, or with --kv-tokens if its cache was full",
			measured.Running, measured.Waiting, simulated.Running, measured.Running))
	}
}

// unitHint says that the times of the file are not in seconds, when they are too far from
// the simulated ones to be, or "".
func (r *replayResult) unitHint() string {
	for _, m := range r.Metrics {
		if m.Name != "tpot" || m.Measured.MeanMS == nil {
			continue
		}
		factor := *m.Measured.MeanMS / *m.Simulated.MeanMS
		if factor >= otherUnit {
			return fmt.Sprintf("a token took %s by the file, %.0f times as long as simulated: are first_token_s and last_token_s in ms? All instants are in seconds since the run began",
				inTime(*m.Measured.MeanMS, significant), factor)
		}
	}
	return ""
}
