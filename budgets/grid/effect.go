package grid

import "math"

// Change is what one row of cells is beside another.
type Change uint8

const (
	Undecided Change = iota // the samples vary too much to tell, or it is on the border of the same
	Gain                    // less, which is better
	Cost                    // more
	Same                    // within 1 %
)

// String returns the change in a word.
func (c Change) String() string { return [...]string{"undecided", "gain", "cost", "same"}[c] }

// MarshalText returns String.
func (c Change) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// SameWithin is how far from 1 a ratio is still called the same, by convention.
const SameWithin = .01

// Effect holds a row against another in one metric, at the lengths of the prompt
// where both were measured.
type Effect struct {
	Of, Beside Key
	Metric     Metric
	Prompts    []int
	Ratios     []Estimate // at each: median of Of / median of Beside
	Overall    Estimate   // their geometric mean
	Change     Change
}

// Effect returns what row "of" is beside another. ok is false where no length was
// measured in both, with more than 0.
func (g *Grid) Effect(of, beside Key, m Metric) (e Effect, ok bool) {
	e = Effect{Of: of, Beside: beside, Metric: m}
	var samples []Sample // in pairs
	others := g.Row(beside, m)
	for _, c := range g.Row(of, m) {
		for _, o := range others {
			if o.Prompt == c.Prompt && positive(c.Sample(m)) && positive(o.Sample(m)) {
				pair := []Sample{c.Sample(m), o.Sample(m)}
				e.Prompts = append(e.Prompts, c.Prompt)
				e.Ratios = append(e.Ratios, g.estimate(pair, meanRatio))
				samples = append(samples, pair...)
			}
		}
	}
	if len(samples) == 0 {
		return e, false
	}
	e.Overall = g.estimate(samples, meanRatio)
	e.Change = changeOf(e.Overall)
	return e, true
}

// positive reports whether a sample has a median that a ratio can be of.
func positive(s Sample) bool {
	median, _ := s.Median()
	return median > 0
}

// meanRatio returns the geometric mean of the ratios of pairs of medians.
func meanRatio(medians []float64) float64 {
	sum := 0.0
	for i := 0; i < len(medians); i += 2 {
		sum += math.Log(medians[i] / medians[i+1])
	}
	return math.Exp(2 * sum / float64(len(medians)))
}

// Bordering reports whether a row is less, or is more, but not clearly by more than what
// counts as the same.
func (e *Effect) Bordering() bool {
	return e.Change == Undecided && (e.Overall.High < 1 || e.Overall.Low > 1)
}

func changeOf(r Estimate) Change {
	switch {
	case r.High < 1-SameWithin:
		return Gain
	case r.Low > 1+SameWithin:
		return Cost
	case r.Low >= 1-SameWithin && r.High <= 1+SameWithin:
		return Same
	}
	return Undecided
}

// Options returns what each variant after the first gained or cost each model, in
// each of the metrics that was measured.
func (g *Grid) Options(metrics ...Metric) []Effect {
	var out []Effect
	for _, k := range g.Keys() {
		if b := g.Baseline(k.Model); k != b {
			out = g.appendEffects(out, k, b, metrics)
		}
	}
	return out
}

// Duels returns how the models' baselines stand to each other, each pair once.
func (g *Grid) Duels(metrics ...Metric) []Effect {
	var out []Effect
	for i, a := range g.Models {
		for _, b := range g.Models[i+1:] {
			out = g.appendEffects(out, g.Baseline(a), g.Baseline(b), metrics)
		}
	}
	return out
}

func (g *Grid) appendEffects(out []Effect, of, beside Key, metrics []Metric) []Effect {
	for _, m := range metrics {
		if e, ok := g.Effect(of, beside, m); ok {
			out = append(out, e)
		}
	}
	return out
}
