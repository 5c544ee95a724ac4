package quantile

import (
	"math"
	"math/rand/v2"
	"testing"
)

// autoregressive returns n values, each keeping the given part of the one before.
func autoregressive(n int, keeps float64, rng *rand.Rand) []float64 {
	values := make([]float64, n)
	x := rng.NormFloat64()
	for i := range values {
		values[i] = math.Exp(x) // heavy tailed, which ranks do not mind
		x = keeps*x + math.Sqrt(1-keeps*keeps)*rng.NormFloat64()
	}
	return values
}

// Independent values need no blocks, and the more a value keeps of the one before, the
// longer they are. For AR(1) the best length for the variance of a mean is known:
// (2 g^2 / (4/3 s^2) n)^(1/3) with g/s = 2k/(1-k^2), Politis and White's own formula.
func TestBlockLength(t *testing.T) {
	const n, runs = 1000, 200
	for _, c := range []struct {
		keeps, want, within float64
	}{{0, 1, .5}, {.3, 8.66, 2.5}, {.7, 22.5, 4}} {
		rng := rand.New(rand.NewPCG(1, 2))
		sum := 0.0
		for range runs {
			sum += float64(BlockLength(autoregressive(n, c.keeps, rng)))
		}
		if mean := sum / runs; math.Abs(mean-c.want) > c.within {
			t.Errorf("blocks for values that keep %v are %.2f long on average, want %.2f and at most %v from it", c.keeps, mean, c.want, c.within)
		}
	}
}

func TestBlockLengthOfLittle(t *testing.T) {
	rising := make([]float64, 400)
	for i := range rising {
		rising[i] = float64(i)
	}
	for _, c := range []struct {
		name   string
		series []float64
		want   int
	}{
		{"none", nil, 1}, {"few", rising[:19], 1}, {"constant", make([]float64, 400), 1},
		// R(k) stays near R(0) over all M = 25 lags: g/s = 2*182.3 / (1 + 2*18.75), and (1.5 (g/s)^2 400)^(1/3) = 37.7.
		{"a trend, which no block would hold", rising, 38},
	} {
		if got := BlockLength(c.series); got != c.want {
			t.Errorf("%s: BlockLength = %d, want %d", c.name, got, c.want)
		}
	}
}
