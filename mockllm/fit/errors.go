package fit

import (
	"cmp"
	"math"
	"slices"

	"halfsecond/pipeline/quantile"
)

// Judged is a row beside its prediction.
type Judged struct {
	Row       Row
	Family    string  // the engine family that Row.Engine was taken as
	Predicted float64 // in the unit of the row
	// Seen says that the row is one of those that the constants were fitted on.
	Seen bool
	// Pooled says that one of the constants behind the prediction could not be fitted,
	// for none of the rows that were fitted depends on it: what holds for all of its
	// kind beforehand, its prior, took its place.
	Pooled bool
}

// Error returns predicted over measured, less one: above 0 when the prediction is
// the larger number.
func (j Judged) Error() float64 { return j.Predicted/j.Row.Value - 1 }

// Summary describes the errors of some rows, as shares: of the absolute percentage
// error the mean and, by nearest rank, the median and the 90th percentile; and the
// mean of the signed errors. What there are too few rows for is NaN.
type Summary struct {
	N                          int
	MeanAPE, MedianAPE, P90APE float64
	Bias                       float64
	Pooled                     int // rows whose Pooled is set
}

const p90 quantile.Q = 900_000_000

// Summarise returns the summary of some rows.
func Summarise(rows []Judged) Summary {
	s := Summary{N: len(rows)}
	var signed, absolute []float64
	for _, r := range rows {
		e := r.Error()
		signed, absolute = append(signed, e), append(absolute, math.Abs(e))
		if r.Pooled {
			s.Pooled++
		}
	}
	s.Bias = orNaN(quantile.Mean(signed))
	s.MeanAPE = orNaN(quantile.Mean(absolute))
	s.MedianAPE = orNaN(quantile.Of(absolute, quantile.P50))
	s.P90APE = orNaN(quantile.Of(absolute, p90))
	return s
}

func orNaN(v float64, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return v
}

// By returns the summaries of the rows that share a key, by that key.
func By(rows []Judged, key func(Judged) string) map[string]Summary {
	groups := map[string][]Judged{}
	for _, r := range rows {
		groups[key(r)] = append(groups[key(r)], r)
	}
	out := map[string]Summary{}
	for k, g := range groups {
		out[k] = Summarise(g)
	}
	return out
}

// Within returns the share of the rows, 0..1, whose absolute error is at most a share;
// NaN of none.
func Within(rows []Judged, share float64) float64 {
	n := 0
	for _, r := range rows {
		if math.Abs(r.Error()) <= share {
			n++
		}
	}
	return float64(n) / float64(len(rows))
}

// Worst returns the n rows, or all when there are fewer, with the largest absolute
// errors, the worst first and in the order of the file where they are equal.
func Worst(rows []Judged, n int) []Judged {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b Judged) int { return cmp.Compare(math.Abs(b.Error()), math.Abs(a.Error())) })
	return sorted[:min(n, len(sorted))]
}
