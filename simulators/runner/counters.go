package runner

import (
	"context"
	"fmt"
	"slices"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/counters"
	"halfsecond/pipeline/trace"
)

// counting looks at a server's metrics before the first request of the report and after
// the last, and sums up the requests in between that the report does not have. A nil one
// looks at nothing. The loop owns it, and before and after the run its caller.
type counting struct {
	source *counters.Source
	clock  *pipeline.Wall
	look   func() look // for the first time

	begun  bool
	from   time.Duration
	looked chan look // gets the first look when it has been taken
	first  *look     // that one; nil until it is known

	all, beside trace.Tally // requests since then; those that are not in the file
	passing     []passing   // those that ended while the first look was under way
}

// look is what one look at the metrics brought, and when.
type look struct {
	page []byte
	at   time.Duration
	err  error
}

// passing is a request of which it is not known whether the first look saw it.
type passing struct {
	pipeline.Request
	inFile bool
}

// setUpCounting has the server at an endpoint looked at, if that is asked for.
func (r *run) setUpCounting(ctx context.Context, c endpoint.Config) error {
	wall, ok := r.clock.(*pipeline.Wall)
	if r.settings.Metrics == "" || !ok {
		return nil
	}
	source, err := counters.New(c, r.settings.Metrics)
	if err != nil {
		return err
	}
	r.counting = &counting{source: source, clock: wall, looked: make(chan look, 1), look: func() look {
		page, err := source.Look(ctx)
		return look{page, wall.Elapsed(), err}
	}}
	return nil
}

// begin looks for the first time, without keeping the loop.
func (c *counting) begin() {
	if c.begun {
		return
	}
	c.begun, c.from = true, c.clock.Elapsed()
	go func() { c.looked <- c.look() }()
}

// beginIdle looks for the first time before the loop runs, and waits for that.
func (c *counting) beginIdle() {
	if c == nil {
		return
	}
	first := c.look()
	c.begun, c.first = true, &first
}

// add takes note of the requests of an interaction that has ended.
func (c *counting) add(t *pipeline.Trace, inFile bool) {
	if c == nil || !c.begun {
		return
	}
	if c.first == nil {
		select {
		case first := <-c.looked:
			c.first = &first
		default:
		}
	}
	for i := range t.Requests {
		r := &t.Requests[i]
		c.all.Add(r, c.from, pipeline.LastInstant)
		switch {
		case c.first == nil:
			c.passing = append(c.passing, passing{*r, inFile})
		case !inFile:
			c.beside.Add(r, c.from, pipeline.LastInstant)
		}
	}
}

// end looks for the last time and returns what was counted, nothing where nobody looked.
// Once the first look has failed there is no other.
func (c *counting) end(ctx context.Context) []trace.Counters {
	if c == nil || !c.begun {
		return nil
	}
	to := c.clock.Elapsed()
	if c.first == nil {
		first := <-c.looked
		c.first = &first
	}
	counted, err := trace.Counters{}, c.first.err
	if err == nil {
		counted, err = c.last(ctx, c.first.page)
	}
	c.settle(counted.Requests())
	counted.URL, counted.From, counted.To, counted.Beside = c.source.URL(), c.from, to, c.beside
	if err != nil {
		counted.Absent = err.Error()
	}
	return []trace.Counters{counted}
}

// settle places the first look among the requests that ended while it was under way: where
// so many fewer ended there than here, it came after the first so many of them.
func (c *counting) settle(ended int) {
	var ends []time.Duration
	for _, p := range c.passing {
		if p.Outcome == pipeline.OK && p.End > c.from && p.End <= c.first.at {
			ends = append(ends, p.End)
		}
	}
	slices.Sort(ends)
	if fewer := c.all.OK - ended; ended != pipeline.UnknownCount && fewer > 0 && fewer <= len(ends) {
		c.from = ends[fewer-1]
	}
	for _, p := range c.passing {
		if !p.inFile {
			c.beside.Add(&p.Request, c.from, pipeline.LastInstant)
		}
	}
}

// Pauses between looks at a server that has not counted yet what has just ended.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 400 * time.Millisecond
)

// last looks for the last time, again while fewer requests have ended there than here. A
// run that was interrupted is looked at once.
func (c *counting) last(ctx context.Context, first []byte) (trace.Counters, error) {
	for pause := firstPause; ; pause *= 2 {
		page, err := c.source.Look(context.WithoutCancel(ctx))
		if err != nil {
			return trace.Counters{}, fmt.Errorf("after the run: %w", err)
		}
		counted, err := c.source.Difference(first, page)
		if n := counted.Requests(); err != nil || n == pipeline.UnknownCount || n >= c.all.OK || pause > lastPause {
			return counted, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return counted, nil
		}
	}
}
