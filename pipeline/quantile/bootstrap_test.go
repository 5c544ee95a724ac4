package quantile

import (
	"math"
	"slices"
	"testing"

	"halfsecond/pipeline/dist"
)

// A sample in which members occur as often as they were drawn has the quantiles of the
// values written out.
func TestRedrawn(t *testing.T) {
	s := NewSample([][]float64{{40}, nil, {10, 30}, {20}})
	if got := s.Values(); !slices.Equal(got, []float64{10, 20, 30, 40}) {
		t.Errorf("Values() = %v", got)
	}
	p25 := Q(250_000_000)
	for _, c := range []struct {
		times []int32
		want  []float64
		mean  float64
	}{
		{[]int32{1, 1, 1, 1}, []float64{10, 20, 40}, 25},
		{[]int32{0, 9, 2, 0}, []float64{10, 10, 30}, 20},      // 10 10 30 30
		{[]int32{3, 0, 0, 1}, []float64{20, 40, 40}, 35},      // 20 40 40 40
		{[]int32{0, 0, 1, 3}, []float64{20, 20, 30}, 20},      // 10 20 20 20 30: ranks 2, 3, 5
		{[]int32{0, 0, 0, 1}, []float64{20, 20, 20}, 20},      // 20
		{[]int32{2, 0, 2, 0}, []float64{10, 30, 40}, 80 / 3.}, // 10 10 30 30 40 40
	} {
		got := make([]float64, 3)
		if ok := s.Redrawn(c.times, []Q{p25, P50, P95}, got); !ok || !slices.Equal(got, c.want) {
			t.Errorf("Redrawn(%v) = %v, %v, want %v", c.times, got, ok, c.want)
		}
		if mean, ok := s.RedrawnMean(c.times); !ok || math.Abs(mean-c.mean) > 1e-12 {
			t.Errorf("RedrawnMean(%v) = %v, %v, want %v", c.times, mean, ok, c.mean)
		}
	}
	none := []int32{0, 5, 0, 0}
	if s.Redrawn(none, []Q{P50}, make([]float64, 1)) {
		t.Error("quantiles of no values")
	}
	if _, ok := s.RedrawnMean(none); ok {
		t.Error("mean of no values")
	}
}

// What is drawn together stays together, and every member is drawn once on average.
func TestDraw(t *testing.T) {
	const n, draws = 12, 20_000
	groups := ByGroup([]int{7, 7, 7, 7, 1, 1, 1, 1, 3, 3, 3, 3})
	for _, c := range []struct {
		name     string
		plan     Plan
		together [][2]int // members that are always drawn equally often
	}{
		{"one by one", ByBlock(n, 1), nil},
		{"blocks", ByBlock(n, 5), nil},
		{"one block", ByBlock(n, 99), [][2]int{{0, 5}, {3, 11}}},
		{"groups", groups, [][2]int{{0, 3}, {4, 7}, {8, 11}}},
	} {
		random := dist.Stream(3, c.name)
		times, sum := make([]int32, n), make([]int, n)
		for range draws {
			c.plan.Draw(&random, times)
			total := 0
			for i, k := range times {
				sum[i] += int(k)
				total += int(k)
			}
			if total != n {
				t.Fatalf("%s: drew %d of %d", c.name, total, n)
			}
			for _, pair := range c.together {
				if times[pair[0]] != times[pair[1]] {
					t.Fatalf("%s: %v: %d and %d are not drawn together", c.name, times, pair[0], pair[1])
				}
			}
		}
		for i, s := range sum {
			if mean := float64(s) / draws; math.Abs(mean-1) > .05 {
				t.Errorf("%s: member %d is drawn %.3f times on average, want 1", c.name, i, mean)
			}
		}
	}
}

// Sessions are drawn whole where there are twenty of them, and one has several members.
func TestBySession(t *testing.T) {
	sessions := func(n, each int) (all []int) {
		for i := range n * each {
			all = append(all, i%n)
		}
		return all
	}
	for _, c := range []struct {
		sessions       []int
		groups, length int
	}{{sessions(20, 2), 20, 0}, {sessions(19, 3), 0, 4}, {sessions(40, 1), 0, 4}, {append(sessions(40, 1), 7), 40, 0}, {nil, 0, 1}} {
		p := BySession(c.sessions, func() int { return 4 })
		if p.Groups() != c.groups || p.Length() != c.length || p.Members() != len(c.sessions) {
			t.Errorf("%d members: %d groups, blocks of %d; want %d, %d", len(c.sessions), p.Groups(), p.Length(), c.groups, c.length)
		}
	}
}

func TestDrawIsSeeded(t *testing.T) {
	plan := ByBlock(100, 3)
	drawn := func(seed uint64) []int32 {
		random, times := dist.Stream(seed, "draw"), make([]int32, 100)
		plan.Draw(&random, times)
		return times
	}
	if !slices.Equal(drawn(1), drawn(1)) {
		t.Error("one seed draws two ways")
	}
	if slices.Equal(drawn(1), drawn(2)) {
		t.Error("two seeds draw alike")
	}
}

// Of 9,999 figures the 250th from either end bound the middle 95 %.
func TestCentral(t *testing.T) {
	figures := make([]float64, 9999)
	for i := range figures {
		figures[i] = float64(len(figures) - i)
	}
	for share, want := range map[float64][2]float64{.95: {250, 9750}, .99: {50, 9950}, .5: {2500, 7500}} {
		if low, high := Central(figures, share); low != want[0] || high != want[1] {
			t.Errorf("Central(1..9999, %v) = %v, %v, want %v", share, low, high, want)
		}
	}
	if low, high := Central([]float64{3, 1, 2}, .95); low != 1 || high != 3 {
		t.Errorf("Central of three = %v, %v, want 1, 3", low, high)
	}
}

func TestIntervalNeeds(t *testing.T) {
	for _, c := range []struct {
		q          Q
		confidence float64
		want       int
	}{{P50, .95, 6}, {P90, .95, 36}, {P95, .95, 72}, {P99, .95, 368}, {P95, .99, 104}} {
		if got := IntervalNeeds(c.q, c.confidence); got != c.want {
			t.Errorf("IntervalNeeds(%v, %v) = %d, want %d", c.q, c.confidence, got, c.want)
		}
		for n := c.want - 1; n <= c.want; n++ {
			if _, _, ok := Interval(n, c.q, c.confidence); ok != (n == c.want) {
				t.Errorf("Interval(%d, %v, %v) exists: %v", n, c.q, c.confidence, ok)
			}
		}
	}
}

func BenchmarkRedraw(b *testing.B) {
	const n = 1000
	values := make([]float64, n)
	random := dist.Stream(1, "values")
	for i := range values {
		values[i] = random.Float64()
	}
	s, plan, times, into := single(values), ByBlock(n, 4), make([]int32, n), make([]float64, 4)
	b.ReportAllocs()
	for b.Loop() {
		plan.Draw(&random, times)
		s.Redrawn(times, []Q{P50, P90, P95, P99}, into)
	}
}
