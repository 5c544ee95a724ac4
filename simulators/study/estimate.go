package study

import (
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

// Estimate returns what a comparison would send, warm-up included. It is exact
// unless requests fail.
func Estimate(s *scenario.Scenario, set Settings) runner.Estimate {
	var e runner.Estimate
	times := s.WarmUp + set.N
	for _, c := range cells(s, set) {
		if c.skipped != "" {
			continue
		}
		e.Requests += times
		e.PromptTokens += times * c.prompt
		if s.Grid.Stream { // once more, each with an answer beside
			e.Requests += 2 * times
			e.PromptTokens += times * (c.prompt + besidePrompt)
		}
	}
	e.OutputTokens = e.Requests * s.Grid.OutputTokens
	return e
}
