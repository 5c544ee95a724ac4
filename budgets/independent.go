package budgets

import (
	"cmp"
	"slices"

	"halfsecond/pipeline/quantile"
)

// InTime returns the places of the run's interactions, in the order in which they were due.
func (a *Analysis) InTime() []int {
	traces, order := a.Run.Traces, make([]int, len(a.Run.Traces))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		x, y := &traces[i], &traces[j]
		return cmp.Or(cmp.Compare(x.Due, y.Due), cmp.Compare(x.Session, y.Session), cmp.Compare(x.Index, y.Index))
	})
	return order
}

// ofShare finds the 95 % interval of a share: Wilson's, of as many members as are independent of
// each other. Those of one session hang together, or of neighbours in time as far as these resemble
// each other: in how they land, or in whether they are inside. There is none of a share that has
// one value for the whole run, nor of parts that are all alike: only of what is inside or not is
// it known how far it could vary.
func (j *Judgement) ofShare(a *Analysis) {
	if !j.HasValue || j.Unit() != Share || j.Budget.Metric.whole || j.Budget.Function != ShareWhere && j.Budget.Function != Mean {
		return
	}
	order, parts := a.InTime(), a.Split(j.Budget.Metric)
	sessions, members := make([]int, len(order)), make([][]float64, len(order))
	for i, at := range order {
		sessions[i], members[i] = a.Run.Traces[at].Session, j.Budget.members(&parts[at])
	}
	plan := quantile.BySession(sessions, func() int {
		return max(quantile.BlockLength(a.landings(order)), quantile.BlockLength(means(members)))
	})
	if n, known := plan.Independent(members); known || j.Value == 0 || j.Value == 1 {
		j.wilson(n)
	}
}

// wilson sets the interval of a share of so many independent members.
func (j *Judgement) wilson(independent float64) {
	low, high := quantile.Proportion{Share: j.Value, N: independent}.Wilson(.95)
	j.Low, j.High = min(low, j.Value), max(high, j.Value) // rounding may put a bound of 0 or 1 beside it
	j.HasInterval, j.Independent = true, independent
}

// landings returns the values that interactions land with, in an order.
func (a *Analysis) landings(order []int) (values []float64) {
	for _, at := range order {
		t := &a.Run.Traces[at]
		if v, s := okOnly(t.Outcome)(a.kind.of(t)); s == present {
			values = append(values, v)
		}
	}
	return values
}

// means returns the mean of each member that has values.
func means(members [][]float64) (all []float64) {
	for _, values := range members {
		if v, ok := quantile.Mean(values); ok {
			all = append(all, v)
		}
	}
	return all
}
