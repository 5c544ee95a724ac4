package budgets

import (
	"slices"
	"time"

	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// Reason is why ghost text keeps its budget or does not: the stage that takes the most of the
// time to the first character, and what would bring the budget inside.
type Reason struct {
	Judgement *Judgement
	// Stage takes the most: of a budget that fails, of the critical paths of the opportunities
	// outside, where there are any that landed, and else of all that landed.
	Stage string
	// Takes is how long it takes of them on average, Of how long they take.
	Takes, Of time.Duration
	Outside   bool // of those outside only
	// Alone: the budget would be outside even if all other stages took no time and text came
	// after every key. Without is then the budget's value in that case, Takes the median of the
	// opportunities that waited for the stage: Waited of the Landed, Of nothing.
	Alone          bool
	Without        float64
	Waited, Landed int
	Fixed          bool    // it took all that waited the same time
	Levers         []Lever // of the stages, the best first; empty where the budget is kept
}

// Reason returns why the first budget on the time to the first character that decides is kept
// or not; nil where there is none, or nothing landed.
func (a *Analysis) Reason() *Reason {
	run := a.Ghost()
	if run == nil || len(a.landed) == 0 || a.Unfit != "" {
		return nil
	}
	i := slices.IndexFunc(a.Judgements, func(j Judgement) bool {
		return j.Budget.Metric.Name == a.kind.landing.Name && j.Budget.bound().Comparison.upper() && j.HasValue && (j.Verdict == Fail || a.Verdict != Fail)
	})
	if i < 0 {
		return nil
	}
	r := &Reason{Judgement: &a.Judgements[i]}
	r.largest(run, a)
	if r.Judgement.Verdict == Fail {
		r.find(run, a)
	}
	return r
}

// largest finds the stage that takes the most.
func (r *Reason) largest(run *ghost.Run, a *Analysis) {
	if o := r.Judgement.Owner; o != nil && r.Judgement.Verdict == Fail {
		r.Stage, r.Takes, r.Of, r.Outside = o.Stage, time.Duration(o.Takes), time.Duration(o.Of), true
		return
	}
	var all, most time.Duration
	for _, s := range run.StageTimes() {
		if sum := s.Times.Sum(); sum > most {
			most, r.Stage = sum, s.Stage.String()
		}
	}
	for _, l := range a.landed {
		all += l.value
	}
	n := time.Duration(len(a.landed))
	r.Takes, r.Of = most/n, all/n
}

// find looks for a stage that alone breaks the budget, and for what would bring it inside.
func (r *Reason) find(run *ghost.Run, a *Analysis) {
	landedThere, missing, gone := a.staged(run)
	r.Levers = r.Judgement.Levers
	replay := newReplayer(r.Judgement.Budget, a.Landing().Population, a.kind.mark, landedThere, gone)
	usual := usualOf(run)
	for _, stage := range slices.Concat([]string{r.Stage}, replay.stages) {
		values := alone(stage, usual[stage], landedThere, missing)
		if replay.met(values) {
			continue
		}
		waited := slices.DeleteFunc(durations(values[:len(landedThere)]), func(d time.Duration) bool { return d == 0 })
		r.Stage, r.Alone, r.Takes, r.Waited, r.Landed = stage, true, median(waited), len(waited), len(landedThere)
		r.Fixed = len(waited) > 0 && slices.Min(waited) == slices.Max(waited)
		r.Without = replay.value(values)
		return
	}
}

// network and server are the stages of a request that shorten together, with another network
// or another model and machine.
var (
	network  = namesOf(ghost.Dial, ghost.Send, ghost.Transfer)
	server   = namesOf(ghost.Load, ghost.ServerQueue, ghost.Prefill, ghost.FirstToken)
	together = [][]string{network, server, slices.Concat(server, network)}
)

// ofRequests returns the levers of keys, and where none of them is enough, in front of them what
// is of the stages that shorten together.
func (r *replayer) ofRequests() []Lever {
	levers := r.levers()
	if slices.ContainsFunc(levers, func(l Lever) bool { return l.Enough }) {
		return levers
	}
	return slices.Concat(r.best(r.among(together)), levers)
}

func namesOf(stages ...ghost.Stage) (names []string) {
	for _, s := range stages {
		names = append(names, s.String())
	}
	return names
}

// alone returns how long keys would take if only one stage took any time, and text came after
// all of them: where one that was lost did not see the stage end, it takes what it usually does, or
// what the key had waited for it already where that is longer.
func alone(stage string, usual time.Duration, landedThere []landed, lost []*pipeline.Trace) (values []float64) {
	for _, l := range landedThere {
		took, _ := waitedFor(stage, l.trace)
		values = append(values, float64(took))
	}
	for _, t := range lost {
		took, ended := waitedFor(stage, t)
		if !ended {
			took = max(took, usual)
		}
		values = append(values, float64(took))
	}
	return values
}

// waitedFor returns how long a key waited for a stage, until its request was given up where that
// did not end.
func waitedFor(stage string, t *pipeline.Trace) (sum time.Duration, ended bool) {
	for i := range t.Spans {
		switch s := &t.Spans[i]; {
		case s.Name != stage:
		case s.End != pipeline.Unknown:
			sum, ended = sum+s.For(), true
		case len(t.Requests) > 0:
			if r := &t.Requests[len(t.Requests)-1]; r.Outcome == pipeline.Cancelled {
				sum += max(r.End-s.Start, 0)
			}
		}
	}
	return sum, ended
}

// staged returns the keys that landed, those that did not, and of these what is known of where
// they were given up, with the stages that a report tells of them rather than with their spans:
// what owns an overrun and what would cure it is said in the words of the report.
func (a *Analysis) staged(run *ghost.Run) (all []landed, missing []*pipeline.Trace, gone []lost) {
	s := newStager(run, a.Run.Header.Hold, a.landed)
	for _, l := range a.landed {
		all = append(all, landed{s.landed(l.trace), l.value})
	}
	for _, t := range a.missing {
		u := unlanded(t)
		if l, ok := s.lost(u); ok {
			gone = append(gone, l)
		}
		if s.hold > 0 {
			u.Add(pipeline.Span{Name: ghost.Hold.String(), Start: u.Due, End: u.Due + s.hold})
		}
		missing = append(missing, u)
	}
	return all, missing, gone
}

// median returns the median of durations; Unknown of fewer than two.
func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	if v, ok := quantile.OfSorted(sorted, quantile.P50); ok {
		return v
	}
	return pipeline.Unknown
}

func durations(values []float64) []time.Duration {
	all := make([]time.Duration, len(values))
	for i, v := range values {
		all[i] = time.Duration(v)
	}
	return all
}
