package budgets

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"halfsecond/pipeline/quantile"
)

// Verdict is what becomes of a budget.
type Verdict uint8

const (
	Pass       Verdict = iota // kept
	Fail                      // not kept
	Unmeasured                // the run cannot tell
)

// String returns the verdict as reports name it.
func (v Verdict) String() string { return [...]string{"pass", "fail", "unmeasured"}[v] }

// MarshalText returns String.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Judgement is a budget with its verdict.
type Judgement struct {
	Budget  Budget
	Verdict Verdict
	Reason  string // why, in words; empty for a plain pass

	// Value is meaningless unless HasValue, Low and High unless HasInterval. The
	// interval holds the true value with 95 % confidence: that of a quantile if the
	// interactions are independent of each other, that of a share as far as they are.
	Value       float64
	HasValue    bool
	Low, High   float64
	HasInterval bool
	Margin      float64 // how far Value is inside the limit; negative outside. 0 when unmeasured

	// Certain says why a failure is certain although the value rests on stages of which
	// only a median is published; empty for any other. Reason has it too.
	Certain string

	N           int     // values, or of a share all its members
	Independent float64 // of a share that has an interval: how many independent members those are worth
	Lost        int     // of a share: members that got no answer, and so are not inside
	Owner       *Owner  // of the overrun; nil unless the value is outside and a path explains it
	Levers      []Lever // what would bring the value inside, the best first; empty when there is no overrun
}

// Unit returns the unit of Value, Low, High, Margin and the limit.
func (j *Judgement) Unit() Unit { return j.Budget.unit() }

// Beside returns the value, the limit and the distance between them for a
// reader; see Unit.FormatBeside.
func (j *Judgement) Beside() (value, limit, gap string) {
	return j.Unit().FormatBeside(j.Value, j.Budget.Limit.Value)
}

// Owner is the stage, or wait, that takes the most of the critical path of the
// interactions outside a limit.
type Owner struct {
	Stage string
	Takes float64 // mean time on the critical path of those interactions, ns
	Of    float64 // mean time to their landing, ns
}

// Words says how much of the overrun the owner has.
func (o *Owner) Words() string {
	if 2*o.Takes >= o.Of {
		return o.Stage + " owns most of it"
	}
	return o.Stage + " owns the largest part of it"
}

// evaluate returns the value of the budget over ascending values out of a
// population, and whether there is one.
func (b Budget) evaluate(values []float64, population int) (v float64, ok bool) {
	switch b.Function {
	case Quantile:
		return quantile.OfSorted(values, b.Q)
	case Mean:
		return mean(values, b.Metric.Unit)
	case Max:
		if len(values) == 0 {
			return 0, false
		}
		return values[len(values)-1], true
	default:
		if population == 0 {
			return 0, false
		}
		return float64(b.inside(values)) / float64(population), true
	}
}

// inside counts the values that keep the budget's bound.
func (b Budget) inside(values []float64) int {
	n, bound := 0, b.bound()
	for _, v := range values {
		if bound.Holds(v) {
			n++
		}
	}
	return n
}

func mean(values []float64, u Unit) (float64, bool) {
	v, ok := quantile.Mean(values)
	if u == Duration {
		v = math.Round(v)
	}
	return v, ok
}

// judge fills in what the pool says about the budget; the caller decides
// beforehand whether anything forbids a verdict.
func (j *Judgement) judge(p *Pool, forbidden string) {
	b := j.Budget
	j.Value, j.HasValue = b.evaluate(p.Values, p.Population)
	if b.Function == ShareWhere && len(p.Values) == 0 && p.Unseen > 0 {
		j.HasValue = false // a share of the failed ones alone says nothing
	}
	if j.N = len(p.Values); b.Function == ShareWhere {
		j.Lost, j.N = p.Population-len(p.Values), p.Population
	}
	j.interval(p)
	switch {
	case !j.HasValue:
		j.Verdict, j.Reason = Unmeasured, j.noValue(p)
	case forbidden != "":
		j.Verdict, j.Reason = Unmeasured, forbidden
	case p.Slow != nil && j.holds(p) != j.slow(p):
		j.Verdict, j.Reason = Unmeasured, j.bundled(p)
	case j.holds(p):
		j.Verdict, j.Margin = Pass, b.Limit.margin(j.Value)
	default:
		j.Verdict, j.Margin = Fail, b.Limit.margin(j.Value)
	}
}

func (j *Judgement) holds(p *Pool) bool {
	if j.Budget.Function == ShareWhere {
		return j.Budget.Limit.holdsFor(j.Budget.inside(p.Values), p.Population)
	}
	return j.Budget.Limit.Holds(j.Value)
}

// interval finds the 95 % interval of a quantile.
func (j *Judgement) interval(p *Pool) {
	if j.Budget.Function != Quantile || !j.HasValue {
		return
	}
	if low, high, ok := quantile.Interval(len(p.Values), j.Budget.Q, 0.95); ok {
		j.Low, j.High, j.HasInterval = p.Values[low-1], p.Values[high-1], true
	}
}

func (j *Judgement) noValue(p *Pool) string {
	b := j.Budget
	switch {
	case len(p.Values) == 0 && p.Unseen > 0:
		return fmt.Sprintf("nothing to observe %s by", b.Metric.Name)
	case len(p.Values) == 0:
		return "no samples"
	default:
		are := "are"
		if len(p.Values) == 1 {
			are = "is"
		}
		return fmt.Sprintf("%v needs %d samples or more, there %s %d", b.Q, b.Q.Needs(), are, len(p.Values))
	}
}

// outside returns which values an overrun is about: of a percentile the tail from
// it on, else those that do not keep the bound themselves.
func (j *Judgement) outside() func(v float64) bool {
	b := j.Budget
	switch b.Function {
	case Quantile, Max:
		return func(v float64) bool { return v >= j.Value }
	case Mean:
		return func(float64) bool { return true }
	}
	bound := b.bound()
	return func(v float64) bool { return !bound.Holds(v) }
}

// overrun is a value outside its limit, in words.
func (j *Judgement) overrun(p *Pool) string {
	var words []string
	if _, _, gap := j.Beside(); j.Value != j.Budget.Limit.Value {
		words = append(words, gap+" "+j.beyond())
	} else {
		words = append(words, "the limit itself is not inside")
	}
	if j.Lost > 0 {
		words = append(words, fmt.Sprintf("%d of %d got no answer", j.Lost, p.Population))
	}
	if j.Owner != nil {
		words = append(words, j.Owner.Words())
	}
	return strings.Join(words, "; ")
}

func (j *Judgement) beyond() string {
	if j.Budget.Limit.Comparison.upper() {
		return "over"
	}
	return "short"
}

// smallestLatency returns the smallest latency that any of the budgets allows, 0
// when none is about one. The time per token is none: over an answer the lateness of a
// single read does not count.
func smallestLatency(judgements []Judgement) float64 {
	smallest := 0.0
	for _, j := range judgements {
		if j.Budget.Metric.Name == pace {
			continue
		}
		if l := j.Budget.bound(); l.Unit == Duration && (smallest == 0 || l.Value < smallest) {
			smallest = l.Value
		}
	}
	return smallest
}

// overall is fail if any failed, else unmeasured if any could not be measured,
// else pass.
func overall(judgements []Judgement) Verdict {
	has := func(v Verdict) bool {
		return slices.ContainsFunc(judgements, func(j Judgement) bool { return j.Verdict == v })
	}
	switch {
	case has(Fail):
		return Fail
	case has(Unmeasured):
		return Unmeasured
	default:
		return Pass
	}
}
