package main

import (
	"context"
	"errors"
	"fmt"

	"halfsecond/budgets"
	"halfsecond/budgets/report"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/study"
)

// voiceMore adds to the report of voice turns on the simulator what takes further runs: what
// other settings would bring, and V2V against cut-ins. It adds nothing to other reports, nor
// to one of too few turns, nor once ctx has ended.
func voiceMore(ctx context.Context, s *scenario.Scenario, r *report.Report) error {
	if s.Voice == nil || r.Target != runner.Sim || ctx.Err() != nil {
		return nil
	}
	a := r.Analysis()
	aims := a.Aims()
	if !a.Figure(aims[0].Budget).Known {
		return nil
	}
	var all []budgets.Budget
	for _, j := range a.Judgements {
		all = append(all, j.Budget)
	}
	set := runner.Settings{Target: runner.Sim, Seed: r.Seed, N: r.NAsked}
	changes, err := study.Levers(ctx, s, study.LeverSettings{Settings: set, Aims: aims, Budgets: all})
	if err != nil {
		return unlessEnded(ctx, fmt.Errorf("levers: %w", err))
	}
	more := report.More{Changes: &changes}
	switch curve, err := study.EndingCurve(ctx, s, set); {
	case err == nil:
		more.Curve = &curve
	case !errors.Is(err, study.ErrNoPauses):
		return unlessEnded(ctx, fmt.Errorf("latency against cut-ins: %w", err))
	}
	r.With(more)
	return nil
}

// unlessEnded returns an error, unless it is that ctx has ended: a report without what was
// not finished is shown all the same.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// voiceAgain is voiceMore for a run that was kept, whose traces hold the scenario. One that
// needs files beside it adds nothing.
func voiceAgain(ctx context.Context, run trace.Run, r *report.Report) error {
	s, err := scenario.Parse(run.Header.Scenario, []byte(run.Header.ScenarioText), nil)
	if err != nil || s.Hash() != run.Header.ScenarioHash {
		return nil
	}
	return voiceMore(ctx, s, r)
}
