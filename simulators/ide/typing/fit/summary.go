package fit

import (
	"slices"
	"time"

	"halfsecond/pipeline/quantile"
	"halfsecond/simulators/ide/typing"
)

// Watch is a source that keeps an account of what is done.
type Watch struct {
	typing.Source
	gaps   follower
	found  []time.Duration
	bursts []int // keys of each
	sum    Summary
}

// Next implements typing.Source.
func (w *Watch) Next() (typing.Step, bool) {
	s, ok := w.Source.Next()
	if !ok {
		return s, false
	}
	w.sum.Takes += s.Gap
	w.count(&s)
	if g, ok := w.gaps.gap(&s); ok {
		w.found = append(w.found, g.For)
	}
	return s, true
}

func (w *Watch) count(s *typing.Step) {
	switch s.Kind {
	case typing.Open:
		w.sum.Opens++
	case typing.Move:
		w.sum.Moves++
	case typing.Change:
		w.sum.Changes++
	case typing.Key:
		w.sum.Keys++
		if s.Class == typing.Backspace {
			w.sum.Backspaces++
		}
		if len(w.bursts) < s.Burst {
			w.bursts = append(w.bursts, 0)
		}
		if n := len(w.bursts); n > 0 {
			w.bursts[n-1]++
		}
	}
}

// Summary is what some typing was like.
type Summary struct {
	Takes                                   time.Duration // from the first step to the last
	Keys, Backspaces, Moves, Changes, Opens int
	Bursts                                  int
	BurstP50, BurstP90                      int           // keys; 0 with too few bursts to tell
	Gaps                                    int           // between keys that follow each other: see Gaps
	GapP50, GapP90                          time.Duration // 0 with too few gaps to tell
	Above                                   []Above
}

// Above is the share of the gaps that are longer than a debounce: 0 to 1.
type Above struct {
	Debounce time.Duration
	Share    float64
}

// debounces are those of plugins in use, and those between.
var debounces = []time.Duration{75 * time.Millisecond, 150 * time.Millisecond, 350 * time.Millisecond, 500 * time.Millisecond}

// Summary returns the account so far. Of no gaps there are no shares.
func (w *Watch) Summary() Summary {
	s := w.sum
	s.Bursts, s.Gaps = len(w.bursts), len(w.found)
	s.BurstP50, _ = quantile.Of(w.bursts, quantile.P50)
	s.BurstP90, _ = quantile.Of(w.bursts, quantile.P90)
	s.GapP50, _ = quantile.Of(w.found, quantile.P50)
	s.GapP90, _ = quantile.Of(w.found, quantile.P90)
	if s.Gaps == 0 {
		return s
	}
	sorted := slices.Sorted(slices.Values(w.found))
	for _, d := range debounces {
		under, _ := slices.BinarySearch(sorted, d+1)
		s.Above = append(s.Above, Above{d, float64(s.Gaps-under) / float64(s.Gaps)})
	}
	return s
}
