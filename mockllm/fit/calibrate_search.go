package fit

import (
	"cmp"
	"context"
	"math"
	"slices"

	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline/quantile"
)

// adjustment is a search for the knobs under which predictions err least.
//
// It minimises what the search for the built-in table does: the sum of the absolute
// errors, smoothed near zero, and what speaks against the constants beforehand. There
// the two are set against each other by how far off predictions are expected to be;
// here, in turns, by how far off they turn out to be, and when it is asked how far off
// a constant may be, by what counts as clearly more.
type adjustment struct {
	ctx  context.Context
	base roofline.Constants
	// errs returns the errors of the predictions under some constants. It is called by
	// several goroutines.
	errs  func(roofline.Constants) ([]float64, error)
	free  []bool  // knobs that can be moved: all that cost something
	told  []bool  // those of them that the measurements tell, as far as is known
	scale float64 // how far off predictions are
	prior float64 // what a value that is off by its spread counts twice of the loss

	best    place
	reaches []reach // of each knob that is told
}

// reach is how far a knob may be off from the best place, of its logarithm; infinitely
// where no measurement stops it.
type reach struct{ below, above float64 }

const (
	// The scale of the errors is sought in rounds, until one changes it by less.
	rescales = 10
	rescaled = .1

	// likelier is the difference in log-likelihood that bounds an interval of 95 %.
	likelier   = 1.92
	leastError = .005
	// shaken is by how much knobs are moved to see how much of the loss is chance.
	shaken = .01
	// sure is how many times what is chance a difference must be.
	sure = 3
)

// run fits the knobs and lets go, one after the other, of those that the measurements
// do not tell. A knob is told when predictions err clearly more with it off by as much
// as it may have been beforehand, whatever the others are; the one that matters least
// goes first, for the others are told better without it.
func (s *adjustment) run() (err error) {
	if s.best, err = s.begin(); err != nil {
		return err
	}
	for {
		if err = s.settle(); err != nil {
			return err
		}
		clear, err := s.clear()
		if err != nil {
			return err
		}
		s.prior = clear / likelier
		s.best = s.valued(s.best)
		which, err := s.weakest(clear)
		if err != nil {
			return err
		}
		if which < 0 {
			return s.bound(clear)
		}
		s.told[which] = false
		if s.best, err = s.look(s.moved(s.best.at, which, -s.best.at[which])); err != nil {
			return err
		}
	}
}

// begin returns the best of the built-in values and of those with one knob well below
// its own: on some hardware a share beyond some value changes nothing, and nothing
// would lead away from there.
func (s *adjustment) begin() (place, error) {
	at := [][]float64{make([]float64, len(knobs))}
	for _, i := range chosen(s.told, -1) {
		at = append(at, s.moved(at[0], i, -2*knobs[i].spread))
	}
	places, err := s.lookAt(at)
	return slices.MinFunc(places, func(a, b place) int { return cmp.Compare(a.loss, b.loss) }), err
}

// settle finds the best place, and how far off predictions are there: the mean
// absolute error, in which what is expected beforehand counts as one more measurement.
func (s *adjustment) settle() (err error) {
	s.prior = s.scale
	s.best = s.valued(s.best)
	for range rescales {
		before := s.scale
		if s.best, err = s.minimise(s.best, chosen(s.told, -1), rounds{most: mostRounds, gain: settled}); err != nil {
			return err
		}
		sum := errorScale
		for _, e := range s.best.errs {
			sum += math.Abs(e)
		}
		s.scale = sum / float64(1+len(s.best.errs))
		s.prior = s.scale
		s.best = s.valued(s.best)
		if math.Abs(s.scale/before-1) < rescaled {
			break
		}
	}
	return nil
}

// chosen returns the knobs that are set, but for one.
func chosen(set []bool, but int) (which []int) {
	for i := range set {
		if set[i] && i != but {
			which = append(which, i)
		}
	}
	return which
}

// clear returns by how much the loss must rise to be clearly more: more than chance
// can do, which is what bounds an interval of 95 % when predictions are as far off as
// they are, and more than the loss jumps when a knob is moved; and half a percentage
// point a measurement, for no equation is right to less.
func (s *adjustment) clear() (float64, error) {
	which := chosen(s.told, -1)
	var at [][]float64
	for _, i := range which {
		for k := range 3 {
			at = append(at, s.moved(s.best.at, i, -shaken*float64(k+1)))
		}
	}
	places, err := s.lookAt(at)
	if err != nil {
		return 0, err
	}
	var jumps []float64
	for k := range which {
		jumps = append(jumps, jump(s.best.loss, places[3*k].loss, places[3*k+1].loss, places[3*k+2].loss))
	}
	size, _ := quantile.Mean(jumps)
	return max(likelier*s.scale+sure*size, leastError*float64(len(s.best.errs))), nil
}

// jump returns how far one of four values at equal distances is off a parabola, when
// all are on average: their third difference, which is 0 for a parabola, over the root
// of the sum of its squared factors.
func jump(a, b, c, d float64) float64 { return math.Abs(a-3*b+3*c-d) / math.Sqrt(20) }

// weakest returns a told knob that does not matter, or -1 when all of them do. Those
// that matter least by themselves are looked at first.
func (s *adjustment) weakest(clear float64) (int, error) {
	alone := make([]float64, len(knobs))
	which := chosen(s.told, -1)
	for _, i := range which {
		var err error
		if alone[i], err = s.leastRise(i, nil, clear); err != nil {
			return -1, err
		}
	}
	slices.SortStableFunc(which, func(a, b int) int { return cmp.Compare(alone[a], alone[b]) })
	for _, i := range which {
		if alone[i] < clear {
			return i, nil
		}
		rise, err := s.leastRise(i, chosen(s.told, i), clear)
		if err != nil || rise < clear {
			return i, err
		}
	}
	return -1, nil
}

// leastRise returns the rise of the loss when a knob is off by its spread to the side on
// which it rises less.
func (s *adjustment) leastRise(i int, others []int, clear float64) (float64, error) {
	below, err := s.rise(i, -knobs[i].spread, others, clear)
	if err != nil {
		return 0, err
	}
	above, err := s.rise(i, knobs[i].spread, others, clear)
	return min(below, above), err
}

// rise returns by how much the loss of the measurements rises when a knob is off by
// some distance and others make the best of it, with what speaks against the others;
// infinitely much beyond the knob's limit. Of a rise that is not clear it is only said
// that it is less: the others are not moved any further.
func (s *adjustment) rise(i int, by float64, others []int, clear float64) (float64, error) {
	if least, most := s.limits(i); s.best.at[i]+by < least-1e-9 || s.best.at[i]+by > most+1e-9 {
		return math.Inf(1), nil
	}
	p, err := s.look(s.moved(s.best.at, i, by))
	if err != nil {
		return 0, err
	}
	level := s.best.loss + s.againstOne(i, p.at[i]) - s.againstOne(i, s.best.at[i])
	p, err = s.minimise(p, others, rounds{most: mostRoundsOff, gain: settledOff, enough: level + clear})
	return p.loss - level, err
}

// bound sets how far every told knob may be off before the loss rises clearly, when
// all others, told or not, make the best of it.
func (s *adjustment) bound(clear float64) (err error) {
	s.reaches = make([]reach, len(knobs))
	for _, i := range chosen(s.told, -1) {
		if s.reaches[i].below, err = s.reach(i, -1, clear); err != nil {
			return err
		}
		if s.reaches[i].above, err = s.reach(i, 1, clear); err != nil {
			return err
		}
	}
	return nil
}

// reach returns how far a knob may be moved down (-1) or up (1); infinitely when it can be
// moved by its spread, or to its limit. From one distance to the next the loss is taken to
// grow with its square; what it is with the others at rest gives the first.
func (s *adjustment) reach(i int, sign, clear float64) (float64, error) {
	low, high := s.limits(i)
	most := min(knobs[i].spread, high-s.best.at[i])
	if sign < 0 {
		most = min(knobs[i].spread, s.best.at[i]-low)
	}
	alone, err := s.rise(i, sign*most, nil, clear)
	if err != nil || alone < clear {
		return math.Inf(1), err
	}
	for by := most * math.Sqrt(clear/alone); ; by *= 2 {
		by = min(by, most)
		rise, err := s.rise(i, sign*by, chosen(s.free, i), clear)
		switch {
		case err != nil:
			return 0, err
		case rise >= clear:
			return by * math.Sqrt(clear/rise), nil
		case by == most:
			return math.Inf(1), nil
		}
	}
}

// limits returns how far down and up a knob can be moved.
func (s *adjustment) limits(i int) (low, high float64) {
	before := knobs[i].of(&s.base)
	return math.Log(knobs[i].least / before), math.Log(knobs[i].most / before)
}

// constants returns those at a point.
func (s *adjustment) constants(at []float64) roofline.Constants {
	c := s.base
	for _, i := range chosen(s.free, -1) {
		knobs[i].set(&c, knobs[i].of(&s.base)*math.Exp(at[i]))
	}
	return c
}

// moved returns a point with one knob moved, within its limits.
func (s *adjustment) moved(at []float64, i int, by float64) []float64 {
	out := slices.Clone(at)
	low, high := s.limits(i)
	out[i] = min(max(at[i]+by, low), high)
	return out
}
