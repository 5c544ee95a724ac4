package runner

import (
	"context"
	"slices"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
	"halfsecond/simulators/ide/cache"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/scenario"
)

// Estimate is what a run would send to an endpoint, warm-up and background included.
type Estimate struct {
	Requests     int `json:"requests"`
	PromptTokens int `json:"prompt_tokens"`
	OutputTokens int `json:"output_tokens"` // as many as the requests allow for
	// AtMost says that it is the most: how many requests there are depends on the answers.
	AtMost bool `json:"at_most"`
	// Speech is what the speech services are asked. Their requests are among Requests, their
	// texts and recordings among no tokens.
	Speech []SpeechUse `json:"speech,omitempty"`
}

// Asked returns the requests to the language model.
func (e Estimate) Asked() int {
	n := e.Requests
	for i := range e.Speech {
		n -= e.Speech[i].Requests
	}
	return n
}

// Times returns what so many runs send together.
func (e Estimate) Times(runs int) Estimate {
	e.Requests, e.PromptTokens, e.OutputTokens = e.Requests*runs, e.PromptTokens*runs, e.OutputTokens*runs
	e.Speech = slices.Clone(e.Speech)
	for i := range e.Speech {
		u := &e.Speech[i]
		u.Requests, u.Sessions, u.Characters = u.Requests*runs, u.Sessions*runs, u.Characters*runs
		u.Speech, u.Audio = u.Speech*float64(runs), u.Audio*float64(runs)
	}
	return e
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
		unused.Plugin = unhelped(unused.Plugin)
		all.IDE = &unused
	}
	spoken := 0 // tokens
	var air []*airtime
	if _, stages := set.Speech.talks(); s.Voice != nil {
		for _, stage := range stages {
			air = append(air, set.Speech.newAirtime(stage, s))
		}
	}
	r := &run{scenario: &all, lateness: quantile.NewHistogram(), settings: Settings{
		Target: Sim, Seed: set.Seed, N: set.N + s.WarmUp, forget: true,
		Keep: func(t *pipeline.Trace) error {
			e.add(t)
			spoken += replyTokens(&all, t)
			for _, a := range air {
				a.add(t)
			}
			return nil
		},
	}}
	_, err := r.carryOut(ctx)
	if e.AtMost && s.IDE.Plugin.Speculate { // one more for each that is shown
		e.Requests, e.PromptTokens = 2*e.Requests, 2*e.PromptTokens
	}
	if s.IDE != nil { // whatever the modelled answers are, and one that is given up may cost as much
		e.OutputTokens = e.Requests * s.IDE.Plugin.MaxTokens
	}
	e.Requests += r.others.Requests
	e.PromptTokens += r.others.promptTokens
	e.OutputTokens += r.others.outputTokens
	if set.Target == Endpoint && set.Speech.any() {
		e.withSpeech(s, &set, spoken, air)
	}
	return e, err
}

// unhelped returns rules that ask whenever a plugin may, whatever is answered and when.
func unhelped(p plugin.Rules) plugin.Rules {
	p.Reuse, p.Cache, p.Join, p.MostLive, p.Speculate = plugin.ReuseNone, cache.Config{}, false, 0, false
	if p.Wait.Debounce == plugin.Response {
		p.Wait = plugin.Wait{For: p.Wait.Least, EndOfLine: min(p.Wait.Least, p.Wait.EndOfLine)}
	}
	return p
}

// withSpeech adds what the speech services are asked. A language model that stays modelled is
// asked nothing. The replies have so many tokens together, and each service hears so much.
func (e *Estimate) withSpeech(s *scenario.Scenario, set *Settings, spoken int, air []*airtime) {
	e.Speech = set.Speech.uses(s, set.N+s.WarmUp, spoken, air)
	if set.Endpoint.URL == "" {
		e.Requests, e.PromptTokens, e.OutputTokens = 0, 0, 0
	}
	for i := range e.Speech {
		e.Requests += e.Speech[i].Requests
	}
}

// replyTokens returns how long the reply of a voice turn is. It is from the turn's last request:
// those before it were asked in vain, or call a tool.
func replyTokens(s *scenario.Scenario, t *pipeline.Trace) int {
	if s.Voice == nil || len(t.Requests) == 0 {
		return 0
	}
	return max(0, t.Requests[len(t.Requests)-1].OutputTokens-s.Voice.ReasoningTokens)
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
