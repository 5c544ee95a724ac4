package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

// checked is what --check prints.
type checked struct {
	Valid        bool            `json:"valid"`
	Scenario     string          `json:"scenario"`
	Kind         string          `json:"kind"`
	ScenarioHash string          `json:"scenario_hash"`
	Target       string          `json:"target"`
	Seed         uint64          `json:"seed"`
	N            int             `json:"n"`
	Estimate     runner.Estimate `json:"estimate"`
	CostUSD      *float64        `json:"cost_usd"`     // of the estimate, of all whose price is known
	Price        *string         `json:"price"`        // in words, with its source; null also where models have several
	MaxRequests  *int            `json:"max_requests"` // on the target endpoint, as what follows
	MaxTokens    *int            `json:"max_tokens"`
	MaxCostUSD   *float64        `json:"max_cost_usd"` // null for no cap
	Limits       *limitsDocument `json:"limits"`

	estimate priced
	guard    *guard
}

func (o *runOptions) checked(s *scenario.Scenario, set runner.Settings, e priced) checked {
	c := checked{
		Valid: true, Scenario: s.Name, Kind: s.Kind, ScenarioHash: s.Hash(),
		Target: set.Target, Seed: set.Seed, N: set.N, Estimate: e.Estimate, estimate: e,
	}
	if set.Target != runner.Endpoint {
		return c
	}
	g := &o.guard
	c.guard, c.MaxRequests, c.MaxTokens, c.Limits = g, &g.caps.requests, &g.caps.tokens, g.limits.document()
	if sum, is := e.all(); is {
		c.CostUSD = known(sum.USD(), -1)
	}
	if e.price.Known() {
		c.Price = known(e.price.String(), "")
	}
	c.MaxCostUSD = known(g.max.USD(), 0)
	return c
}

// runCheck says that a scenario is valid and what its run would send.
func (o *runOptions) runCheck(ctx context.Context, p *program, s *scenario.Scenario, set runner.Settings) error {
	e, err := runner.EstimateRun(ctx, s, set)
	if err != nil {
		return err
	}
	return errors.Join(p.showCheck(o.checked(s, set, o.guard.at(e, set.Endpoint.Model))), usageError(runner.EndsBefore(s, set.N)))
}

// showCheck prints that a scenario is valid and what its run would send.
func (p *program) showCheck(c checked) (err error) {
	if p.Format == "json" {
		err = writeJSON(p.out, c)
	} else {
		err = c.writeTable(p)
	}
	return errors.Join(err, c.over())
}

// over says which caps the run would exceed.
func (c *checked) over() error {
	if c.guard == nil {
		return nil
	}
	return usageError(c.guard.over(c.estimate))
}

func (c *checked) writeTable(p *program) error {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "valid\t%s (%s), hash %.12s\n", c.Scenario, c.Kind, c.ScenarioHash)
	fmt.Fprintf(w, "would run\t%d interactions on %s, seed %d\n", c.N, c.Target, c.Seed)
	c.writeSent(w, c.Estimate.About())
	c.writeGuard(w)
	return w.Flush()
}

// writeSent writes what a language model would be sent; about says how sure that is.
func (c *checked) writeSent(w io.Writer, about string) {
	if c.Estimate.Asked() == 0 {
		fmt.Fprint(w, "would send\tnothing to a language model\n")
		return
	}
	fmt.Fprintf(w, "would send\t%s %d requests, %d prompt tokens, %d tokens of answers\n", about, c.Estimate.Asked(), c.Estimate.PromptTokens, c.Estimate.OutputTokens)
}

// writeGuard writes what would be spent at an endpoint, and what bounds it.
func (c *checked) writeGuard(w io.Writer) {
	g := c.guard
	if g == nil {
		return
	}
	if !c.estimate.silent() {
		fmt.Fprintf(w, "would cost\t%s\n", c.estimate.costWords())
	}
	for _, u := range c.estimate.speech {
		fmt.Fprintf(w, "%s\t%s: %s\n", u.Stage, u.named(), u.much())
	}
	fmt.Fprintf(w, "caps\t%d requests, %d tokens", g.caps.requests, g.caps.tokens)
	if g.max > 0 {
		fmt.Fprintf(w, ", %s", g.max)
	}
	fmt.Fprintf(w, "\nlimits\t%s\n", &g.limits)
}
