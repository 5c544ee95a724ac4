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
	Stage     string        // that takes the most, over the opportunities that landed
	Takes, Of time.Duration // its median, and that of the first character; Unknown where too few landed
	// Alone: the budget would be outside even if all other stages took no time and text came
	// after every key. Without is then the budget's value in that case.
	Alone   bool
	Without float64
	Levers  []Lever // of the stages, the best first; empty where the budget is kept
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
	most := time.Duration(-1)
	for _, s := range run.StageTimes() {
		if sum := s.Times.Sum(); sum > most {
			most, r.Stage, r.Takes = sum, s.Stage.String(), median(s.Times)
		}
	}
	landed := make([]time.Duration, len(a.landed))
	for i, l := range a.landed {
		landed[i] = l.value
	}
	r.Of = median(landed)
}

// find looks for a stage that alone breaks the budget, and for what would bring it inside.
func (r *Reason) find(run *ghost.Run, a *Analysis) {
	landedThere, missing, gone := a.staged(run)
	r.Levers = r.Judgement.Levers
	replay := newReplayer(r.Judgement.Budget, a.Landing().Population, a.kind.mark, landedThere, gone)
	for _, stage := range slices.Concat([]string{r.Stage}, replay.stages) {
		values := alone(stage, landedThere, missing)
		if !replay.met(values) {
			r.Stage, r.Alone, r.Without = stage, true, replay.value(values)
			r.Takes = median(durations(values))
			return
		}
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

// usualOf returns the median of each stage of the keys that landed, 0 where nobody told it.
func usualOf(run *ghost.Run) map[string]time.Duration {
	usual := map[string]time.Duration{}
	for _, s := range run.StageTimes() {
		if m := median(s.Times); m != pipeline.Unknown {
			usual[s.Stage.String()] = m
		}
	}
	return usual
}

// lostOnWay returns what is known of a key that was given up at a stage, if it was: what comes
// after that one is taken to be as long as it usually is.
func lostOnWay(t *pipeline.Trace, usual map[string]time.Duration) (l lost, ok bool) {
	l, ok = lostOf(t)
	if !ok {
		return l, false
	}
	l.before = nil
	at := t.Due
	for _, s := range t.Spans {
		if s.End != pipeline.Unknown && s.End > at {
			l.before = append(l.before, leg{s.Name, s.End - at})
			at = s.End
		}
	}
	past := false
	for _, stage := range ghost.AllStages() {
		if past && stage != ghost.Unsplit && usual[stage.String()] > 0 {
			l.after = append(l.after, leg{stage.String(), usual[stage.String()]})
		}
		past = past || stage.String() == l.stage
	}
	return l, true
}

// alone returns how long keys would take if only one stage took any time, and text came after
// all of them.
func alone(stage string, landedThere []landed, lost []*pipeline.Trace) (values []float64) {
	of := func(t *pipeline.Trace) {
		sum := time.Duration(0)
		for _, s := range t.Spans {
			if s.Name == stage && s.End != pipeline.Unknown {
				sum += s.For()
			}
		}
		values = append(values, float64(sum))
	}
	for _, l := range landedThere {
		of(l.trace)
	}
	for _, t := range lost {
		of(t)
	}
	return values
}

// staged returns the keys that landed, those that did not, and of these what is known of where
// they were given up, with the stages that a report tells of them rather than with their spans:
// what owns an overrun and what would cure it is said in the words of the report.
func (a *Analysis) staged(run *ghost.Run) (all []landed, missing []*pipeline.Trace, gone []lost) {
	for _, l := range a.landed {
		all = append(all, landed{staged(run, l.trace), l.value})
	}
	usual := usualOf(run)
	for _, t := range a.missing {
		u := unlanded(t)
		missing = append(missing, u)
		if l, ok := lostOnWay(u, usual); ok {
			gone = append(gone, l)
		}
	}
	return all, missing, gone
}

// staged returns a trace whose spans are the stages of one that landed, one after the other.
func staged(run *ghost.Run, t *pipeline.Trace) *pipeline.Trace {
	stages, _ := run.Stages(t)
	out := &pipeline.Trace{Kind: t.Kind, Session: t.Session, Index: t.Index, Due: t.Due, Marks: t.Marks}
	at, last := t.Due, pipeline.NoSpan
	for _, stage := range ghost.AllStages() {
		if d := stages[stage]; d > 0 {
			last = out.Add(pipeline.Span{Name: stage.String(), Start: at, End: at + d}, last)
			at += d
		}
	}
	return out
}

// unlanded returns what is known of the stages of one that did not land: its own waits, and
// the stage at which its request was given up, which is open.
func unlanded(t *pipeline.Trace) *pipeline.Trace {
	out := &pipeline.Trace{Kind: t.Kind, Session: t.Session, Index: t.Index, Due: t.Due, Requests: t.Requests}
	last := pipeline.NoSpan
	for _, s := range t.Spans {
		if s.End != pipeline.Unknown && s.End > s.Start {
			last = out.Add(pipeline.Span{Name: s.Name, Start: s.Start, End: s.End}, last)
		}
	}
	if len(t.Requests) == 0 {
		return out
	}
	r := t.Requests[len(t.Requests)-1]
	if r.Closed != pipeline.Unknown {
		r.End = r.Closed // the server may have heard of it later
	}
	out.Requests = []pipeline.Request{r}
	if r.Sent == pipeline.Unknown || r.End == pipeline.Unknown {
		return out
	}
	at := r.Sent
	for _, s := range wayOf(&r) {
		if s.until == pipeline.Unknown || s.until >= r.End {
			out.Add(pipeline.Span{Name: s.stage.String(), Start: at, End: pipeline.Unknown}, last)
			break
		}
		if s.until > at {
			last = out.Add(pipeline.Span{Name: s.stage.String(), Start: at, End: s.until}, last)
			at = s.until
		}
	}
	return out
}

// step is a stage of a request and when it was over; Unknown where it was not.
type step struct {
	stage ghost.Stage
	until time.Duration
}

// wayOf returns the stages of a request that did not bring a landing, as far as they are told.
func wayOf(r *pipeline.Request) []step {
	if r.Scheduled == pipeline.Unknown && !r.Simulated {
		return []step{{ghost.Unsplit, pipeline.Unknown}}
	}
	shifted := func(at, by time.Duration) time.Duration {
		if at == pipeline.Unknown {
			return at
		}
		return at + by
	}
	return []step{
		{ghost.Send, r.Sent + r.Way.Out}, {ghost.ServerQueue, shifted(r.Scheduled, r.Way.Out)},
		{ghost.Prefill, shifted(r.FirstOutput, -r.Way.Back)}, {ghost.FirstToken, pipeline.Unknown},
	}
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
