package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/steady"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/arrival"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

// SweepSettings say how to run a scenario under many loads.
type SweepSettings struct {
	// Settings are those of every run; N is the interactions of one.
	runner.Settings
	Loads    []float64 // to begin with, ascending: requests a second, or users
	FindKnee bool      // go on, between them, until the knee is as narrow as Resolution says
	Bounded  bool      // the first of Loads is the lowest that is tried; else half of it may be
	// Resolution is how far apart the loads are between which the knee is looked for, as
	// a share of the lower one. Users are never less than one apart.
	Resolution float64
	Repeats    int // runs of each load, each with a seed of its own; at least 1

	// Around, when set, carries each run out by calling run, with what it adds to the
	// settings.
	Around func(load float64, repeat int, set runner.Settings, run func(runner.Settings) (trace.Run, error)) (trace.Run, error)
	// Ran, when set, is told how many runs are done.
	Ran func(runs int)
}

// Swept is what came of a sweep.
type Swept struct {
	Unit   string  // of loads: "/s" or "users"
	Levels []Level // by ascending load
	Knee   Knee
	// Near says that no load is left to try: neighbours on both sides of each edge of the
	// knee are as close as they are to be, or there is none on one side of it.
	Near bool
	Runs int
	// Collapsed says at which load and why no higher one was tried; empty when it is not so.
	Collapsed string
	Ended     string // why it ended early; empty when it did not
}

// Level is one load.
type Level struct {
	Load     float64
	Standing Standing
	Points   []Point // its runs
	Cut      bool    // the last of them did not finish
}

// Point is what one run tells.
type Point struct {
	Seed       uint64
	Verdict    budgets.Verdict
	Judgements []budgets.Judgement
	StartUp    *budgets.StartUp // nil where it was stated
	Unfit      string           // why the run cannot be judged at all; empty when it can
	// Pool is of the metric that the budgets limit, and Limit what a member has to keep;
	// where none is a latency's, Pool is of the metric that interactions land with and
	// Limited is false.
	Pool    budgets.Pool
	Limit   budgets.Limit
	Limited bool
	// Alone is why ghost text breaks its budget, where one stage does so alone, whatever the load;
	// nil where none does.
	Alone *budgets.Reason
	// Offered is how many interactions were due a second, and Achieved how many ended ok,
	// in the second half of the time in which any that are kept were due; NaN where that
	// is no time.
	Offered, Achieved float64
	Kept              int     // interactions of the report
	OK                float64 // the share of them that ended ok; NaN of none
	// Failures counts those that did not, by the words of why.
	Failures map[string]int
}

// Good counts the members of the pool that keep the limit.
func (p *Point) Good() int {
	n := 0
	for _, v := range p.Pool.Values {
		if p.Limited && p.Limit.Holds(v) {
			n++
		}
	}
	return n
}

// leastTurns is how many interactions each user of a closed loop has at least, so that
// most of a run has all users at work. Of keys it takes more: five of them are a second of
// typing, in which people who all begin at once ask for little else than their first prompt,
// which no cache has seen. 200 are 40 s at 60 words a minute, and some 20 requests.
const (
	leastTurns = 5
	leastKeys  = 200
)

// Sweep runs the scenario under each load, and with FindKnee between them. A run that does
// not begin ends it. The error is for what kept it from running at all.
func Sweep(ctx context.Context, s *scenario.Scenario, set SweepSettings) (*Swept, error) {
	if err := set.check(s); err != nil {
		return nil, err
	}
	w := &sweep{ctx: ctx, scenario: s, settings: set, out: &Swept{Unit: s.Arrivals.LoadUnit()}, spent: spent{set.Endpoint.Before}}
	find := search{scale: set.scale(s), try: w.level}
	if set.FindKnee {
		find.knee(set.Loads)
	} else {
		find.all(set.Loads, false)
	}
	slices.SortFunc(w.out.Levels, func(a, b Level) int { return cmp.Compare(a.Load, b.Load) })
	w.out.Knee = find.found()
	w.out.Near = find.settled()
	return w.out, w.err
}

// scale returns which loads the scenario can have.
func (set *SweepSettings) scale(s *scenario.Scenario) scale {
	one := scale{whole: !s.Arrivals.Open(), resolution: set.Resolution}
	if set.Bounded && len(set.Loads) > 0 {
		one.lowest = set.Loads[0]
	}
	return one
}

// check reports all that makes a sweep impossible.
func (set *SweepSettings) check(s *scenario.Scenario) error {
	var errs []error
	if s.Grid != nil {
		return errors.New("a comparison of models (kind grid) has no load to sweep")
	}
	if len(s.Budgets) == 0 {
		errs = append(errs, errors.New("the scenario has no budgets, so no load is inside or outside them"))
	}
	if len(set.Loads) == 0 {
		errs = append(errs, errors.New("no load to run"))
	}
	for i, load := range set.Loads {
		loaded, err := under(s, load, set.N)
		if err != nil {
			errs = append(errs, err)
		} else if n := interactions(s, load, set.N); loaded.FindStartUp && n < steady.Least {
			return fmt.Errorf("a run of %d is too short to find where its start-up ends: want n %d or more, or a warm_up above 0 in the scenario", n, steady.Least)
		}
		if i > 0 && load <= set.Loads[i-1] {
			errs = append(errs, fmt.Errorf("load %g comes after %g: want them ascending", load, set.Loads[i-1]))
		}
	}
	return errors.Join(errs...)
}

// MostRuns returns how many runs a sweep takes at most.
func MostRuns(s *scenario.Scenario, set SweepSettings) int {
	levels := len(set.Loads)
	if set.FindKnee {
		levels = set.scale(s).trials(set.Loads)
	}
	return levels * set.Repeats
}

// EstimateSweep returns what a sweep sends at most.
func EstimateSweep(ctx context.Context, s *scenario.Scenario, set SweepSettings) (runner.Estimate, error) {
	if err := set.check(s); err != nil {
		return runner.Estimate{}, err
	}
	// Users have several interactions each, so that the highest load asks most.
	high := set.Loads[len(set.Loads)-1]
	one := set.Settings
	one.N = interactions(s, high, set.N)
	loaded, err := under(s, high, set.N)
	if err != nil {
		return runner.Estimate{}, err
	}
	e, err := runner.EstimateRun(ctx, loaded, one)
	return e.Times(MostRuns(s, set)), err
}

// interactions returns how many interactions a run under a load has.
func interactions(s *scenario.Scenario, load float64, n int) int {
	if s.Arrivals.Open() {
		return n
	}
	least := leastTurns
	if s.IDE != nil {
		least = leastKeys
	}
	return max(n, least*int(load))
}

// under returns the scenario under a load. Where its file leaves the warm-up out, the
// start-up is found by the report, but for a trace, whose load never is the same for
// long. A ramp is held at the load.
func under(s *scenario.Scenario, load float64, n int) (*scenario.Scenario, error) {
	one := *s
	p := s.Arrivals
	if p.Kind == arrival.RampKind {
		p = held(p.Slope)
	}
	var err error
	if one.Arrivals, err = p.Under(load); err != nil {
		return nil, err
	}
	one.FindStartUp = s.FindStartUp || s.WarmUp == 0 && p.Kind != arrival.TraceKind
	return &one, runner.Enough(&one, interactions(s, load, n))
}

// held returns the arrivals of a ramp that has come to its end.
func held(s arrival.Slope) arrival.Process {
	if s.Even {
		return arrival.Constant(max(1, time.Duration(math.Round(float64(time.Second)/s.To))))
	}
	return arrival.Poisson(s.To)
}

// sweep is a sweep under way.
type sweep struct {
	ctx      context.Context
	scenario *scenario.Scenario
	settings SweepSettings
	out      *Swept
	err      error

	spent spent
}

// level runs one load.
func (w *sweep) level(load float64) (Standing, after) {
	l := Level{Load: load}
	for repeat := 0; repeat < w.settings.Repeats && w.out.Ended == ""; repeat++ {
		if err := w.repeat(&l, repeat); err != nil {
			w.broken(load, err)
		}
	}
	if len(l.Points) == 0 {
		return Unsure, nothing // the caps left nothing for it, or it did not begin
	}
	l.Standing = Unsure
	if w.out.Ended == "" {
		l.Standing = l.standing()
	}
	w.out.Levels = append(w.out.Levels, l)
	if w.out.Ended != "" {
		return l.Standing, nothing
	}
	if why := l.collapse(w.scenario.Arrivals.Open(), w.bestBelow(load)); why != "" {
		w.out.Collapsed = fmt.Sprintf("at %s %s", w.out.Named(load), why)
		return l.Standing, lower
	}
	return l.Standing, anything
}

// broken ends a sweep in which a run did not begin. What other runs told is kept; where there
// is none the sweep did not begin either.
func (w *sweep) broken(load float64, err error) {
	w.out.Ended = fmt.Sprintf("at %s %s", w.out.Named(load), strings.ReplaceAll(err.Error(), "\n", "; "))
	if errors.Is(err, runner.ErrInterrupted) {
		w.out.Ended = runner.ErrInterrupted.Error()
	}
	if w.out.Runs == 0 {
		w.err = fmt.Errorf("load %g: %w", load, err)
	}
}

// repeat carries one run of a load out and takes what it tells, unless the caps leave
// nothing for it.
func (w *sweep) repeat(l *Level, repeat int) error {
	if w.ctx.Err() != nil {
		return runner.ErrInterrupted
	}
	loaded, err := under(w.scenario, l.Load, w.settings.N)
	if err != nil {
		return err
	}
	set := w.setUp(l.Load, repeat)
	if over := w.spent.ration(&set); over != nil {
		w.out.Ended = over.Error()
		return nil
	}
	run, err := w.run(loaded, l.Load, repeat, set)
	if err != nil {
		return err
	}
	p, err := point(run)
	if err != nil {
		return err
	}
	l.Points = append(l.Points, p)
	if w.out.Runs++; w.settings.Ran != nil {
		w.settings.Ran(w.out.Runs)
	}
	if !run.Footer.Finished {
		l.Cut = true
		w.out.Ended = cmp.Or(run.Footer.Reason, "a run did not finish")
	}
	return nil
}

// bestBelow returns the most interactions a second that ended ok under a lower load.
func (w *sweep) bestBelow(load float64) (best float64) {
	for i := range w.out.Levels {
		for j := range w.out.Levels[i].Points {
			if w.out.Levels[i].Load < load {
				best = max(best, w.out.Levels[i].Points[j].Achieved)
			}
		}
	}
	return best
}

// Named returns a load with its unit.
func (s *Swept) Named(load float64) string {
	if s.Unit == "users" {
		if load == 1 {
			return "1 user"
		}
		return fmt.Sprintf("%g users", load)
	}
	return fmt.Sprintf("%g/s", load)
}

// setUp returns the settings of one run.
func (w *sweep) setUp(load float64, repeat int) runner.Settings {
	set := w.settings.Settings
	set.N = interactions(w.scenario, load, set.N)
	set.Seed = seedOf(set.Seed, repeat)
	if set.Salt != 0 { // the same seeds draw the same prompts under every load
		salt := dist.Stream(set.Salt, "study/sweep", w.out.Runs)
		set.Salt = salt.Uint64()
	}
	return set
}

// run carries one run out.
func (w *sweep) run(loaded *scenario.Scenario, load float64, repeat int, set runner.Settings) (run trace.Run, err error) {
	carry := func(set runner.Settings) (trace.Run, error) { return runner.Run(w.ctx, loaded, set) }
	if w.settings.Around != nil {
		run, err = w.settings.Around(load, repeat, set, carry)
	} else {
		run, err = carry(set)
	}
	w.spent.add(&run)
	return run, err
}

// seedOf returns the seed of a repeat, the same under every load: what differs between
// two loads is the load.
func seedOf(seed uint64, repeat int) uint64 {
	if repeat == 0 {
		return seed
	}
	r := dist.Stream(seed, "study/repeat", repeat)
	return r.Uint64()
}
