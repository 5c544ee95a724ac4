package dist

import (
	"fmt"
	"math"
	"time"
)

// Truncate returns the distribution given that the duration lies between from
// and to, both included: a draw outside is not moved to the edge, it does not
// happen. Bounds of an earlier Truncate stay in force. It is an error when less
// than a billionth of the distribution lies between the two, and it panics
// unless 0 <= from <= to <= Longest.
func (d Dist) Truncate(from, to time.Duration) (Dist, error) {
	if nanoseconds(to) < nanoseconds(from) {
		panic(fmt.Sprintf("dist: Truncate from %s down to %s", from, to))
	}
	lo, hi := d.bounds(from, to)
	if lo > hi {
		return Dist{}, fmt.Errorf("nothing of %s lies between %s and %s", d, from, to)
	}
	switch d.shape {
	case constant:
		return d, nil
	case uniform:
		return Uniform(lo, hi), nil
	case measured:
		return d.between(lo, hi)
	}
	below, above := d.under(float64(lo)), d.over(float64(hi))
	if lo == hi || 1-below-above < 1e-9 {
		return Dist{}, fmt.Errorf("nothing of %s lies between %s and %s", d, from, to)
	}
	return Dist{shape: d.shape, a: d.a, b: d.b, lo: lo, hi: hi, below: below, above: above}, nil
}

// bounds narrows from and to to the durations that d can draw.
func (d Dist) bounds(from, to time.Duration) (lo, hi time.Duration) {
	return max(from, d.at(0)), min(to, d.at(1))
}

// under returns the share of a whole distribution without an end that lies below x
// nanoseconds, and over the share above: each keeps its digits where it is small.
func (d Dist) under(x float64) float64 {
	switch d.shape {
	case exponential:
		return -math.Expm1(-x / d.a)
	case loglogistic:
		return logistic(math.Log(x/d.a) / d.b)
	}
	return normal(math.Log(x/d.a) / d.b)
}

func (d Dist) over(x float64) float64 {
	switch d.shape {
	case exponential:
		return math.Exp(-x / d.a)
	case loglogistic:
		return logistic(-math.Log(x/d.a) / d.b)
	}
	return normal(-math.Log(x/d.a) / d.b)
}

// logistic returns the share of a standard logistic that lies below z.
func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// normal returns the share of a standard normal that lies below z.
func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// mean returns the mean in nanoseconds.
func (d Dist) mean() float64 {
	kept := 1 - d.below - d.above
	switch d.shape {
	case uniform:
		return (d.a + d.b) / 2
	case measured:
		return d.meanMeasured()
	case lognormal:
		// The whole mean, times the share that the same bounds cut from a normal
		// moved by sigma, over the share they cut from the normal itself.
		moved := normal(probit(1-d.above)-d.b) - normal(probit(d.below)-d.b)
		return d.a * math.Exp(d.b*d.b/2) * moved / kept
	case loglogistic:
		return d.meanLogLogistic()
	case exponential:
		return d.a + (float64(d.lo)*(1-d.below)-float64(d.hi)*d.above)/kept
	}
	return d.a
}

// meanLogLogistic returns the mean of a log-logistic. Whole, it is the median times
// x / sin x with x = pi times the scale, and has none from scale 1 on. Between bounds
// there is no closed form: it is a times the integral of exp(b z) over the logistic
// density of z, by Simpson's rule, over the share that the bounds leave.
func (d Dist) meanLogLogistic() float64 {
	if d.hi == 0 {
		x := math.Pi * d.b
		if x >= math.Pi {
			return float64(Longest)
		}
		return d.a * x / math.Sin(x)
	}
	const steps = 2000
	from, to := max(math.Log(float64(d.lo)/d.a)/d.b, -700), math.Log(float64(d.hi)/d.a)/d.b
	width := (to - from) / steps
	var sum float64
	for i := range steps + 1 {
		z := from + float64(i)*width
		weight := [2]float64{2, 4}[i%2]
		if i == 0 || i == steps {
			weight = 1
		}
		sum += weight * math.Exp(d.b*z) * logistic(z) * logistic(-z)
	}
	return d.a * sum * width / 3 / (1 - d.below - d.above)
}
