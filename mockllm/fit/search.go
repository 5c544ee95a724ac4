package fit

import (
	"maps"
	"math"
	"slices"

	"halfsecond/mockllm/roofline"
)

// sample is a row with what never changes while constants are sought.
type sample struct {
	row     Row
	family  string // of the engine
	tunable *roofline.Tunable
	uses    []string // names of the constants that its prediction depends on
}

// predicted returns the prediction under some constants, in the unit of the row.
func (s *sample) predicted(v roofline.Values) float64 {
	p := s.tunable.Plan(v)
	return s.row.predict(&p)
}

// loss returns how bad the prediction is under some constants.
func (s *sample) loss(v roofline.Values) float64 { return loss(s.predicted(v) / s.row.Value) }

// The search minimises the sum of the absolute errors, as shares, plus what speaks
// against the constants beforehand: each is expected to lie around its prior, with a
// logarithm that has the spread of its name. errorScale is how far off predictions
// are expected to be, which sets the two against each other. Near zero an error
// counts as at least smallError, so that the sum is smooth.
//
// None of these was chosen for the error that it leads to: with errorScale a third or
// three times as large, smallError three times, or steps a hundredth as small, the
// means of Cross move by less than half a percentage point.
const (
	errorScale = .1
	smallError = .03
	firstStep  = .3 // of the logarithm of a constant
	lastStep   = .002
	mostSweeps = 80
)

func loss(ratio float64) float64 {
	e := ratio - 1
	return math.Sqrt(e*e + smallError*smallError)
}

// fitted returns the constants that fit the samples best, by name, in the digits that a
// table keeps of them. Names that no sample uses are not among them.
func fitted(samples []sample) roofline.Values {
	values := roofline.Values{}
	for _, part := range parts(samples) {
		for name, v := range newSearch(part).run() {
			values[name] = rounded(v)
		}
	}
	return values
}

// parts divides samples so that no two parts share a constant: each can be fitted
// alone. Samples stay in order, and so do parts, by their first samples.
func parts(samples []sample) [][]sample {
	joined := map[string]string{} // name -> another name of its part, or itself
	root := func(name string) string {
		for joined[name] != name {
			name = joined[name]
		}
		return name
	}
	for _, s := range samples {
		for _, name := range s.uses {
			if _, ok := joined[name]; !ok {
				joined[name] = name
			}
			joined[root(name)] = root(s.uses[0])
		}
	}
	var out [][]sample
	index := map[string]int{}
	for _, s := range samples {
		r := root(s.uses[0])
		if _, ok := index[r]; !ok {
			index[r] = len(out)
			out = append(out, nil)
		}
		out[index[r]] = append(out[index[r]], s)
	}
	return out
}

// search is the state of a fit: values, and the loss of every sample under them.
type search struct {
	samples []sample
	values  roofline.Values
	by      map[string][]int // name -> samples that use it
	names   []string         // sorted
	losses  []float64
	trial   []float64
}

// newSearch returns a search that stands at the priors.
func newSearch(samples []sample) *search {
	s := &search{samples: samples, values: roofline.Values{}, by: map[string][]int{}, losses: make([]float64, len(samples))}
	for i := range samples {
		for _, name := range samples[i].uses {
			s.by[name] = append(s.by[name], i)
		}
	}
	s.names = slices.Sorted(maps.Keys(s.by))
	for _, name := range s.names {
		s.values[name] = roofline.PriorOf(name).Value
	}
	for i := range samples {
		s.losses[i] = samples[i].loss(s.values)
	}
	return s
}

// run moves one constant after the other up or down while that helps, by steps that
// grow while it does and shrink when it does not, and returns where that ends.
func (s *search) run() roofline.Values {
	steps := map[string]float64{}
	for _, name := range s.names {
		steps[name] = firstStep
	}
	for range mostSweeps {
		active := false
		for _, name := range s.names {
			if steps[name] < lastStep {
				continue
			}
			active = true
			if s.try(name, steps[name]) || s.try(name, -steps[name]) {
				steps[name] *= 1.3
			} else {
				steps[name] /= 2
			}
		}
		if !active {
			break
		}
	}
	return s.values
}

// try moves a constant and keeps the move when it is for the better.
func (s *search) try(name string, step float64) bool {
	old, most := s.values[name], roofline.PriorOf(name).Most
	s.values[name] = old * math.Exp(step)
	if most > 0 && s.values[name] > most {
		s.values[name] = most
	}
	before, after := against(name, old), against(name, s.values[name])
	s.trial = s.trial[:0]
	for _, i := range s.by[name] {
		l := s.samples[i].loss(s.values)
		s.trial = append(s.trial, l)
		before += s.losses[i]
		after += l
	}
	if !(after < before-1e-9) {
		s.values[name] = old
		return false
	}
	for k, i := range s.by[name] {
		s.losses[i] = s.trial[k]
	}
	return true
}

// against returns how much the prior speaks against a value.
func against(name string, value float64) float64 {
	prior := roofline.PriorOf(name)
	z := math.Log(value/prior.Value) / prior.Spread
	return errorScale * z * z / 2
}
