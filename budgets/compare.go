package budgets

import (
	"slices"

	"halfsecond/pipeline/quantile"
)

// Difference is how far one metric of two runs is apart, by its median.
type Difference struct {
	Metric Metric
	A, B   float64 // the medians, in the unit's base
	NA, NB int     // how many values each rests on
	// Known is false when either run has too few values; A and B are then
	// meaningless.
	Known bool
}

// By returns b - a.
func (d Difference) By() float64 { return d.B - d.A }

// Relative returns (b - a) / a, and whether there is such a number.
func (d Difference) Relative() (float64, bool) {
	return d.By() / d.A, d.Known && d.A != 0
}

// Compare returns how far run b is from run a, both of the same kind: the metric
// that interactions land with, and of their requests what counts from sent
// (service_ttft) and the pace (tpot).
func Compare(a, b *Analysis) []Difference {
	var out []Difference
	for _, name := range []string{a.kind.landing.Name, "service_ttft", pace} {
		pa, pb := a.Pool(name), b.Pool(name)
		if pb == nil || slices.ContainsFunc(out, func(d Difference) bool { return d.Metric.Name == name }) {
			continue
		}
		d := Difference{Metric: pa.Metric, NA: len(pa.Values), NB: len(pb.Values)}
		va, okA := pa.Quantile(quantile.P50)
		vb, okB := pb.Quantile(quantile.P50)
		d.A, d.B, d.Known = va, vb, okA && okB
		out = append(out, d)
	}
	return out
}
