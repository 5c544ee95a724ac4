package quantile

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// The ranks for a median are tabulated in textbooks on order statistics:
// 40 and 61 of 100, 6 and 15 of 20.
func TestInterval(t *testing.T) {
	tests := []struct {
		n         int
		q         Q
		low, high int
		ok        bool
	}{
		{100, P50, 40, 61, true},
		{20, P50, 6, 15, true},
		{6, P50, 1, 6, true},
		{5, P50, 0, 6, false},
		{20, P95, 17, 21, false},
		{0, P50, 0, 0, false},
	}
	for _, test := range tests {
		low, high, ok := Interval(test.n, test.q, 0.95)
		if low != test.low || high != test.high || ok != test.ok {
			t.Errorf("Interval(%d, %v, 0.95) = %d, %d, %v, want %d, %d, %v",
				test.n, test.q, low, high, ok, test.low, test.high, test.ok)
		}
	}
}

// Both ranks are the closest ones whose tails, summed in exact fractions, stay
// within half of what the confidence leaves.
func TestIntervalIsTightest(t *testing.T) {
	for _, n := range []int{1, 2, 19, 59, 100, 137, 250} {
		for _, percent := range []int64{10, 50, 95, 99} {
			q := Q(percent * 10_000_000)
			low, high, _ := Interval(n, q, 0.95)
			for _, check := range []struct {
				name string
				got  float64
				in   bool
			}{
				{"P(B < low)", cumulative(n, percent, low-1), true},
				{"P(B < low+1)", cumulative(n, percent, low), false},
				{"P(B >= high)", 1 - cumulative(n, percent, high-1), true},
				{"P(B >= high-1)", 1 - cumulative(n, percent, high-2), false},
			} {
				if in := check.got <= 0.025; in != check.in {
					t.Errorf("n = %d, %v, ranks %d and %d: %s = %v", n, q, low, high, check.name, check.got)
				}
			}
		}
	}
}

// cumulative returns P(B <= k) for binomial(n, percent/100).
func cumulative(n int, percent int64, k int) float64 {
	sum := new(big.Int)
	for i := 0; i <= k && i <= n; i++ {
		term := new(big.Int).Binomial(int64(n), int64(i))
		term.Mul(term, new(big.Int).Exp(big.NewInt(percent), big.NewInt(int64(i)), nil))
		term.Mul(term, new(big.Int).Exp(big.NewInt(100-percent), big.NewInt(int64(n-i)), nil))
		sum.Add(sum, term)
	}
	all := new(big.Int).Exp(big.NewInt(100), big.NewInt(int64(n)), nil)
	p, _ := new(big.Rat).SetFrac(sum, all).Float64()
	return p
}

func TestIntervalCoversTheTruth(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, runs = 200, 4000
	low, high, ok := Interval(n, P95, 0.95)
	if !ok {
		t.Fatal("no interval for 200 samples")
	}
	covered := 0
	for range runs {
		values := make([]float64, n)
		for i := range values {
			values[i] = rng.ExpFloat64()
		}
		slices.Sort(values)
		truth := -math.Log(0.05)
		if values[low-1] <= truth && truth <= values[high-1] {
			covered++
		}
	}
	if share := float64(covered) / runs; share < 0.94 {
		t.Errorf("the interval covers the true p95 in %.3f of the runs, want 0.95 or more", share)
	}
}

func BenchmarkInterval(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Interval(100_000, P95, 0.95)
	}
}
