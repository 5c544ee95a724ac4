package quantile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// The figures of Newcombe's own examples, method 10.
func TestMinus(t *testing.T) {
	for _, c := range []struct {
		x, n, y, m float64
		low, high  string
	}{
		{56, 70, 48, 80, "0.0524", "0.3339"},
		{9, 10, 3, 10, "0.1705", "0.8090"},
		{10, 10, 0, 20, "0.6791", "1.0000"},
		{10, 10, 0, 10, "0.6075", "1.0000"},
		{0, 10, 0, 10, "-0.2775", "0.2775"},
	} {
		low, high := Proportion{c.x / c.n, c.n}.Minus(Proportion{c.y / c.m, c.m}, 0, .95)
		if l, h := fmt.Sprintf("%.4f", low), fmt.Sprintf("%.4f", high); l != c.low || h != c.high {
			t.Errorf("%v/%v - %v/%v: %s to %s, want %s to %s", c.x, c.n, c.y, c.m, l, h, c.low, c.high)
		}
	}
}

// Two proportions of the same members: 35 of 50 and 30 of 50, of which 25 have both, so
// that their correlation is (25*10 - 10*5) / sqrt(35*15*30*20).
func TestMinusOfPairs(t *testing.T) {
	r := 200 / math.Sqrt(35*15*30*20)
	a, b := Proportion{.7, 50}, Proportion{.6, 50}
	low, high := a.Minus(b, r, .95)
	if l, h := fmt.Sprintf("%.4f", low), fmt.Sprintf("%.4f", high); l != "-0.0487" || h != "0.2423" {
		t.Errorf("%s to %s, want -0.0487 to 0.2423", l, h)
	}
}

// Wilson's interval of 0 of n reaches to z^2 / (n + z^2).
func TestWilson(t *testing.T) {
	low, high := Proportion{0, 100}.Wilson(.95)
	z := 1.959963984540054
	if want := z * z / (100 + z*z); low != 0 || math.Abs(high-want) > 1e-12 {
		t.Errorf("0 of 100: %v to %v, want 0 to %v", low, high, want)
	}
	low, high = Proportion{1, 100}.Wilson(.95)
	if want := 100 / (100 + z*z); high != 1 || math.Abs(low-want) > 1e-12 {
		t.Errorf("100 of 100: %v to %v, want %v to 1", low, high, want)
	}
}

func TestMinusCoverage(t *testing.T) {
	const runs, n = 4000, 150
	rng := rand.New(rand.NewPCG(3, 4))
	count := func(p float64) (k float64) {
		for range n {
			if rng.Float64() < p {
				k++
			}
		}
		return k
	}
	for _, p := range [][2]float64{{.9, .8}, {.99, .97}, {.5, .5}} {
		covered := 0
		for range runs {
			low, high := Proportion{count(p[1]) / n, n}.Minus(Proportion{count(p[0]) / n, n}, 0, .95)
			if truth := p[1] - p[0]; low <= truth && truth <= high {
				covered++
			}
		}
		if share := float64(covered) / runs; share < .94 {
			t.Errorf("%v: the interval holds the truth in %.3f, want .95", p, share)
		}
	}
}
