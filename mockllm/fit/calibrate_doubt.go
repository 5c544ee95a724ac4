package fit

import (
	"fmt"
	"math"
)

// atLimit is the part of its limit from which on a constant counts as being there.
const atLimit = .98

// Doubt says why a fitted value is hard to believe of this engine on this machine, or
// "". Either it is a share at its limit (from 98 % of it on), the figure of the datasheet:
// whatever was measured is faster than the machine. Or it is further from the built-in
// value than that may be off on a machine that nobody measured, by the spread of its
// prior: more than e^.5 = 1.65 times for a share, more than e = 2.72 times for a cost.
func (e Estimate) Doubt() string {
	factor, expected := e.Value/e.Before, math.Exp(e.Spread)
	switch {
	case !e.Told:
		return ""
	case e.Most == 1 && e.Value >= atLimit*e.Most:
		return fmt.Sprintf("%s is %.3g, at its limit of %g: what was measured is faster than this machine can be", e.Name, e.Value, e.Most)
	case factor > expected:
		return fmt.Sprintf("%s is %.3g, %.1f times the built-in %.3g: a factor of up to %.2f is to be expected", e.Name, e.Value, factor, e.Before, expected)
	case factor < 1/expected:
		return fmt.Sprintf("%s is %.3g, the built-in %.3g divided by %.1f: a factor of up to %.2f is to be expected", e.Name, e.Value, e.Before, 1/factor, expected)
	}
	return ""
}

// Doubts lists what speaks against the measurements being of this engine on this
// machine: the doubts about each constant, in the order of the estimates.
func (c Calibration) Doubts() []string {
	var out []string
	for _, e := range c.Estimates {
		if d := e.Doubt(); d != "" {
			out = append(out, d)
		}
	}
	return out
}
