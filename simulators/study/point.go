package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// point looks at a run. It keeps none of its traces.
func point(run trace.Run) (Point, error) {
	a, err := budgets.Analyse(run)
	if err != nil {
		return Point{}, err
	}
	kept := a.Run.Traces
	p := Point{
		Seed: run.Header.Seed, Verdict: a.Verdict, Judgements: a.Judgements, StartUp: a.StartUp, Unfit: a.Unfit,
		Pool: *a.Landing(), Kept: len(kept), OK: okShare(kept), Failures: failures(kept),
	}
	if m, limit, ok := a.Good(); ok {
		p.Pool, p.Limit, p.Limited = *a.Pool(m.Name), limit, true
	}
	if r := a.Reason(); r != nil && r.Alone {
		p.Alone = r
	}
	p.Offered, p.Achieved = rates(kept, run.Traces)
	return p, nil
}

// okShare returns the share of traces that ended ok; NaN of none.
func okShare(traces []pipeline.Trace) float64 {
	ok := 0.
	for i := range traces {
		if traces[i].Outcome == pipeline.OK {
			ok++
		}
	}
	return ok / float64(len(traces))
}

// failures counts the traces that did not end ok by their reasons.
func failures(traces []pipeline.Trace) map[string]int {
	reasons := map[string]int{}
	for i := range traces {
		if t := &traces[i]; t.Outcome != pipeline.OK {
			reasons[cmp.Or(t.Reason, t.Outcome.String())]++
		}
	}
	return reasons
}

// MostOften returns the reason that most of failures have, the first by name of several;
// "" of none.
func MostOften(failures map[string]int) (reason string) {
	for why, n := range failures {
		if most := failures[reason]; n > most || n == most && why < reason {
			reason = why
		}
	}
	return reason
}

// rates returns how many interactions a second were due, and how many ended ok, in the
// second half of the time in which those that are kept were due: what begins with
// nothing under way has nothing to end for a while, and once nothing is due any more
// what is left ends faster. Any interaction may end in that time. NaN is where it is none.
func rates(kept, all []pipeline.Trace) (offered, achieved float64) {
	var due []time.Duration
	for i := range kept {
		due = append(due, kept[i].Due)
	}
	slices.Sort(due)
	if len(due) < 2 || due[len(due)/2] == due[len(due)-1] {
		return math.NaN(), math.NaN()
	}
	from, to := due[len(due)/2], due[len(due)-1]
	for i := range all {
		t := &all[i]
		if t.Due > from && t.Due <= to {
			offered++
		}
		if t.Outcome == pipeline.OK && t.End > from && t.End <= to {
			achieved++
		}
	}
	return offered / (to - from).Seconds(), achieved / (to - from).Seconds()
}

// standing returns on which side a load is that has had all its runs.
func (l *Level) standing() Standing {
	all := func(v budgets.Verdict) bool {
		return !slices.ContainsFunc(l.Points, func(p Point) bool { return p.Verdict != v })
	}
	switch {
	case all(budgets.Pass):
		return Inside
	case all(budgets.Fail):
		return Outside
	}
	return Unsure
}

// What counts as a collapse: half of what is asked is not served, or less is served than
// half of what was under a lower load.
const collapsed = .5

// collapse says why no higher load should be tried; empty when one may, since a run of the
// load did not collapse: one of several can have met a pause of the machine.
func (l *Level) collapse(open bool, best float64) (why string) {
	for i := range l.Points {
		if why = l.Points[i].collapse(open, best); why == "" {
			return ""
		}
	}
	return why
}

func (p *Point) collapse(open bool, best float64) string {
	switch {
	case p.OK < collapsed:
		return fmt.Sprintf("only %.0f %% ended ok, the others most often: %s", 100*p.OK, strings.TrimRight(MostOften(p.Failures), "."))
	case open && p.Achieved < collapsed*p.Offered:
		return fmt.Sprintf("%.3g/s of %.3g/s ended", p.Achieved, p.Offered)
	case p.Achieved < collapsed*best:
		return fmt.Sprintf("%.3g/s ended, and %.3g/s under a lower load", p.Achieved, best)
	}
	return ""
}
