package ghost

import (
	"slices"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// Times are durations of one kind, ascending.
type Times []time.Duration

// timesOf sorts durations, without those that are unknown.
func timesOf(all []time.Duration) Times {
	all = slices.DeleteFunc(all, func(d time.Duration) bool { return d == pipeline.Unknown })
	slices.Sort(all)
	return all
}

// Quantile returns the q-quantile; Unknown where there are too few.
func (t Times) Quantile(q quantile.Q) time.Duration {
	if v, ok := quantile.OfSorted(t, q); ok {
		return v
	}
	return pipeline.Unknown
}

// Sum adds them up.
func (t Times) Sum() (sum time.Duration) {
	for _, d := range t {
		sum += d
	}
	return sum
}

// Mean returns their mean, rounded to a nanosecond; Unknown where there are none.
func (t Times) Mean() time.Duration {
	if len(t) == 0 {
		return pipeline.Unknown
	}
	return (t.Sum() + time.Duration(len(t))/2) / time.Duration(len(t))
}

// Count is how many of something there were, by name.
type Count struct {
	Name string
	N    int
}

// counts gathers counts, in the order of their names where so many are alike.
type counts map[string]int

// Most returns how many there are of each name, the largest first.
func Most(of map[string]int) []Count { return counts(of).most() }

// most returns them, the largest first.
func (c counts) most() (all []Count) {
	for name, n := range c {
		all = append(all, Count{name, n})
	}
	slices.SortFunc(all, func(a, b Count) int {
		if a.N != b.N {
			return b.N - a.N
		}
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return all
}

// Share is a part of a whole.
type Share struct{ N, Of int }

// Value returns the share, 0 to 1; ok is false of nothing.
func (s Share) Value() (v float64, ok bool) {
	if s.Of == 0 {
		return 0, false
	}
	return float64(s.N) / float64(s.Of), true
}
