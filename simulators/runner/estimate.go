package runner

import (
	"context"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
	"halfsecond/simulators/scenario"
)

// Estimate is what a run would send to an endpoint, warm-up and background included.
type Estimate struct {
	Requests     int `json:"requests"`
	PromptTokens int `json:"prompt_tokens"`
	OutputTokens int `json:"output_tokens"` // of requests that were not given up, in full
}

// Tokens returns the tokens of prompts and answers together.
func (e Estimate) Tokens() int { return e.PromptTokens + e.OutputTokens }

// EstimateRun runs the scenario on the simulator and counts what it asks. A real
// endpoint answers at other times and at other lengths, so a run that cancels or
// chats differs from it somewhat.
func EstimateRun(ctx context.Context, s *scenario.Scenario, set Settings) (Estimate, error) {
	all := *s
	all.WarmUp = 0
	var e Estimate
	r := &run{scenario: &all, lateness: quantile.NewHistogram(), settings: Settings{
		Target: Sim, Seed: set.Seed, N: set.N + s.WarmUp, forget: true,
		Keep: func(t *pipeline.Trace) error { e.add(t); return nil },
	}}
	_, err := r.carryOut(ctx)
	e.Requests += r.others.Requests
	e.PromptTokens += r.others.promptTokens
	e.OutputTokens += r.others.outputTokens
	return e, err
}

// add counts the requests of one interaction.
func (e *Estimate) add(t *pipeline.Trace) {
	for i := range t.Requests {
		r := &t.Requests[i]
		e.Requests++
		e.PromptTokens += max(0, r.PromptTokens)
		e.OutputTokens += max(0, r.OutputTokens)
	}
}
