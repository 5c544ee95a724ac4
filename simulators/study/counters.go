package study

import (
	"slices"
	"time"

	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
)

// looks has the metrics of a cell's server looked at, unless the cell is one with an answer
// streaming beside, whose requests are of two kinds, or the server has shown none before.
func (c *comparison) looks(set *runner.Settings, beside bool) {
	if beside || slices.Contains(c.silent, set.Endpoint.URL) {
		set.Metrics = ""
	}
}

// counted keeps what the server of a cell counted, whose last trace ended so long after it
// began: at its place in the comparison.
func (c *comparison) counted(x *cell, all []trace.Counters, end time.Duration) {
	for _, n := range all {
		n.Model, n.Variant, n.Prompt = x.model, x.variant.Name, x.prompt
		n.From, n.To = n.From+c.origin, min(n.To, end)+c.origin
		c.out.Footer.Counters = append(c.out.Footer.Counters, n)
		if n.Absent != "" {
			c.silent = append(c.silent, x.place.URL)
		}
	}
}
