package fit

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline/quantile"
)

// adjustment is a search for the knobs under which predictions err least: damped
// Gauss-Newton steps on the logarithms of the constants over their built-in values.
// It minimises what the search for the built-in table does: the sum of the absolute
// errors, smoothed near zero, and what speaks against the constants beforehand.
type adjustment struct {
	ctx  context.Context
	base roofline.Constants
	// errs returns the errors of the predictions under some constants. It is called by
	// several goroutines.
	errs   func(roofline.Constants) ([]float64, error)
	fitted []bool // knobs that are still fitted

	best    place
	reaches []float64 // how far each fitted knob may be off, of its logarithm
}

const (
	nudge      = .05 // by which a knob is moved to see what changes
	mostRounds = 20

	// A gain that is a smaller share of the loss ends the search: for the best place,
	// and for one with a knob off.
	settled, settledOff = .002, .01

	leastDamping, mostDamping = .01, 1e3

	// likelier is the difference in log-likelihood that bounds an interval of 95 %.
	likelier = 1.92
	// shaken is by how much knobs are moved to see how much of the loss is chance.
	shaken = .003
	shakes = 4 // of each knob
)

// place is values of the knobs, as logarithms over the built-in values, the errors
// there and their loss.
type place struct {
	at, errs []float64
	loss     float64
}

// run fits the knobs and lets go, one after the other, of those that the measurements
// do not tell. A knob is told when predictions err clearly more with it off by as much
// as it may have been beforehand, whatever the others are; the one that matters least
// goes first, for the others are told better without it.
func (s *adjustment) run() (err error) {
	if s.best, err = s.look(make([]float64, len(knobs))); err != nil {
		return err
	}
	for {
		if s.best, err = s.minimise(s.best, s.fittedBut(-1), settled); err != nil {
			return err
		}
		clear, err := s.clear()
		if err != nil {
			return err
		}
		which, err := s.weakest(clear)
		if err != nil || which < 0 {
			return err
		}
		s.fitted[which] = false
		if s.best, err = s.look(s.moved(s.best.at, which, -s.best.at[which])); err != nil {
			return err
		}
	}
}

// fittedBut returns the knobs that are fitted, but for one.
func (s *adjustment) fittedBut(one int) (which []int) {
	for i := range knobs {
		if s.fitted[i] && i != one {
			which = append(which, i)
		}
	}
	return which
}

// clear returns by how much the loss must rise to be told from chance: what bounds an
// interval of 95 % when errors have the mean that they have, in which what is expected
// beforehand counts as one more measurement, and three times what the loss changes by
// when the knobs are hardly moved.
func (s *adjustment) clear() (float64, error) {
	off := errorScale
	for _, e := range s.best.errs {
		off += math.Abs(e)
	}
	off /= float64(1 + len(s.best.errs))
	var at [][]float64
	for _, i := range s.fittedBut(-1) {
		for k := range shakes {
			at = append(at, s.moved(s.best.at, i, -shaken*float64(k+1)/shakes))
		}
	}
	places, err := s.lookAt(at)
	if err != nil {
		return 0, err
	}
	var changes []float64
	for _, p := range places {
		changes = append(changes, math.Abs(p.loss-s.best.loss))
	}
	chance, _ := quantile.Mean(changes)
	return likelier*off + 3*chance, nil
}

// weakest returns the fitted knob that matters least, or -1 when all of them are told.
// Those that do not matter even by themselves are found without moving the others. It
// sets reaches, on which the loss is taken to grow with the square of the distance.
func (s *adjustment) weakest(clear float64) (int, error) {
	s.reaches = make([]float64, len(knobs))
	for _, alone := range []bool{true, false} {
		least, which := clear, -1
		for _, i := range s.fittedBut(-1) {
			rise, err := s.rise(i, alone)
			if err != nil {
				return -1, err
			}
			s.reaches[i] = knobs[i].spread * math.Sqrt(clear/rise)
			if rise < least {
				least, which = rise, i
			}
		}
		if which >= 0 {
			return which, nil
		}
	}
	return -1, nil
}

// rise returns by how much the loss of the measurements rises, at least, when a knob
// is off by its spread to either side, as far as its limit allows, and the others stay
// or make the best of it.
func (s *adjustment) rise(i int, alone bool) (float64, error) {
	rise := math.Inf(1)
	for _, by := range []float64{-knobs[i].spread, knobs[i].spread} {
		at := s.moved(s.best.at, i, by)
		if at[i] < s.best.at[i]+by {
			continue // beyond the limit
		}
		p, err := s.look(at)
		if err == nil && !alone {
			p, err = s.minimise(p, s.fittedBut(i), settledOff)
		}
		if err != nil {
			return 0, err
		}
		rise = min(rise, p.loss-s.against(p.at)-s.best.loss+s.against(s.best.at))
	}
	return max(rise, 1e-9), nil
}

// constants returns those at a point.
func (s *adjustment) constants(at []float64) roofline.Constants {
	c := s.base
	for i, k := range knobs {
		if s.fitted[i] {
			k.set(&c, k.of(&s.base)*math.Exp(at[i]))
		}
	}
	return c
}

// moved returns a point with one knob moved, within its limit.
func (s *adjustment) moved(at []float64, i int, by float64) []float64 {
	out := slices.Clone(at)
	out[i] = min(at[i]+by, math.Log(knobs[i].most/knobs[i].of(&s.base)))
	return out
}

// against returns what speaks against a point beforehand.
func (s *adjustment) against(at []float64) (sum float64) {
	for i, k := range knobs {
		z := at[i] / k.spread
		sum += errorScale * z * z / 2
	}
	return sum
}

// look returns the place at a point, or the context's error.
func (s *adjustment) look(at []float64) (place, error) {
	if err := s.ctx.Err(); err != nil {
		return place{}, err
	}
	errs, err := s.errs(s.constants(at))
	p := place{at, errs, s.against(at)}
	for _, e := range errs {
		p.loss += loss(1 + e)
	}
	return p, err
}

// lookAt returns the places at several points.
func (s *adjustment) lookAt(at [][]float64) ([]place, error) {
	places, errs := make([]place, len(at)), make([]error, len(at))
	var wait sync.WaitGroup
	for i := range at {
		wait.Go(func() { places[i], errs[i] = s.look(at[i]) })
	}
	wait.Wait()
	return places, errors.Join(errs...)
}
