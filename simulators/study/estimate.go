package study

import (
	"slices"

	"halfsecond/pipeline/price"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

// Estimate returns what a comparison would send, warm-up included. It is exact
// unless requests fail.
func Estimate(s *scenario.Scenario, set Settings) (e runner.Estimate) {
	for _, c := range measured(s, set) {
		one := c.sends(s, set)
		e.Requests += one.Requests
		e.PromptTokens += one.PromptTokens
		e.OutputTokens += one.OutputTokens
	}
	return e
}

// measured returns the cells that something is sent of.
func measured(s *scenario.Scenario, set Settings) []cell {
	return slices.DeleteFunc(cells(s, set), func(c cell) bool { return c.skipped != "" })
}

// sends returns what is sent of a cell.
func (c *cell) sends(s *scenario.Scenario, set Settings) runner.Estimate {
	times := s.WarmUp + set.N
	e := runner.Estimate{Requests: times, PromptTokens: times * c.prompt}
	if s.Grid.Stream { // once more, each with an answer beside
		e.Requests += 2 * times
		e.PromptTokens += times * (c.prompt + besidePrompt)
	}
	e.OutputTokens = e.Requests * s.Grid.OutputTokens
	return e
}

// Cost returns about what a comparison at an endpoint would cost, each cell at the price of
// the model that is asked for it. It is not known unless each of them has one.
func Cost(s *scenario.Scenario, set Settings) (cost price.Dollars, known bool) {
	if set.Target != runner.Endpoint {
		return 0, false
	}
	all := measured(s, set)
	known = len(all) > 0
	for _, c := range all {
		e := c.sends(s, set)
		known = known && c.place.Price.Known()
		cost = cost.Add(c.place.Price.Of(price.Tokens{Prompt: e.PromptTokens, Output: e.OutputTokens}))
	}
	return cost, known
}

// Asked returns the names by which a comparison asks an endpoint for models, each once: those
// of the models, and those that endpoints.cells has for some of their cells.
func Asked(s *scenario.Scenario, set Settings) (names []string) {
	for _, c := range measured(s, set) {
		if !slices.Contains(names, c.place.Model) {
			names = append(names, c.place.Model)
		}
	}
	return names
}
