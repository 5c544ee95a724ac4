package budgets

import (
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// CutInShare is the metric of turns into a pause of which the agent would have spoken.
const CutInShare = "cut_in_share"

// CutIns is how often the agent spoke into a pause, or would have.
type CutIns struct {
	N     int // turns whose pauses are known, or that a real agent heard
	Rate  Proportion
	Share int // turns that it cut in on
	// Different is how many of the N tell something of their own: those in which the user says
	// the same words, or is the same recording, have the same pauses.
	Different int
	// Real is how many of the N went to a real agent, which is seen to speak into a pause, or not.
	Real int
	// Times is how often it did in all, Heard in how many turns that was heard; Played is how
	// long what it said so was, and Dropped how much more it had said that was not played.
	Times, Heard    int
	Played, Dropped time.Duration
}

// CutIns returns how often the agent cuts in; ok is false when no turn's pauses are known,
// and none went to a real agent.
// The interval is Wilson's of as many independent turns as there are different ones: to say
// the same again tells nothing new of what others say.
func (a *Analysis) CutIns() (c CutIns, ok bool) {
	p := a.Pool(CutInShare)
	if p == nil || len(p.Values) == 0 {
		return c, false
	}
	c.N = len(p.Values)
	for _, v := range p.Values {
		c.Share += int(v)
	}
	c.Different = a.different()
	c.see(a.Run.Traces)
	c.Rate = c.Of(c.Share)
	return c, true
}

// see adds what real agents did.
func (c *CutIns) see(traces []pipeline.Trace) {
	for i := range traces {
		for j := range traces[i].Answers {
			r := &traces[i].Answers[j]
			if r.CutIns == pipeline.UnknownCount || traces[i].Fact(pipeline.FactCutIn) == "" {
				continue
			}
			c.Real++
			c.Times += r.CutIns
			if r.CutIns == 0 {
				continue
			}
			if r.FirstCutIn != pipeline.Unknown {
				c.Heard++
			}
			c.Played += max(0, r.CutInPlayed)
			c.Dropped += max(0, r.CutInDropped)
		}
	}
}

// Of returns a number of the turns as a share, with an interval like the rate's.
func (c CutIns) Of(turns int) Proportion {
	p := Proportion{Value: float64(turns) / float64(c.N)}
	low, high := quantile.Proportion{Share: p.Value, N: float64(c.Different)}.Wilson(.95)
	p.Low, p.High = min(low, p.Value), max(high, p.Value) // rounding may put a bound of 0 or 1 beside it
	return p
}

// different counts the turns with known pauses in which something else is said; one of which
// nobody knows what it is differs from all.
func (a *Analysis) different() int {
	n, all := 0, map[string]bool{}
	for i := range a.Run.Traces {
		t := &a.Run.Traces[i]
		if t.Fact(pipeline.FactCutIn) == "" {
			continue
		}
		if x := said(t); x == "" {
			n++
		} else {
			all[x] = true
		}
	}
	return n + len(all)
}

// said returns what stands for the pauses of a turn: the words that the user said, the
// recording that was played, or where neither is told what was heard of it. It is "" where
// nobody knows.
func said(t *pipeline.Trace) string {
	if words := t.Fact(pipeline.FactWords); words != "" {
		return words
	}
	if recording := t.Fact(pipeline.FactRecording); recording != "" {
		return "recording " + recording
	}
	if len(t.Hearings) > 0 {
		return strings.ToLower(strings.Trim(t.Hearings[0].Text, " .,!?"))
	}
	return ""
}

// ofCutIns gives a budget on the mean of cut-ins their interval.
func (j *Judgement) ofCutIns(a *Analysis) {
	if j.Budget.Metric.Name != CutInShare || j.Budget.Function != Mean {
		return
	}
	if c, ok := a.CutIns(); ok {
		j.Low, j.High, j.HasInterval, j.Independent = c.Rate.Low, c.Rate.High, true, float64(c.Different)
	}
}
