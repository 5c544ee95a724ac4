package quality

import (
	"testing"
	"time"

	"halfsecond/pipeline/quantile"
)

// A sample that is drawn once is the answers themselves, and one that is drawn again counts those
// of each member so many times.
func TestSample(t *testing.T) {
	base := Answer{For: 500 * time.Millisecond, Tokens: 20, Characters: 80, Useful: 40}
	all := alike(4, 1, base)
	s := NewSample([][]Answer{all[:1], nil, all[1:3], all[3:]})
	for _, c := range []struct {
		name  string
		times []int32
		want  float64
		known bool
	}{
		{"each once", nil, 2.5, true}, // 30 useful tokens in 2 + 10 s
		{"as often", []int32{1, 1, 1, 1}, 2.5, true},
		{"two of what parses", []int32{0, 1, 2, 1}, 20, true},   // 50 in 2.5 s
		{"the broken one", []int32{2, 1, 1, 0}, 20. / 22, true}, // 20 in 2 + 20 s
		{"none", []int32{0, 4, 0, 0}, 0, false},
	} {
		if got, known := s.Redrawn(c.times, 10*time.Second); known != c.known || known && !near(got, c.want) {
			t.Errorf("%s: %v, %v, want %v, %v", c.name, got, known, c.want, c.known)
		}
	}
	if got, known := s.Effective(10 * time.Second); !known || !near(got, Of(all, 10*time.Second, 1).Effective.Value) || s.N() != 4 {
		t.Errorf("%v of %d", got, s.N())
	}
}

// What was not seen is at the end of Wilson's interval of as many answers as are independent.
func TestBeyond(t *testing.T) {
	base := Answer{For: time.Second, Tokens: 40, Characters: 100, Useful: 50}
	const end = 3.841458820694124 / 23.841458820694124
	pairs := func(all []Answer) (of [][]Answer) {
		for i := 0; i < len(all); i += 2 {
			of = append(of, all[i:i+2])
		}
		return of
	}
	for _, c := range []struct {
		name    string
		answers []Answer
		plan    quantile.Plan
		want    float64
		ok      bool
	}{
		{"none is broken", alike(20, 0, base), quantile.ByBlock(10, 1), 20 * (1 - end) / (1 + 10*end), true},
		{"all are", alike(20, 20, base), quantile.ByBlock(10, 1), 20 * end / (1 + 10*(1-end)), true},
		{"groups", alike(80, 0, base), quantile.ByGroup(grouped(40, 2)), 20 * (1 - end) / (1 + 10*end), true},
		{"some are", alike(20, 3, base), quantile.ByBlock(10, 1), 0, false},
		{"untold", []Answer{{For: time.Second}, {For: time.Second}}, quantile.ByBlock(1, 1), 0, false},
	} {
		if got, ok := NewSample(pairs(c.answers)).Beyond(c.plan, 10*time.Second, .95); ok != c.ok || ok && !near(got, c.want) {
			t.Errorf("%s: %v, %v, want %v, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

// grouped labels n members, so many of each group.
func grouped(n, each int) (labels []int) {
	for i := range n {
		labels = append(labels, i/each)
	}
	return labels
}
