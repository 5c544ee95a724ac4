package dist

import (
	"math"
	"testing"
)

func TestCounts(t *testing.T) {
	reply, err := CountFromQuantiles(60, 140)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name         string
		count        Count
		p0, p50, p95 int
		mean         float64
		spread       bool
		text         string
	}{
		{"zero value", Count{}, 1, 1, 1, 1, false, "1"},
		{"constant", ConstantCount(1200), 1200, 1200, 1200, 1200, false, "1200"},
		{"log-normal", reply, 1, 60, 140, 60 * math.Exp(math.Pow(math.Log(140./60)/1.6448536269514722, 2)/2), true, "{p50: 60, p95: 140}"},
		{"uniform", UniformCount(1, 20), 1, 10, 19, 10.5, true, "{uniform: [1, 20]}"},
		{"exponential", ExponentialCount(100), 1, 69, 300, 100, true, "{exponential: 100}"},
	} {
		if p0, p50, p95 := c.count.Quantile(0), c.count.Quantile(.5), c.count.Quantile(.95); p0 != c.p0 || p50 != c.p50 || p95 != c.p95 {
			t.Errorf("%s: p0, p50, p95 = %d, %d, %d, want %d, %d, %d", c.name, p0, p50, p95, c.p0, c.p50, c.p95)
		}
		if got := c.count.Mean(); math.Abs(got-c.mean) > 1e-9*c.mean {
			t.Errorf("%s: mean = %v, want %v", c.name, got, c.mean)
		}
		if got := c.count.Spread(); got != c.spread {
			t.Errorf("%s: spread = %t, want %t", c.name, got, c.spread)
		}
		if got := c.count.String(); got != c.text {
			t.Errorf("%s: %s, want %s", c.name, got, c.text)
		}
	}
}

// A die: each face within 4.4 standard errors.
func TestUniformCountIsFair(t *testing.T) {
	const n = 60_000
	die, r := UniformCount(1, 6), Stream(1, "die")
	var faces [7]float64
	for range n {
		faces[die.Draw(&r)]++
	}
	for v := 1; v <= 6; v++ {
		if sd := math.Sqrt(n * 5. / 36); math.Abs(faces[v]-n/6) > 4.4*sd {
			t.Errorf("%d came %v times of %d, want %d within %.0f", v, faces[v], n, n/6, 4.4*sd)
		}
	}
}

func TestCountIsAtLeastOne(t *testing.T) {
	c, r := ExponentialCount(1), Stream(1, "small")
	for range 1000 {
		if got := c.Draw(&r); got < 1 {
			t.Fatalf("Draw() = %d, want 1 or more", got)
		}
	}
}

func TestCountFromQuantilesRefuses(t *testing.T) {
	for _, c := range []struct {
		p50, p95 int
		want     string
	}{
		{0, 5, "p50 is 0: it must be at least 1"},
		{6, 5, "p95 5 is below p50 6"},
	} {
		if _, err := CountFromQuantiles(c.p50, c.p95); err == nil || err.Error() != c.want {
			t.Errorf("CountFromQuantiles(%d, %d): error %v, want %q", c.p50, c.p95, err, c.want)
		}
	}
	if got, err := CountFromQuantiles(7, 7); err != nil || got != ConstantCount(7) {
		t.Errorf("CountFromQuantiles(7, 7) = %v, %v, want 7", got, err)
	}
}
