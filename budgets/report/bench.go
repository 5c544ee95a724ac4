package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"halfsecond/budgets"
	"halfsecond/budgets/grid"
	"halfsecond/pipeline/trace"
)

// BenchVersion is the version of the JSON document of a Bench.
const BenchVersion = 1

// Bench is a comparison of language models with what follows from it, in the shape
// of its JSON document. Durations are in ms, shares and changes as parts of 1, and
// what is unknown is null. A figure is value, low and high: the latter hold 95 % of
// what samples drawn again give, and are null for a figure that is exact, since no
// sample behind it varies. Its JSON fields:
//
//	bench_version     1
//	conclusions       list of sentences, each from the figures below
//	notes             list of sentences: what was left out, what failed, where there is no spread
//	scenario, scenario_hash, target, seed, version, texts_hashed, finished, unfinished_reason, lateness, tester  as in a Report
//	unfit             why nothing follows from the cells, or null; trends, options and duels are then empty
//	n, n_asked        requests that are reported, cells left out counting one each; and asked for
//	warm_up           requests before those of each cell that are not reported
//	models, variants  in the order of the scenario; the first variant is the baseline
//	served_by         list of what answers as the baseline, in words: a modelled engine for each model, or services
//	served            list of variant; changes (keys of the scenario, with their values, in one line: those that it
//	                  changes of the baseline's, and of the baseline those of what its engine does by itself; null at
//	                  an endpoint, where nobody knows); assumed (keys behind it whose values nobody measured, or null)
//	cells             list of model, variant, prompt_tokens; engine (the modelled one, in words, or null); model_error
//	                  (mean errors of prefill and decode for published measurements, in words, or null); asked and failed (requests); skipped (nothing
//	                  was sent); reason (of failed or skipped, else null); output_tokens, counted_tokens (of
//	                  the prompt, as the server counts) and cached_tokens, each least and most of a request,
//	                  null when not known; and, null when not measured, ttft, tpot, e2e, ttft_beside, stall,
//	                  each n, p50, min, max; kv_cache (null when not known): mean, peak and full_steps (shares of it in use, and of
//	                  the steps with more than 95 % in use), preemptions, tokens_moved; server (left out where it
//	                  says nothing of its own time): of the requests alone service_ttft (sent to first output), queue, load and
//	                  prefill (its own words), rest (the first less these), decode_tpot (its decode / (output tokens - 1)), each
//	                  as ttft; server_counters (left out where nobody
//	                  looked at the metrics of the cell's server): as in a Report
//	trends            list of model, variant, metric, prompts, shape (a pace that is not flat just rises); slope (figure: ms for
//	                  1,000 tokens along the line that is fitted, null where none fits); first_slope and last_slope (figures: between the two shortest lengths and the two
//	                  longest); constant (ms, of the line; null as slope); r2 (of the line; null with two lengths, which any line fits); rise (figure: from the shortest prompt
//	                  to the longest); curve (figure: quadratic over linear part at the longest; null where no parabola can be
//	                  fitted, with fewer than three lengths that are all cut into chunks or all not); shows_at (tokens at which that is 0.1; null for never)
//	options           list of model, variant, beside (the baseline), metric, change; ratio (figure: geometric mean
//	                  over the lengths); at, a list of prompt_tokens and the figure there
//	duels             list of a, b (models, as their baselines), metric, change (of a beside b), ratio, at: as above
type Bench struct {
	BenchVersion     int           `json:"bench_version"`
	Conclusions      []string      `json:"conclusions"`
	Notes            []string      `json:"notes"`
	Cost             *Cost         `json:"cost,omitempty"`
	Scenario         string        `json:"scenario"`
	ScenarioHash     string        `json:"scenario_hash"`
	Target           string        `json:"target"`
	Seed             uint64        `json:"seed"`
	Version          string        `json:"version"`
	TextsHashed      bool          `json:"texts_hashed,omitempty"`
	N                int           `json:"n"`
	NAsked           int           `json:"n_asked"`
	WarmUp           int           `json:"warm_up"`
	Finished         bool          `json:"finished"`
	UnfinishedReason *string       `json:"unfinished_reason"`
	Unfit            *string       `json:"unfit"`
	Lateness         *Lateness     `json:"lateness"`
	Tester           *Tester       `json:"tester,omitempty"`
	Models           []string      `json:"models"`
	Variants         []string      `json:"variants"`
	ServedBy         []string      `json:"served_by"`
	Served           []BenchServed `json:"served"`
	Cells            []BenchCell   `json:"cells"`
	Trends           []BenchTrend  `json:"trends"`
	Options          []BenchOption `json:"options"`
	Duels            []BenchDuel   `json:"duels"`
	asked            []trace.Endpoint
	unread           Unread        // what could not be read of the answers
	over             []string      // by how much the run went over its caps
	grid             *grid.Grid    // what the document is made of
	trends           []grid.Trend  // in the order of Trends
	options, duels   []grid.Effect // in the order of Options and Duels
}

// BenchServed says how a variant is served.
type BenchServed struct {
	Variant string  `json:"variant"`
	Changes *string `json:"changes"`
	Assumed *string `json:"assumed"`
}

// BenchCell is one model, served in one way, at one length of the prompt.
type BenchCell struct {
	Model        string          `json:"model"`
	Variant      string          `json:"variant"`
	PromptTokens int             `json:"prompt_tokens"`
	Engine       *string         `json:"engine"`
	ModelError   *string         `json:"model_error"`
	Asked        int             `json:"asked"`
	Failed       int             `json:"failed"`
	Skipped      bool            `json:"skipped"`
	Reason       *string         `json:"reason"`
	OutputTokens *[2]int         `json:"output_tokens"`
	Counted      *[2]int         `json:"counted_tokens"`
	CachedTokens *[2]int         `json:"cached_tokens"`
	TTFT         *BenchSample    `json:"ttft"`
	TPOT         *BenchSample    `json:"tpot"`
	E2E          *BenchSample    `json:"e2e"`
	TTFTBeside   *BenchSample    `json:"ttft_beside"`
	Stall        *BenchSample    `json:"stall"`
	KV           *Cache          `json:"kv_cache"`
	Server       *BenchServer    `json:"server,omitempty"`
	Counters     *ServerCounters `json:"server_counters,omitempty"`
}

// BenchSample is a metric in one cell, in ms.
type BenchSample struct {
	N   int     `json:"n"`
	P50 float64 `json:"p50"`
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

// BenchFigure is a figure with its interval.
type BenchFigure struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// BenchTrend is a metric of one row along the prompt.
type BenchTrend struct {
	Model    string       `json:"model"`
	Variant  string       `json:"variant"`
	Metric   string       `json:"metric"`
	Prompts  []int        `json:"prompts"`
	Shape    grid.Shape   `json:"shape"`
	Slope    *BenchFigure `json:"slope"`
	First    BenchFigure  `json:"first_slope"`
	Last     BenchFigure  `json:"last_slope"`
	Constant *float64     `json:"constant"`
	R2       *float64     `json:"r2"`
	Rise     BenchFigure  `json:"rise"`
	Curve    *BenchFigure `json:"curve"`
	ShowsAt  *float64     `json:"shows_at"`

	trend grid.Trend
}

// Words says in a few words how the metric goes along the prompt.
func (t *BenchTrend) Words() string {
	if t.Shape == grid.Flat {
		return t.Shape.String()
	}
	slope, _ := slopes(&t.trend)
	return fmt.Sprintf("%s, %s for 1,000 tokens", t.Shape, slope)
}

// BenchOption is what a variant gained or cost a model.
type BenchOption struct {
	Model   string      `json:"model"`
	Variant string      `json:"variant"`
	Beside  string      `json:"beside"`
	Metric  string      `json:"metric"`
	Change  grid.Change `json:"change"`
	Ratio   BenchFigure `json:"ratio"`
	At      []BenchAt   `json:"at"`
}

// BenchDuel is how two models stand to each other.
type BenchDuel struct {
	A      string      `json:"a"`
	B      string      `json:"b"`
	Metric string      `json:"metric"`
	Change grid.Change `json:"change"`
	Ratio  BenchFigure `json:"ratio"`
	At     []BenchAt   `json:"at"`
}

// BenchAt is a ratio at one length of the prompt.
type BenchAt struct {
	PromptTokens int `json:"prompt_tokens"`
	BenchFigure
}

// NewBench reports a run of kind "grid". The error says what its traces lack.
func NewBench(run trace.Run) (*Bench, error) {
	g, err := grid.New(run)
	if err != nil {
		return nil, err
	}
	h := run.Header
	b := &Bench{
		BenchVersion: BenchVersion, Scenario: h.Scenario, ScenarioHash: h.ScenarioHash, Target: h.Target, Seed: h.Seed, Version: h.Version, TextsHashed: h.TextsHashed,
		N: len(run.Traces), NAsked: h.N, WarmUp: h.WarmUp, Finished: run.Footer.Finished, UnfinishedReason: text(run.Footer.Reason), Unfit: text(g.Unfit),
		Lateness: lateness(run.Footer.Lateness), Tester: tester(run), Models: append([]string{}, g.Models...), Variants: append([]string{}, g.Variants...),
		ServedBy: servedBy(g, h.Endpoints), Served: served(g), Cells: []BenchCell{}, Trends: []BenchTrend{}, Options: []BenchOption{}, Duels: []BenchDuel{}, asked: h.Endpoints, Cost: cost(run), over: overCaps(run), grid: g, unread: unreadOf(&run),
	}
	for i := range g.Cells {
		c := benchCell(&g.Cells[i])
		c.Counters = countersOf(&c, run)
		b.Cells = append(b.Cells, c)
	}
	if b.Unfit == nil {
		b.follow()
		b.effects()
	}
	b.conclude()
	return b, nil
}

// JSON writes the document, indented, with a line feed at its end.
func (b *Bench) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(b); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

// Measured reports whether there are figures of every cell that was not left out, and
// of one at least.
func (b *Bench) Measured() bool {
	measured := 0
	for i := range b.Cells {
		switch c := &b.Cells[i]; {
		case c.Skipped:
		case c.TTFT == nil:
			return false
		default:
			measured++
		}
	}
	return measured > 0
}

func benchCell(c *grid.Cell) BenchCell {
	out := BenchCell{
		Model: c.Model, Variant: c.Variant, PromptTokens: c.Prompt, Engine: text(c.Engine), ModelError: text(c.Error),
		Asked: c.Asked, Failed: c.Failed, Skipped: c.Skipped, Reason: text(c.Reason),
		TTFT: benchSample(c.Sample(grid.TTFT)), TPOT: benchSample(c.Sample(grid.TPOT)), E2E: benchSample(c.Sample(grid.E2E)),
		TTFTBeside: benchSample(c.Sample(grid.TTFTBeside)), Stall: benchSample(c.Sample(grid.Stall)),
		KV: cacheUse(c.Cache), Server: benchServer(&c.Served),
	}
	if c.Asked > c.Failed && c.Output[0] >= 0 {
		out.OutputTokens = &c.Output
	}
	if c.HasCounted {
		out.Counted = &c.Counted
	}
	if c.HasCached {
		out.CachedTokens = &c.Cached
	}
	return out
}

func benchSample(s grid.Sample) *BenchSample {
	median, ok := s.Median()
	if !ok {
		return nil
	}
	ms := budgets.Duration.Reported
	return &BenchSample{N: len(s), P50: ms(median), Min: ms(s[0]), Max: ms(s[len(s)-1])}
}

// benchFigure returns an estimate with its interval, each in units of its own.
func benchFigure(e grid.Estimate, unit func(float64) float64) BenchFigure {
	f := BenchFigure{Value: finite(unit(e.Value))}
	if e.Varies {
		f.Low, f.High = finite(unit(e.Low)), finite(unit(e.High))
	}
	return f
}

func part(v float64) float64 { return v }

// finite returns nil for a number that JSON does not have.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// follow fills in the trends: of TTFT, then of TPOT.
func (b *Bench) follow() {
	for _, m := range []grid.Metric{grid.TTFT, grid.TPOT} {
		for _, k := range b.grid.Keys() {
			t, ok := b.grid.Trend(k, m)
			if !ok {
				continue
			}
			b.trends = append(b.trends, t)
			ms := budgets.Duration.Reported
			out := BenchTrend{
				Model: k.Model, Variant: k.Variant, Metric: m.String(), Prompts: t.Prompts, Shape: shapeOf(&t),
				First: benchFigure(t.First, ms), Last: benchFigure(t.Last, ms), Rise: benchFigure(t.Rise, part), ShowsAt: finite(t.ShowsAt), trend: t,
			}
			if t.Straight() {
				slope, constant := benchFigure(t.PerThousand, ms), ms(t.Line.Constant)
				out.Slope, out.Constant = &slope, &constant
			}
			if t.Fits {
				out.R2 = &t.Line.R2
			}
			if t.Bends {
				c := benchFigure(t.Curve, part)
				out.Curve = &c
			}
			b.Trends = append(b.Trends, out)
		}
	}
}

// effects fills in what the options changed and how the models compare.
func (b *Bench) effects() {
	b.options = b.grid.Options(grid.TTFT, grid.TPOT, grid.Stall)
	for i := range b.options {
		e := &b.options[i]
		b.Options = append(b.Options, BenchOption{
			Model: e.Of.Model, Variant: e.Of.Variant, Beside: e.Beside.Variant, Metric: e.Metric.String(),
			Change: e.Change, Ratio: benchFigure(e.Overall, part), At: benchAt(e),
		})
	}
	b.duels = b.grid.Duels(grid.TTFT, grid.TPOT, grid.E2E)
	for i := range b.duels {
		e := &b.duels[i]
		b.Duels = append(b.Duels, BenchDuel{
			A: e.Of.Model, B: e.Beside.Model, Metric: e.Metric.String(),
			Change: e.Change, Ratio: benchFigure(e.Overall, part), At: benchAt(e),
		})
	}
}

func benchAt(e *grid.Effect) []BenchAt {
	var at []BenchAt
	for i, n := range e.Prompts {
		at = append(at, BenchAt{n, benchFigure(e.Ratios[i], part)})
	}
	return at
}
