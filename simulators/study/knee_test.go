package study

import (
	"math"
	"slices"
	"testing"

	"halfsecond/pipeline/dist"
)

// TestKneeIsBounded: below the lowest load that was stated nothing is tried, nor announced.
func TestKneeIsBounded(t *testing.T) {
	for _, c := range []struct {
		inside, outside float64
		settled         bool
	}{{3.5, 10, true}, {7, 10, true}, {1e-6, 1e-5, true}} {
		s := search{scale: scale{resolution: .1, lowest: 7}, try: system(c.inside, c.outside)}
		s.knee([]float64{7, 14})
		if low := s.tried[0].load; low < 7 || len(s.tried) > s.trials([]float64{7, 14}) || s.settled() != c.settled {
			t.Errorf("inside to %g: %g was tried, %d loads of %d announced, settled %t", c.inside, low, len(s.tried), s.trials([]float64{7, 14}), s.settled())
		}
	}
	free := scale{resolution: .1}
	if got, want := (scale{resolution: .1, lowest: 7}).trials([]float64{7, 14}), free.trials([]float64{7, 14})-mostHalvings; got != want {
		t.Errorf("%d loads announced, want %d", got, want)
	}
	if s := (search{scale: free, tried: []tried{{1, Inside}, {2, Outside}}}); s.settled() {
		t.Error("1 and 2 are no neighbours")
	}
}

// system is inside up to one load and outside from another, both included.
func system(inside, outside float64) func(float64) (Standing, after) {
	return func(load float64) (Standing, after) {
		switch {
		case load <= inside:
			return Inside, anything
		case load >= outside:
			return Outside, anything
		}
		return Unsure, anything
	}
}

func TestKneeIsFound(t *testing.T) {
	doubling := []float64{1, 2, 4, 8, 16, 32}
	for _, c := range []struct {
		name            string
		inside, outside float64
		loads           []float64
		whole           bool
		want            [2]bool // there is a low, a high
	}{
		{"sharp", 10, 10.0001, doubling, false, [2]bool{true, true}},
		{"a range that is unsure", 5, 14, doubling, false, [2]bool{true, true}},
		{"an unsure range within one step", 9, 9.3, doubling, false, [2]bool{true, true}},
		{"below all that were to be tried", .11, .2, doubling, false, [2]bool{true, true}},
		{"far below", 1e-6, 1e-5, doubling, false, [2]bool{false, true}},
		{"above all", 100, 101, doubling, false, [2]bool{true, false}},
		{"two loads far apart", 10, 11, []float64{1, 1000}, false, [2]bool{true, true}},
		{"users", 11, 12, doubling, true, [2]bool{true, true}},
		{"one user is too many", .5, 1, doubling, true, [2]bool{false, true}},
		{"never outside", 7, math.Inf(1), doubling, false, [2]bool{true, false}},
	} {
		s := search{scale: scale{whole: c.whole, resolution: .05}, try: system(c.inside, c.outside)}
		s.knee(c.loads)
		k := s.found()
		if (k.Low > 0) != c.want[0] || (k.High > 0) != c.want[1] {
			t.Errorf("%s: knee %+v", c.name, k)
			continue
		}
		// The truth lies between, and no farther than a neighbour away.
		if k.Low > c.inside || k.High > 0 && k.High < c.outside {
			t.Errorf("%s: knee %+v, but inside goes to %g and outside from %g", c.name, k, c.inside, c.outside)
		}
		next := s.tried[min(s.insiders(), len(s.tried)-1)].load
		if k.Low > 0 && k.High > 0 && !s.near(k.Low, next) {
			t.Errorf("%s: %g is inside and the next that was tried is %g", c.name, k.Low, next)
		}
		if n := len(s.tried); n > s.trials(c.loads) {
			t.Errorf("%s: %d loads were tried, at most %d were announced", c.name, n, s.trials(c.loads))
		}
	}
}

// TestKneeAboveAPowerOfTen: 10.01 is the next load of four digits above 10 and, by the last
// bit of a float, more than a thousandth above it; 10 and 10.01 have nothing between them.
func TestKneeAboveAPowerOfTen(t *testing.T) {
	for _, ten := range []float64{.1, 1, 10, 100, 1000} {
		s := search{scale: scale{resolution: .001}, try: system(1.0004*ten, 1.0006*ten)}
		next := rounded(1.001 * ten)
		if !s.near(ten, next) {
			t.Fatalf("%g and %g are no neighbours, with %g between them: no end", ten, next, s.between(ten, next))
		}
		s.knee([]float64{.5 * ten, ten, 2 * ten})
		if k, want := s.found(), (Knee{ten, next}); k != want || !s.settled() {
			t.Errorf("above %g: knee %+v, want %+v, settled %t", ten, k, want, s.settled())
		}
	}
}

// TestTrialsAreEnough: no search tries more loads than are announced, whatever comes of each
// of them, and some search tries them all.
func TestTrialsAreEnough(t *testing.T) {
	dice := dist.Stream(1, "loads and standings")
	all := 0
	for range 4_000 {
		s := scale{whole: dice.IntN(2) == 0, resolution: []float64{.001, .01, .05, .1, .5, 1}[dice.IntN(6)]}
		loads := []float64{float64(1 + dice.IntN(20))}
		for range dice.IntN(5) {
			last := loads[len(loads)-1]
			loads = append(loads, max(last+1, math.Floor(last*(1+2*dice.Float64()))))
		}
		if dice.IntN(2) == 0 {
			s.lowest = loads[0]
		}
		inside := loads[0] / 4 * math.Pow(4*loads[len(loads)-1]/loads[0], dice.Float64())
		try := system(inside, inside*(1+dice.Float64()/2))
		if dice.IntN(4) == 0 {
			try = func(float64) (Standing, after) { return Standing(dice.IntN(3)), anything }
		}
		f, most := search{scale: s, try: try}, s.trials(loads)
		if f.knee(loads); len(f.tried) > most {
			t.Fatalf("%+v from %v: %d loads tried, %d at most: %v", s, loads, len(f.tried), most, f.tried)
		} else if len(f.tried) == most {
			all++
		}
	}
	if all == 0 {
		t.Error("no search tries as many loads as are announced: that is too many")
	}
}

func TestKneeExactly(t *testing.T) {
	s := search{scale: scale{whole: true, resolution: .001}, try: system(11, 12)}
	s.knee([]float64{1, 2, 4, 8, 16, 32})
	if k := s.found(); k != (Knee{11, 12}) {
		t.Errorf("knee of 11 users %+v", k)
	}
	var order []float64
	s = search{scale: scale{whole: false, resolution: .05}, try: func(load float64) (Standing, after) {
		order = append(order, load)
		return system(10, 10.0001)(load)
	}}
	s.knee([]float64{4, 8, 16, 32})
	want := []float64{4, 8, 16, 11.31, 9.512, 10.37, 9.932}
	if k := s.found(); !slices.Equal(order, want) || k != (Knee{9.932, 10.37}) {
		t.Errorf("tried %v, knee %+v; want %v, {9.932 10.37}", order, k, want)
	}
}

// A collapse keeps loads above from being tried, an end all of them.
func TestSearchStops(t *testing.T) {
	var order []float64
	s := search{scale: scale{whole: false, resolution: .05}, try: func(load float64) (Standing, after) {
		order = append(order, load)
		if load >= 4 {
			return Outside, lower
		}
		return Inside, anything
	}}
	s.all([]float64{1, 2, 4, 8}, false)
	if want := []float64{1, 2, 4}; !slices.Equal(order, want) {
		t.Errorf("tried %v, want %v", order, want)
	}
	order = nil
	s = search{scale: scale{whole: false, resolution: .05}, try: func(load float64) (Standing, after) {
		order = append(order, load)
		return Inside, nothing
	}}
	s.knee([]float64{1, 2, 4, 8})
	if want := []float64{1}; !slices.Equal(order, want) || s.found() != (Knee{1, 0}) {
		t.Errorf("tried %v, want %v", order, want)
	}
}

// What is inside above something that is not does not count, nor the reverse.
func TestKneeIsCautious(t *testing.T) {
	s := search{tried: []tried{{1, Inside}, {2, Outside}, {3, Inside}, {4, Unsure}, {5, Outside}, {6, Outside}}}
	if k := s.found(); k != (Knee{1, 5}) {
		t.Errorf("knee %+v, want {1 5}", k)
	}
}
