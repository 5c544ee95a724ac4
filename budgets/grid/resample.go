package grid

import (
	"slices"

	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/quantile"
)

// Estimate is a figure made of medians of cells. Where a sample varies, Low to High
// is the interval that holds 95 % of the figures that samples drawn again give
// (percentile bootstrap, within each cell), if requests are independent of each
// other; with fewer than about ten values a cell it is narrower than it should be.
// Where none varies there is no interval: the figure is exact.
type Estimate struct {
	Value, Low, High float64
	Varies           bool
}

// resamples is how often the samples are drawn again: enough for the 2.5 % tails to
// hold 50 figures each.
const resamples = 2000

const (
	lowTail  quantile.Q = 25_000_000
	highTail quantile.Q = 975_000_000
)

// estimate returns the figure of the samples' medians. Each sample has one.
func (g *Grid) estimate(samples []Sample, figure func(medians []float64) float64) Estimate {
	medians := make([]float64, len(samples))
	for i, s := range samples {
		medians[i], _ = s.Median()
	}
	e := Estimate{Value: figure(medians)}
	e.Low, e.High = e.Value, e.Value
	if e.Varies = slices.ContainsFunc(samples, Sample.Varies); !e.Varies {
		return e
	}
	random := dist.Stream(g.seed, "grid/resample")
	var drawn []int
	figures := make([]float64, resamples)
	for i := range figures {
		for j, s := range samples {
			if s.Varies() {
				medians[j], drawn = redrawn(s, &random, drawn)
			}
		}
		figures[i] = figure(medians)
	}
	slices.Sort(figures)
	e.Low, _ = quantile.OfSorted(figures, lowTail)
	e.High, _ = quantile.OfSorted(figures, highTail)
	return e
}

// redrawn returns the median of as many values drawn from the sample with
// replacement. It counts how often each is drawn, in a buffer that it hands back.
func redrawn(s Sample, random *dist.Rand, times []int) (float64, []int) {
	times = slices.Grow(times[:0], len(s))[:len(s)]
	clear(times)
	for range s {
		times[random.IntN(len(s))]++
	}
	at := 0
	for left := quantile.P50.Rank(len(s)) - times[0]; left > 0; left -= times[at] {
		at++
	}
	return s[at], times
}
