package versus

import (
	"cmp"
	"slices"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/quality"
	"halfsecond/budgets/steady"
	"halfsecond/pipeline"
)

// Run is what a comparison needs of a run: a little of its header, how it ended, and
// the values of every metric, interaction by interaction. It holds no text that was
// sent or received, no URL and no reason of a failure. Make one with Of or Read; it
// must not be changed afterwards.
type Run struct {
	Facts
	Sessions []int    // whose each interaction is, in the order in which they were due
	Indexes  []int    // which of that session; nil where a baseline does not say it
	Dues     []int64  // when each key of ghost text fell due, ns; nil for other kinds, and where a baseline does not say it
	Series   []Series // the metric that interactions land with first
}

// Facts are what is said of a run beside its figures.
type Facts struct {
	Scenario     string
	ScenarioHash string
	Kind         string
	Target       string
	Model        string // as an endpoint calls it; empty on other targets
	Protocol     string
	Seed         uint64
	N            int // interactions in it
	NAsked       int
	Version      string // of the program
	Unfinished   string // why it did not finish; empty when it did
	Unfit        string // why it cannot be judged; empty when it can
	Unsteady     string // why its figures are not those of a steady state; empty when they are, or when nobody looked
	Limit        string // what an interaction or a request has to keep to count for goodput, such as "reply < 500ms"; empty for none
	Outcomes     map[string]int
	Requests     map[string]int // by outcome, those of steps that are no interactions too
	Conditions   []Condition    // nil in baselines of earlier programs
	Speed        Speed          // of a model that completes code; zero where its answers were not checked
}

// Role says what the rows of a metric are for.
type Role uint8

const (
	Judged    Role = iota // they decide
	OfRequest             // they explain
	OfStage               // they explain
)

var roleNames = []string{"judged", "request", "stage"}

// String returns the role as baselines and reports name it.
func (r Role) String() string { return roleNames[r] }

// Series is a metric with its values. Those of durations are in ns; those of shares
// are 0 or 1; those of counts are whole.
type Series struct {
	Name       string
	Formula    string
	Unit       budgets.Unit // Duration, Share, Count, or TokenRate of an effective speed
	Role       Role
	More       bool // more is better; otherwise less is
	MedianOnly bool // it rests on components of which only a median is published
	Values     [][]float64
	// of each interaction, in the order in which they were due; none where it has no
	// value, several where it made several requests
	Slow [][]float64
	// the same where each value may be that of a slower model than it is taken for, see
	// budgets.Pool; nil where none may
	Quick [][]float64
	// the same, as far as each is that of a slower model for certain; nil where none is
	Answers [][]quality.Answer // of an effective speed, which has no values: the checked answers of each interaction
	Repair  time.Duration      // of an effective speed: what a broken answer costs
}

// Goodput is the name of a series that is no metric of a report.
const Goodput = "goodput"

// Failed is the name of that of failures.
var Failed = budgets.FailedShare.Name

// ofGaps is a metric with a value for each chunk of an answer: too many to be kept, and to
// be drawn again, where nothing is decided by them. The longest gap and the time per token
// of each answer explain as much.
const ofGaps = "icl"

// Of returns what a comparison needs of a run that was analysed.
func Of(a *budgets.Analysis) *Run {
	order := a.InTime()
	traces := make([]pipeline.Trace, len(order))
	for i, at := range order {
		traces[i] = a.Run.Traces[at]
	}
	split := func(m budgets.Metric) []budgets.Pool {
		all, parts := a.Split(m), make([]budgets.Pool, len(order))
		for i, at := range order {
			parts[i] = all[at]
		}
		return parts
	}
	r := &Run{Facts: factsOf(a)}
	for i := range traces {
		r.Sessions, r.Indexes = append(r.Sessions, traces[i].Session), append(r.Indexes, traces[i].Index)
		if r.Kind == pipeline.KindIDE {
			r.Dues = append(r.Dues, int64(traces[i].Due))
		}
	}
	judged := judgedMetrics(a)
	for i := range a.Pools {
		m := a.Pools[i].Metric
		role := roleOf(a, m, judged)
		if role != Judged && m.Name == ofGaps {
			continue
		}
		if m.Name == budgets.EffectiveSpeed {
			r.effective(a, m, order, role)
		} else if s, ok := seriesOf(m, split); ok {
			s.Role, s.MedianOnly = role, a.MedianOnly(m) != ""
			r.Series = append(r.Series, s)
		}
	}
	if m, limit, ok := a.Good(); ok {
		r.Limit = m.Name + " " + limit.String()
		r.Series = append(r.Series, goodput(m, limit, split(m)))
	}
	r.Series = append(r.Series, failed(split))
	return r
}

// effective adds the effective speed of a run whose answers were checked.
func (r *Run) effective(a *budgets.Analysis, m budgets.Metric, order []int, role Role) {
	answers := a.Answers()
	if answers == nil || r.Speed.Answers == 0 {
		return
	}
	s := Series{Name: m.Name, Formula: formula(m), Unit: m.Unit, Role: role, More: true, Repair: r.Speed.Repair}
	for _, at := range order {
		s.Answers = append(s.Answers, answers[at])
	}
	r.Series = append(r.Series, s)
}

func formula(m budgets.Metric) string { return m.Formula + "; over " + m.Over }

func factsOf(a *budgets.Analysis) Facts {
	h, footer := a.Run.Header, a.Run.Footer
	f := Facts{
		Scenario: h.Scenario, ScenarioHash: h.ScenarioHash, Kind: h.Kind, Target: h.Target, Seed: h.Seed,
		N: len(a.Run.Traces), NAsked: h.N, Version: h.Version, Unfit: a.Unfit, Outcomes: map[string]int{}, Requests: map[string]int{},
		Conditions: conditionsOf(a),
	}
	if q := a.Quality(); q != nil {
		f.Speed = Speed{q.Answers, q.Quality.Repair, q.Tokens, q.Effective}
	}
	if !footer.Finished {
		f.Unfinished = cmp.Or(footer.Reason, "it left no word why")
	}
	if a.StartUp != nil && a.StartUp.Verdict != steady.Steady {
		f.Unsteady = a.StartUp.Words()
	}
	if len(h.Endpoints) > 0 {
		f.Model, f.Protocol = h.Endpoints[0].Model, h.Endpoints[0].Protocol
	}
	for i := range a.Run.Traces {
		f.Outcomes[a.Run.Traces[i].Outcome.String()]++
	}
	for _, t := range slices.Concat(a.Run.Traces, a.Steps) {
		for j := range t.Requests {
			f.Requests[t.Requests[j].Outcome.String()]++
		}
	}
	return f
}

// judgedMetrics names what decides: how interactions land and whether they end ok, and
// what the scenario has budgets for. A budget for tps is one for tpot, its inverse.
func judgedMetrics(a *budgets.Analysis) map[string]bool {
	judged := map[string]bool{a.Landing().Metric.Name: true, "ok_share": true}
	for i := range a.Judgements {
		name := a.Judgements[i].Budget.Metric.Name
		if name == "tps" {
			name = "tpot"
		}
		judged[name] = true
	}
	return judged
}

func roleOf(a *budgets.Analysis, m budgets.Metric, judged map[string]bool) Role {
	stage := slices.ContainsFunc(a.Stages, func(s budgets.Stage) bool { return s.Name() == m.Name })
	switch {
	case judged[m.Name]:
		return Judged
	case stage:
		return OfStage
	default:
		return OfRequest
	}
}

// moreIsBetter and lessIsBetter list the shares and counts that are compared, beside goodput and
// failures; of the others nobody can say which way is better.
var (
	moreIsBetter = []string{"ok_share", "useful_share", "useful_requests", "useful_answers", "right_share", "syntax_share"}
	lessIsBetter = []string{"flash_share", "flicker_share", "lost_edge_share", "requests_per_key"}
)

// seriesOf returns the values of a metric. ok is false for one that has none, and for
// one that is not compared: what has one value for a whole run has no spread, effective speed
// aside, a rate is told by its inverse, and of some nobody can say which way is better.
func seriesOf(m budgets.Metric, split func(budgets.Metric) []budgets.Pool) (s Series, ok bool) {
	more := slices.Contains(moreIsBetter, m.Name)
	if m.Whole() || m.Unit != budgets.Duration && !more && !slices.Contains(lessIsBetter, m.Name) {
		return s, false
	}
	parts := split(m)
	s = Series{Name: m.Name, Formula: formula(m), Unit: m.Unit, More: more, Values: make([][]float64, len(parts))}
	s.Slow, s.Quick = make([][]float64, len(parts)), make([][]float64, len(parts))
	for i := range parts {
		p := &parts[i]
		s.Values[i], s.Slow[i], s.Quick[i] = p.Values, p.Values, p.Values
		if p.Slow != nil {
			s.Slow[i], s.Quick[i] = p.Slow, p.Quick
		}
		ok = ok || len(s.Values[i]) > 0
	}
	s.bound()
	return s, ok
}

// goodput returns for each member of the metric's population whether it kept the limit.
// What failed or never came did not.
func goodput(m budgets.Metric, limit budgets.Limit, parts []budgets.Pool) Series {
	s := Series{
		Name: Goodput, Formula: m.Name + " " + limit.String() + ", what failed or never came counting as not inside; over " + m.Over,
		Unit: budgets.Share, Role: Judged, More: true, Values: make([][]float64, len(parts)),
	}
	for i := range parts {
		p := &parts[i]
		for k := range p.Population {
			inside := 0.0
			if k < len(p.Values) && limit.Holds(p.Values[k]) {
				inside = 1
			}
			s.Values[i] = append(s.Values[i], inside)
		}
	}
	return s
}

// failed returns for each request whether it failed, whoever led to it.
func failed(split func(budgets.Metric) []budgets.Pool) Series {
	m := budgets.FailedShare
	s := Series{Name: Failed, Formula: formula(m), Unit: m.Unit, Role: OfRequest}
	for _, p := range split(m) {
		s.Values = append(s.Values, p.Values)
	}
	return s
}

// series returns the series of that name, nil for none.
func (r *Run) series(name string) *Series {
	at := slices.IndexFunc(r.Series, func(s Series) bool { return s.Name == name })
	if at < 0 {
		return nil
	}
	return &r.Series[at]
}
