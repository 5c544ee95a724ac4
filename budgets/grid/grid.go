package grid

import (
	"fmt"
	"slices"
	"strconv"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
	"halfsecond/pipeline/trace"
)

// Metric is what is measured in a cell. Less is better in each.
type Metric uint8

const (
	TTFT       Metric = iota // due to first output, alone
	TPOT                     // first output to last over the tokens between, alone
	E2E                      // due to last output, alone
	TTFTBeside               // due to first output, while another answer streams
	Stall                    // longest gap in the answer that streams beside, while the prompt comes in
)

// Metrics lists them.
func Metrics() []Metric { return []Metric{TTFT, TPOT, E2E, TTFTBeside, Stall} }

// String returns the metric's name in reports.
func (m Metric) String() string {
	return [...]string{"ttft", "tpot", "e2e", "ttft_beside", "stall"}[m]
}

// pool is the metric's name among those of a run.
func (m Metric) pool() string {
	switch m {
	case TTFTBeside:
		return pipeline.SpanLLMFirstToken
	case Stall:
		return pipeline.SpanStall
	}
	return m.String()
}

// beside reports whether the metric is of requests that had company.
func (m Metric) beside() bool { return m == TTFTBeside || m == Stall }

// Sample is the values of one metric in one cell, in ns, ascending.
type Sample []float64

// Median returns the sample of rank n/2, rounded up; ok is false when there are
// fewer than two.
func (s Sample) Median() (v float64, ok bool) { return quantile.OfSorted(s, quantile.P50) }

// Varies reports whether the values differ at all.
func (s Sample) Varies() bool { return len(s) > 0 && s[0] != s[len(s)-1] }

// Facts of a trace that say how its cell is served. A real service has none of them.
const (
	FactEngine  = "engine"  // what serves it, in words
	FactChanges = "changes" // the keys that the variant changes: of the baseline's, and of the first one of what its engine does by itself
	FactAssumed = "assumed" // the keys behind it whose values nobody measured
	// FactUnverified names the rows of the catalogue behind it that were written from
	// memory, and FactChunk the tokens of a step, where longer prompts are cut at those.
	FactUnverified = "unverified"
	FactChunk      = "chunk_tokens"
	// FactError says how far off the model behind it is for published measurements, in
	// words: the mean error of prefill and of decode.
	FactError = "model_error"
)

// Key names a row of cells: a model, served in one way.
type Key struct{ Model, Variant string }

// Cell is a row at one length of the prompt.
type Cell struct {
	Key
	Prompt  int    // tokens asked for
	Asked   int    // requests, warm-up aside, with company or without
	Failed  int    // of them, those that did not end ok
	Empty   int    // of them, those that did, with nothing in the answer
	Reason  string // of the first of them
	Skipped bool   // nothing was sent; Reason says why

	Engine, Changes, Assumed, Unverified, Error string // its facts of these names

	Served Served // what the server says of its own time

	Chunk int           // tokens at which its prompts are cut; 0 where they are not, or nobody says
	Cache *trace.Engine // what became of the engine's KV cache; nil when not known

	// Tokens of the answers, those of the prompts as the server counted them, and of
	// these the ones that it had in its cache, over requests that ended ok: from least
	// to most. HasCounted and HasCached are false when nobody stated the latter two.
	Output, Counted, Cached [2]int
	HasCounted, HasCached   bool

	counts  []float64 // of the prompts' tokens, one a request
	samples [5]Sample // by Metric
}

// Sample returns the values of a metric, none when it was not measured.
func (c *Cell) Sample(m Metric) Sample { return c.samples[m] }

// Grid is a comparison.
type Grid struct {
	Models   []string // in the order of the run, as are the variants
	Variants []string // the first is the baseline
	Cells    []Cell   // by model, then by variant, then by length of the prompt
	// Unfit is why nothing follows from the cells; empty where something may.
	Unfit string
	seed  uint64
}

// New reads the grid from a run of kind "grid". The error names what its traces lack.
func New(run trace.Run) (*Grid, error) {
	g := &Grid{seed: run.Header.Seed}
	traces := map[cellName][]pipeline.Trace{}
	var names []cellName
	for i := range run.Traces {
		name, err := nameOf(&run.Traces[i])
		if err != nil {
			return nil, fmt.Errorf("%s: session %d: %w", run.Header.Scenario, run.Traces[i].Session, err)
		}
		if traces[name] == nil {
			names = append(names, name)
		}
		traces[name] = append(traces[name], run.Traces[i])
		g.Models, g.Variants = withName(g.Models, name.Model), withName(g.Variants, name.Variant)
	}
	slices.SortStableFunc(names, g.order)
	for _, name := range names {
		c, err := newCell(name, traces[name])
		if err != nil {
			return nil, err
		}
		c.Cache = cacheOf(name, run.Footer.Engines)
		g.Cells = append(g.Cells, c)
	}
	g.Unfit = g.unfit(run.Footer.Lateness)
	return g, nil
}

// cacheOf returns what is known of a cell's cache, nil for nothing.
func cacheOf(name cellName, engines []trace.Engine) *trace.Engine {
	at := slices.IndexFunc(engines, func(e trace.Engine) bool {
		return e.Model == name.Model && e.Variant == name.Variant && e.Prompt == name.prompt
	})
	if at < 0 {
		return nil
	}
	return &engines[at]
}

// cellName tells cells apart.
type cellName struct {
	Key
	prompt int
}

func nameOf(t *pipeline.Trace) (cellName, error) {
	name := cellName{Key: Key{t.Fact(pipeline.FactModel), t.Fact(pipeline.FactVariant)}}
	var err error
	name.prompt, err = strconv.Atoi(t.Fact(pipeline.FactPrompt))
	if err != nil || name.prompt < 1 || name.Model == "" || name.Variant == "" {
		return name, fmt.Errorf("want the facts %s, %s and %s, a number of tokens", pipeline.FactModel, pipeline.FactVariant, pipeline.FactPrompt)
	}
	return name, nil
}

// withName returns the names with one more, unless it is there already.
func withName(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

func (g *Grid) order(a, b cellName) int {
	if d := slices.Index(g.Models, a.Model) - slices.Index(g.Models, b.Model); d != 0 {
		return d
	}
	if d := slices.Index(g.Variants, a.Variant) - slices.Index(g.Variants, b.Variant); d != 0 {
		return d
	}
	return a.prompt - b.prompt
}

func newCell(name cellName, traces []pipeline.Trace) (Cell, error) {
	c := Cell{
		Key: name.Key, Prompt: name.prompt,
		Engine: traces[0].Fact(FactEngine), Changes: traces[0].Fact(FactChanges), Assumed: traces[0].Fact(FactAssumed), Unverified: traces[0].Fact(FactUnverified),
		Error: traces[0].Fact(FactError),
	}
	c.Chunk, _ = strconv.Atoi(traces[0].Fact(FactChunk)) // 0 where there is none
	var groups [2][]pipeline.Trace                       // alone, with company
	for i := range traces {
		t := &traces[i]
		if t.Outcome == pipeline.Dropped && len(t.Requests) == 0 {
			c.Skipped, c.Reason = true, t.Reason
			continue
		}
		c.count(t)
		if t.Fact(pipeline.FactBeside) == pipeline.BesideStream {
			groups[1] = append(groups[1], *t)
		} else {
			groups[0] = append(groups[0], alone(*t))
		}
	}
	for group, traces := range groups {
		a, err := budgets.Analyse(trace.Run{Header: trace.Header{Kind: pipeline.KindBench}, Traces: traces})
		if err != nil {
			return c, err
		}
		for _, m := range Metrics() {
			if p := a.Pool(m.pool()); p != nil && m.beside() == (group == 1) {
				c.samples[m] = p.Values
			}
		}
		if group == 0 {
			c.Served = served(a, traces)
		}
	}
	return c, nil
}

// alone returns a trace without the answer that was to stream beside its request and ended
// before.
func alone(t pipeline.Trace) pipeline.Trace {
	t.Requests = t.Requests[:min(1, len(t.Requests))]
	return t
}

// count takes note of one request of the cell, the first of its trace.
func (c *Cell) count(t *pipeline.Trace) {
	c.Asked++
	if t.Outcome != pipeline.OK {
		if c.Failed++; c.Failed == 1 {
			c.Reason = fmt.Sprintf("%s: %s", t.Outcome, t.Reason)
		}
		return
	}
	if len(t.Requests) == 0 {
		return
	}
	r := &t.Requests[0]
	if r.Empty {
		c.Empty++
	}
	widen(&c.Output, r.OutputTokens, c.Asked-c.Failed == 1)
	if n := r.PromptTokens; n != pipeline.UnknownCount {
		widen(&c.Counted, n, !c.HasCounted)
		c.HasCounted = true
		c.counts = append(c.counts, float64(n))
	}
	if n := r.CachedTokens; n != pipeline.UnknownCount {
		widen(&c.Cached, n, !c.HasCached)
		c.HasCached = true
	}
}

// Tokens returns the length of the prompt to count with: the mean of what the server
// counted, where it did, since its tokens are its own.
func (c *Cell) Tokens() float64 {
	if mean, ok := quantile.Mean(c.counts); ok {
		return mean
	}
	return float64(c.Prompt)
}

// widen makes a range hold n.
func widen(r *[2]int, n int, first bool) {
	if first {
		*r = [2]int{n, n}
	}
	r[0], r[1] = min(r[0], n), max(r[1], n)
}

// Keys returns the rows of the grid: every model with every variant, in order.
func (g *Grid) Keys() []Key {
	var keys []Key
	for _, m := range g.Models {
		for _, v := range g.Variants {
			keys = append(keys, Key{m, v})
		}
	}
	return keys
}

// Baseline returns the row of a model that its others are compared with.
func (g *Grid) Baseline(model string) Key { return Key{model, g.Variants[0]} }

// Row returns the cells of a row that have a median of the metric.
func (g *Grid) Row(k Key, m Metric) []*Cell {
	var row []*Cell
	for i := range g.Cells {
		c := &g.Cells[i]
		if _, ok := c.Sample(m).Median(); ok && c.Key == k {
			row = append(row, c)
		}
	}
	return row
}
