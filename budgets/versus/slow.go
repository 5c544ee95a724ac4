package versus

import (
	"fmt"
	"math"
	"slices"
)

// bound leaves out what the values may be where they are those for certain.
func (s *Series) bound() {
	if slices.EqualFunc(s.Slow, s.Values, slices.Equal) {
		s.Slow = nil
	}
	if slices.EqualFunc(s.Quick, s.Values, slices.Equal) {
		s.Quick = nil
	}
}

// taken returns the series with other values, or as it is where there are none.
func (s *Series) taken(values [][]float64) *Series {
	if values == nil {
		return s
	}
	other := *s
	other.Values, other.Slow, other.Quick = values, nil, nil
	return &other
}

// withSlow returns the pairs, and after them those of what values may be that are of a slower
// model than they are taken for. Of runs that bundle alike that is one: whatever a first output
// holds in one run it holds in the other. Of others it is two: as if one run were as slow as it
// can be and the other as little. Slow is where they are, by the place of the pair itself.
func (c *Comparison) withSlow(pairs [][2]*Series) (all [][2]*Series, slow map[int][]int) {
	all, slow = pairs, map[int][]int{}
	for i, p := range pairs {
		a, b := p[0], p[1]
		switch {
		case a.Slow == nil && b.Slow == nil:
			continue
		case c.bundleAlike(a, b):
			slow[i] = []int{len(all)}
			all = append(all, [2]*Series{a.taken(a.Slow), b.taken(b.Slow)})
		default:
			slow[i] = []int{len(all), len(all) + 1}
			all = append(all, [2]*Series{a.taken(a.Quick), b.taken(b.Slow)}, [2]*Series{a.taken(a.Slow), b.taken(b.Quick)})
		}
	}
	return all, slow
}

// bundleAlike reports whether two series may be taken for wrong by the same: they are of one
// scenario, target, model and protocol, and how much slower each may be than it is for certain
// differs by nothing that matters.
func (c *Comparison) bundleAlike(a, b *Series) bool {
	x, y := &c.A, &c.B
	if x.ScenarioHash != y.ScenarioHash || x.Target != y.Target || x.Model != y.Model || x.Protocol != y.Protocol {
		return false
	}
	return math.Abs(a.slowness()/b.slowness()-1) <= c.Matters
}

// slowness returns how many times as high the values may be as they are for certain.
func (s *Series) slowness() float64 {
	return total(s.taken(s.Slow).Values) / total(s.taken(s.Quick).Values)
}

func total(values [][]float64) (sum float64) {
	for _, v := range values {
		for _, x := range v {
			sum += x
		}
	}
	return sum
}

// doubt takes a row's word back where that of what the values may be is another one.
func (r *Row) doubt(other *Row) {
	if r.Word == other.Word || r.Word == CannotTell {
		return
	}
	a, b, _ := r.Unit.FormatBeside(other.A, other.B)
	r.Reason = fmt.Sprintf("%s takes the first output for one token, which may be several: with those it may be %s in A and %s in B, ", r.Metric, a, b)
	if other.Word == CannotTell {
		r.Reason += "a difference of which nothing can be told"
	} else {
		r.Reason += fmt.Sprintf("which is %v and not %v", other.Word, r.Word)
	}
	r.Word = CannotTell
}
