package dist

import (
	"math"
	"testing"
	"time"
)

// With sigma pi/sqrt(3)/2 the scale is 1/2: the quantile at u is the median times
// the root of u/(1-u).
func TestLogLogistic(t *testing.T) {
	half := math.Pi / math.Sqrt(3) / 2
	d := LogLogistic(math.Log(90), half)
	for q, want := range map[float64]time.Duration{0: 0, .1: 30 * ms, .5: 90 * ms, .9: 270 * ms, 1: Longest} {
		if got := d.Quantile(q); got != want {
			t.Errorf("quantile %v = %s, want %s", q, got, want)
		}
	}
	if got, want := d.Mean(), time.Duration(math.Round(90e6*math.Pi/2)); got != want {
		t.Errorf("mean = %s, want the median times pi/2, %s", got, want)
	}
	if got := LogLogistic(math.Log(90), 2*half).Mean(); got != Longest {
		t.Errorf("mean at scale 1 = %s, want none: %s", got, Longest)
	}
	if got, want := d.String(), "{loglogistic: {p50: 90ms, p95: 392.300905ms}}"; got != want {
		t.Errorf("String() = %s, want %s", got, want)
	}
	if LogLogistic(math.Log(90), 0) != LogNormal(math.Log(90), 0) {
		t.Error("without spread it is not constant")
	}
}

// Between bounds a quantile is that of the whole distribution, over what is left,
// and the mean is that of the quantiles.
func TestLogLogisticTruncated(t *testing.T) {
	d := must(LogLogistic(math.Log(90), math.Pi/math.Sqrt(3)/2).Truncate(30*ms, 270*ms))                   // keeps .1 to .9
	for q, want := range map[float64]time.Duration{0: 30 * ms, .5: 90 * ms, .875: 180 * ms, 1: 270 * ms} { // .8 of the whole
		if got := d.Quantile(q); (got - want).Abs() > 1 {
			t.Errorf("quantile %v = %s, want %s", q, got, want)
		}
	}
	const n = 100_000
	var sum float64
	for i := range n {
		sum += float64(d.Quantile((float64(i) + .5) / n))
	}
	if got, want := float64(d.Mean()), sum/n; math.Abs(got/want-1) > 1e-8 {
		t.Errorf("mean = %v, want that of its quantiles, %v", got, want)
	}
}
