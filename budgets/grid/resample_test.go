package grid

import "testing"

func ascending(n int) Sample {
	var s Sample
	for i := range n {
		s = append(s, float64(i+1))
	}
	return s
}

func first(medians []float64) float64 { return medians[0] }

// The median of 20 drawn from 1..20 is at most k when 10 or more are: by the
// binomial distribution that is 1.4 % of the time for 5, 4.8 for 6, 94.7 for 13 and
// 98.3 for 14.
func TestEstimateOfAMedian(t *testing.T) {
	e := (&Grid{seed: 1}).estimate([]Sample{ascending(20)}, first)
	if want := (Estimate{10, 6, 14, true}); e != want {
		t.Errorf("estimate = %+v, want %+v", e, want)
	}
}

func TestEstimateIsSeeded(t *testing.T) {
	many := []Sample{ascending(40), ascending(31)}
	ratio := func(m []float64) float64 { return m[0] / m[1] }
	a, b := (&Grid{seed: 3}).estimate(many, ratio), (&Grid{seed: 3}).estimate(many, ratio)
	if a != b {
		t.Errorf("one seed gives %+v and %+v", a, b)
	}
	if a.Low >= a.Value || a.High <= a.Value {
		t.Errorf("estimate %+v does not hold its value", a)
	}
}

func TestEstimateWithoutSpread(t *testing.T) {
	calls := 0
	e := (&Grid{}).estimate([]Sample{{5, 5, 5}, {2, 2}}, func(m []float64) float64 { calls++; return m[0] - m[1] })
	if want := (Estimate{Value: 3, Low: 3, High: 3}); e != want || calls != 1 {
		t.Errorf("estimate = %+v after %d calls, want %+v after one", e, calls, want)
	}
}

func TestSample(t *testing.T) {
	if _, ok := (Sample{1}).Median(); ok {
		t.Error("one value has a median")
	}
	if v, ok := ascending(4).Median(); !ok || v != 2 {
		t.Errorf("median of 1..4 = %v, want rank 2", v)
	}
	if (Sample{}).Varies() || (Sample{3, 3}).Varies() || !(Sample{3, 4}).Varies() {
		t.Error("Varies is not whether the values differ")
	}
}
