package dist

import (
	"fmt"
	"math"
	"time"
)

// Longest is the longest duration that a Dist holds or draws, about 104 days.
// Up to here a nanosecond count is exact in a float64, and a thousand draws
// added up stay far from the end of a time.Duration.
const Longest = time.Duration(1 << 53)

type shape uint8

const (
	constant    shape = iota // a
	lognormal                // median a, sigma b
	uniform                  // a to b, both included
	exponential              // mean a
	loglogistic              // median a, scale of the logarithm b
	measured                 // any of those that were measured
)

// Dist is a distribution of durations of zero or more, in whole nanoseconds. The zero Dist
// is always zero. It is a value: two that are made alike are equal under ==, and
// any number of goroutines may draw from one, each with its own Rand.
type Dist struct {
	shape shape
	a, b  float64 // nanoseconds, but for sigma
	// A truncated Dist draws from lo to hi: the share below of the whole
	// distribution lies under lo, the share above over hi. hi 0 means that it is
	// not truncated.
	lo, hi       time.Duration
	below, above float64

	sorted string // what was measured, ascending, packed: equal lists are equal
}

// Constant returns the distribution that is always d. It panics when d is
// negative or beyond Longest.
func Constant(d time.Duration) Dist {
	return Dist{shape: constant, a: nanoseconds(d)}
}

// LogNormal returns the log-normal distribution whose logarithm in milliseconds
// has mean mu and standard deviation sigma: its median is exp(mu) ms. It panics
// when sigma is negative or the median is beyond Longest.
func LogNormal(mu, sigma float64) Dist {
	median := math.Exp(mu) * float64(time.Millisecond)
	if !(sigma >= 0) || math.IsInf(sigma, 0) || !(median <= float64(Longest)) {
		panic(fmt.Sprintf("dist: LogNormal(%v, %v) out of range", mu, sigma))
	}
	if sigma == 0 {
		return Dist{shape: constant, a: math.Round(median)}
	}
	return Dist{shape: lognormal, a: median, b: sigma}
}

// LogLogistic returns the log-logistic distribution whose logarithm in milliseconds
// is logistic with mean mu and standard deviation sigma: its median is exp(mu) ms,
// as that of LogNormal, its tails are heavier. It panics when sigma is negative or
// the median is beyond Longest.
func LogLogistic(mu, sigma float64) Dist {
	d := LogNormal(mu, sigma)
	if d.shape == lognormal {
		d.shape, d.b = loglogistic, sigma*math.Sqrt(3)/math.Pi
	}
	return d
}

// FromQuantiles returns the log-normal distribution with that median and that
// 95th percentile: sigma = ln(p95/p50) / 1.645. The median is met exactly, the
// 95th percentile to the nanosecond up to an hour and to a part in 10^13 beyond.
// It is constant when the two are equal. It is an error when p50 is not above
// zero, p95 is below p50, or p95 is beyond Longest.
func FromQuantiles(p50, p95 time.Duration) (Dist, error) {
	switch {
	case p50 <= 0:
		return Dist{}, fmt.Errorf("p50 is %s: it must be above zero", p50)
	case p95 < p50:
		return Dist{}, fmt.Errorf("p95 %s is below p50 %s", p95, p50)
	case p95 > Longest:
		return Dist{}, fmt.Errorf("p95 %s is beyond the longest duration %s", p95, Longest)
	case p95 == p50:
		return Constant(p50), nil
	}
	return fit(p50, p95), nil
}

// fit assumes 0 < p50 < p95 <= Longest.
func fit(p50, p95 time.Duration) Dist {
	sigma := math.Log(float64(p95)/float64(p50)) / probit(.95)
	return Dist{shape: lognormal, a: float64(p50), b: sigma}
}

// Uniform returns the distribution of the durations from a to b, both included, each
// nanosecond equally likely. It panics unless 0 <= a <= b <= Longest.
func Uniform(a, b time.Duration) Dist {
	lo, hi := nanoseconds(a), nanoseconds(b)
	if hi < lo {
		panic(fmt.Sprintf("dist: Uniform from %s down to %s", a, b))
	}
	if hi == lo {
		return Constant(a)
	}
	return Dist{shape: uniform, a: lo, b: hi}
}

// Exponential returns the exponential distribution with that mean. It panics
// when mean is negative or beyond Longest.
func Exponential(mean time.Duration) Dist {
	if mean == 0 {
		return Dist{}
	}
	return Dist{shape: exponential, a: nanoseconds(mean)}
}

// PoissonGap returns the distribution of the gaps of a Poisson process with that
// many events a second: exponential, with a mean of 1/rate that need not be a
// whole number of nanoseconds. It panics unless rate is above zero and its mean
// gap at most Longest.
func PoissonGap(rate float64) Dist {
	mean := float64(time.Second) / rate
	if !(rate > 0) || !(mean <= float64(Longest)) {
		panic(fmt.Sprintf("dist: PoissonGap(%v) out of range", rate))
	}
	return Dist{shape: exponential, a: mean}
}

// Draw returns one duration and takes one number from r. A larger number from
// the stream always gives a longer duration, so that two distributions drawn
// from equal streams can be compared draw by draw.
func (d Dist) Draw(r *Rand) time.Duration {
	if d.shape == constant {
		r.Uint64()
		return time.Duration(d.a)
	}
	return d.at(r.Float64())
}

// Quantile returns the duration that the share q of draws does not exceed. It is
// the shortest one for q <= 0 and the longest for q >= 1, which is Longest where
// the distribution has no end.
func (d Dist) Quantile(q float64) time.Duration {
	return d.at(max(0, min(1, q)))
}

// at returns the duration at share u of the distribution, rounded to the
// nearest nanosecond.
func (d Dist) at(u float64) time.Duration {
	switch d.shape {
	case constant:
		return time.Duration(d.a)
	case uniform:
		n := math.Ceil(u*(d.b-d.a+1)) - 1
		return time.Duration(d.a + max(0, min(n, d.b-d.a)))
	case measured:
		return d.ofMeasured(u)
	}
	t := round(d.whole(d.below + u*(1-d.below-d.above)))
	if d.hi > 0 {
		t = max(d.lo, min(t, d.hi))
	}
	return t
}

// whole returns the duration in nanoseconds at share u of a distribution that has
// no end, before truncation.
func (d Dist) whole(u float64) float64 {
	switch d.shape {
	case exponential:
		return -d.a * math.Log1p(-u)
	case loglogistic:
		return d.a * math.Exp(d.b*(math.Log(u)-math.Log1p(-u)))
	}
	return d.a * math.Exp(d.b*probit(u))
}

// Mean returns the mean, to the nearest nanosecond and at most Longest.
func (d Dist) Mean() time.Duration { return round(d.mean()) }

// Spread reports whether two draws can differ.
func (d Dist) Spread() bool { return d.shape != constant }

// String returns the distribution as scenario files write it: "180ms",
// "{p50: 2.4s, p95: 6s}", "{uniform: [1s, 2s]}", "{exponential: 2s}" or "{waits: [1s, 3s]}". Scenario files do
// not know one that is log-logistic, nor the bounds of one that is truncated.
func (d Dist) String() string {
	return d.text(func(t time.Duration) string { return t.String() })
}

func (d Dist) text(unit func(time.Duration) string) string {
	if d.hi > 0 {
		whole := Dist{shape: d.shape, a: d.a, b: d.b}
		return fmt.Sprintf("%s between %s and %s", whole.text(unit), unit(d.lo), unit(d.hi))
	}
	switch d.shape {
	case lognormal:
		return fmt.Sprintf("{p50: %s, p95: %s}", unit(d.Quantile(.5)), unit(d.Quantile(.95)))
	case loglogistic:
		return fmt.Sprintf("{loglogistic: {p50: %s, p95: %s}}", unit(d.Quantile(.5)), unit(d.Quantile(.95)))
	case uniform:
		return fmt.Sprintf("{uniform: [%s, %s]}", unit(d.Quantile(0)), unit(d.Quantile(1)))
	case exponential:
		return fmt.Sprintf("{exponential: %s}", unit(d.Mean()))
	case measured:
		return fmt.Sprintf("{waits: [%s]}", d.list(unit))
	}
	return unit(time.Duration(d.a))
}

// probit returns the standard normal's quantile at share u: minus infinity at 0,
// 0 at .5, 1.645 at .95.
func probit(u float64) float64 { return math.Sqrt2 * math.Erfinv(2*u-1) }

// round returns the duration nearest to x nanoseconds, at most Longest.
func round(x float64) time.Duration {
	return time.Duration(math.Round(min(x, float64(Longest))))
}

// nanoseconds panics when d is no duration that a Dist can hold.
func nanoseconds(d time.Duration) float64 {
	if d < 0 || d > Longest {
		panic(fmt.Sprintf("dist: duration %s is not within 0 to %s", d, Longest))
	}
	return float64(d)
}
