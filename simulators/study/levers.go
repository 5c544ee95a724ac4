package study

import (
	"context"
	"fmt"
	"slices"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

// LeverSettings say how to find out what other settings of a voice scenario would bring.
type LeverSettings struct {
	// Settings are those of the run that is to be improved. Every run is on the simulator,
	// with the same seed, so that what differs is the change.
	runner.Settings
	By quantile.Q // the percentile of replies that is to fall: P50 or P95
}

// mostLeverTurns is how many turns each run has at most: there are dozens of runs.
const mostLeverTurns = 2000

// leastGain is the least effect on a percentile for a change to be listed: less is nothing
// that anybody hears.
const leastGain = time.Millisecond

// Levers runs a voice scenario again with each change that its settings leave room for, and
// then with as many together as help, none of which has it cut in more often than now. The
// runs are simulated: it fails for a scenario of another kind, and when ctx ends.
func Levers(ctx context.Context, s *scenario.Scenario, set LeverSettings) (budgets.Changes, error) {
	if s.Voice == nil {
		return budgets.Changes{}, fmt.Errorf("levers of %s: it has no voice turns", s.Name)
	}
	w := leverage{ctx: ctx, scenario: s, settings: set}
	w.settings.N = min(set.N, mostLeverTurns)
	now, _, err := w.run(s.Voice)
	if err != nil {
		return budgets.Changes{}, err
	}
	c := budgets.Changes{Metric: "reply", Now: now, Turns: w.settings.N}
	var tried []lever
	for _, l := range leversOf(s) {
		voice := *s.Voice
		l.apply(&voice)
		if l.Would, _, err = w.run(&voice); err != nil {
			return c, err
		}
		if differ(now, l.Would) {
			c.All, tried = append(c.All, l.Change), append(tried, l)
		}
	}
	c.Best, err = w.best(now, tried)
	return c, err
}

// differ reports whether a change can be told: it moves a percentile or the cut-ins.
func differ(a, b budgets.State) bool {
	moved := func(x, y time.Duration) bool {
		return x != pipeline.Unknown && y != pipeline.Unknown && max(x-y, y-x) >= leastGain
	}
	return moved(a.P50, b.P50) || moved(a.P95, b.P95) || a.CutInKnown && b.CutInKnown && a.CutIn != b.CutIn
}

// leverage is the runs of one scenario.
type leverage struct {
	ctx      context.Context
	scenario *scenario.Scenario
	settings LeverSettings
}

// run carries the scenario out with other settings of its turns.
func (w *leverage) run(v *scenario.Voice) (budgets.State, *budgets.Analysis, error) {
	a, err := simulate(w.ctx, w.scenario, v, w.settings.Settings)
	if err != nil {
		return budgets.State{}, nil, err
	}
	return stateOf(a), a, nil
}

// simulate runs a scenario with other settings of its turns on the simulator. Its budgets
// are left out: nothing is judged.
func simulate(ctx context.Context, s *scenario.Scenario, v *scenario.Voice, set runner.Settings) (*budgets.Analysis, error) {
	one := *s
	one.Voice, one.Budgets = v, nil
	run, err := runner.Run(ctx, &one, runner.Settings{Target: runner.Sim, Seed: set.Seed, N: set.N, Version: set.Version, Salt: set.Salt})
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case !run.Footer.Finished:
		return nil, fmt.Errorf("run %s again: %s", s.Name, run.Footer.Reason)
	}
	run.Header.Load = trace.Load{} // the same turns of each run are compared: none is cut
	return budgets.Analyse(run)
}

func stateOf(a *budgets.Analysis) budgets.State {
	s := budgets.State{P50: landing(a, quantile.P50), P95: landing(a, quantile.P95)}
	if c, ok := a.CutIns(); ok {
		s.CutIn, s.CutInKnown = c.Rate.Value, true
	}
	return s
}

// landing returns a percentile of how soon replies land; Unknown for too few.
func landing(a *budgets.Analysis, q quantile.Q) time.Duration {
	if v, ok := a.Landing().Quantile(q); ok {
		return time.Duration(v)
	}
	return pipeline.Unknown
}

// best makes one change after the other, the strongest alone first, and keeps each that
// helps beside those before it. nil is for none.
func (w *leverage) best(now budgets.State, tried []lever) (*budgets.Best, error) {
	q := w.settings.By
	slices.SortStableFunc(tried, func(a, b lever) int { return int(a.Would.At(q) - b.Would.At(q)) })
	best, voice := budgets.Best{Would: now}, *w.scenario.Voice
	var last *budgets.Analysis
	for _, l := range tried {
		if !l.helps(now, l.Would, q) {
			continue
		}
		with := voice
		l.apply(&with)
		state, a, err := w.run(&with)
		if err != nil {
			return nil, err
		}
		if l.helps(best.Would, state, q) && !cutsInMore(now, state) {
			l.Would = state
			best.Parts, best.Would, voice, last = append(best.Parts, l.Change), state, with, a
		}
	}
	if len(best.Parts) == 0 {
		return nil, nil
	}
	best.Rest = restOf(last)
	return &best, nil
}

// helps reports whether a change has replies land sooner and cuts in no more often. One that
// ends turns sooner has to show that.
func (l *lever) helps(before, after budgets.State, q quantile.Q) bool {
	a, b := before.At(q), after.At(q)
	if a == pipeline.Unknown || b == pipeline.Unknown || a-b < leastGain {
		return false
	}
	return !cutsInMore(before, after) && (!l.Bolder || before.CutInKnown && after.CutInKnown)
}

func cutsInMore(before, after budgets.State) bool {
	return before.CutInKnown && after.CutInKnown && after.CutIn > before.CutIn
}

// restOf returns what the median turn waits for, the longest first.
func restOf(a *budgets.Analysis) (rest []budgets.Part) {
	for i := range a.Exemplars {
		if e := &a.Exemplars[i]; e.Name != "p95" {
			for _, s := range e.Path {
				k := slices.IndexFunc(rest, func(p budgets.Part) bool { return p.Stage == s.Name })
				if k < 0 {
					k, rest = len(rest), append(rest, budgets.Part{Stage: s.Name})
				}
				rest[k].Takes += s.For()
			}
			break
		}
	}
	slices.SortStableFunc(rest, func(x, y budgets.Part) int { return int(y.Takes - x.Takes) })
	return rest
}
