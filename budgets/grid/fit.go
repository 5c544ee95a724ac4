package grid

// Point is a length of the prompt, in tokens, with what was measured there.
type Point struct{ X, Y float64 }

// Fit is y = Constant + Linear*x + Square*x*x, by least squares.
type Fit struct {
	Constant, Linear, Square float64
	// R2 is the share of the variance of y that the fit explains, 1 - residual sum
	// of squares / total sum of squares. It is 1 where y does not vary.
	R2 float64
}

// At returns the fit's y at x.
func (f Fit) At(x float64) float64 { return f.Constant + x*(f.Linear+x*f.Square) }

// Line fits a straight line. ok is false with fewer than two different x.
func Line(points []Point) (f Fit, ok bool) {
	mx, my := means(points)
	sxx, sxy := 0.0, 0.0
	for _, p := range points {
		sxx += (p.X - mx) * (p.X - mx)
		sxy += (p.X - mx) * (p.Y - my)
	}
	if sxx == 0 {
		return f, false
	}
	f.Linear = sxy / sxx
	f.Constant = my - f.Linear*mx
	f.R2 = f.explained(points, my)
	return f, true
}

// Parabola fits a parabola. ok is false with fewer than three different x.
//
// With u = x - mean(x) and q = u*u - (sum(u^3)/sum(u^2))*u - mean(u^2), the three
// terms 1, u and q are orthogonal over the points, so that each coefficient stands
// alone: y = mean(y) + b*u + c*q with b = sum(u*y)/sum(u*u), c = sum(q*y)/sum(q*q).
func Parabola(points []Point) (f Fit, ok bool) {
	mx, my := means(points)
	var u2, u3, uy float64
	for _, p := range points {
		u := p.X - mx
		u2 += u * u
		u3 += u * u * u
		uy += u * (p.Y - my)
	}
	if u2 == 0 {
		return f, false
	}
	skew, spread := u3/u2, u2/float64(len(points))
	var q2, qy float64
	for _, p := range points {
		u := p.X - mx
		q := u*u - skew*u - spread
		q2 += q * q
		qy += q * (p.Y - my)
	}
	if q2 <= 1e-12*u2*u2 { // two different x: q is zero but for rounding
		return f, false
	}
	b, c := uy/u2, qy/q2
	f.Square = c
	f.Linear = b - c*(skew+2*mx)
	f.Constant = my - b*mx + c*(mx*mx+skew*mx-spread)
	f.R2 = f.explained(points, my)
	return f, true
}

func means(points []Point) (x, y float64) {
	for _, p := range points {
		x += p.X
		y += p.Y
	}
	n := float64(len(points))
	return x / n, y / n
}

// explained returns R2.
func (f Fit) explained(points []Point, mean float64) float64 {
	var left, total float64
	for _, p := range points {
		r := p.Y - f.At(p.X)
		left += r * r
		total += (p.Y - mean) * (p.Y - mean)
	}
	if total == 0 {
		return 1
	}
	return 1 - left/total
}
