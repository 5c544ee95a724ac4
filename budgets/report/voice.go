package report

import (
	"slices"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/dashboard"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// Voice is what a report of voice turns has beside its metrics.
type Voice struct {
	V2V        []Percentiles     `json:"v2v"`
	CutIn      *CutIn            `json:"cut_in"`
	Waterfalls []Waterfall       `json:"waterfalls"`
	Turns      []CallTurn        `json:"turns"`
	Dashboards []DashboardNumber `json:"dashboards"`
	Playback   *Playback         `json:"playback"`
	Transcript *Transcript       `json:"transcripts"`
	BargeIn    *BargeIn          `json:"barge_in"`
	Guess      *Guess            `json:"guess"`
	Tool       *Aside            `json:"tool"`
	Filler     *Filler           `json:"filler"`
	BotFaults  []BotFault        `json:"bot_faults,omitempty"`
}

// Percentiles are those of one latency, with 95 % intervals.
type Percentiles struct {
	Metric string    `json:"metric"`
	N      int       `json:"n"`
	P50    *Estimate `json:"p50"`
	P95    *Estimate `json:"p95"`
	P99    *Estimate `json:"p99"`
}

// Estimate is a figure with its interval.
type Estimate struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// CutIn is how often the agent would speak into a pause.
type CutIn struct {
	Turns     int     `json:"turns"`
	Different int     `json:"different"`
	Value     float64 `json:"value"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	// Real is of turns that went to a real agent; null where none did.
	Real *RealCutIn `json:"real"`
}

// RealCutIn is what a real agent said into pauses.
type RealCutIn struct {
	Turns   int      `json:"turns"` // that it heard
	Times   int      `json:"times"` // it did so
	Heard   int      `json:"heard"` // turns in which that was heard
	Played  *float64 `json:"played_ms"`
	Dropped *float64 `json:"dropped_ms"`
}

func realCutIns(c *budgets.CutIns) *RealCutIn {
	if c.Real == 0 {
		return nil
	}
	return &RealCutIn{c.Real, c.Times, c.Heard, inMS(c.Played), inMS(c.Dropped)}
}

// Waterfall is the critical path of one turn.
type Waterfall struct {
	Name     string    `json:"name"`
	Session  int       `json:"session"`
	Turn     int       `json:"turn"`
	V2V      float64   `json:"v2v_ms"`
	Segments []Segment `json:"segments"`
	Beside   []Beside  `json:"beside"`
}

// Segment is a stretch of the critical path: a stage, or a wait that none explains.
type Segment struct {
	Name string  `json:"name"`
	From float64 `json:"from_ms"`
	For  float64 `json:"for_ms"`
}

// Beside is a stage off the critical path.
type Beside struct {
	Segment
	Slack *float64 `json:"slack_ms"`
}

// mostTurns is how many rows the document has for the turns of a call.
const mostTurns = 100

// CallTurn is the turns of some numbers in their calls.
type CallTurn struct {
	Turn         int      `json:"turn"`
	To           int      `json:"to"`
	N            int      `json:"n"`
	P50          *float64 `json:"p50"`
	P95          *float64 `json:"p95"`
	PromptTokens *int     `json:"prompt_tokens"`
	CachedShare  *float64 `json:"cached_share"`
}

// DashboardNumber is what another dashboard would say.
type DashboardNumber struct {
	Framework string       `json:"framework"`
	Metric    string       `json:"metric"`
	Whole     bool         `json:"whole"`
	From      string       `json:"from"`
	To        string       `json:"to"`
	Spans     string       `json:"spans"`
	Source    string       `json:"source"`
	N         int          `json:"n"`
	P50       *float64     `json:"p50"`
	P95       *float64     `json:"p95"`
	Short     *float64     `json:"short_of_v2v_ms,omitempty"`
	Left      []StageShare `json:"leaves_out,omitempty"`
	Twice     *float64     `json:"twice_ms,omitempty"`

	number *dashboard.Number
}

// StageShare is what a stage takes on average.
type StageShare struct {
	Stage string  `json:"stage"`
	Mean  float64 `json:"mean_ms"`
}

// Playback is how replies played.
type Playback struct {
	Replies   int     `json:"replies"`
	WithHoles int     `json:"with_holes"`
	Underruns int     `json:"underruns"`
	Stalled   float64 `json:"stalled_ms"`
}

// Transcript is how the transcripts of speech services came.
type Transcript struct {
	Turns     int `json:"turns"`
	Unflagged int `json:"without_final"` // no final text came after the end of speech
}

// BargeIn is what became of replies that the user spoke into.
type BargeIn struct {
	Replies    int      `json:"replies"`
	Stopped    int      `json:"stopped"`
	FalseStops int      `json:"false_stops"`
	Unnoticed  int      `json:"unnoticed"`
	StopP50    *float64 `json:"stop_p50"`
	StopP95    *float64 `json:"stop_p95"`
	Heard      int      `json:"heard_tokens"`
	Made       int      `json:"made_tokens"`
}

// Guess is what asking early brought.
type Guess struct {
	Turns       int      `json:"turns"`
	Right       int      `json:"right"`
	Wrong       int      `json:"wrong"`
	InVain      int      `json:"in_vain"`
	ForNothing  *float64 `json:"turns_for_nothing"`
	Gain        *float64 `json:"gain_ms"`
	Wasted      int      `json:"wasted_tokens"`
	Estimated   int      `json:"wasted_estimated,omitempty"`
	WastedShare *float64 `json:"wasted_share"`
	CostShare   *float64 `json:"cost_share"`
}

// Aside is a stage that only some turns have.
type Aside struct {
	Turns    int      `json:"turns"`
	Critical int      `json:"critical"`
	P50      *float64 `json:"p50"`
	P95      *float64 `json:"p95"`
}

// Filler is what is heard before the answer.
type Filler struct {
	Turns   int      `json:"turns"`
	P50     *float64 `json:"p50"`
	P95     *float64 `json:"p95"`
	Waited  int      `json:"waited"`
	WaitP50 *float64 `json:"wait_p50"`
}

// voice returns what is known of voice turns; nil of other kinds.
func (r *Report) voice() *Voice {
	if r.Kind != pipeline.KindVoice {
		return nil
	}
	v := &Voice{V2V: []Percentiles{}, Waterfalls: []Waterfall{}, Turns: []CallTurn{}, Dashboards: []DashboardNumber{}}
	a := r.analysis
	if len(a.Landing().Values) > 0 {
		v.V2V = append(v.V2V, percentiles(a.Landing()))
	}
	if f := a.Pool("filler"); len(f.Values) > 0 {
		v.V2V = append(v.V2V, percentiles(a.Pool("first_sound")))
		v.Filler = r.filler(f)
	}
	if c, ok := a.CutIns(); ok {
		v.CutIn = &CutIn{c.N, c.Different, c.Rate.Value, c.Rate.Low, c.Rate.High, realCutIns(&c)}
	}
	for i := range a.Exemplars {
		v.Waterfalls = append(v.Waterfalls, waterfallOf(&a.Exemplars[i]))
	}
	for _, c := range a.CallTurns(mostTurns) {
		v.Turns = append(v.Turns, callTurn(&c))
	}
	for _, n := range dashboard.Numbers(a) {
		v.Dashboards = append(v.Dashboards, dashboardNumber(&n))
	}
	r.asides(v)
	return v
}

func percentiles(p *budgets.Pool) Percentiles {
	return Percentiles{p.Metric.Name, len(p.Values), estimate(p, quantile.P50), estimate(p, quantile.P95), estimate(p, quantile.P99)}
}

func estimate(p *budgets.Pool, q quantile.Q) *Estimate {
	e, u := p.Estimate(q), p.Metric.Unit
	if !e.Known {
		return nil
	}
	return &Estimate{u.Reported(e.Value), number(u, e.Low, e.HasInterval), number(u, e.High, e.HasInterval)}
}

func millis(d time.Duration) float64 { return budgets.Duration.Reported(float64(d)) }

func waterfallOf(e *budgets.Exemplar) Waterfall {
	w := Waterfall{Name: e.Name, Session: e.Trace.Session, Turn: e.Trace.Index, V2V: millis(e.Value), Segments: []Segment{}, Beside: []Beside{}}
	on := map[pipeline.SpanID]bool{}
	for _, s := range e.Path {
		on[s.Span] = true
		w.Segments = append(w.Segments, Segment{s.Name, millis(s.Start - e.Trace.Due), millis(s.For())})
	}
	for id, s := range e.Trace.Spans {
		if !on[pipeline.SpanID(id)] && s.End != pipeline.Unknown && s.End > s.Start {
			w.Beside = append(w.Beside, Beside{Segment{s.Name, millis(s.Start - e.Trace.Due), millis(s.For())}, inMS(e.Slack[id])})
		}
	}
	return w
}

func callTurn(c *budgets.CallTurn) CallTurn {
	out := CallTurn{
		Turn: c.First, To: c.Last, N: len(c.Pool.Values), P50: percentile(&c.Pool, quantile.P50), P95: percentile(&c.Pool, quantile.P95),
		CachedShare: number(budgets.Share, c.CachedShare, c.CachedKnown),
	}
	if c.PromptTokens != pipeline.UnknownCount {
		out.PromptTokens = &c.PromptTokens
	}
	return out
}

func dashboardNumber(n *dashboard.Number) DashboardNumber {
	m := &n.Metric
	d := DashboardNumber{
		Framework: m.Framework, Metric: m.Name, Whole: m.Whole, From: m.From, To: m.To, Spans: m.Spans, Source: m.Source, N: len(n.Values), number: n,
	}
	for _, p := range []struct {
		q    quantile.Q
		into **float64
	}{{quantile.P50, &d.P50}, {quantile.P95, &d.P95}} {
		v, ok := n.Quantile(p.q)
		*p.into = number(budgets.Duration, float64(v), ok)
	}
	if !m.Whole {
		return d
	}
	mean := func(sum time.Duration) float64 { return millis(sum) / float64(len(n.Values)) }
	short, twice := mean(n.Short()), mean(n.Twice)
	d.Short, d.Twice = &short, &twice
	for _, l := range n.Left {
		d.Left = append(d.Left, StageShare{l.Name, mean(l.Takes)})
	}
	return d
}

// asides fills in what only some turns have.
func (r *Report) asides(v *Voice) {
	a := r.analysis
	r.botFaults(v)
	if p, ok := a.Playing(); ok {
		v.Playback = &Playback{p.N, p.Held, p.Holes, millis(p.Stalled)}
	}
	if c, ok := a.Transcripts(); ok {
		v.Transcript = &Transcript{c.N, c.Unflagged}
	}
	if b, ok := a.BargeIns(); ok {
		stop := a.Pool("barge_in_stop")
		v.BargeIn = &BargeIn{b.N, b.Stopped, b.False, b.Unnoticed, percentile(stop, quantile.P50), percentile(stop, quantile.P95), b.Heard, b.Made}
	}
	if g, ok := a.Guesses(); ok {
		v.Guess = &Guess{
			Turns: g.Of, Right: g.Right, Wrong: g.Wrong, InVain: g.InVain, ForNothing: number(budgets.Share, float64(g.Turns)/float64(g.Of), true), Gain: number(budgets.Duration, float64(g.Gain), g.Right > 0), Wasted: g.Wasted, Estimated: g.Estimated,
			WastedShare: number(budgets.Share, float64(g.Wasted)/float64(max(1, g.All)), g.All > 0), CostShare: number(budgets.Share, g.CostShare, g.CostKnown),
		}
	}
	if turns, critical := a.Count(pipeline.SpanTool); turns > 0 {
		tool := a.Pool(pipeline.SpanTool)
		v.Tool = &Aside{turns, critical, percentile(tool, quantile.P50), percentile(tool, quantile.P95)}
	}
}

func (r *Report) filler(p *budgets.Pool) *Filler {
	f := &Filler{Turns: len(p.Values), P50: percentile(p, quantile.P50), P95: percentile(p, quantile.P95)}
	f.Waited, _ = r.analysis.Count(pipeline.SpanFillerWait)
	if w := r.analysis.Pool(pipeline.SpanFillerWait); w != nil {
		f.WaitP50 = percentile(waited(w), quantile.P50)
	}
	return f
}

// waited returns the pool of those that had to wait at all.
func waited(p *budgets.Pool) *budgets.Pool {
	some := *p
	some.Values = slices.DeleteFunc(slices.Clone(p.Values), func(v float64) bool { return v == 0 })
	return &some
}

// longestV2V returns the largest percentile of how soon replies land.
func (r *Report) longestV2V() time.Duration {
	longest := 0.0
	for i := range r.Voice.V2V {
		for _, e := range []*Estimate{r.Voice.V2V[i].P50, r.Voice.V2V[i].P95, r.Voice.V2V[i].P99} {
			if e != nil {
				longest = max(longest, e.Value)
			}
		}
	}
	return time.Duration(longest * float64(time.Millisecond))
}

// unitOf returns the unit for figures of up to so many ms.
func unitOf(ms float64) columnUnit { return tableUnit(time.Duration(ms * float64(time.Millisecond))) }
