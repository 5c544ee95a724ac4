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

// The pairs of what the values of a pair may be, in the order in which they follow each other.
const (
	bothSlow = iota // those of both runs are of as slow a model as they may be
	bSlow           // those of the second alone: those of the first are as they are for certain
	aSlow
)

// withSlow returns the pairs, and after them three of each of which a value may be that of a
// slower model. Slow is where these begin, by the place of the pair itself.
func withSlow(pairs [][2]*Series) (all [][2]*Series, slow map[int]int) {
	all, slow = pairs, map[int]int{}
	for i, p := range pairs {
		if a, b := p[0], p[1]; a.Slow != nil || b.Slow != nil {
			slow[i] = len(all)
			all = append(all, [2]*Series{a.taken(a.Slow), b.taken(b.Slow)}, [2]*Series{a.taken(a.Quick), b.taken(b.Slow)}, [2]*Series{a.taken(a.Slow), b.taken(b.Quick)})
		}
	}
	return all, slow
}

// reconsider takes a row's word back where it is not that of all that its values may be. Runs
// that bundle alike are wrong by the same: whatever a first output holds in one it holds in
// the other. Of others each may be wrong alone.
func (c *Comparison) reconsider(r *Row, of func(which int) Row) {
	both, a, b := of(bothSlow), of(aSlow), of(bSlow)
	r.doubt(&both)
	if alike := math.Abs(both.A/b.A*a.B/both.B-1) <= c.Matters; !alike || !c.oneServer() {
		r.doubt(&b)
		r.doubt(&a)
	}
}

// oneServer reports whether both runs asked one model in one way, for all that is known.
func (c *Comparison) oneServer() bool {
	x, y := &c.A, &c.B
	unnamed := x.Target == endpoint && x.Model == ""
	return !unnamed && x.ScenarioHash == y.ScenarioHash && x.Target == y.Target && x.Model == y.Model && x.Protocol == y.Protocol
}

// endpoint is the target whose models only their names tell apart.
const endpoint = "endpoint"

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
