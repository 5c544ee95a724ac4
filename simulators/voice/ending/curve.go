package ending

import (
	"fmt"
	"time"
)

// Point is a policy at one value of its main setting.
type Point struct {
	Policy  Policy
	Setting Setting
	Rate    Rate
	// Efficient is set when no other point is as quick at the mean and at p95 and cuts in as
	// seldom, and better in one of the three.
	Efficient bool
}

// Curve measures the policy at each value of its main setting, the first of Settings, in
// its unit. The draws are the same at each.
func (s Setup) Curve(turns []Turn, run Run, values []float64) ([]Point, error) {
	if err := s.validate(turns, run); err != nil {
		return nil, err
	}
	name := s.Policy.Settings()[0].Name
	points := make([]Point, len(values))
	for i, v := range values {
		policy, err := s.Policy.With(name, v)
		if err != nil {
			return nil, fmt.Errorf("%s at %v: %w", name, v, err)
		}
		at := s
		at.Policy = policy
		rate, _, err := at.Measure(turns, run)
		if err != nil {
			return nil, fmt.Errorf("%s at %v: %w", name, v, err)
		}
		points[i] = Point{Policy: policy, Setting: policy.Settings()[0], Rate: rate}
	}
	MarkEfficient(points)
	return points, nil
}

// Grid returns the values at which a setting is worth a look: waits from 0 to 3 s, shares
// from .05 to .95. Its own value is among them.
func Grid(s Setting) []float64 {
	values := []float64{0, 100, 200, 300, 400, 500, 600, 700, 800, 1000, 1200, 1500, 2000, 2500, 3000}
	if s.Unit == "" {
		values = []float64{.05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95}
	}
	for i, v := range values {
		if v >= s.Value {
			if v > s.Value {
				values = append(values[:i:i], append([]float64{s.Value}, values[i:]...)...)
			}
			return values
		}
	}
	return append(values, s.Value)
}

// MarkEfficient marks the efficient points, which may be those of several policies on the
// same turns. Points that are equal in all three stand side by side.
func MarkEfficient(points []Point) {
	for i := range points {
		points[i].Efficient = true
		for j := range points {
			if points[j].Rate.beats(&points[i].Rate) {
				points[i].Efficient = false
				break
			}
		}
	}
}

// beats reports whether r is nowhere worse than o and somewhere better.
func (r *Rate) beats(o *Rate) bool {
	worse := r.Mean > o.Mean || r.P95 > o.P95 || r.CutIn.Value > o.CutIn.Value
	better := r.Mean < o.Mean || r.P95 < o.P95 || r.CutIn.Value < o.CutIn.Value
	return !worse && better
}

// Quickest returns the point with the least mean delay among those that cut in on at most
// that share of turns; of equals the first. ok is false when there is none.
func Quickest(points []Point, cutIn float64) (p Point, ok bool) {
	best := time.Duration(0)
	for _, q := range points {
		if q.Rate.CutIn.Value <= cutIn && (!ok || q.Rate.Mean < best) {
			p, ok, best = q, true, q.Rate.Mean
		}
	}
	return p, ok
}
