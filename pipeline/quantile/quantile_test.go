package quantile

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/montanaflynn/stats"
)

func TestRank(t *testing.T) {
	p999, _ := Percent("99.9")
	tests := []struct {
		q    Q
		n    int
		want int
	}{
		{P95, 20, 19}, {P95, 21, 20}, {P95, 100, 95}, {P95, 1_000_000, 950_000},
		{P50, 2, 1}, {P50, 3, 2}, {P50, 100, 50}, {P99, 100, 99}, {P99, 101, 100},
		{p999, 1000, 999}, {p999, 1001, 1000}, {P95, 1, 1}, {P95, 0, 0},
	}
	for _, test := range tests {
		if got := test.q.Rank(test.n); got != test.want {
			t.Errorf("%v.Rank(%d) = %d, want %d", test.q, test.n, got, test.want)
		}
	}
}

// The rank of every percentile with one decimal equals the one that exact
// fractions give.
func TestRankIsExact(t *testing.T) {
	for tenths := int64(1); tenths < 1000; tenths++ {
		q := Q(tenths * 1_000_000)
		for n := 1; n <= 2000; n += 37 {
			r := new(big.Rat).Mul(big.NewRat(tenths, 1000), big.NewRat(int64(n), 1))
			want := new(big.Int).Div(new(big.Int).Add(r.Num(), new(big.Int).Sub(r.Denom(), big.NewInt(1))), r.Denom())
			if got := q.Rank(n); int64(got) != want.Int64() {
				t.Fatalf("%v.Rank(%d) = %d, want %v", q, n, got, want)
			}
		}
	}
}

func TestNeeds(t *testing.T) {
	p999, _ := Percent("99.9")
	p10, _ := Percent("10")
	for q, want := range map[Q]int{P50: 2, P95: 20, P99: 100, p999: 1000, p10: 2} {
		if got := q.Needs(); got != want {
			t.Errorf("%v.Needs() = %d, want %d", q, got, want)
		}
	}
}

func TestOfRefusesTooFew(t *testing.T) {
	values := make([]time.Duration, 20)
	for i := range values {
		values[i] = time.Duration(20-i) * time.Millisecond
	}
	before := slices.Clone(values)
	if v, ok := Of(values, P95); v != 19*time.Millisecond || !ok {
		t.Errorf("Of(20 values, p95) = %v, %v, want 19ms, true", v, ok)
	}
	if v, ok := Of(values[:19], P95); ok {
		t.Errorf("Of(19 values, p95) = %v, %v, want it refused", v, ok)
	}
	if !slices.Equal(values, before) {
		t.Error("Of changed its argument")
	}
}

func TestPercent(t *testing.T) {
	good := map[string]Q{
		"95": P95, "50": P50, "50.0": P50, "99.9": 999_000_000, "0.0000001": 1, "99.9999999": 999_999_999,
	}
	for text, want := range good {
		if q, err := Percent(text); q != want || err != nil {
			t.Errorf("Percent(%q) = %d, %v, want %d", text, q, err, want)
		}
	}
	for _, text := range []string{"", "0", "100", "-5", "+5", "95%", "9e1", "99.99999999", "1.2.3", "99999999999999999999"} {
		if q, err := Percent(text); err == nil {
			t.Errorf("Percent(%q) = %v, want an error", text, q)
		}
	}
}

func TestString(t *testing.T) {
	for q, want := range map[Q]string{P50: "p50", P95: "p95", 999_000_000: "p99.9", 900_000_000: "p90", 1: "p0.0000001"} {
		if got := q.String(); got != want {
			t.Errorf("Q(%d) = %q, want %q", int64(q), got, want)
		}
	}
}

// "pXX <= b" and "at least XX % are <= b" are the same statement.
func TestQuantileAgreesWithShare(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		values := make([]time.Duration, 1+rng.IntN(60))
		for i := range values {
			values[i] = time.Duration(rng.IntN(40))
		}
		q, limit := Q(rng.Int64N(99)+1)*10_000_000, time.Duration(rng.IntN(40))
		v, ok := Of(values, q)
		if !ok {
			continue
		}
		inside := 0
		for _, v := range values {
			if v <= limit {
				inside++
			}
		}
		if share := int64(inside)*int64(one) >= int64(q)*int64(len(values)); share != (v <= limit) {
			t.Fatalf("%v of %v = %v against %v, but %d are inside", q, values, v, limit, inside)
		}
	}
}

// A percentile that is exact in floating point agrees with another library's
// nearest rank.
func TestOfAgreesWithAnotherLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := 4; n < 300; n++ {
		values := make([]float64, n)
		for i := range values {
			values[i] = rng.NormFloat64()
		}
		for _, percent := range []string{"25", "50", "75"} {
			q, _ := Percent(percent)
			got, _ := Of(values, q)
			want, _ := stats.PercentileNearestRank(values, float64(q)/1e7)
			if got != want {
				t.Errorf("Of(%d values, %v) = %v, want %v", n, q, got, want)
			}
		}
		mean, _ := Mean(values)
		if want, _ := stats.Mean(values); mean != want {
			t.Errorf("Mean of %d values = %v, want %v", n, mean, want)
		}
	}
}

func TestMeanOfNone(t *testing.T) {
	if m, ok := Mean([]time.Duration{}); ok {
		t.Errorf("Mean of nothing = %v, want it refused", m)
	}
}

func ExampleOf() {
	replies := []time.Duration{410 * time.Millisecond, 395 * time.Millisecond, 640 * time.Millisecond}
	median, ok := Of(replies, P50)
	fmt.Println(median, ok)
	_, ok = Of(replies, P95)
	fmt.Println(ok, "it takes", P95.Needs())
	// Output:
	// 410ms true
	// false it takes 20
}
