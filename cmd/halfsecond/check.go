package main

import (
	"context"
	"errors"
	"fmt"
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
	MaxRequests  *int            `json:"max_requests"` // on the target endpoint
	MaxTokens    *int            `json:"max_tokens"`
}

// runCheck says that a scenario is valid and what its run would send.
func runCheck(ctx context.Context, p *program, s *scenario.Scenario, set runner.Settings, c caps) error {
	e, err := runner.EstimateRun(ctx, s, set)
	if err != nil {
		return err
	}
	return p.showCheck(s, set, c, e)
}

// showCheck prints that a scenario is valid and what its run would send.
func (p *program) showCheck(s *scenario.Scenario, set runner.Settings, c caps, e runner.Estimate) (err error) {
	result := checked{
		Valid: true, Scenario: s.Name, Kind: s.Kind, ScenarioHash: s.Hash(),
		Target: set.Target, Seed: set.Seed, N: set.N, Estimate: e,
	}
	if set.Target == runner.Endpoint {
		result.MaxRequests, result.MaxTokens = &c.requests, &c.tokens
	}
	if p.Format == "json" {
		err = writeJSON(p.out, result)
	} else {
		err = result.writeTable(p)
	}
	if set.Target == runner.Endpoint {
		err = errors.Join(err, usageError(c.over(e)))
	}
	return err
}

func (r checked) writeTable(p *program) error {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "valid\t%s (%s), hash %.12s\n", r.Scenario, r.Kind, r.ScenarioHash)
	fmt.Fprintf(w, "would run\t%d interactions on %s, seed %d\n", r.N, r.Target, r.Seed)
	fmt.Fprintf(w, "would send\tabout %d requests, %d prompt tokens, %d tokens of answers\n", r.Estimate.Requests, r.Estimate.PromptTokens, r.Estimate.OutputTokens)
	if r.MaxRequests != nil {
		fmt.Fprintf(w, "caps\t%d requests, %d tokens\n", *r.MaxRequests, *r.MaxTokens)
	}
	return w.Flush()
}
