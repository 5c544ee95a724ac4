package arrival

import (
	"fmt"
	"math"
	"testing"
	"time"

	"halfsecond/pipeline/dist"
)

// gaps returns the first n gaps of a process.
func gaps(p Process, n int, seed uint64) []float64 {
	due, last := p.Due(dist.Stream(seed, "gaps")), time.Duration(0)
	out := make([]float64, n)
	for i := range out {
		at := due.Next()
		out[i], last = (at - last).Seconds(), at
	}
	return out
}

// Mean and variance must be 1/rate and 1/(rate^2 burstiness). The fourth central moment
// of a gamma distribution is (3 + 6/shape) variance^2, so that the standard error of the
// variance is sqrt((2 + 6/shape)/n) of it. The limits are 4.4 standard errors.
func TestGammaMoments(t *testing.T) {
	const rate, n = 20., 200_000
	for _, shape := range []float64{.1, .5, 1, 2.5, 40} {
		all := gaps(Gamma(rate, shape), n, 1)
		mean, variance := 0., 0.
		for _, g := range all {
			mean += g / n
		}
		for _, g := range all {
			variance += (g - mean) * (g - mean) / (n - 1)
		}
		want := 1 / (rate * rate * shape)
		if se := math.Sqrt(want / n); math.Abs(mean-1/rate) > 4.4*se {
			t.Errorf("mean gap at burstiness %g = %g s, want %g within %g", shape, mean, 1/rate, 4.4*se)
		}
		if se := want * math.Sqrt((2+6/shape)/n); math.Abs(variance-want) > 4.4*se {
			t.Errorf("variance at burstiness %g = %g, want %g within %g", shape, variance, want, 4.4*se)
		}
	}
}

// Where the distribution has a closed form, shares below a bound must be as it says:
// erf(sqrt(x)) of shape 1/2, 1 - exp(-x) of 1, 1 - (1+x) exp(-x) of 2, x in scales.
func TestGammaDistribution(t *testing.T) {
	const rate, n = 5., 100_000
	for _, c := range []struct {
		shape float64
		below func(x float64) float64
	}{
		{.5, func(x float64) float64 { return math.Erf(math.Sqrt(x)) }},
		{1, func(x float64) float64 { return 1 - math.Exp(-x) }},
		{2, func(x float64) float64 { return 1 - (1+x)*math.Exp(-x) }},
	} {
		all := gaps(Gamma(rate, c.shape), n, 2)
		for _, x := range []float64{.01, .2, 1, 3} {
			inside, want := 0., c.below(x)
			for _, g := range all {
				if g*rate*c.shape <= x {
					inside += 1. / n
				}
			}
			if limit := 4.4 * math.Sqrt(want*(1-want)/n); math.Abs(inside-want) > limit {
				t.Errorf("share of gaps of shape %g up to %g scales = %g, want %g within %g", c.shape, x, inside, want, limit)
			}
		}
	}
}

func TestGammaGolden(t *testing.T) {
	for _, c := range []struct {
		burstiness float64
		want       [3]time.Duration
	}{
		{.25, [3]time.Duration{440037070, 2598432072, 3092164193}},
		{4, [3]time.Duration{356159330, 1045360510, 1533932403}},
	} {
		due := Gamma(2, c.burstiness).Due(dist.Stream(1, "arrivals"))
		for i, want := range c.want {
			if got := due.Next(); got != want {
				t.Errorf("burstiness %g: request %d is due at %d, want %d", c.burstiness, i, got, want)
			}
		}
	}
}

func ExampleGamma() {
	due := Gamma(2, .25).Due(dist.Stream(1, "arrivals"))
	for range 3 {
		fmt.Println(due.Next().Round(time.Millisecond))
	}
	// Output:
	// 440ms
	// 2.598s
	// 3.092s
}
