package grid

import (
	"math"
	"testing"
)

// near compares numbers that come from exact ones by a few roundings.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

func TestLine(t *testing.T) {
	for _, c := range []struct {
		name                 string
		points               []Point
		constant, linear, r2 float64
	}{
		{"on a line", []Point{{0, 3}, {1, 5}, {4, 11}}, 3, 2, 1},
		{"flat", []Point{{1, 7}, {2, 7}, {3, 7}}, 7, 0, 1},
		// By hand: means 2.5 and 3.5, sxx 5, sxy 7; residuals .6, -.8, -.2 and .4, their squares 1.2 of 11.
		{"scattered", []Point{{1, 2}, {2, 2}, {3, 4}, {4, 6}}, 0, 1.4, 1 - 1.2/11},
		{"falling", []Point{{1, 4}, {2, 2}}, 6, -2, 1},
	} {
		f, ok := Line(c.points)
		if !ok || !near(f.Constant, c.constant) || !near(f.Linear, c.linear) || !near(f.R2, c.r2) || f.Square != 0 {
			t.Errorf("%s: %+v, want %v + %v x, R2 %v", c.name, f, c.constant, c.linear, c.r2)
		}
	}
	if _, ok := Line([]Point{{2, 1}, {2, 3}}); ok {
		t.Error("a line through two points at one x")
	}
}

// The points lie on a known parabola, at the lengths of real prompts.
func TestParabola(t *testing.T) {
	want := Fit{Constant: 12, Linear: .08, Square: 2.5e-6, R2: 1}
	var points []Point
	for _, x := range []float64{128, 512, 1024, 2048, 32768, 100_000} {
		points = append(points, Point{x, want.At(x)})
	}
	f, ok := Parabola(points)
	if !ok || math.Abs(f.Constant-12) > 1e-6 || !near(f.Linear, want.Linear) || math.Abs(f.Square/want.Square-1) > 1e-9 || !near(f.R2, 1) {
		t.Errorf("Parabola = %+v, want %+v", f, want)
	}
	// By hand, with the orthogonal polynomials of five points: what is left of x^4 is
	// 12/35 of (1, -4, 6, -4, 1), whose squares are 288/35 of 282.8.
	f, _ = Parabola([]Point{{-2, 16}, {-1, 1}, {0, 0}, {1, 1}, {2, 16}})
	if !near(f.Constant, -72.0/35) || !near(f.Linear, 0) || !near(f.Square, 31.0/7) || !near(f.R2, 1-288.0/35/282.8) {
		t.Errorf("Parabola of x^4 = %+v, want -72/35 + 31/7 x^2, R2 %v", f, 1-288.0/35/282.8)
	}
	for _, two := range [][]Point{{{1, 1}, {2, 2}}, {{1, 1}, {2, 2}, {2, 3}, {1, 0}}, {{5, 1}, {5, 2}, {5, 3}}} {
		if _, ok := Parabola(two); ok {
			t.Errorf("a parabola through %v, which has fewer than three x", two)
		}
	}
}
