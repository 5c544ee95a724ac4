package quality

import "testing"

// A difference is told of where its interval does not hold none, and unknown where either
// figure has no interval.
func TestAgainst(t *testing.T) {
	of := func(low, value, high float64) Estimate { return Estimate{value, true, low, high, true} }
	for _, c := range []struct {
		a, b  Estimate
		want  Gap
		tells bool
	}{
		{of(7, 10, 14), of(26, 30, 33), Gap{20, 14.34314575050762, 24.242640687119284, true}, true}, // hypot(4, 4), hypot(3, 3)
		{of(26, 30, 33), of(7, 10, 14), Gap{-20, -24.242640687119284, -14.34314575050762, true}, true},
		{of(7, 10, 14), of(8, 12, 15), Gap{2, -3.6568542494923806, 6.242640687119286, true}, false},
	} {
		if got := Against(c.a, c.b); got != c.want || got.Tells() != c.tells {
			t.Errorf("%+v against %+v: %+v (tells %v), want %+v", c.a, c.b, got, got.Tells(), c.want)
		}
	}
	if g := Against(of(1, 2, 3), Estimate{Value: 9, Known: true}); g.Known || g.Tells() {
		t.Errorf("without an interval: %+v", g)
	}
}
