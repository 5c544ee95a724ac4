package quantile

import "math"

// Interval returns the ranks, from 1, between which the true q-quantile lies
// with at least the given confidence (such as 0.95), whatever the distribution:
// the order-statistic interval. The number B of n independent samples below the
// true quantile is binomial(n, q), so that
//
//	P(x[low] <= quantile <= x[high]) >= 1 - P(B < low) - P(B >= high)
//
// and each of the two tails is kept at (1-confidence)/2 or less. ok is false
// when n is too small for a rank on either side to exist.
func Interval(n int, q Q, confidence float64) (low, high int, ok bool) {
	if n <= 0 {
		return 0, 0, false
	}
	tail := (1 - confidence) / 2
	first, mass := binomial(n, float64(q)/float64(one))
	low = first
	for below := mass[0]; below <= tail && low-first+1 < len(mass); below += mass[low-first] {
		low++
	}
	high = first + len(mass)
	for above := 0.0; high > first && above+mass[high-1-first] <= tail; high-- {
		above += mass[high-1-first]
	}
	return low, high, low >= 1 && high <= n
}

// IntervalNeeds returns the smallest n for which Interval finds both ranks: the true
// quantile has to be improbable, at half of what the confidence leaves, beyond either
// end of the sample. At 0.95 it is 6 for the median, 72 for p95 and 368 for p99.
func IntervalNeeds(q Q, confidence float64) int {
	share := float64(max(q, one-q)) / float64(one)
	n := max(1, int(math.Log((1-confidence)/2)/math.Log(share)))
	for {
		if _, _, ok := Interval(n, q, confidence); ok {
			return n
		}
		n++
	}
}

// binomial returns the probabilities of the counts first, first+1, ... of
// binomial(n, p), leaving out both far tails where they are below 1e-18. It walks away from
// the mode by the ratio of neighbours, so that it takes of the order of
// sqrt(n*p*(1-p)) steps.
func binomial(n int, p float64) (first int, mass []float64) {
	const negligible = 1e-18
	mode := min(int(float64(n+1)*p), n)
	peak := math.Exp(logChoose(n, mode) + float64(mode)*math.Log(p) + float64(n-mode)*math.Log1p(-p))
	odds := p / (1 - p)

	first = mode
	var left []float64
	for m := peak; first > 0; first-- {
		m *= float64(first) / float64(n-first+1) / odds
		if m < negligible {
			break
		}
		left = append(left, m)
	}
	for i := len(left) - 1; i >= 0; i-- {
		mass = append(mass, left[i])
	}
	mass = append(mass, peak)
	for k, m := mode, peak; k < n; k++ {
		m *= float64(n-k) / float64(k+1) * odds
		if m < negligible {
			break
		}
		mass = append(mass, m)
	}
	return first, mass
}

// logChoose returns ln(n! / (k! (n-k)!)).
func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
