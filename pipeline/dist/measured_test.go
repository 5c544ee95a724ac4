package dist

import (
	"testing"
	"time"
)

// What was measured is drawn, each as often as it was; quantiles are nearest ranks.
func TestMeasured(t *testing.T) {
	const ms = time.Millisecond
	d, err := Measured([]time.Duration{30 * ms, 10 * ms, 20 * ms, 10 * ms})
	if err != nil {
		t.Fatal(err)
	}
	for q, want := range map[float64]time.Duration{0: 10 * ms, .25: 10 * ms, .5: 10 * ms, .51: 20 * ms, .75: 20 * ms, .76: 30 * ms, 1: 30 * ms} {
		if got := d.Quantile(q); got != want {
			t.Errorf("Quantile(%v) = %s, want %s", q, got, want)
		}
	}
	if d.Mean() != 17500*time.Microsecond || !d.Spread() || d.String() != "{waits: [10ms, 10ms, 20ms, 30ms]}" {
		t.Errorf("mean %s, spread %t, %s", d.Mean(), d.Spread(), d)
	}
	r, seen := Stream(1, "measured"), map[time.Duration]int{}
	for range 40_000 {
		seen[d.Draw(&r)]++
	}
	if len(seen) != 3 || seen[10*ms] < 19_600 || seen[10*ms] > 20_400 || seen[30*ms] < 9_700 || seen[30*ms] > 10_300 {
		t.Errorf("drawn %v of 40000, want half 10 ms, a quarter each 20 and 30", seen)
	}
	again, _ := Measured([]time.Duration{10 * ms, 10 * ms, 20 * ms, 30 * ms})
	if d != again {
		t.Error("two of the same durations are not equal")
	}
}

// A larger number from a stream never gives a shorter duration, and each draw takes one number.
func TestMeasuredDraws(t *testing.T) {
	d, _ := Measured([]time.Duration{3, 1, 2, 9, 40})
	a, b, c := Stream(7, "x"), Stream(7, "x"), Stream(7, "x")
	e := Exponential(time.Second)
	for range 1000 {
		short, long, u := d.Draw(&a), e.Draw(&b), c.Float64()
		if short != d.Quantile(u) || long != e.Quantile(u) {
			t.Fatalf("draws %d and %s at %v, want %d and %s", short, long, u, d.Quantile(u), e.Quantile(u))
		}
	}
}

func TestMeasuredBounds(t *testing.T) {
	d, _ := Measured([]time.Duration{1, 5, 9})
	for _, c := range []struct {
		from, to time.Duration
		want     string
	}{{2, 9, "{waits: [5ns, 9ns]}"}, {2, 8, "5ns"}, {0, 100, "{waits: [1ns, 5ns, 9ns]}"}} {
		if got, err := d.Truncate(c.from, c.to); err != nil || got.String() != c.want {
			t.Errorf("from %d to %d: %s, %v; want %s", c.from, c.to, got, err, c.want)
		}
	}
	if _, err := d.Truncate(6, 8); err == nil || err.Error() != "nothing of {waits: [1ns, 5ns, 9ns]} lies between 6ns and 8ns" {
		t.Errorf("between two of them: %v", err)
	}
	for _, all := range [][]time.Duration{nil, {-1, 1}, {1, Longest + 1}} {
		if d, err := Measured(all); err == nil {
			t.Errorf("%v: %s, want an error", all, d)
		}
	}
	if d, _ := Measured([]time.Duration{4, 4}); d != Constant(4) {
		t.Errorf("all alike: %s, want constant", d)
	}
}
