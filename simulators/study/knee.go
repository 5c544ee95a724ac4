package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Standing says on which side of the budgets a load is.
type Standing uint8

const (
	Inside  Standing = iota // every budget passed in every run
	Unsure                  // runs differ, or some could not be judged
	Outside                 // a budget failed in every run
)

// String returns the standing in a word.
func (s Standing) String() string { return [...]string{"inside", "unsure", "outside"}[s] }

// Knee is where a system leaves its budgets: the highest load inside lies between two
// loads.
type Knee struct {
	// Low is the highest load that is inside together with all that were tried below it.
	// High is the lowest one that is outside together with all that were tried above it.
	// 0 is none.
	Low, High float64
}

// scale says which loads there are, and which of them are next to each other.
type scale struct {
	whole      bool    // only whole numbers: users
	resolution float64 // how far apart neighbours are, as a share of the lower one
	lowest     float64 // no load below it is tried; 0 is no bound
}

// near reports whether nothing is to be tried between two loads: they are as close as they
// are to be, or no load lies between them. 10 and 10.01 are a thousandth apart and more in
// floats, whose middle is written as one of them.
func (s scale) near(low, high float64) bool {
	middle := s.between(low, high)
	return high <= low*(1+s.resolution) || middle <= low || middle >= high
}

// between returns the load in the middle of two, by ratio.
func (s scale) between(low, high float64) float64 {
	if s.whole {
		return min(max(math.Round(math.Sqrt(low*high)), low+1), high-1)
	}
	return rounded(math.Sqrt(low * high))
}

// half returns half a load, 0 when there is none.
func (s scale) half(load float64) float64 {
	half := rounded(load / 2)
	if s.whole {
		half = math.Floor(load / 2)
	}
	if half < s.lowest {
		return 0
	}
	return half
}

// digits is how many digits of a load there are, so that it is one that somebody would
// write. A resolution is coarser.
const digits = 4

func rounded(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		panic(fmt.Sprintf("study: load %g: %v", v, err))
	}
	return short
}

// after says what may be tried after a load.
type after uint8

const (
	anything after = iota
	lower          // it collapsed: loads above it only do harm
	nothing        // the whole has to end
)

// search tries loads and keeps what came of each.
type search struct {
	scale
	try   func(load float64) (Standing, after)
	tried []tried // ascending
	below float64 // only loads below are tried; 0 for any
	over  bool    // nothing more is tried
}

type tried struct {
	load     float64
	standing Standing
}

// at tries a load, unless it was tried already, and returns its standing. ok is false
// when it may not be tried any more.
func (s *search) at(load float64) (standing Standing, ok bool) {
	i, found := slices.BinarySearchFunc(s.tried, load, func(t tried, v float64) int { return cmp.Compare(t.load, v) })
	if found {
		return s.tried[i].standing, true
	}
	if s.over || s.below > 0 && load >= s.below {
		return Unsure, false
	}
	standing, then := s.try(load)
	s.tried = slices.Insert(s.tried, i, tried{load, standing})
	switch then {
	case lower:
		s.below = load
	case nothing:
		s.over = true
	}
	return standing, true
}

// all tries loads in ascending order, up to the first that is outside if that ends it.
func (s *search) all(loads []float64, toOutside bool) {
	for _, load := range loads {
		if standing, ok := s.at(load); !ok || toOutside && standing == Outside {
			return
		}
	}
}

// mostHalvings is how often the smallest load is halved in search of one that is inside.
const mostHalvings = 6

// knee finds the knee: loads in ascending order up to the first that is outside, half
// loads while none is inside and they are not below the lowest, then the middle between the highest inside and the next,
// and between the lowest outside and the one before, until they are neighbours.
func (s *search) knee(loads []float64) {
	s.all(loads, true)
	for range mostHalvings {
		if len(s.tried) == 0 || s.tried[0].standing == Inside {
			break
		}
		half := s.half(s.tried[0].load)
		if half <= 0 {
			break
		}
		if _, ok := s.at(half); !ok {
			break
		}
	}
	s.narrow(func() (int, bool) { return s.edge(Inside) })
	s.narrow(func() (int, bool) { return s.edge(Outside) })
}

// narrow tries the middle between two tried loads until they are neighbours; edge
// returns the place of the upper one.
func (s *search) narrow(edge func() (upper int, ok bool)) {
	for {
		i, ok := edge()
		if !ok || s.near(s.tried[i-1].load, s.tried[i].load) {
			return
		}
		if _, ok := s.at(s.between(s.tried[i-1].load, s.tried[i].load)); !ok {
			return
		}
	}
}

// edge returns the place of the first load that is not inside, all below it being so, or
// of the first one from which on all are outside; ok is false when there is nothing on
// one side of it.
func (s *search) edge(of Standing) (upper int, ok bool) {
	n := len(s.tried)
	if of == Inside {
		upper = s.insiders()
	} else {
		upper = n - s.outsiders()
	}
	return upper, upper > 0 && upper < n
}

// settled reports whether the neighbours at the edges are as close as they are to be.
func (s *search) settled() bool {
	for _, side := range []Standing{Inside, Outside} {
		if i, ok := s.edge(side); ok && !s.near(s.tried[i-1].load, s.tried[i].load) {
			return false
		}
	}
	return true
}

// insiders counts the loads that are inside with all below them.
func (s *search) insiders() int {
	n := slices.IndexFunc(s.tried, func(t tried) bool { return t.standing != Inside })
	if n < 0 {
		return len(s.tried)
	}
	return n
}

// outsiders counts the loads that are outside with all above them.
func (s *search) outsiders() int {
	n := 0
	for n < len(s.tried) && s.tried[len(s.tried)-1-n].standing == Outside {
		n++
	}
	return n
}

// found returns the knee as far as the tried loads show it.
func (s *search) found() (k Knee) {
	if n := s.insiders(); n > 0 {
		k.Low = s.tried[n-1].load
	}
	if n := s.outsiders(); n > 0 {
		k.High = s.tried[len(s.tried)-n].load
	}
	return k
}

// trials returns how many loads a search for the knee tries at most, given those that it
// begins with: these, their halves, and twice the cuts of the two neighbours that take the
// most. Each edge is looked for between two neighbours, the second perhaps between what the
// first has cut.
func (s scale) trials(loads []float64) int {
	loads = slices.Clone(loads)
	for range mostHalvings {
		if len(loads) == 0 || s.half(loads[0]) <= 0 {
			break
		}
		loads = slices.Insert(loads, 0, s.half(loads[0]))
	}
	most := 0
	for i := 1; i < len(loads); i++ {
		most = max(most, s.cuts(loads[i-1], loads[i]))
	}
	return len(loads) + 2*most
}

// cuts returns how many loads are tried at most between two that are tried, one edge lying
// there. Middles are rounded, so that one half may take more than the other.
func (s scale) cuts(low, high float64) int {
	if s.near(low, high) {
		return 0
	}
	middle := s.between(low, high)
	return 1 + max(s.cuts(low, middle), s.cuts(middle, high))
}
