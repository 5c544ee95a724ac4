package versus

import "fmt"

// slowed returns the series with the values as they may be of a slower model.
func (s *Series) slowed() *Series {
	if s.Slow == nil {
		return s
	}
	slow := *s
	slow.Values, slow.Slow = s.Slow, nil
	return &slow
}

// withSlow returns the pairs, and after them each of which a value may be that of a slower
// model, with those values. Slow is where that is, by the place of the pair itself.
func withSlow(pairs [][2]*Series) (all [][2]*Series, slow map[int]int) {
	all, slow = pairs, map[int]int{}
	for i, p := range pairs {
		if p[0].Slow != nil || p[1].Slow != nil {
			slow[i] = len(all)
			all = append(all, [2]*Series{p[0].slowed(), p[1].slowed()})
		}
	}
	return all, slow
}

// doubt takes a row's word back where that of the slower values is another one.
func (r *Row) doubt(slow *Row) {
	if r.Word == slow.Word || r.Word == CannotTell {
		return
	}
	a, b, _ := r.Unit.FormatBeside(slow.A, slow.B)
	r.Reason = fmt.Sprintf("%s takes the first output for one token, which may be several: with those it may be %s in A and %s in B, ", r.Metric, a, b)
	if slow.Word == CannotTell {
		r.Reason += "a difference of which nothing can be told"
	} else {
		r.Reason += fmt.Sprintf("which is %v and not %v", slow.Word, r.Word)
	}
	r.Word = CannotTell
}
