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
}

// State is how soon replies land, and how often the agent cuts in.
type State struct {
	P50, P95 time.Duration // pipeline.Unknown where there are too few turns
	CutIn    float64       // share of turns; meaningless unless CutInKnown
	// CutInKnown is false where no turn's pauses are known.
	CutInKnown bool
}

// At returns a percentile of the latency: the p95, or the p50 for any other.
func (s State) At(q quantile.Q) time.Duration {
	if q == quantile.P95 {
		return s.P95
	}
	return s.P50
}

// Best is the best that this stack reaches with several changes together, none of which
// has it cut in more often than now.
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

// Ranked returns the changes by the percentile of latency that they would bring, the best
// first. Of equals the one that cuts in less often comes first.
func (c *Changes) Ranked(q quantile.Q) []Change {
	return slices.SortedStableFunc(slices.Values(c.All), func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Would.at(q), b.Would.at(q)), cmp.Compare(a.Would.CutIn, b.Would.CutIn))
	})
}

// at is At with what is unknown behind everything else.
func (s State) at(q quantile.Q) time.Duration {
	if d := s.At(q); d != pipeline.Unknown {
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
