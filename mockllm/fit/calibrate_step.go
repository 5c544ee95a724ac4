package fit

import (
	"errors"
	"math"
	"slices"
	"sync"
)

const (
	nudge = .5 // of its spread, by which a knob is moved to see what changes

	// A gain that is a smaller share of the loss ends a search, and so do so many rounds:
	// for the best place, and for one with a knob off.
	settled, settledOff       = .002, .01
	mostRounds, mostRoundsOff = 10, 3

	leastDamping, mostDamping, moreDamping = 1e-4, 1e2, 30
)

// place is values of the knobs, as logarithms over the built-in values, the errors
// there and their loss.
type place struct {
	at, errs []float64
	loss     float64
}

// look returns the place at a point, or the context's error.
func (s *adjustment) look(at []float64) (place, error) {
	if err := s.ctx.Err(); err != nil {
		return place{}, err
	}
	errs, err := s.errs(s.constants(at))
	return s.valued(place{at: at, errs: errs}), err
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

// valued returns a place with its loss under the present scale of errors.
func (s *adjustment) valued(p place) place {
	p.loss = 0
	for _, e := range p.errs {
		p.loss += s.bears(e)
	}
	for i := range knobs {
		p.loss += s.againstOne(i, p.at[i])
	}
	return p
}

// bears returns how much of the loss an error bears.
func (s *adjustment) bears(e float64) float64 { return math.Hypot(e, s.scale) }

// againstOne returns how much speaks against a value of a knob beforehand.
func (s *adjustment) againstOne(i int, at float64) float64 {
	z := at / knobs[i].spread
	return s.prior * z * z / 2
}

// rounds say when a search ends: after so many, when one gains less than a share of the
// loss, or when the loss is less than enough.
type rounds struct {
	most         int
	gain, enough float64
}

// minimise returns where the loss is least when some knobs are moved from a place, by
// damped Gauss-Newton steps.
func (s *adjustment) minimise(here place, which []int, r rounds) (place, error) {
	for range r.most {
		if len(which) == 0 || here.loss < r.enough {
			break
		}
		moves, err := s.moves(here, which)
		if err != nil {
			return here, err
		}
		next, err := s.better(here, which, moves)
		if err != nil {
			return here, err
		}
		gain := here.loss - next.loss
		here = next
		if gain < r.gain*here.loss {
			break
		}
	}
	return here, nil
}

// moves returns how the errors at a place change with each of some knobs.
func (s *adjustment) moves(here place, which []int) ([][]float64, error) {
	var at [][]float64
	for _, i := range which {
		by := nudge * knobs[i].spread
		at = append(at, s.moved(here.at, i, -by), s.moved(here.at, i, by))
	}
	places, err := s.lookAt(at)
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(which))
	for k, i := range which {
		below, above := places[2*k], places[2*k+1]
		out[k] = make([]float64, len(here.errs))
		for j := range out[k] {
			out[k][j] = (above.errs[j] - below.errs[j]) / (above.at[i] - below.at[i])
		}
	}
	return out, nil
}

// better returns a place with less loss, to which a Gauss-Newton step leads, shorter
// ones after longer ones; or the same place when none does.
func (s *adjustment) better(here place, which []int, moves [][]float64) (place, error) {
	second, slope := s.normal(here, which, moves)
	for damping := leastDamping; damping < mostDamping; damping *= moreDamping {
		m := make([][]float64, len(second))
		for k := range second {
			m[k] = slices.Clone(second[k])
			m[k][k] *= 1 + damping
		}
		at := here.at
		for k, d := range solve(m, slope) {
			at = s.moved(at, which[k], -d)
		}
		next, err := s.look(at)
		if err != nil || next.loss < here.loss {
			return next, err
		}
	}
	return here, nil
}

// normal returns the second derivative and the slope of the loss, in which every
// error weighs as much as it bears of the loss.
func (s *adjustment) normal(here place, which []int, moves [][]float64) (second [][]float64, slope []float64) {
	weighed := func(a, b []float64) (sum float64) {
		for k, e := range here.errs {
			sum += a[k] * b[k] / s.bears(e)
		}
		return sum
	}
	for k, i := range which {
		prior := s.prior / (knobs[i].spread * knobs[i].spread)
		row := make([]float64, len(which))
		for j := range which {
			row[j] = weighed(moves[k], moves[j])
		}
		row[k] += prior
		second = append(second, row)
		slope = append(slope, weighed(moves[k], here.errs)+prior*here.at[i])
	}
	return second, slope
}

// solve returns x with m*x = b for a symmetric, positive definite m, which needs no
// pivots.
func solve(m [][]float64, b []float64) []float64 {
	a, x := make([][]float64, len(m)), slices.Clone(b)
	for i := range m {
		a[i] = slices.Clone(m[i])
	}
	for i := range a {
		for k := i + 1; k < len(a); k++ {
			f := a[k][i] / a[i][i]
			for j := i; j < len(a); j++ {
				a[k][j] -= f * a[i][j]
			}
			x[k] -= f * x[i]
		}
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := i + 1; j < len(a); j++ {
			x[i] -= a[i][j] * x[j]
		}
		x[i] /= a[i][i]
	}
	return x
}
