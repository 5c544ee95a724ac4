package budgets

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// Changes are what other settings of a stack would bring. They are found by running the
// scenario again with each, and handed to a report.
type Changes struct {
	Metric string // whose values the latencies are: "reply"
	Aims   []Aim  // what is to get better, the first one first; never empty
	Now    State
	All    []Change
	Best   *Best // nil where nothing that is free of more cut-ins helps
	Turns  int   // of each run
}

// Change is one setting, or a few that go together, and what it would bring.
type Change struct {
	What string // in words: "trim the leading silence to 20 ms"
	Key  string // as a scenario file has it: "leading_silence: 20ms"
	Cost string // what it costs, or may cost, in words; empty for nothing known
	// Bolder is set for one that ends turns sooner: where the cut-in rate is not known, nor
	// is what it costs.
	Bolder bool
	Would  State
	Gain   Gain // of the first aim
}

// State is how soon replies land, how often the agent cuts in, and what becomes of aims and
// budgets.
type State struct {
	P50, P95 time.Duration // pipeline.Unknown where there are too few turns
	CutIn    Proportion    // of turns; meaningless unless CutInKnown
	// CutInKnown is false where no turn's pauses are known.
	CutInKnown bool
	Figures    []Figure // of each aim
	Budgets    []Kept   // the scenario's, in its order
}

// Kept is a budget with the value of its left side.
type Kept struct {
	Budget Budget
	Figure Figure
}

// Broken reports whether the value is outside the limit. One that is not known is not.
func (k Kept) Broken() bool { return k.Figure.Known && !k.Budget.Limit.Holds(k.Figure.Value) }

// StateOf returns the state of a run, with the aims and the budgets that are asked for.
func StateOf(a *Analysis, aims []Aim, all []Budget) State {
	s := State{P50: landingAt(a, quantile.P50), P95: landingAt(a, quantile.P95)}
	if c, ok := a.CutIns(); ok {
		s.CutIn, s.CutInKnown = c.Rate, true
	}
	for _, m := range aims {
		s.Figures = append(s.Figures, a.Figure(m.Budget))
	}
	for _, b := range all {
		s.Budgets = append(s.Budgets, Kept{b, a.Figure(b)})
	}
	return s
}

func landingAt(a *Analysis, q quantile.Q) time.Duration {
	if v, ok := a.Landing().Quantile(q); ok {
		return time.Duration(v)
	}
	return pipeline.Unknown
}

// At returns a percentile of the latency: the p95, or the p50 for any other.
func (s State) At(q quantile.Q) time.Duration {
	if q == quantile.P95 {
		return s.P95
	}
	return s.P50
}

// Figure returns that of an aim, unknown where there is none.
func (s State) Figure(aim int) Figure {
	if aim < len(s.Figures) {
		return s.Figures[aim]
	}
	return Figure{}
}

// Trades reports whether one percentile of the reply comes later after than before by more
// than the other comes sooner.
func (s State) Trades(after State) bool {
	if s.P50 == pipeline.Unknown || s.P95 == pipeline.Unknown || after.P50 == pipeline.Unknown || after.P95 == pipeline.Unknown {
		return false
	}
	median, tail := after.P50-s.P50, after.P95-s.P95
	return median+tail > 0 && min(median, tail) < 0
}

// Breaks returns the first budget that is kept before and not after, nil for none.
func (s State) Breaks(after State) *Budget {
	for i := range min(len(s.Budgets), len(after.Budgets)) {
		if !s.Budgets[i].Broken() && after.Budgets[i].Broken() {
			return &after.Budgets[i].Budget
		}
	}
	return nil
}

// CutsInMore reports whether the agent cuts in more often after than before; false where
// either is not known.
func (s State) CutsInMore(after State) bool {
	return s.CutInKnown && after.CutInKnown && after.CutIn.Value > s.CutIn.Value
}

// Best is the best that this stack reaches with several changes together, none of which
// has it cut in more often than now, or breaks a budget that it keeps.
type Best struct {
	Parts []Change // in the order of their being made, each with what came of it so far
	Would State
	Rest  []Part // what the median turn then still waits for, the longest first
}

// Part is what a stage takes of a turn's critical path.
type Part struct {
	Stage string
	Takes time.Duration
}

// Ranked returns the changes, what serves the first aim best first.
func (c *Changes) Ranked() []Change {
	return slices.SortedStableFunc(slices.Values(c.All), func(a, b Change) int { return c.Compare(0, a.Would, b.Would) })
}

// Compare orders two states by an aim, the better one first. Of a latency of the reply that
// is the lower one; of another figure one inside its limit, the sooner reply first, and then
// the better figure. Of equals the one with the lower p95, and then the one that cuts in less often, comes first.
func (c *Changes) Compare(aim int, a, b State) int {
	m, x, y := c.Aims[aim], a.Figure(aim), b.Figure(aim)
	byFigure := cmp.Compare(rankOf(x.Known), rankOf(y.Known))
	if x.Known && y.Known {
		byFigure = -cmp.Compare(m.Budget.better(y.Value, x.Value), 0)
	}
	if m.Budget.Metric.Name == c.Metric {
		return cmp.Or(byFigure, cmp.Compare(soonness(a.P95), soonness(b.P95)), cmp.Compare(a.CutIn.Value, b.CutIn.Value))
	}
	inside := cmp.Compare(rankOf(m.Inside(x)), rankOf(m.Inside(y)))
	soon := cmp.Or(cmp.Compare(soonness(a.P50), soonness(b.P50)), cmp.Compare(soonness(a.P95), soonness(b.P95)))
	if m.Inside(x) && m.Inside(y) {
		return cmp.Or(soon, byFigure)
	}
	return cmp.Or(inside, byFigure, soon)
}

// soonness is a latency with what is unknown behind everything else.
func soonness(d time.Duration) time.Duration {
	if d != pipeline.Unknown {
		return d
	}
	return 1<<63 - 1
}

// Words name the parts: "a; b; c".
func (b *Best) Words() string {
	words := make([]string, len(b.Parts))
	for i, p := range b.Parts {
		words[i] = p.What
	}
	return strings.Join(words, "; ")
}
