package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
	"halfsecond/pipeline/trace"
)

// Version is the version of the JSON document.
const Version = 1

// Report is a run, judged, in the shape of the JSON document; package
// documentation describes each field. A nil pointer is an unknown value.
type Report struct {
	ReportVersion    int               `json:"report_version"`
	Verdict          budgets.Verdict   `json:"verdict"`
	Summary          string            `json:"summary"`
	Scenario         string            `json:"scenario"`
	ScenarioHash     string            `json:"scenario_hash"`
	Kind             string            `json:"kind"`
	Target           string            `json:"target"`
	Seed             uint64            `json:"seed"`
	N                int               `json:"n"`
	NAsked           int               `json:"n_asked"`
	WarmUp           int               `json:"warm_up"`
	StartUp          *StartUp          `json:"start_up,omitempty"`
	Version          string            `json:"version"`
	TextsHashed      bool              `json:"texts_hashed,omitempty"`
	Engine           *string           `json:"engine"`
	Finished         bool              `json:"finished"`
	UnfinishedReason *string           `json:"unfinished_reason"`
	Unfit            *string           `json:"unfit"`
	Voice            *Voice            `json:"voice,omitempty"`
	Ghost            *Ghost            `json:"ghost,omitempty"`
	Budgets          []Budget          `json:"budgets"`
	Metrics          map[string]Metric `json:"metrics"`
	Stages           []Stage           `json:"stages"`
	Levers           []Lever           `json:"levers"`
	Outcomes         map[string]int    `json:"outcomes"`
	RequestOutcomes  map[string]int    `json:"request_outcomes"`
	Network          *Network          `json:"network"`
	Recorded         *Paces            `json:"recorded,omitempty"`
	Endpoints        []Endpoint        `json:"endpoints,omitempty"`
	// LanguageServer is what was counted of the one that completed.
	LanguageServer *trace.LanguageServer `json:"language_server,omitempty"`
	Cost           *Cost                 `json:"cost,omitempty"`
	ServerCounters *ServerCounters       `json:"server_counters,omitempty"`
	Prompts        *Prompts              `json:"prompts,omitempty"`
	Background     *Background           `json:"background"`
	KVCache        *Cache                `json:"kv_cache"`
	Lateness       *Lateness             `json:"lateness"`
	Tester         *Tester               `json:"tester,omitempty"`
	Formulas       map[string]string     `json:"formulas"`
	// What is handed in beside the run: see With.
	Diagnoses []Diagnosis `json:"diagnoses,omitempty"`
	Settings  *Settings   `json:"settings,omitempty"`
	Curve     *Curve      `json:"curve,omitempty"`

	analysis *budgets.Analysis
	curve    *budgets.Curve
	changes  *budgets.Changes
}

// Budget is one budget with its verdict.
type Budget struct {
	Name       string          `json:"name"`
	Expression string          `json:"expression"`
	Value      *float64        `json:"value"`
	Low        *float64        `json:"low"`
	High       *float64        `json:"high"`
	Limit      float64         `json:"limit"`
	Margin     *float64        `json:"margin"`
	Unit       string          `json:"unit"`
	Verdict    budgets.Verdict `json:"verdict"`
	Reason     *string         `json:"reason"`
	Owner      *string         `json:"owner"`

	N           int      `json:"n"`
	Independent *float64 `json:"independent"`
}

// Metric is one metric over the run.
type Metric struct {
	N          int      `json:"n"`
	Population int      `json:"population"`
	P50        *float64 `json:"p50"`
	P95        *float64 `json:"p95"`
	P99        *float64 `json:"p99"`
	Max        *float64 `json:"max"`
	Mean       *float64 `json:"mean"`
	Unit       string   `json:"unit"`
}

// Stage is one stage over the run.
type Stage struct {
	Name          string   `json:"name"`
	N             int      `json:"n"`
	P50           *float64 `json:"p50"`
	P95           *float64 `json:"p95"`
	P99           *float64 `json:"p99"`
	ShareCritical *float64 `json:"share_critical"`
	Simulated     bool     `json:"simulated"`
	Component     *string  `json:"component"`
	NoSpread      bool     `json:"no_spread"`
}

// Lever is what would bring a budget's value inside its limit, or not.
type Lever struct {
	Budget      string   `json:"budget"`
	Stages      []string `json:"stages"`
	AtZero      float64  `json:"at_zero"`
	Enough      bool     `json:"enough"`
	Cap         *float64 `json:"cap"`
	Cut         *float64 `json:"cut"`
	KeepPercent *int     `json:"keep_percent"`
}

// Background counts the requests of others to the same model.
type Background struct {
	Requests int `json:"requests"`
	OK       int `json:"ok"`
}

// New analyses a run and reports it. It fails when a budget in the run's header
// is no valid expression. The run must not be changed afterwards.
func New(run trace.Run) (*Report, error) {
	a, err := budgets.Analyse(run)
	if err != nil {
		return nil, err
	}
	counters := serverCounters(run)
	spent := cost(run)
	run = a.Run // without what was cut off
	h := run.Header
	r := &Report{
		ReportVersion: Version, Verdict: a.Verdict, Scenario: h.Scenario, ScenarioHash: h.ScenarioHash, Kind: h.Kind,
		Target: h.Target, Seed: h.Seed, N: len(run.Traces), NAsked: h.N, WarmUp: h.WarmUp, Version: h.Version, TextsHashed: h.TextsHashed,
		Finished: run.Footer.Finished, UnfinishedReason: text(run.Footer.Reason), Unfit: text(a.Unfit),
		Budgets: []Budget{}, Metrics: map[string]Metric{}, Stages: []Stage{}, Levers: []Lever{},
		Lateness: lateness(run.Footer.Lateness), Tester: tester(run).judged(a), Formulas: map[string]string{},
		Network: network(run.Traces), Recorded: recorded(run.Traces), StartUp: startUp(a.StartUp), Prompts: prompts(run), ServerCounters: counters, Endpoints: endpoints(&h), LanguageServer: run.Footer.LanguageServer, Cost: spent, analysis: a,
	}
	if b := Background(run.Footer.Background); b.Requests > 0 {
		r.Background = &b
	}
	if engines := run.Footer.Engines; len(engines) > 0 {
		r.KVCache = cacheUse(&engines[0])
	}
	for _, s := range h.Stages {
		if s.Engine != "" {
			r.Engine = text(s.Engine)
		}
	}
	r.judgements()
	r.pools()
	r.stages()
	r.outcomes()
	r.Voice, r.Ghost, r.Diagnoses = r.voice(), r.ghost(), diagnosed(a)
	r.Summary = r.sentence()
	return r, nil
}

// JSON writes the document, indented, with a line feed at its end.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

func (r *Report) judgements() {
	for i := range r.analysis.Judgements {
		j := &r.analysis.Judgements[i]
		u := j.Unit()
		b := Budget{
			Name: j.Budget.Name(), Expression: j.Budget.String(), Limit: u.Reported(j.Budget.Limit.Value), Unit: u.String(),
			Verdict: j.Verdict, Reason: text(j.Reason), Value: number(u, j.Value, j.HasValue),
			Low: number(u, j.Low, j.HasInterval), High: number(u, j.High, j.HasInterval),
			Margin: number(u, j.Margin, j.Verdict != budgets.Unmeasured), N: j.N, Independent: number(budgets.Count, j.Independent, j.Independent > 0),
		}
		if j.Owner != nil {
			b.Owner = &j.Owner.Stage
		}
		r.Budgets = append(r.Budgets, b)
		for _, l := range j.Levers {
			r.Levers = append(r.Levers, lever(j, l))
		}
	}
}

func lever(j *budgets.Judgement, l budgets.Lever) Lever {
	out := Lever{
		Budget: j.Budget.String(), Stages: l.Stages, AtZero: j.Unit().Reported(l.AtZero), Enough: l.Enough,
		Cap: number(budgets.Duration, float64(l.Cap), l.Cap != pipeline.Unknown),
	}
	out.Cut = number(budgets.Share, l.Cut, l.Enough)
	if len(l.Stages) > 1 {
		out.KeepPercent = &l.Keep
	}
	return out
}

func (r *Report) pools() {
	for i := range r.analysis.Pools {
		p := &r.analysis.Pools[i]
		u := p.Metric.Unit
		mean, ok := p.Mean()
		r.Metrics[p.Metric.Name] = Metric{
			N: len(p.Values), Population: p.Population, Mean: number(u, mean, ok), Unit: u.String(),
			P50: percentile(p, quantile.P50), P95: percentile(p, quantile.P95), P99: percentile(p, quantile.P99), Max: most(p),
		}
		r.Formulas[p.Metric.Name] = p.Metric.Formula + "; over " + p.Metric.Over
		if c := p.Metric.Caveat; c != "" {
			r.Formulas[p.Metric.Name] += ". " + c
		}
	}
}

func (r *Report) stages() {
	landed := len(r.analysis.Landing().Values) > 0
	for i := range r.analysis.Stages {
		s := &r.analysis.Stages[i]
		r.Stages = append(r.Stages, Stage{
			Name: s.Name(), N: len(s.Pool.Values), Simulated: s.Simulated, Component: text(s.Component), NoSpread: s.NoSpread,
			P50: percentile(&s.Pool, quantile.P50), P95: percentile(&s.Pool, quantile.P95), P99: percentile(&s.Pool, quantile.P99),
			ShareCritical: number(budgets.Share, s.ShareCritical, landed),
		})
	}
}

func (r *Report) outcomes() {
	r.Outcomes, r.RequestOutcomes = map[string]int{}, map[string]int{}
	for i := range r.analysis.Run.Traces {
		r.Outcomes[r.analysis.Run.Traces[i].Outcome.String()]++
	}
	for _, t := range r.askers() {
		for j := range t.Requests {
			r.RequestOutcomes[t.Requests[j].Outcome.String()]++
		}
	}
}

// askers are all that can have led to requests: interactions, and steps that are none.
func (r *Report) askers() []pipeline.Trace {
	return slices.Concat(r.analysis.Run.Traces, r.analysis.Steps)
}

func percentile(p *budgets.Pool, q quantile.Q) *float64 {
	v, ok := p.Quantile(q)
	return number(p.Metric.Unit, v, ok)
}

// most returns the largest value of a metric that has percentiles.
func most(p *budgets.Pool) *float64 {
	if len(p.Values) == 0 || !p.Percentiles() {
		return nil
	}
	return number(p.Metric.Unit, p.Values[len(p.Values)-1], true)
}

// number returns the value as reports give it, nil when it is not known.
func number(u budgets.Unit, v float64, known bool) *float64 {
	if !known {
		return nil
	}
	v = u.Reported(v)
	return &v
}

// text returns nil for an empty text.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
