package runner

import (
	"context"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
	"halfsecond/simulators/ide"
	"halfsecond/simulators/scenario"
)

// Estimate is what a run would send to an endpoint, warm-up and background included.
type Estimate struct {
	Requests     int `json:"requests"`
	PromptTokens int `json:"prompt_tokens"`
	OutputTokens int `json:"output_tokens"` // as many as the requests allow for
	// AtMost says that it is the most: how many requests there are depends on the answers.
	AtMost bool `json:"at_most"`
}

// About says how sure it is, in words.
func (e Estimate) About() string {
	if e.AtMost {
		return "at most"
	}
	return "about"
}

// Tokens returns the tokens of prompts and answers together.
func (e Estimate) Tokens() int { return e.PromptTokens + e.OutputTokens }

// EstimateRun runs the scenario on the simulator and counts what it asks. A real
// endpoint answers at other times and at other lengths, so a run that chats differs from
// it somewhat. An editor asks less where a suggestion goes on as the user does, which an
// endpoint need not do: for one it is counted as if none ever did, which is the most.
func EstimateRun(ctx context.Context, s *scenario.Scenario, set Settings) (Estimate, error) {
	all := *s
	all.WarmUp = 0
	e := Estimate{AtMost: s.IDE != nil && set.Target == Endpoint}
	if e.AtMost {
		unused := *s.IDE
		unused.Plugin.Reuse = ide.ReuseNone
		all.IDE = &unused
	}
	r := &run{scenario: &all, lateness: quantile.NewHistogram(), settings: Settings{
		Target: Sim, Seed: set.Seed, N: set.N + s.WarmUp, forget: true,
		Keep: func(t *pipeline.Trace) error { e.add(t); return nil },
	}}
	_, err := r.carryOut(ctx)
	if s.IDE != nil { // whatever the modelled answers are, and one that is given up may cost as much
		e.OutputTokens = e.Requests * s.IDE.Plugin.MaxTokens
	}
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
