package study

import (
	"fmt"

	"halfsecond/pipeline/price"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
)

// spent is what runs have used so far of the caps that they share.
type spent struct {
	requests, tokens int
	cost             price.Dollars
}

// add counts a run at an endpoint.
func (s *spent) add(run *trace.Run) {
	for _, u := range run.Footer.Used {
		s.requests += u.Tally.Requests
		s.tokens += u.Tally.Tokens().All()
	}
	s.cost = s.cost.Add(run.Cost().Most)
}

// ration leaves a run what the caps of all of them leave it, and says which one leaves
// nothing.
func (s *spent) ration(set *runner.Settings) error {
	e := &set.Endpoint
	if e.MaxRequests > 0 {
		if e.MaxRequests -= s.requests; e.MaxRequests <= 0 {
			return fmt.Errorf("the cap of %d requests was reached", e.MaxRequests+s.requests)
		}
	}
	if e.MaxTokens > 0 {
		if e.MaxTokens -= s.tokens; e.MaxTokens <= 0 {
			return fmt.Errorf("the cap of %d tokens was reached", e.MaxTokens+s.tokens)
		}
	}
	if e.MaxCost > 0 {
		if e.MaxCost -= s.cost; e.MaxCost <= 0 {
			return fmt.Errorf("the cap of %s was reached", e.MaxCost+s.cost)
		}
	}
	return nil
}
