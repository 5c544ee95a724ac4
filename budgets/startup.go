package budgets

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"halfsecond/budgets/steady"
	"halfsecond/pipeline"
)

// StartUp is what was cut off a run, so that it tells of a steady state.
type StartUp struct {
	Metric  string // by whose values the end was found
	Of      int    // interactions before the cut
	Valued  int    // of them, those with a value, in which the end was looked for
	Cut     int    // of them, at the beginning
	Settled int    // of those, the ones due while the load was still becoming what it then was
	Tail    int    // at the end: due after one user of a closed loop had nothing more to do
	// Until is when the first one that is kept was due, since the first of all was;
	// Unknown when nothing is kept.
	Until   time.Duration
	Verdict steady.Verdict
}

// methods are those of package steady.
const methods = "MSER-5, and the test of Heidelberger and Welch at 1 %"

// Words says what was cut, and from what.
func (s *StartUp) Words() string {
	switch s.Verdict {
	case steady.TooShort:
		return fmt.Sprintf("Start-up: nobody can say where it ends: %s of %s, and the test takes %d; nothing is cut for it.", plural(s.Valued, "value"), s.Metric, steady.Least)
	case steady.Unsteady:
		return fmt.Sprintf("Start-up: it does not end: %s still changes in the second half of %s. The figures are of all of them, and would be others in a longer run.",
			s.Metric, plural(s.Of, "interaction"))
	}
	if s.Cut == 0 && s.Tail == 0 {
		return fmt.Sprintf("Start-up: nothing to cut: %s is steady from the first of %s on (%s).", s.Metric, plural(s.Of, "interaction"), methods)
	}
	text := fmt.Sprintf("Start-up: the first %d of %s are cut, up to %s, from where on %s is steady (%s)",
		s.Cut, plural(s.Of, "interaction"), Duration.Format(float64(s.Until)), s.Metric, methods)
	if s.Settled > 0 {
		text += fmt.Sprintf("; in %d of them the load itself was still changing", s.Settled)
	}
	if s.Tail > 0 {
		text += fmt.Sprintf("; the last %d are cut, for some users were through by then", s.Tail)
	}
	return text + "."
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Number(float64(n), 0) + " " + noun
}

// settle cuts the start-up off the run, where the report is to find it, and of a closed
// loop the end, when not all users ask any more. Of a run that is never steady nothing is
// cut.
func (a *Analysis) settle() {
	load := a.Run.Header.Load
	if !load.FindStartUp {
		return
	}
	traces := slices.Clone(a.Run.Traces)
	slices.SortStableFunc(traces, func(x, y pipeline.Trace) int { return cmp.Compare(x.Due, y.Due) })
	m := a.watched()
	s := &StartUp{Metric: m.Name, Of: len(traces), Until: pipeline.Unknown}
	a.StartUp = s
	settled, _ := slices.BinarySearchFunc(traces, load.Settling, func(t pipeline.Trace, at time.Duration) int { return cmp.Compare(t.Due, at) })
	end := len(traces)
	if load.Users > 1 {
		end = max(settled, fullUntil(traces))
	}
	values, places := series(m, traces[settled:end])
	found := steady.Find(values)
	s.Valued = len(values)
	if s.Verdict = found.Verdict; s.Verdict != steady.Steady {
		return
	}
	from := settled
	if found.From > 0 {
		from += places[found.From]
	}
	s.Cut, s.Settled, s.Tail, s.Until = from, settled, len(traces)-end, traces[from].Due-traces[0].Due
	a.cutTo(traces, from, end)
}

// cutTo keeps some of the traces, which are in the order of being due, and of the steps beside
// them those that are due in between.
func (a *Analysis) cutTo(traces []pipeline.Trace, from, end int) {
	a.Run.Traces = traces[from:end]
	if a.Steps == nil {
		return
	}
	before := func(t pipeline.Trace) bool { return from > 0 && t.Due < traces[from].Due }
	after := func(t pipeline.Trace) bool { return end < len(traces) && t.Due >= traces[end].Due }
	a.Steps = slices.DeleteFunc(slices.Clone(a.Steps), func(t pipeline.Trace) bool { return before(t) || after(t) })
}

// watched returns the metric by which the start-up is found: that of the first budget on
// a latency, else the one that interactions land with.
func (a *Analysis) watched() Metric {
	if m, _, ok := a.Good(); ok {
		return m
	}
	return a.kind.landing
}

// series returns the mean value of each trace that has one, and which traces those are.
func series(m Metric, traces []pipeline.Trace) (values []float64, places []int) {
	for i := range traces {
		p := m.Of(&traces[i])
		if v, ok := p.Mean(); ok {
			values, places = append(values, v), append(places, i)
		}
	}
	return values, places
}

// fullUntil returns how many traces, in the order of being due, were due before the
// first of the users ended the last of theirs.
func fullUntil(traces []pipeline.Trace) int {
	last := map[int]time.Duration{}
	for i := range traces {
		t := &traces[i]
		last[t.Session] = max(last[t.Session], t.End)
	}
	first := pipeline.LastInstant
	for _, end := range last {
		first = min(first, end)
	}
	n, _ := slices.BinarySearchFunc(traces, first, func(t pipeline.Trace, at time.Duration) int { return cmp.Compare(t.Due, at) })
	return n
}

// doubt takes back that a budget passed in a run that is not steady: a longer one might
// be outside. What is outside already stays so.
func (a *Analysis) doubt(j *Judgement) {
	if a.StartUp == nil || a.StartUp.Verdict == steady.Steady || j.Verdict != Pass {
		return
	}
	j.Verdict, j.Margin = Unmeasured, 0
	j.Reason = "rests on a run that is not steady: a longer one may have another value"
	if a.StartUp.Verdict == steady.TooShort {
		j.Reason = fmt.Sprintf("rests on a run too short to tell where its start-up ends, which takes %d values", steady.Least)
	}
}
