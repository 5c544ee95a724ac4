package report

import (
	"fmt"

	"halfsecond/budgets"
	"halfsecond/budgets/quality"
)

// effective says which run's model is faster when only code that parses counts; nothing where
// answers of either were not checked. It decides nothing: a budget on syntax_share does.
func (v *Versus) effective() string {
	a, b := &v.comparison.A.Speed, &v.comparison.B.Speed
	g := quality.Against(a.Effective, b.Effective)
	speed := budgets.TokenRate.Format
	switch {
	case a.Answers == 0 || b.Answers == 0:
		return ""
	case a.Repair != b.Repair:
		return fmt.Sprintf(" Effective speeds are not compared: a broken answer costs %s in A and %s in B.", budgets.Duration.Format(float64(a.Repair)), budgets.Duration.Format(float64(b.Repair)))
	case !g.Known:
		return " Of effective speed nothing can be told: there are too few answers of which it is known whether they parse."
	}
	figures := fmt.Sprintf("%s that are useful in A, %s in B (a difference of %s to %s)", speed(a.Effective.Value), speed(b.Effective.Value), speed(g.Low), speed(g.High))
	if a.Tokens.Known && b.Tokens.Known {
		figures += fmt.Sprintf(", of %s and %s as they came", speed(a.Tokens.Value), speed(b.Tokens.Value))
	}
	switch {
	case !g.Tells():
		return " By effective speed neither wins: " + figures + "."
	case g.By > 0:
		return " By effective speed B wins: " + figures + "."
	}
	return " By effective speed A wins: " + figures + "."
}
