package arrival

import (
	"math"
	"testing"
	"time"

	"halfsecond/pipeline/dist"
)

// From 0/s to 10/s over 10 s the integral is t^2/2, and 50 at the end: request i is due
// at sqrt(2i) seconds, and after that every 100 ms. The others are as simple by hand.
func TestEvenRampIsExact(t *testing.T) {
	up := func(i int) float64 {
		if i <= 50 {
			return math.Sqrt(2 * float64(i))
		}
		return 10 + float64(i-50)/10
	}
	// From 8/s to 2/s over 4 s: 8t - 3t^2/4 = i, 20 at the end.
	down := func(i int) float64 {
		if i >= 20 {
			return 4 + float64(i-20)/2
		}
		return (8 - math.Sqrt(64-3*float64(i))) / 1.5
	}
	level := func(i int) float64 { return float64(i) / 4 }
	for name, c := range map[string]struct {
		slope Slope
		want  func(i int) float64
	}{
		"up":    {Slope{0, 10, 10 * time.Second, true}, up},
		"down":  {Slope{8, 2, 4 * time.Second, true}, down},
		"level": {Slope{4, 4, 3 * time.Second, true}, level},
	} {
		due := Ramp(c.slope).Due(dist.Stream(1, ""))
		for i := range 200 {
			want := time.Duration(math.Round(c.want(i) * 1e9))
			if got := due.Next(); max(got-want, want-got) > 1 { // the last bit of two ways to a root
				t.Errorf("%s: request %d is due at %d, want %d", name, i, got, want)
			}
		}
	}
}

// A random ramp is the even one with the sums of exponential gaps in place of whole
// numbers.
func TestRandomRampStretchesPoisson(t *testing.T) {
	s := Slope{From: 1, To: 9, Over: 5 * time.Second}
	due, r := Ramp(s).Due(dist.Stream(7, "a")), dist.Stream(7, "a")
	sum := 0.
	for i := range 300 {
		sum -= math.Log(r.Float64())
		if got, want := due.Next(), s.at(sum); got != want {
			t.Fatalf("request %d is due at %d, want %d", i, got, want)
		}
	}
}

// Counts of a random ramp in a span are Poisson about the integral of the rate there.
func TestRandomRampCounts(t *testing.T) {
	const times = 4000
	s := Slope{From: 2, To: 10, Over: 4 * time.Second}
	for _, c := range []struct{ from, to, mean float64 }{{0, 1, 3}, {2, 4, 16}, {4, 6, 20}} {
		sum, squares := 0., 0.
		for seed := range uint64(times) {
			due, n := Ramp(s).Due(dist.Stream(seed, "ramp")), 0.
			for at := due.Next(); at.Seconds() < c.to; at = due.Next() {
				if at.Seconds() >= c.from {
					n++
				}
			}
			sum += n / times
			squares += (n - c.mean) * (n - c.mean) / times
		}
		if limit := 4.4 * math.Sqrt(c.mean/times); math.Abs(sum-c.mean) > limit {
			t.Errorf("%g s to %g s: %g requests, want %g within %g", c.from, c.to, sum, c.mean, limit)
		}
		if limit := 4.4 * math.Sqrt((c.mean+2*c.mean*c.mean)/times); math.Abs(squares-c.mean) > limit {
			t.Errorf("%g s to %g s: variance %g, want %g within %g", c.from, c.to, squares, c.mean, limit)
		}
	}
}
