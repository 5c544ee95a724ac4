package budgets

import (
	"cmp"
	"math"
	"slices"
	"time"

	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/quantile"
)

// Aim is a figure that changes of settings are to improve: the left side of a budget.
type Aim struct {
	Budget Budget
	// Limited says that the budget's limit is to be kept. The figure is to be as small as can
	// be where it is not.
	Limited bool
}

// Aims returns what a run leaves to improve: what is outside its limits, what interactions
// land with before everything else. Of a run that keeps all of them it is the percentile of
// the landing that a budget limits, p95 before p50, or else the median. There is always one.
func (a *Analysis) Aims() []Aim {
	var broken []Aim
	for i := range a.Judgements {
		if j := &a.Judgements[i]; j.HasValue && !j.Budget.Limit.Holds(j.Value) {
			broken = append(broken, Aim{j.Budget, true})
		}
	}
	lands := func(b *Budget) bool { return b.Metric.Name == a.kind.landing.Name }
	if len(broken) > 0 {
		slices.SortStableFunc(broken, func(x, y Aim) int { return cmp.Compare(rankOf(lands(&x.Budget)), rankOf(lands(&y.Budget))) })
		return broken
	}
	aim := Aim{Budget: Budget{Q: quantile.P50, Metric: a.kind.landing, Limit: Limit{Unit: Duration}}}
	for i := range a.Judgements {
		b := a.Judgements[i].Budget
		if b.Function != Quantile || !lands(&b) || b.Q != quantile.P50 && b.Q != quantile.P95 {
			continue
		}
		if !aim.Limited || b.Q == quantile.P95 && aim.Budget.Q != b.Q {
			aim = Aim{b, true}
		}
	}
	return []Aim{aim}
}

func rankOf(first bool) int {
	if first {
		return 0
	}
	return 1
}

// Lands reports whether the aim is a percentile of what interactions land with.
func (m Aim) Lands(a *Analysis) bool {
	return m.Budget.Function == Quantile && m.Budget.Metric.Name == a.kind.landing.Name
}

// Inside reports whether a figure keeps the limit; false where there is none.
func (m Aim) Inside(f Figure) bool { return m.Limited && f.Known && m.Budget.Limit.Holds(f.Value) }

// Gained returns by how much a figure is better after than before; both are known.
func (m Aim) Gained(before, after Figure) float64 { return m.Budget.better(before.Value, after.Value) }

// The least change of a duration that is worth another setting: one that is not heard, and of
// what is itself brief a share of it. Both are assumed: audio is played in frames of 20 ms, and
// half of one is within what two calls differ by.
const (
	leastWorth      = 10 * time.Millisecond
	leastWorthShare = .1
	// leastWorthCount is the same share of a count or a rate; assumed.
	leastWorthCount = .01
)

// Worth reports whether a figure moves by as much as is worth another setting: a duration by 10
// ms or by a tenth of it, a count or a rate by a hundredth of it, and a share by any; or across
// the limit, however little that takes.
func (m Aim) Worth(now, would Figure) bool {
	if !now.Known || !would.Known {
		return false
	}
	moved := math.Abs(m.Gained(now, would))
	if m.Limited && m.Inside(now) != m.Inside(would) {
		return true
	}
	switch m.Unit() {
	case Share:
		return moved > 1e-12
	case Duration:
	default:
		return moved > 1e-12 && moved >= leastWorthCount*math.Abs(now.Value)
	}
	return moved > 0 && moved >= min(float64(leastWorth), leastWorthShare*math.Abs(now.Value))
}

// Matters reports whether what becomes of a figure is worth another setting, and can be told
// from nothing by the gain's interval.
func (m Aim) Matters(now, would Figure, g Gain) bool { return g.Matters() && m.Worth(now, would) }

// Unit returns the unit of the figure.
func (m Aim) Unit() Unit { return m.Budget.unit() }

// Figure is the value of a budget's left side; Value is meaningless unless Known.
type Figure struct {
	Value float64
	Known bool
}

// Figure returns what the run has on the left side of a budget.
func (a *Analysis) Figure(b Budget) (f Figure) {
	if p := a.Pool(b.Metric.Name); p != nil {
		f.Value, f.Known = b.evaluate(p.Values, p.Population)
	}
	return f
}

// Gain is how much better a figure is in one run than in another, above 0, or worse, in the
// base of its unit. It is meaningless unless Known.
type Gain struct {
	Value float64
	Known bool
	// The interval holds the true gain with 95 % confidence, where HasInterval.
	Low, High   float64
	HasInterval bool
}

// Matters reports whether the gain can be told from none: its interval does not hold 0.
func (g Gain) Matters() bool {
	switch {
	case !g.Known:
		return false
	case !g.HasInterval:
		return g.Value != 0
	}
	return g.Low > 0 || g.High < 0
}

// gainResamples is how many samples an interval is made of: with one more, a multiple of 40,
// so that the bounds are figures of the bootstrap's.
const gainResamples = 999

// GainOf returns how much better a budget's left side is after than before. Both runs are of
// the same turns, and each is drawn again together with itself in the other run (the paired
// bootstrap), so that the interval is of the change and not of the turns.
func GainOf(before, after *Analysis, b Budget, seed uint64) (g Gain) {
	was, is := before.Figure(b), after.Figure(b)
	if g.Known = was.Known && is.Known; !g.Known {
		return g
	}
	g.Value = b.better(was.Value, is.Value)
	if b.Metric.Whole() || b.Function == Max {
		return g
	}
	p := newPairs(before, after, b)
	plan := p.plan(b)
	times := make([]int32, plan.Members())
	random := dist.Stream(seed, "budgets/gain")
	var gains []float64
	for range gainResamples {
		plan.Draw(&random, times)
		x, ok := b.redrawn(p.before, times)
		y, too := b.redrawn(p.after, times)
		if ok && too {
			gains = append(gains, b.better(x, y))
		}
	}
	if len(gains) == gainResamples {
		g.Low, g.High = quantile.Central(gains, .95)
		g.HasInterval = true
	}
	return g
}

// better returns by how much y is better than x.
func (b Budget) better(x, y float64) float64 {
	if b.Limit.Comparison.upper() {
		return x - y
	}
	return y - x
}

// redrawn returns the value of the budget's left side of a sample drawn again.
func (b Budget) redrawn(s quantile.Sample, times []int32) (v float64, ok bool) {
	if b.Function != Quantile {
		return s.RedrawnMean(times)
	}
	var into [1]float64
	ok = s.Redrawn(times, []quantile.Q{b.Q}, into[:])
	return into[0], ok
}

// pairs are the values of a metric in two runs of the same turns.
type pairs struct {
	before, after quantile.Sample
	sessions      []int
	words         []string
	apart         []float64 // by which each turn differs, in order of time; 0 of one that has no value in either
}

func newPairs(before, after *Analysis, b Budget) pairs {
	type key struct{ session, index int }
	var p pairs
	places := map[key]int{}
	var values [2][][]float64
	for side, a := range []*Analysis{before, after} {
		parts := a.Split(b.Metric)
		for i := range a.Run.Traces {
			t := &a.Run.Traces[i]
			at, known := places[key{t.Session, t.Index}]
			if !known {
				at = len(p.sessions)
				places[key{t.Session, t.Index}] = at
				p.sessions, p.words = append(p.sessions, t.Session), append(p.words, said(t))
				values[0], values[1] = append(values[0], nil), append(values[1], nil)
			}
			values[side][at] = b.members(&parts[i])
		}
	}
	for i := range p.sessions {
		x, _ := quantile.Mean(values[0][i])
		y, _ := quantile.Mean(values[1][i])
		if len(values[0][i]) == 0 || len(values[1][i]) == 0 {
			x, y = 0, 0
		}
		p.apart = append(p.apart, y-x)
	}
	p.before, p.after = quantile.NewSample(values[0]), quantile.NewSample(values[1])
	return p
}

// members returns what a turn gives to the budget's figure: its values, or of a share
// whether each of its members is inside.
func (b Budget) members(p *Pool) []float64 {
	if b.Function != ShareWhere {
		return p.Values
	}
	inside := make([]float64, p.Population)
	for i := range b.inside(p.Values) {
		inside[i] = 1
	}
	return inside
}

// plan says which turns are drawn together: of cut-ins those in which the same is said, of
// many sessions each one's, or else neighbours in time as far as their differences resemble
// each other.
func (p *pairs) plan(b Budget) quantile.Plan {
	if b.Metric.Name == CutInShare {
		return quantile.ByGroup(labels(p.words))
	}
	return quantile.BySession(p.sessions, func() int { return quantile.BlockLength(p.apart) })
}

// labels numbers words, equal ones alike; each "" has a number of its own.
func labels(words []string) []int {
	numbers := map[string]int{}
	all := make([]int, len(words))
	for i, w := range words {
		n, known := numbers[w]
		if !known || w == "" {
			n = len(words) - i // which no other has, since it falls
			numbers[w] = n
		}
		all[i] = n
	}
	return all
}
