package study

import (
	"context"
	"runtime"
	"sync"

	"halfsecond/budgets"
	"halfsecond/budgets/frontier"
	"halfsecond/pipeline/price"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

// FrontierSettings say which settings of a ghost-text scenario to try.
type FrontierSettings struct {
	// Settings are those of every run; N is the keys of one. All runs are on the simulator.
	runner.Settings
	Varied  []Varied // at least one
	Repeats int      // runs of each combination, each with a seed of its own, which all share
	// Load returns the scenario with changes, as scenario.LoadWith does.
	Load func(changes []scenario.Change) (*scenario.Scenario, error)
	// Hours are dollars an hour of accelerators by their names in the catalogue; nil for none.
	// With any, every accelerator has to have one.
	Hours map[string]price.Dollars
	// PriceOf returns the price of the tokens of a hosted model, the zero Price when it is not
	// known. nil knows none.
	PriceOf func(model string) price.Price

	// Ran, when set, is told how many runs are done, one call at a time.
	Ran func(runs int)
}

// Varied is a setting with the values to try.
type Varied struct {
	Name   string // for readers, such as "debounce"
	Key    string // in full; "" where a value changes several
	Values []Value
}

// Value is one of them.
type Value struct {
	Text    string
	Changes []scenario.Change
}

// MostCells is how many combinations are tried at most.
const MostCells = 500

// UsualLimit is the limit of the first character where a scenario has none: the budget of a
// ghost text.
var UsualLimit = budgets.Limit{Comparison: budgets.Less, Value: 150e6, Unit: budgets.Duration}

// Frontier runs a scenario with every combination of some settings, as many at a time as there
// are processors, and judges them. When ctx ends first it is of what was done by then, and says
// so. The error is for what kept it from running at all.
func Frontier(ctx context.Context, p *FrontierPlan) (*frontier.Frontier, error) {
	w := frontierRuns{FrontierPlan: p, figures: make([]figuresOf, len(p.Cells))}
	w.carryOut(ctx)
	out := p.Frontier
	for i := range out.Cells {
		c, f := &out.Cells[i], &w.figures[i]
		switch {
		case c.Impossible != "":
		case f.err != nil:
			c.Impossible = oneLine(f.err)
		case f.done == p.settings.Repeats:
			c.Runs = f.runs
		}
	}
	if ctx.Err() != nil {
		out.Ended = runner.ErrInterrupted.Error()
	}
	out.Judge()
	return &out, nil
}

// frontierRuns are the runs of a plan.
type frontierRuns struct {
	*FrontierPlan

	mu      sync.Mutex // guards what follows
	figures []figuresOf
	done    int
}

// figuresOf is what the runs of a cell tell, by repeat.
type figuresOf struct {
	runs []frontier.Figures
	done int
	err  error // of the first that failed
}

// frontierJob is one run.
type frontierJob struct{ cell, repeat int }

// carryOut runs all cells. What a run tells does not depend on which others go on beside it, so
// that neither does the whole.
func (w *frontierRuns) carryOut(ctx context.Context) {
	jobs := make(chan frontierJob)
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for j := range jobs {
				w.one(ctx, j)
			}
		})
	}
	for i := range w.Cells {
		for repeat := range w.settings.Repeats {
			if w.Cells[i].Impossible == "" && ctx.Err() == nil {
				jobs <- frontierJob{i, repeat}
			}
		}
	}
	close(jobs)
	all.Wait()
}

// one carries one run out, and files what it tells.
func (w *frontierRuns) one(ctx context.Context, j frontierJob) {
	f, err := w.simulate(ctx, j)
	if ctx.Err() != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	of := &w.figures[j.cell]
	if of.runs == nil {
		of.runs = make([]frontier.Figures, w.settings.Repeats)
	}
	of.runs[j.repeat] = f
	of.done++
	if of.err == nil {
		of.err = err
	}
	if w.done++; w.settings.Ran != nil {
		w.settings.Ran(w.done)
	}
}

func (w *frontierRuns) simulate(ctx context.Context, j frontierJob) (frontier.Figures, error) {
	set := runner.Settings{Target: runner.Sim, N: w.settings.N, Seed: seedOf(w.settings.Seed, j.repeat), Version: w.settings.Version}
	run, err := runner.Run(ctx, w.scenarios[j.cell], set)
	if err != nil || !run.Footer.Finished {
		return frontier.Figures{}, unfinished(err, &run)
	}
	return frontier.Of(run, w.Limit)
}

// unfinished returns why a run has no figures.
func unfinished(err error, run *trace.Run) error {
	if err != nil {
		return err
	}
	return errRun(run.Footer.Reason)
}

// errRun is why a run did not finish.
type errRun string

// Error implements error.
func (e errRun) Error() string { return "the run did not finish: " + string(e) }
