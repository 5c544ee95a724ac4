package report

import (
	"fmt"

	"halfsecond/budgets"
	"halfsecond/budgets/versus"
)

// effective says which run's model is faster when only code that parses counts; nothing where
// answers of either were not checked. It decides where a budget on it has it do so.
func (v *Versus) effective() string {
	a, b := &v.comparison.A.Speed, &v.comparison.B.Speed
	switch r := v.row(budgets.EffectiveSpeed); {
	case a.Answers == 0 || b.Answers == 0:
		return ""
	case a.Repair != b.Repair:
		return fmt.Sprintf(" Effective speeds are not compared: a broken answer costs %s in A and %s in B.", budgets.Duration.Format(float64(a.Repair)), budgets.Duration.Format(float64(b.Repair)))
	case r == nil:
		return " Of effective speed nothing can be told: of no answer of a run is it known whether it parses, or a baseline is of an earlier program."
	case !r.HasInterval:
		return " Of effective speed nothing can be told: " + r.Reason + "."
	default:
		return fmt.Sprintf(" By effective speed %s: %s.", wins(r), speeds(r, a, b))
	}
}

// row returns the first row of a metric; nil for none.
func (v *Versus) row(metric string) *versus.Row {
	for i := range v.comparison.Rows {
		if r := &v.comparison.Rows[i]; r.Metric == metric {
			return r
		}
	}
	return nil
}

func wins(r *versus.Row) string {
	switch r.Word {
	case versus.Better:
		return "B wins"
	case versus.Worse:
		return "A wins"
	}
	return "neither wins"
}

// speeds are the effective speeds of two runs, and those as tokens came.
func speeds(r *versus.Row, a, b *versus.Speed) string {
	speed := budgets.TokenRate.Format
	words := fmt.Sprintf("%s that are useful in A, %s in B (a difference of %s to %s)", speed(r.A), speed(r.B), speed(r.Low), speed(r.High))
	if a.Tokens.Known && b.Tokens.Known {
		words += fmt.Sprintf(", of %s and %s as they came", speed(a.Tokens.Value), speed(b.Tokens.Value))
	}
	return words
}
