package study

import (
	"context"
	"fmt"
	"sync"

	"halfsecond/budgets"
	"halfsecond/budgets/frontier"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

// mostDevelopers is where a search for the capacity ends.
const mostDevelopers = 512

// leastJudged is how many keys a run has at least whose start-up is looked for: one in ten or
// more of them is an opportunity in most scenarios, and the test takes 100 values.
const leastJudged = 2000

// mostTrials is how many numbers of people a search tries at most: doubled up to mostDevelopers,
// and then halved until what lies between is a twentieth, which takes five halvings of a doubling.
const mostTrials = 10 + 5

// CapacityRuns returns how many runs FrontierCapacity takes at most.
func (p *FrontierPlan) CapacityRuns(f *frontier.Frontier) int {
	return len(f.Advice) * mostTrials * p.settings.Repeats
}

// FrontierCapacity looks for how many people can type at a time on the settings that a frontier
// recommends until a run breaks a budget. Arrivals have to be a closed loop. What was not found
// before ctx ended is not known. The function that OnRun was given is told how many of its runs
// are done.
func FrontierCapacity(ctx context.Context, p *FrontierPlan, f *frontier.Frontier) error {
	done := 0
	tried := func() {
		if done += p.settings.Repeats; p.settings.Ran != nil {
			p.settings.Ran(done)
		}
	}
	for _, a := range f.Advice {
		c := &f.Cells[a.Cell]
		w := crowd{ctx: ctx, scenario: p.scenarios[a.Cell], settings: p.settings.Settings, repeats: p.settings.Repeats, tried: tried}
		w.settings.N = max(w.settings.N, leastJudged)
		found, err := w.find()
		if err != nil {
			return fmt.Errorf("capacity of %s: %w", f.Name(c), err)
		}
		c.Capacity = found
	}
	return nil
}

// crowd is a search for how many people fit.
type crowd struct {
	ctx      context.Context
	scenario *scenario.Scenario
	settings runner.Settings
	repeats  int
	tried    func() // a number of people was
}

// find doubles the number of people until a run breaks a budget, and then halves what lies
// between until it is a twentieth. A number of which no run can be judged says nothing.
func (w *crowd) find() (*frontier.Capacity, error) {
	c := &frontier.Capacity{}
	inside, between := 0, scale{whole: true, resolution: .05}
	try := func(n int) error {
		failed, judged, err := w.with(n)
		if err != nil {
			return err
		}
		w.tried()
		switch {
		case failed:
			c.Outside = n
		case judged:
			c.Developers, inside = n, n
		default:
			inside = n
		}
		return nil
	}
	for n := 1; n <= mostDevelopers && c.Outside == 0; n *= 2 {
		if err := try(n); err != nil {
			return w.unknown(err)
		}
	}
	for c.Outside > 0 && inside > 0 && !between.near(float64(inside), float64(c.Outside)) {
		if err := try(int(between.between(float64(inside), float64(c.Outside)))); err != nil {
			return w.unknown(err)
		}
	}
	if c.Developers == 0 && c.Outside != 1 {
		c.Why = "no run in which a budget holds could be judged; more keys (--n) may tell"
	}
	return c, nil
}

// unknown is what an interrupt leaves of a search.
func (w *crowd) unknown(err error) (*frontier.Capacity, error) {
	if w.ctx.Err() != nil {
		return &frontier.Capacity{Why: runner.ErrInterrupted.Error()}, nil
	}
	return nil, err
}

// with runs the scenario with so many people: failed says that a run broke a budget, judged that
// some run held all.
func (w *crowd) with(n int) (failed, judged bool, err error) {
	s, err := under(w.scenario, float64(n), w.settings.N)
	if err != nil {
		return false, false, err
	}
	points, errs := make([]Point, w.repeats), make([]error, w.repeats)
	var all sync.WaitGroup
	for i := range w.repeats {
		all.Go(func() {
			set := runner.Settings{Target: runner.Sim, N: interactions(s, float64(n), w.settings.N), Seed: seedOf(w.settings.Seed, i), Version: w.settings.Version}
			run, err := runner.Run(w.ctx, s, set)
			if err == nil && !run.Footer.Finished {
				err = errRun(run.Footer.Reason)
			}
			if err == nil {
				points[i], err = point(run)
			}
			errs[i] = err
		})
	}
	all.Wait()
	for i := range points {
		if errs[i] != nil {
			return false, false, errs[i]
		}
		failed = failed || points[i].Verdict == budgets.Fail
		judged = judged || points[i].Verdict == budgets.Pass
	}
	return failed, judged, nil
}
