package quality

import "math"

// Gap is by how much one model is faster than another, in effective tokens a second.
type Gap struct {
	By        float64
	Low, High float64 // of By, at 95 %
	Known     bool    // both figures are, and both have intervals
}

// Against returns by how much b is faster than a, each with its own interval. The interval of a
// difference of two figures that were measured apart reaches as far as each of theirs does,
// in squares: d - sqrt((b-bl)^2 + (au-a)^2) and d + sqrt((bu-b)^2 + (a-al)^2), the method of
// variance estimates recovery (Zou and Donner, Statistics in Medicine 27, 2008). What two runs
// of one seed have in common would make it narrower, so that it errs on the side of caution.
func Against(a, b Estimate) Gap {
	g := Gap{By: b.Value - a.Value, Known: a.Known && b.Known && a.HasInterval && b.HasInterval}
	g.Low = g.By - math.Hypot(b.Value-b.Low, a.High-a.Value)
	g.High = g.By + math.Hypot(b.High-b.Value, a.Value-a.Low)
	return g
}

// Tells reports whether one of the two is faster for certain.
func (g Gap) Tells() bool { return g.Known && (g.Low > 0 || g.High < 0) }
