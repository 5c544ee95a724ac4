package fit

import (
	"math"
	"slices"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// Times describes some spans of time: their mean and, by nearest rank, their median
// and 90th percentile, which are pipeline.Unknown when there are too few.
type Times struct {
	N                 int
	Mean, Median, P90 time.Duration
}

func timesOf(spans []time.Duration) Times {
	t := Times{N: len(spans), Mean: pipeline.Unknown, Median: pipeline.Unknown, P90: pipeline.Unknown}
	if mean, ok := quantile.Mean(spans); ok {
		t.Mean = time.Duration(math.Round(mean))
	}
	sorted := slices.Sorted(slices.Values(spans))
	if v, ok := quantile.OfSorted(sorted, quantile.P50); ok {
		t.Median = v
	}
	if v, ok := quantile.OfSorted(sorted, p90); ok {
		t.P90 = v
	}
	return t
}

// Compared is one kind of time of a run, as measured and as simulated.
type Compared struct {
	Name                string // "ttft", "tpot" or "latency"
	Measured, Simulated Times
	// PerRequest holds the simulated time of each request over its measured one, less
	// one, in the order of the run; NaN for one without.
	PerRequest []float64
}

// MeanError returns the simulated mean over the measured one, less one.
func (c Compared) MeanError() float64 { return relative(c.Simulated.Mean, c.Measured.Mean) }

// Errors returns the mean and, by nearest rank, the median and the 90th percentile of
// the absolute errors of single requests; a percentile of too few is NaN.
func (c Compared) Errors() (mean, median, worst float64) {
	var absolute []float64
	for _, e := range c.PerRequest {
		if !math.IsNaN(e) {
			absolute = append(absolute, math.Abs(e))
		}
	}
	slices.Sort(absolute)
	mean, median, worst = math.NaN(), math.NaN(), math.NaN()
	if v, ok := quantile.Mean(absolute); ok {
		mean = v
	}
	if v, ok := quantile.OfSorted(absolute, quantile.P50); ok {
		median = v
	}
	if v, ok := quantile.OfSorted(absolute, p90); ok {
		worst = v
	}
	return mean, median, worst
}

// relative returns a over b, less one; NaN when either is unknown.
func relative(a, b time.Duration) float64 {
	if a == pipeline.Unknown || b == pipeline.Unknown {
		return math.NaN()
	}
	return float64(a)/float64(b) - 1
}

// kinds are the times of a request that are compared, in the order of a report.
var kinds = []struct {
	name  string
	phase Phase // "" when it is of neither alone
	of    func(Timed) time.Duration
}{
	{"ttft", Prefill, Timed.TTFT}, {"tpot", Decode, Timed.TPOT}, {"latency", "", Timed.Latency},
}

// Compare sets the times of a replay beside those that were measured; the two have
// the same requests in the same order.
func Compare(measured, simulated []Timed) []Compared {
	var out []Compared
	for _, k := range kinds {
		c := Compared{Name: k.name}
		var m, s []time.Duration
		for i := range measured {
			a, b := k.of(measured[i]), k.of(simulated[i])
			c.PerRequest = append(c.PerRequest, relative(b, a))
			if a != pipeline.Unknown {
				m, s = append(m, a), append(s, b)
			}
		}
		c.Measured, c.Simulated = timesOf(m), timesOf(s)
		out = append(out, c)
	}
	return out
}
