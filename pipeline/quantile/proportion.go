package quantile

import "math"

// Proportion is a share of independent members, or of members that are worth as many
// independent ones.
type Proportion struct {
	Share float64 // 0 to 1
	N     float64 // independent members, above 0
}

// Wilson returns the score interval of a proportion at a confidence such as 0.95, with
// z the normal quantile of it (Wilson, 1927):
//
//	(p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)
//
// Unlike p -+ z sqrt(p(1-p)/n) it has a width where nothing, or everything, was seen.
func (p Proportion) Wilson(confidence float64) (low, high float64) {
	z := math.Sqrt2 * math.Erfinv(confidence)
	middle := p.Share + z*z/(2*p.N)
	half := z * math.Sqrt(p.Share*(1-p.Share)/p.N+z*z/(4*p.N*p.N))
	whole := 1 + z*z/p.N
	return max(0, (middle-half)/whole), min(1, (middle+half)/whole)
}

// Minus returns the interval of p - other, two proportions that correlate by r, 0 for
// independent ones. It puts the two Wilson intervals together:
//
//	d - sqrt(a^2 - 2rab + b^2)  to  d + sqrt(e^2 - 2ref + f^2),  d = p - p'
//	a = p - low, b = high' - p', e = high - p, f = p' - low'
//
// which is method 10 of Newcombe, "Interval estimation for the difference between
// independent proportions: comparison of eleven methods", Statistics in Medicine 17, 1998,
// and, of pairs, his "Improved confidence intervals for the difference between binomial
// proportions based on paired data" in the same volume (as in the R package biostatUZH,
// confIntPairedProportion.R, read 2026-11-30).
func (p Proportion) Minus(other Proportion, r, confidence float64) (low, high float64) {
	l, h := p.Wilson(confidence)
	otherL, otherH := other.Wilson(confidence)
	d := p.Share - other.Share
	return d - apart(p.Share-l, otherH-other.Share, r), d + apart(h-p.Share, other.Share-otherL, r)
}

// apart returns how far a difference may lie off when its two sides may by a and by b.
func apart(a, b, r float64) float64 { return math.Sqrt(max(0, a*a-2*r*a*b+b*b)) }
