package versus

import (
	"slices"
	"strings"

	"halfsecond/budgets"
)

// Under returns the run as one that was judged by the budgets of an analysis, which may be
// others than its own: a baseline keeps those that its scenario had. What these are about
// decides, and goodput counts what keeps their limit. Where the baseline's goodput is of
// another metric, or it has none, nobody knows what that limit would have counted: it is then
// as it was, and a comparison says that it does not compare it.
func (r *Run) Under(a *budgets.Analysis) *Run {
	out := *r
	out.Series = slices.Clone(r.Series)
	judged := judgedMetrics(a)
	for i := range out.Series {
		s := &out.Series[i]
		if s.Name != Goodput && (s.Role == Judged || judged[s.Name]) {
			s.Role = roleOf(a, budgets.Metric{Name: s.Name}, judged)
		}
	}
	if m, limit, ok := a.Good(); ok {
		out.limit(m, limit)
	}
	return &out
}

// limit counts goodput by another limit of the same metric.
func (r *Run) limit(m budgets.Metric, limit budgets.Limit) {
	good := r.series(Goodput)
	name, _, _ := strings.Cut(r.Limit, " ")
	if good == nil || name != m.Name {
		return
	}
	values, parts := r.series(m.Name), make([]budgets.Pool, len(good.Values))
	for i := range parts {
		parts[i].Population = len(good.Values[i])
		if values != nil {
			parts[i].Values = values.Values[i]
		}
	}
	*good = goodput(m, limit, parts)
	r.Limit = m.Name + " " + limit.String()
}
