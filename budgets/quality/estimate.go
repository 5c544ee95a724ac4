package quality

import (
	"fmt"
	"math"
	"slices"
	"time"

	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/quantile"
)

// Estimate is a figure with the interval that holds the true one with a confidence of
// 95 %. There is none of fewer than LeastAnswers answers, nor where nothing varies.
type Estimate struct {
	Value       float64
	Known       bool
	Low, High   float64
	HasInterval bool
}

const confidence = .95

// Of returns the speed of a model by its answers, in order of time. Repair is what a broken
// one costs, zero or more.
//
// Intervals are those of the percentile bootstrap, over whole sessions or blocks of
// neighbours (quantile.BySession); that of a share is Wilson's, for as many independent
// answers as they are worth when they are drawn so (quantile.Plan.Independent). Where all
// answers parse, or all are broken, the share is of all that could be told, and the others
// reach to what they are at the end of its interval: that nothing was broken among ten answers
// does not say that nothing will be.
func Of(answers []Answer, repair time.Duration, seed uint64) Speed {
	var all sums
	for i := range answers {
		all.add(&answers[i], 1)
	}
	s := Speed{Answers: len(answers), Told: int(all.told), Repair: repair}
	values := all.values(repair)
	plan := planOf(answers)
	s.Drawn = drawn(plan)
	redrawn := redraw(answers, plan, repair, seed)

	s.Independent = independent(plan, answers)
	share := wilson(values[broken], s.Independent, confidence)
	if len(answers) < LeastAnswers {
		share.HasInterval = false
	}
	s.Broken = share
	s.Parsing = share
	s.Parsing.Value, s.Parsing.Low, s.Parsing.High = 1-share.Value, 1-share.High, 1-share.Low

	beyond := values
	if end, ok := unseen(share); ok {
		beyond = all.at([3]float64{end, end, end}, end, repair)
	}
	for f, into := range map[figure]*Estimate{tokens: &s.Tokens, useful: &s.Useful, working: &s.Working, effective: &s.Effective} {
		*into = central(values[f], redrawn[f], beyond[f], len(answers))
	}
	return s
}

// Point returns the speed of a model without intervals, which takes no time.
func Point(answers []Answer, repair time.Duration) Speed {
	var all sums
	for i := range answers {
		all.add(&answers[i], 1)
	}
	v := all.values(repair)
	of := func(f figure) Estimate { return Estimate{Value: v[f], Known: !math.IsNaN(v[f])} }
	s := Speed{
		Answers: len(answers), Told: int(all.told), Repair: repair, Broken: of(broken), Parsing: of(broken),
		Tokens: of(tokens), Useful: of(useful), Working: of(working), Effective: of(effective),
	}
	s.Parsing.Value = 1 - s.Broken.Value
	return s
}

// planOf returns what of the answers is drawn together: neighbours as far as their times
// resemble each other, or whether they are broken, of those of which it could be told.
func planOf(answers []Answer) quantile.Plan {
	sessions, times := make([]int, len(answers)), make([]float64, len(answers))
	for i, a := range answers {
		sessions[i], times[i] = a.Session, a.For.Seconds()
	}
	told := slices.Concat(breaks(answers)...)
	return quantile.BySession(sessions, func() int { return max(quantile.BlockLength(times), quantile.BlockLength(told)) })
}

func drawn(p quantile.Plan) string {
	switch {
	case p.Groups() > 0:
		return fmt.Sprintf("%d whole sessions", p.Groups())
	case p.Length() > 1:
		return fmt.Sprintf("blocks of %d neighbours in time", p.Length())
	}
	return "answers one by one"
}

// Resamples: so many that either tail holds 50 figures, fewer of runs so long that chance
// says little, each costing a look at every answer.
const (
	mostResamples  = 1999
	leastResamples = 199
	mostLooks      = 100_000_000
)

// redraw returns the figures of samples drawn again, those that are known.
func redraw(answers []Answer, plan quantile.Plan, repair time.Duration, seed uint64) (all [figures][]float64) {
	if len(answers) < LeastAnswers {
		return all
	}
	random, times := dist.Stream(seed, "quality/resample"), make([]int32, len(answers))
	for range min(mostResamples, max(leastResamples, mostLooks/len(answers))) {
		plan.Draw(&random, times)
		var s sums
		for i, n := range times {
			if n > 0 {
				s.add(&answers[i], float64(n))
			}
		}
		for f, v := range s.values(repair) {
			if !math.IsNaN(v) {
				all[f] = append(all[f], v)
			}
		}
	}
	return all
}

// central returns the estimate of a figure by samples drawn again. The interval reaches to
// what lies beyond.
func central(value float64, redrawn []float64, beyond float64, answers int) Estimate {
	e := Estimate{Value: value, Known: !math.IsNaN(value)}
	if !e.Known || len(redrawn) == 0 || answers < LeastAnswers {
		return e
	}
	e.Low, e.High = quantile.Central(redrawn, confidence)
	e.Low, e.High = min(e.Low, beyond), max(e.High, beyond)
	e.HasInterval = e.Low < e.High
	return e
}

// wilson returns the estimate of a share of so many independent answers.
func wilson(share, n, confidence float64) Estimate {
	if n == 0 {
		return Estimate{}
	}
	e := Estimate{Value: share, Known: true, HasInterval: true}
	e.Low, e.High = quantile.Proportion{Share: share, N: n}.Wilson(confidence)
	return e
}

// independent returns how many answers those are worth of which it could be told whether they
// parse. Where all do, or none does, nothing says that they hang together, and each is worth
// one: with a single other among them that is what they are worth too, so that a model without
// a fault does not look worse than one with one.
func independent(plan quantile.Plan, answers []Answer) float64 {
	told := breaks(answers)
	n, known := plan.Independent(told)
	if known {
		return n
	}
	n = 0
	for _, of := range told {
		n += float64(len(of))
	}
	return n
}

// breaks returns of each answer whether it is broken; nothing of one of which nobody could tell.
func breaks(answers []Answer) [][]float64 {
	all := make([][]float64, len(answers))
	for i, a := range answers {
		switch a.Syntax {
		case Parses:
			all[i] = []float64{0}
		case Breaks:
			all[i] = []float64{1}
		}
	}
	return all
}

// unseen returns the far end of the interval of a share of which only one side was seen.
func unseen(share Estimate) (end float64, ok bool) {
	switch {
	case !share.Known || !share.HasInterval:
		return 0, false
	case share.Value == 0:
		return share.High, true
	}
	return share.Low, share.Value == 1
}
