package quality

import (
	"math"
	"time"

	"halfsecond/pipeline/quantile"
)

// LeastAnswers is of how many answers an interval takes: drawn again, fewer are too much alike.
// It is a convention.
const LeastAnswers = 10

// Sample holds answers, each with the member of a sample that it belongs to, such as the key that
// led to it. A member may have none, or several. Make one with NewSample.
type Sample struct {
	ofMember [][]Answer
	n        int
}

// NewSample returns the answers of each member, which are kept and must not be changed.
func NewSample(ofMember [][]Answer) Sample {
	s := Sample{ofMember: ofMember}
	for _, answers := range ofMember {
		s.n += len(answers)
	}
	return s
}

// N returns how many answers there are.
func (s Sample) N() int { return s.n }

// sums adds the answers up, those of each member as often as times says, or once where it is nil.
func (s Sample) sums(times []int32) (all sums) {
	for member, answers := range s.ofMember {
		n := 1.
		if times != nil {
			n = float64(times[member])
		}
		if n == 0 {
			continue
		}
		for i := range answers {
			all.add(&answers[i], n)
		}
	}
	return all
}

// Effective returns the effective tokens a second of the answers, and whether that is known.
func (s Sample) Effective(repair time.Duration) (v float64, ok bool) { return s.Redrawn(nil, repair) }

// Redrawn returns the effective tokens a second of the sample in which every member occurs as
// often as times says, and whether that is known.
func (s Sample) Redrawn(times []int32, repair time.Duration) (v float64, ok bool) {
	all := s.sums(times)
	v = all.values(repair)[effective]
	return v, !math.IsNaN(v)
}

// Beyond returns what the effective tokens a second are at the far end of Wilson's interval of the
// share that is broken, where only one side of it was seen: that nothing was broken among ten
// answers does not say that nothing will be, and no sample drawn again knows it. ok is false where
// both were seen, or it could be told of none.
func (s Sample) Beyond(plan quantile.Plan, repair time.Duration, confidence float64) (v float64, ok bool) {
	all, broken := s.sums(nil), make([][]float64, len(s.ofMember))
	for i, answers := range s.ofMember {
		for _, of := range breaks(answers) {
			broken[i] = append(broken[i], of...)
		}
	}
	n, _ := plan.Independent(broken)
	end, ok := unseen(wilson(all.broken/all.told, n, confidence))
	if !ok {
		return 0, false
	}
	return all.at([3]float64{end, end, end}, end, repair)[effective], true
}
