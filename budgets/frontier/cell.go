package frontier

import (
	"math"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
	"halfsecond/pipeline/price"
	"halfsecond/pipeline/quantile"
)

// Frontier is a scenario under many settings.
type Frontier struct {
	Scenario, Hash string
	Seed           uint64
	N, Repeats     int      // keys of a run, and runs of each cell
	Names          []string // of what is varied, such as "debounce"
	Keys           []string // in full, such as "ide.plugin.debounce"
	Ordered        []bool   // which of them have values one after the other; those of others are names
	Limit          budgets.Limit
	Assumed        bool    // the limit is ours: the scenario has no budget for it
	Goal           float64 // the share of opportunities that a budget asks to be inside; 0 for none
	Budgets        []string
	Saves          bool // suggestions are accepted, so that characters are saved
	Cells          []Cell
	Ended          string // why not all was run; "" where it was

	Advice []Advice // set by Judge, as are the marks of cells
}

// Cell is the scenario with some settings.
type Cell struct {
	Values     []string // of what is varied, in the order of Names
	Place      []int    // of the values among those that were asked for; -1 for the scenario's own that is not among them
	Now        bool     // it is the scenario as its file has it
	Beside     bool     // and none of the combinations that were asked for: it takes no part
	Impossible string   // why it cannot be run; "" where it can
	Rate       Rate
	Runs       []Figures // by seed; those of all cells have the same seeds
	Capacity   *Capacity // where it was looked for

	Efficient bool // no other beats it
	Beats     int  // one that beats it, -1 for none
	Advised   bool
}

// Rate is what costs are counted in.
type Rate struct {
	// Unit tells costs apart that cannot be compared: Dollars, or the accelerator whose
	// seconds they are; "" where nothing is known of them.
	Unit         string
	Hour         price.Dollars // of one accelerator, with Dollars
	Accelerators int           // that work together, of all replicas; 0 for a hosted model
	Hosted       price.Price   // of tokens, with Dollars and no accelerators
}

// Dollars is the unit of money.
const Dollars = "USD"

// Capacity is how many developers can type at a time until the budgets break.
type Capacity struct {
	Developers int    // most of whom no run broke a budget; 0 for none
	Outside    int    // fewest of whom one did; 0 where none did
	Why        string // it is not known; "" where it is
}

// run reports whether a cell has all its runs, and takes part.
func (f *Frontier) run(c *Cell) bool {
	return c.Impossible == "" && !c.Beside && f.Told(c)
}

// Told reports whether a cell has all its runs.
func (f *Frontier) Told(c *Cell) bool { return len(c.Runs) == f.Repeats && f.Repeats > 0 }

// per1000 returns what a run costs for 1,000 keys, where that is known.
func (r *Rate) per1000(f *Figures) (cost float64, known bool) {
	if f.Keys == 0 || r.Unit == "" {
		return 0, false
	}
	thousands := float64(f.Keys) / 1000
	seconds := f.Busy.Seconds() * float64(r.Accelerators)
	switch {
	case r.Unit == Dollars && r.Accelerators == 0:
		return r.Hosted.Of(f.Tokens).USD() / thousands, true
	case r.Unit == Dollars:
		return r.Hour.USD() / 3600 * seconds / thousands, true
	}
	return seconds / thousands, true
}

// Sum is what a cell's runs tell together. What is not known is NaN; of times it is
// pipeline.Unknown.
type Sum struct {
	Inside, Useful, Flashes float64 // shares
	P50, P95                time.Duration
	RequestsPerKey          float64
	Wasted                  float64 // tokens for each useful answer
	WastedPrompt            float64
	WastedOutput            float64
	Cost                    float64 // for 1,000 keys, in the unit of the cell's rate
	Seconds                 float64 // of accelerators for 1,000 keys
	Saved                   float64 // characters for 1,000 keys
	Keys, Opportunities     int
}

// Sum adds a cell's runs up: shares and rates are of all of them together.
func (c *Cell) Sum() (s Sum) {
	var whole Figures
	for i := range c.Runs {
		whole.add(&c.Runs[i])
	}
	slices.Sort(whole.First)
	cost := aim{of: func(c *Cell, r *Figures) (float64, bool) { return c.Rate.per1000(r) }}
	accelerators := Rate{Unit: "seconds", Accelerators: c.Rate.Accelerators}
	return Sum{
		Inside: orNaN(whole.Inside.Value()), Useful: orNaN(whole.Useful.Value()), Flashes: orNaN(whole.Flashes.Value()),
		P50: whole.First.Quantile(quantile.P50), P95: whole.First.Quantile(quantile.P95),
		RequestsPerKey: orNaN(whole.perKey(whole.Requests)), Cost: orNaN(cost.mean(c)), Saved: 1000 * orNaN(whole.perKey(whole.Saved)),
		Seconds: orNaN(accelerators.per1000(&whole)),
		Wasted:  orNaN(whole.wasted()), WastedPrompt: orNaN(whole.forUseful(whole.WastedPrompt)), WastedOutput: orNaN(whole.forUseful(whole.WastedOutput)),
		Keys: whole.Keys, Opportunities: whole.Opportunities,
	}
}

func orNaN(v float64, known bool) float64 {
	if !known {
		return math.NaN()
	}
	return v
}

func (f *Figures) add(o *Figures) {
	f.Keys, f.Opportunities, f.Requests = f.Keys+o.Keys, f.Opportunities+o.Opportunities, f.Requests+o.Requests
	for _, x := range []struct{ to, from *ghost.Share }{{&f.Inside, &o.Inside}, {&f.Useful, &o.Useful}, {&f.Flashes, &o.Flashes}} {
		x.to.N, x.to.Of = x.to.N+x.from.N, x.to.Of+x.from.Of
	}
	f.First = append(f.First, o.First...)
	f.UsefulAnswers += o.UsefulAnswers
	f.WastedPrompt, f.WastedOutput = f.WastedPrompt+o.WastedPrompt, f.WastedOutput+o.WastedOutput
	f.Accepted, f.Saved, f.Busy = f.Accepted+o.Accepted, f.Saved+o.Saved, f.Busy+o.Busy
}

// Known reports whether a time is one.
func Known(d time.Duration) bool { return d != pipeline.Unknown }

// Missed returns what the runs of a cell do not hold, each budget once: of several runs it is
// of the one that misses it the most, and of one that could not measure it only where none
// misses it.
func (c *Cell) Missed() (all []Missed) {
	for i := range c.Runs {
		for _, m := range c.Runs[i].Missed {
			m.Runs, m.Of = 1, len(c.Runs)
			if at := slices.IndexFunc(all, func(o Missed) bool { return o.Budget == m.Budget }); at >= 0 {
				all[at] = all[at].and(m)
				continue
			}
			all = append(all, m)
		}
	}
	return all
}

// Holds reports whether every run holds every budget.
func (c *Cell) Holds() bool { return len(c.Missed()) == 0 }

// held counts the runs that hold every budget.
func (c *Cell) held() (n int) {
	for i := range c.Runs {
		if len(c.Runs[i].Missed) == 0 {
			n++
		}
	}
	return n
}

// Name writes the settings of a cell in one line.
func (f *Frontier) Name(c *Cell) string {
	parts := make([]string, len(c.Values))
	for i, v := range c.Values {
		parts[i] = f.Names[i] + " " + v
	}
	return strings.Join(parts, ", ")
}
