package budgets

import (
	"cmp"
	"math"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// Curve is how soon replies land against how often the agent cuts in, over a setting of
// how the end of a turn is found. It is made of many runs, and handed to a report.
type Curve struct {
	Policy  string // how the end is found, in words
	Setting string // what is varied, such as "wait"
	Unit    string // "ms", or "" for a share
	Metric  string // whose values the latencies are: "reply"
	// Turns are those of each run, Different those among them that differ in their words, with
	// so many Pauses inside.
	Turns, Different, Pauses int
	Points                   []CurvePoint // by ascending setting
}

// CurvePoint is one value of the setting.
type CurvePoint struct {
	Setting  float64       // in the curve's unit
	P50, P95 time.Duration // pipeline.Unknown where there are too few turns
	CutIn    Proportion    // turns into a pause of which the agent would have spoken
	Audible  Proportion    // of those, turns whose user would have heard it before going on; a share of all turns
	Now      bool          // the scenario has this value
	// Efficient is set by Mark: no other point is as quick in both percentiles and cuts in
	// as seldom, and better in one of the three.
	Efficient bool
}

// Proportion is a share with its 95 % interval.
type Proportion struct{ Value, Low, High float64 }

// Mark finds the efficient points. Points that are equal in all three stand side by side.
func (c *Curve) Mark() {
	for i := range c.Points {
		c.Points[i].Efficient = true
		for j := range c.Points {
			if c.Points[j].beats(&c.Points[i]) {
				c.Points[i].Efficient = false
				break
			}
		}
	}
}

// beats reports whether p is nowhere worse than o and somewhere better. What is unknown
// of either decides nothing.
func (p *CurvePoint) beats(o *CurvePoint) bool {
	better := p.CutIn.Value < o.CutIn.Value
	worse := p.CutIn.Value > o.CutIn.Value
	for _, d := range [2][2]time.Duration{{p.P50, o.P50}, {p.P95, o.P95}} {
		if d[0] != pipeline.Unknown && d[1] != pipeline.Unknown {
			better, worse = better || d[0] < d[1], worse || d[0] > d[1]
		}
	}
	return better && !worse
}

// Now returns the point that the scenario has, nil when it is not on the curve.
func (c *Curve) Now() *CurvePoint {
	for i := range c.Points {
		if c.Points[i].Now {
			return &c.Points[i]
		}
	}
	return nil
}

// Quickest returns the point that is quickest by a percentile, p50 or p95, among those that
// cut in on at most that share of turns; nil when there is none. Of equals it is the one
// that cuts in least often.
func (c *Curve) Quickest(q quantile.Q, cutIn float64) *CurvePoint {
	var best *CurvePoint
	for i := range c.Points {
		p := &c.Points[i]
		d := p.At(q)
		if d == pipeline.Unknown || p.CutIn.Value > cutIn {
			continue
		}
		if best == nil || d < best.At(q) || d == best.At(q) && p.CutIn.Value < best.CutIn.Value {
			best = p
		}
	}
	return best
}

// Calmest returns the point that cuts in least often among those whose replies land no later
// than the present one's, in both percentiles; nil where none of them cuts in less often than
// that, and where the present value is not on the curve. Of equals it is the quickest by a
// percentile, and then the nearest to the present value.
func (c *Curve) Calmest(q quantile.Q) *CurvePoint {
	now := c.Now()
	if now == nil {
		return nil
	}
	var best *CurvePoint
	apart := func(p *CurvePoint) float64 { return math.Abs(p.Setting - now.Setting) }
	for i := range c.Points {
		p := &c.Points[i]
		if p.CutIn.Value >= now.CutIn.Value || later(p.P50, now.P50) || later(p.P95, now.P95) {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(p.CutIn.Value, best.CutIn.Value), cmp.Compare(p.At(q), best.At(q)), cmp.Compare(apart(p), apart(best))) < 0 {
			best = p
		}
	}
	return best
}

// later reports whether a percentile is later than another, or cannot be told to be no later.
func later(d, than time.Duration) bool {
	if d == pipeline.Unknown || than == pipeline.Unknown {
		return d != than
	}
	return d > than
}

// At returns a percentile of the latency: the p95, or the p50 for any other.
func (p *CurvePoint) At(q quantile.Q) time.Duration { return State{P50: p.P50, P95: p.P95}.At(q) }
