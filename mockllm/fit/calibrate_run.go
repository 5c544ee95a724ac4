package fit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// CalibrateRun fits the constants of an engine's plan to the times of the first
// requests of a run, by replaying it: time to first token, time per output token and
// latency of each request.
// Later requests are replayed beside them, since they hold them up, but of those only
// arrivals and token counts are looked at. First 0 means all of the run.
func CalibrateRun(ctx context.Context, r engine.Replica, run []Timed, first int) (Calibration, error) {
	if first == 0 {
		first = len(run)
	}
	if first < 0 || first > len(run) {
		return Calibration{}, fmt.Errorf("the first %s: the run has %d", counted(first, "request"), len(run))
	}
	if first < fewestRequests {
		return Calibration{}, fmt.Errorf("too few requests to tell the engine's constants from what came by chance, such as the first request's warm-up: %d, want at least %d", first, fewestRequests)
	}
	d := r.Plan.Deployment()
	out, err := calibrate(ctx, d, evidenceOfRun(run[:first]), func(c roofline.Constants) ([]float64, error) {
		with := r
		var err error
		if with.Plan, err = planWith(r.Plan, c); err != nil {
			return nil, err
		}
		got, err := replayFirst(ctx, with, run, first)
		if err != nil {
			return nil, err
		}
		errs, _ := timeErrors(run[:first], got.Run[:first])
		return errs, nil
	})
	out.Subject = subjectOf([]roofline.Deployment{d})
	return out, err
}

// fewestRequests is how many requests a run must have to be fitted to: with a handful, a
// single one that was slow for a reason of its own decides.
const fewestRequests = 20

// promptGroups is how many groups, by length of the prompt, the times to first token
// of a run are averaged in. That of a single request depends on where in a step it
// came, and with whom.
const promptGroups = 8

// evidenceOfRun says what the times are of, in the order of their errors.
func evidenceOfRun(run []Timed) evidence {
	e := evidence{models: 1}
	_, e.phases = timeErrors(run, run)
	e.decodes = slices.Contains(e.phases, Decode)
	e.long = slices.ContainsFunc(run, func(t Timed) bool { return t.Prompt >= longPrompt })
	return e
}

// timeErrors returns the errors of the simulated times, and what each is of: those to
// first token on the average of requests with prompts of about the same length, the
// others of each request.
func timeErrors(measured, simulated []Timed) (errs []float64, phases []Phase) {
	for _, k := range kinds[1:] {
		for i := range measured {
			if m := k.of(measured[i]); m != pipeline.Unknown {
				errs, phases = append(errs, relative(k.of(simulated[i]), m)), append(phases, k.phase)
			}
		}
	}
	order := make([]int, len(measured))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(measured[a].Prompt, measured[b].Prompt) })
	for group := range slices.Chunk(order, (len(order)+promptGroups-1)/promptGroups) {
		var m, s time.Duration
		for _, i := range group {
			m += measured[i].TTFT()
			s += simulated[i].TTFT()
		}
		errs, phases = append(errs, relative(s, m)), append(phases, Prefill)
	}
	return errs, phases
}
