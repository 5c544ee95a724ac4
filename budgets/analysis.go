package budgets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
	"halfsecond/pipeline/trace"
)

// Analysis is a run with everything that can be said of it. It refers to the
// run's traces, which must not be changed; those of a start-up that was cut off are no
// part of it.
type Analysis struct {
	Run        trace.Run
	Verdict    Verdict // fail if any budget failed, else unmeasured if any is, else pass
	Unfit      string  // why the run cannot be judged at all; empty when it can
	Judgements []Judgement
	Pools      []Pool // every metric, the one that interactions land with first
	Stages     []Stage
	Exemplars  []Exemplar
	Steps      []pipeline.Trace // of an editor: what led to requests and is no key; in the metrics of requests alone
	StartUp    *StartUp         // what was cut off the run for it; nil unless the report is to find it

	kind    kind
	landed  []landed
	missing []*pipeline.Trace // of the landing metric's population, without a value
	quality *Quality          // once it was asked for; see Quality
}

// Stage is one stage over the run.
type Stage struct {
	Pool      Pool
	Simulated bool
	Component string // slug of the hosted component it draws from
	NoSpread  bool   // only a median is published for that component
	// ShareCritical is the share of the interactions that landed on whose
	// critical path the stage was; meaningless when none landed.
	ShareCritical float64
}

// Name returns the stage's name.
func (s *Stage) Name() string { return s.Pool.Metric.Name }

// Exemplar is an interaction that stands for others.
type Exemplar struct {
	Name  string // "median", "p95", or "only" in a run with a single one
	Trace *pipeline.Trace
	Value time.Duration // landing - due
	Path  []Segment     // adds up to Value
	Slack []time.Duration
	// of each span of the trace: how much longer it could have been without
	// moving the landing; Unknown when the landing did not wait for it
}

// of returns a run that nothing is computed of yet.
func of(run trace.Run) *Analysis {
	a := &Analysis{Run: run, kind: kindOf(run.Header.Kind).imported(run.Traces)}
	a.Run.Traces, a.Steps = apart(run.Traces)
	return a
}

// MetricsOf returns every metric that budgets of the run may be about, the one that
// interactions land with first: those of its kind, with every stage that left a span.
func MetricsOf(run trace.Run) []Metric {
	a := of(run)
	return withNone(a.kind.metrics(a.stageNames()), &run.Header)
}

// Analyse computes every metric of the run and judges the budgets in its
// header. It fails when one of those is no valid expression.
func Analyse(run trace.Run) (*Analysis, error) {
	a := of(run)
	stages := a.stageNames()
	metrics := withNone(a.kind.metrics(stages), &run.Header)
	for _, text := range run.Header.Budgets {
		b, err := Parse(text, metrics)
		if err != nil {
			return nil, fmt.Errorf("analyse %s: %w", run.Header.Scenario, err)
		}
		a.Judgements = append(a.Judgements, Judgement{Budget: b})
	}
	a.settle()
	withSteps := a.withSteps()
	for _, m := range metrics {
		if a.Steps != nil && ofRequests(m.Name) {
			a.Pools = append(a.Pools, collect(m, withSteps))
			continue
		}
		a.Pools = append(a.Pools, collect(m, a.Run.Traces))
	}
	a.land()
	a.stages(stages)
	a.exemplars()
	a.Unfit = cmp.Or(unfit(a.lateness(), smallestLatency(a.Judgements)), a.biased())
	for i := range a.Judgements {
		a.judge(&a.Judgements[i])
		a.doubt(&a.Judgements[i])
	}
	a.Verdict = overall(a.Judgements)
	return a, nil
}

// apart tells interactions from the steps beside them; nil where there is none of these.
func apart(traces []pipeline.Trace) (interactions, steps []pipeline.Trace) {
	isStep := func(t pipeline.Trace) bool { return t.Kind == pipeline.KindStep }
	if !slices.ContainsFunc(traces, isStep) {
		return traces, nil
	}
	for _, t := range traces {
		if isStep(t) {
			steps = append(steps, t)
		} else {
			interactions = append(interactions, t)
		}
	}
	return interactions, steps
}

// withSteps returns the interactions and the steps beside them.
func (a *Analysis) withSteps() []pipeline.Trace { return slices.Concat(a.Run.Traces, a.Steps) }

// ofRequests reports whether a metric is of requests, whoever led to them.
func ofRequests(name string) bool {
	is := func(m Metric) bool { return m.Name == name }
	return name == "cancelled_share" || name == "requests_per_key" || name == FailedShare.Name || ofGhost(name) || slices.ContainsFunc(requestMetrics, is)
}

// Landing returns the pool of the metric that interactions land with.
func (a *Analysis) Landing() *Pool { return &a.Pools[0] }

// Pool returns the pool of the named metric, nil when the kind has none.
func (a *Analysis) Pool(name string) *Pool {
	for i := range a.Pools {
		if a.Pools[i].Metric.Name == name {
			return &a.Pools[i]
		}
	}
	return nil
}

// LandingLimit returns the tightest limit that a budget sets on the metric that
// interactions land with, and whether one does.
func (a *Analysis) LandingLimit() (l Limit, ok bool) {
	for i := range a.Judgements {
		b := &a.Judgements[i].Budget
		bound := b.bound()
		if b.Metric.Name == a.kind.landing.Name && bound.Comparison.upper() && (!ok || bound.Value < l.Value) {
			l, ok = bound, true
		}
	}
	return l, ok
}

// Good returns what an interaction, or a request, has to keep to count for goodput: the
// tightest limit on the metric that interactions land with, or else the first that a
// budget sets on another latency. ok is false when none does.
func (a *Analysis) Good() (m Metric, l Limit, ok bool) {
	if l, ok := a.LandingLimit(); ok {
		return a.kind.landing, l, true
	}
	for i := range a.Judgements {
		b := &a.Judgements[i].Budget
		if b.Metric.Unit == Duration && b.bound().Comparison.upper() && !IsPace(b.Metric.Name) {
			return b.Metric, b.bound(), true
		}
	}
	return m, l, false
}

// stageNames returns the stages that the header declares, then those of the
// kind, then any others that left a span, in order of appearance.
func (a *Analysis) stageNames() []string {
	var names []string
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, s := range a.Run.Header.Stages {
		add(s.Name)
	}
	for _, name := range a.kind.stages {
		add(name)
	}
	for i := range a.Run.Traces {
		for _, s := range a.Run.Traces[i].Spans {
			add(s.Name)
		}
	}
	return names
}

// land finds the interactions that landed, in the order of their landing.
func (a *Analysis) land() {
	for i := range a.Run.Traces {
		t := &a.Run.Traces[i]
		switch v, s := okOnly(t.Outcome)(a.kind.of(t)); s {
		case present:
			a.landed = append(a.landed, landed{t, time.Duration(v)})
		case missing:
			a.missing = append(a.missing, t)
		}
	}
	slices.SortStableFunc(a.landed, func(x, y landed) int {
		return cmp.Or(
			cmp.Compare(x.value, y.value), cmp.Compare(x.trace.Session, y.trace.Session), cmp.Compare(x.trace.Index, y.trace.Index),
		)
	})
}

// stages fills in Stages: those that were declared or left a span.
func (a *Analysis) stages(names []string) {
	critical := a.critical()
	for _, name := range names {
		s := Stage{Pool: *a.Pool(name)}
		declared := slices.IndexFunc(a.Run.Header.Stages, func(h trace.Stage) bool { return h.Name == name })
		switch {
		case declared >= 0:
			h := a.Run.Header.Stages[declared]
			s.Simulated, s.Component, s.NoSpread = h.Simulated, h.Component, h.NoSpread
		case s.Pool.Population > 0:
			s.Simulated = a.Run.Header.Target == targetSim || a.simulated(name)
		default:
			continue // a stage that this scenario does not have
		}
		if len(a.landed) > 0 {
			s.ShareCritical = float64(critical[name]) / float64(len(a.landed))
		}
		a.Stages = append(a.Stages, s)
	}
}

// simulated reports whether any span of the stage says that it was.
func (a *Analysis) simulated(stage string) bool {
	for i := range a.Run.Traces {
		for _, s := range a.Run.Traces[i].Spans {
			if s.Name == stage && s.Simulated {
				return true
			}
		}
	}
	return false
}

// critical counts for each stage the interactions on whose critical path it is.
func (a *Analysis) critical() map[string]int {
	counts := map[string]int{}
	for _, l := range a.landed {
		g := l.graph(a.kind.mark)
		path := g.path()
		for i, s := range path {
			if !slices.ContainsFunc(path[:i], func(earlier Segment) bool { return earlier.Name == s.Name }) {
				counts[s.Name]++
			}
		}
	}
	return counts
}

func (a *Analysis) exemplars() {
	add := func(name string, rank int) {
		l := a.landed[rank-1]
		g := l.graph(a.kind.mark)
		a.Exemplars = append(a.Exemplars, Exemplar{Name: name, Trace: l.trace, Value: l.value, Path: g.path(), Slack: g.slack()})
	}
	n := len(a.landed)
	if n == 1 {
		add("only", 1)
	}
	if n >= quantile.P50.Needs() {
		add("median", quantile.P50.Rank(n))
	}
	if n >= quantile.P95.Needs() {
		add("p95", quantile.P95.Rank(n))
	}
}

// unfit says why a tester this late cannot judge a budget this small. Where
// there are too few samples for a p99 the largest lateness stands for it.
func unfit(l trace.Lateness, smallest float64) string {
	late, name := l.P99, "p99"
	if late == pipeline.Unknown {
		late, name = l.Max, "largest"
	}
	if smallest == 0 || late == pipeline.Unknown || float64(late) <= mostLate*smallest {
		return ""
	}
	return "the tester itself ran " + tooLate(float64(late), name, smallest)
}

// lateness returns the tester's own lateness: the footer's, or that of the
// interactions' due instants in a run on the wall clock that left no footer.
func (a *Analysis) lateness() trace.Lateness {
	l := a.Run.Footer.Lateness
	if l.N > 0 || a.Run.Header.Target == "sim" {
		return l
	}
	h := quantile.NewHistogram()
	for i := range a.Run.Traces {
		h.Record(a.Run.Traces[i].Late)
	}
	return trace.LatenessOf(h)
}

// judge gives one budget its verdict, and an overrun its owner and its levers.
func (a *Analysis) judge(j *Judgement) {
	p := a.Pool(j.Budget.Metric.Name)
	j.judge(p, a.forbidden(j.Budget))
	j.ofShare(a)
	j.ofCutIns(a)
	j.ofQuality(a)
	if !j.HasValue || j.holds(p) || a.Unfit != "" {
		j.note(a)
		return
	}
	if b := j.Budget; b.Metric.Name == a.kind.landing.Name && b.bound().Comparison.upper() {
		r := newReplayer(b, p.Population, a.kind.mark, a.landed, lostOfAll(a.missing))
		if run := a.Ghost(); run != nil {
			all, _, gone := a.staged(run)
			j.Owner, j.Levers = a.owner(all, j.outside()), newReplayer(b, p.Population, a.kind.mark, all, gone).ofRequests()
		} else {
			j.Owner, j.Levers = a.owner(a.landed, j.outside()), r.levers()
		}
		if a.certain(j, r) {
			return
		}
	}
	if j.Verdict == Fail {
		j.Reason = j.overrun(p)
	}
	j.note(a)
}

// note says of a judged median that it rests on published medians.
func (j *Judgement) note(a *Analysis) {
	if j.Verdict == Unmeasured {
		return
	}
	if words := a.MedianOnly(j.Budget.Metric); words != "" {
		words = "rests on " + words + "; medians of stages add up only roughly"
		j.Reason = strings.TrimPrefix(j.Reason+"; "+words, "; ")
	}
}

// forbidden says why the budget may not be judged whatever its value; "" when
// it may.
func (a *Analysis) forbidden(b Budget) string {
	if a.Unfit != "" {
		return a.Unfit
	}
	if b.Function == Quantile && b.Q == quantile.P50 {
		return ""
	}
	if words := a.MedianOnly(b.Metric); words != "" {
		return "rests on " + words
	}
	return ""
}

// certain fails a budget that is unmeasured since stages without a known spread are under
// its metric, but would be outside even if none of those took any time: however they
// spread, they take no less. Stages that no landing waited for count too, for one may be
// waited for once the others take no time, and so does each interaction that was given up
// at such a stage, which then would have landed. It returns whether the budget fails so.
func (a *Analysis) certain(j *Judgement, r *replayer) bool {
	words := a.MedianOnly(j.Budget.Metric)
	if j.Verdict != Unmeasured || words == "" {
		return false
	}
	var names []string
	for _, s := range a.Stages {
		if s.NoSpread {
			names = append(names, s.Name())
		}
	}
	values := r.replayed(0, names...)
	for _, l := range r.lost {
		if slices.Contains(names, l.stage) {
			values = append(values, 0)
		}
	}
	if r.met(values) {
		return false
	}
	j.Verdict, j.Margin = Fail, j.Budget.Limit.margin(j.Value)
	j.Certain = fmt.Sprintf("outside even if no time went to %s: %s", words, j.Unit().Format(r.value(values)))
	j.Reason = j.overrun(a.Pool(j.Budget.Metric.Name)) + "; " + j.Certain
	return true
}

// spreadless returns the stages without a known spread that the metric rests on.
func (a *Analysis) spreadless(m Metric) []Stage {
	return slices.DeleteFunc(slices.Clone(a.Stages), func(s Stage) bool {
		rests := m.rests == restsOnStage && m.stage == s.Name() || m.rests == restsOnPath && s.ShareCritical > 0
		return !s.NoSpread || !rests
	})
}

// MedianOnly names the stages without a known spread that the metric rests on, of which
// only medians can be judged; "" for none.
func (a *Analysis) MedianOnly(m Metric) string {
	var names []string
	for _, s := range a.spreadless(m) {
		names = append(names, fmt.Sprintf("%s (%s)", s.Name(), cmp.Or(s.Component, "stated")))
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, " and ") + ", of which only a median is published"
}

// owner finds which stage or wait takes the most of the critical paths of the
// interactions that a budget's overrun is about.
func (a *Analysis) owner(all []landed, about func(v float64) bool) *Owner {
	takes, of, n := map[string]time.Duration{}, time.Duration(0), 0
	var order []string
	for _, l := range all {
		if !about(float64(l.value)) {
			continue
		}
		n, of = n+1, of+l.value
		g := l.graph(a.kind.mark)
		for _, s := range g.path() {
			if _, seen := takes[s.Name]; !seen {
				order = append(order, s.Name)
			}
			takes[s.Name] += s.For()
		}
	}
	if len(order) == 0 {
		return nil
	}
	most := slices.MaxFunc(order, func(x, y string) int { return cmp.Compare(takes[x], takes[y]) })
	return &Owner{Stage: most, Takes: float64(takes[most]) / float64(n), Of: float64(of) / float64(n)}
}
