package budgets

import (
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// cutInShare is the metric of turns into a pause of which the agent would have spoken.
const cutInShare = "cut_in_share"

// CutIns is how often the agent would have spoken into a pause.
type CutIns struct {
	N     int // turns whose pauses are known
	Rate  Proportion
	Share int // turns that it cut in on
	// Different is how many of the N tell something of their own: those in which the user says
	// the same words have the same pauses.
	Different int
}

// CutIns returns how often the agent cuts in; ok is false when no turn's pauses are known.
// The interval is Wilson's of as many independent turns as there are different ones: to say
// the same again tells nothing new of what others say.
func (a *Analysis) CutIns() (c CutIns, ok bool) {
	p := a.Pool(cutInShare)
	if p == nil || len(p.Values) == 0 {
		return c, false
	}
	c.N = len(p.Values)
	for _, v := range p.Values {
		c.Share += int(v)
	}
	c.Different = a.different()
	c.Rate = c.Of(c.Share)
	return c, true
}

// Of returns a number of the turns as a share, with an interval like the rate's.
func (c CutIns) Of(turns int) Proportion {
	p := Proportion{Value: float64(turns) / float64(c.N)}
	low, high := quantile.Proportion{Share: p.Value, N: float64(c.Different)}.Wilson(.95)
	p.Low, p.High = min(low, p.Value), max(high, p.Value) // rounding may put a bound of 0 or 1 beside it
	return p
}

// different counts the turns with known pauses whose words differ; one whose words nobody
// knows differs from all.
func (a *Analysis) different() int {
	n, said := 0, map[string]bool{}
	for i := range a.Run.Traces {
		t := &a.Run.Traces[i]
		if t.Fact(pipeline.FactCutIn) == "" {
			continue
		}
		if words := t.Fact(pipeline.FactWords); words == "" {
			n++
		} else {
			said[words] = true
		}
	}
	return n + len(said)
}

// ofCutIns gives a budget on the mean of cut-ins their interval.
func (j *Judgement) ofCutIns(a *Analysis) {
	if j.Budget.Metric.Name != cutInShare || j.Budget.Function != Mean {
		return
	}
	if c, ok := a.CutIns(); ok {
		j.Low, j.High, j.HasInterval = c.Rate.Low, c.Rate.High, true
	}
}
