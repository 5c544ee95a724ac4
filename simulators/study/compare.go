package study

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

// Settings say how to carry a comparison out.
type Settings struct {
	// Settings are those of every run; N is the requests of a cell.
	runner.Settings
	// Models are those to compare on the target endpoint.
	Models []Model
	// Cells are parts of the grid that another service answers there.
	Cells []scenario.Cell
}

// comparison is a grid under way.
type comparison struct {
	scenario *scenario.Scenario
	settings Settings
	out      trace.Run
	origin   time.Duration // where the run in hand begins, since the first one did
	session  int           // the first session of the run in hand
	silent   []string      // endpoints that show no metrics
	lastID   int64
	spent    spent
}

// Compare runs the grid of a scenario, cell by cell, each on a server of its own
// but for the target endpoint. The traces name their cells by facts; those of cells
// that cannot be measured say why. When ctx ends first, or Keep fails, the run has
// what was finished by then and its footer says why; the error is for what kept it
// from running at all.
func Compare(ctx context.Context, s *scenario.Scenario, set Settings) (trace.Run, error) {
	c := &comparison{scenario: s, settings: set}
	all := cells(s, set)
	c.out.Header = c.header(all)
	c.out.Header.SelfTest = runner.TestItself(ctx, set.Settings)
	c.out.Footer.Lateness = trace.Lateness{P50: pipeline.Unknown, P99: pipeline.Unknown, Max: pipeline.Unknown}
	if set.Begin != nil {
		if err := set.Begin(c.out.Header); err != nil {
			return c.out, fmt.Errorf("run %s: %w", s.Name, err)
		}
	}
	unfinished := ""
	for i := range all {
		var err error
		if unfinished, err = c.run(ctx, &all[i]); err != nil {
			return c.out, err
		}
		if unfinished != "" {
			break
		}
	}
	c.out.Footer.N, c.out.Footer.Finished, c.out.Footer.Reason = len(c.out.Traces), unfinished == "", unfinished
	return c.out, nil
}

// Traces returns how many traces a comparison leaves: one for each request of the
// report, and one for each cell that cannot be measured.
func Traces(s *scenario.Scenario, set Settings) int {
	c := &comparison{scenario: s, settings: set}
	return c.header(cells(s, set)).N
}

func (c *comparison) header(all []cell) trace.Header {
	s, set := c.scenario, c.settings
	stage := func(name string) trace.Stage { return trace.Stage{Name: name, Simulated: set.Target == runner.Sim} }
	h := trace.Header{
		Scenario: s.Name, Kind: pipeline.KindGrid, ScenarioHash: s.Hash(), ScenarioText: s.Canonical(),
		Target: set.Target, Seed: set.Seed, WarmUp: s.WarmUp, Version: set.Version, TextsHashed: set.HashTexts,
		Load:   trace.Load{Salt: set.Salt},
		Stages: []trace.Stage{stage(pipeline.SpanLLMFirstToken), stage(pipeline.SpanLLMDecode)},
	}
	for i := range all {
		x := &all[i]
		if x.skipped != "" {
			h.N++
			continue
		}
		h.N += set.N * len(c.ways())
		if set.Target != runner.Endpoint {
			continue
		}
		e := runner.Place(x.place, c.perUser(true))
		if !slices.Contains(h.Endpoints, e) {
			h.Endpoints = append(h.Endpoints, e)
		}
	}
	return h
}

// ways returns how a cell is measured: alone, and with an answer streaming beside
// when the grid asks for it.
func (c *comparison) ways() []bool {
	if c.scenario.Grid.Stream {
		return []bool{false, true}
	}
	return []bool{false}
}

// perUser returns how many requests of one user may be in flight: one more than
// otherwise for the answer beside.
func (c *comparison) perUser(beside bool) int {
	n := max(1, c.settings.PerUser)
	if beside && c.scenario.Grid.Stream {
		n = max(n, 2)
	}
	return n
}

// run carries one cell out. unfinished says why the comparison cannot go on.
func (c *comparison) run(ctx context.Context, x *cell) (unfinished string, err error) {
	if x.skipped != "" {
		return c.skip(x), nil
	}
	for _, beside := range c.ways() {
		if unfinished, err = c.measure(ctx, x, beside); unfinished != "" || err != nil {
			return unfinished, err
		}
	}
	return "", nil
}

// measure carries one cell out, alone or with an answer streaming beside.
func (c *comparison) measure(ctx context.Context, x *cell, beside bool) (unfinished string, err error) {
	set := c.settings.Settings
	set.Seed, set.Endpoint, set.PerUser = x.seed(c.settings.Seed, beside), x.place, c.perUser(beside)
	if over := c.spent.ration(&set); over != nil {
		return over.Error(), nil
	}
	c.looks(&set, beside)
	sessions, end := 0, time.Duration(0)
	set.Begin, set.Progress, set.SelfTest = nil, nil, false // which was done before the first cell
	set.Keep = func(t *pipeline.Trace) error {
		sessions, end = max(sessions, t.Session+1), max(end, t.End)
		return c.keep(moved(t, c.origin, c.session))
	}
	if keep, origin := set.KeepExchange, c.origin; keep != nil {
		set.KeepExchange = func(x *exchange.Exchange) error { return keep(x.Moved(origin)) }
	}
	set.Interactions = func(at runner.Stand) runner.Interactions {
		return &probes{
			Stand: at, cell: x, output: c.scenario.Grid.OutputTokens, beside: beside,
			seed: set.Seed, salt: c.settings.Salt, nextID: c.nextID,
		}
	}
	part, err := runner.Run(ctx, x.scenarioFor(c.scenario), set)
	if err != nil {
		return "", err
	}
	c.counted(x, part.Footer.Counters, end)
	c.origin, c.session = c.origin+end, c.session+sessions
	c.late(part.Footer.Lateness)
	c.use(&part)
	c.out.Footer.Effort = c.out.Footer.Effort.With(part.Footer.Effort)
	if !beside {
		for _, e := range part.Footer.Engines {
			e.Model, e.Variant, e.Prompt = x.model, x.variant.Name, x.prompt
			c.out.Footer.Engines = append(c.out.Footer.Engines, e)
		}
	}
	if !part.Footer.Finished {
		return cmp.Or(part.Footer.Reason, "a cell did not finish"), nil
	}
	return "", nil
}

// use counts what a run used of a model.
func (c *comparison) use(part *trace.Run) {
	c.spent.add(part)
	for _, u := range part.Footer.Used {
		all := &c.out.Footer.Used
		i := slices.IndexFunc(*all, func(o trace.Used) bool { return o.Model == u.Model })
		if i < 0 {
			*all = append(*all, u)
			continue
		}
		(*all)[i].Tally = (*all)[i].Tally.Add(u.Tally)
	}
}

func (c *comparison) nextID() int64 {
	c.lastID++
	return c.lastID
}

// skip leaves a trace of a cell that nothing was sent of.
func (c *comparison) skip(x *cell) (unfinished string) {
	p := probe{probes: &probes{cell: x}}
	t := pipeline.Trace{
		Kind: pipeline.KindBench, Session: c.session, Due: c.origin, End: c.origin,
		Outcome: pipeline.Dropped, Reason: x.skipped, Facts: p.facts(),
	}
	c.session++
	if err := c.keep(t); err != nil {
		return err.Error()
	}
	return ""
}

// keep takes a finished trace of the comparison.
func (c *comparison) keep(t pipeline.Trace) error {
	c.out.Traces = append(c.out.Traces, t)
	if c.settings.Progress != nil {
		c.settings.Progress(len(c.out.Traces))
	}
	if c.settings.Keep != nil {
		return c.settings.Keep(&t)
	}
	return nil
}

// late keeps the worst lateness of any run: the loop starts anew with each.
func (c *comparison) late(l trace.Lateness) {
	sum := &c.out.Footer.Lateness
	if sum.N == 0 {
		*sum = l
		return
	}
	sum.N += l.N
	sum.P50, sum.P99, sum.Max = max(sum.P50, l.P50), max(sum.P99, l.P99), max(sum.Max, l.Max)
}

// moved returns the trace at its place in the whole comparison: later, and of a
// later session.
func moved(t *pipeline.Trace, by time.Duration, sessions int) pipeline.Trace {
	out := *t
	out.Session += sessions
	later := func(at *time.Duration) {
		if *at != pipeline.Unknown {
			*at += by
		}
	}
	later(&out.Due)
	later(&out.End)
	out.Spans = slices.Clone(t.Spans)
	for i := range out.Spans {
		later(&out.Spans[i].Start)
		later(&out.Spans[i].End)
	}
	out.Requests = slices.Clone(t.Requests)
	for i := range out.Requests {
		r := &out.Requests[i]
		for _, at := range []*time.Duration{
			&r.Due, &r.Sent, &r.Scheduled, &r.FirstByte, &r.FirstOutput, &r.FirstText, &r.FirstSeen, &r.LastOutput, &r.End,
		} {
			later(at)
		}
	}
	return out
}
