package dist

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Count is a distribution of whole numbers of one or more, such as tokens. It is
// a Dist whose nanoseconds are counted: what Dist says about values, equality
// and goroutines holds here too. The zero Count is always 1.
type Count struct{ dist Dist }

// ConstantCount returns the distribution that is always n. It panics when n is
// below 1.
func ConstantCount(n int) Count { return Count{Constant(atLeastOne(n))} }

// CountFromQuantiles returns the log-normal distribution with that median and
// that 95th percentile, rounded to whole numbers and at least 1. It is constant
// when the two are equal. It is an error when p50 is below 1 or p95 below p50.
func CountFromQuantiles(p50, p95 int) (Count, error) {
	switch {
	case p50 < 1:
		return Count{}, fmt.Errorf("p50 is %d: it must be at least 1", p50)
	case p95 < p50:
		return Count{}, fmt.Errorf("p95 %d is below p50 %d", p95, p50)
	case p95 == p50:
		return ConstantCount(p50), nil
	}
	return Count{fit(atLeastOne(p50), atLeastOne(p95))}, nil
}

// UniformCount returns the distribution of the numbers from a to b, both
// included, each equally likely. It panics unless 1 <= a <= b.
func UniformCount(a, b int) Count { return Count{Uniform(atLeastOne(a), atLeastOne(b))} }

// ExponentialCount returns the exponential distribution with that mean, rounded
// to whole numbers and at least 1. It panics when mean is below 1.
func ExponentialCount(mean int) Count { return Count{Exponential(atLeastOne(mean))} }

// Draw returns one number and takes one number from r.
func (c Count) Draw(r *Rand) int { return max(1, int(c.dist.Draw(r))) }

// Quantile returns the number that the share q of draws does not exceed.
func (c Count) Quantile(q float64) int { return max(1, int(c.dist.Quantile(q))) }

// Mean returns the mean, before the rounding to whole numbers of at least 1.
func (c Count) Mean() float64 { return math.Max(1, c.dist.mean()) }

// Spread reports whether two draws can differ.
func (c Count) Spread() bool { return c.dist.Spread() }

// String returns the distribution as scenario files write it: "1200",
// "{p50: 60, p95: 140}", "{uniform: [1, 9]}" or "{exponential: 60}".
func (c Count) String() string {
	return c.dist.text(func(t time.Duration) string {
		return strconv.FormatInt(max(1, int64(t)), 10)
	})
}

func atLeastOne(n int) time.Duration {
	if n < 1 {
		panic(fmt.Sprintf("dist: count of %d", n))
	}
	return time.Duration(n)
}
