package study

import (
	"fmt"

	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
)

// spent is what runs have used so far of the caps that they share.
type spent struct{ endpoint.Spending }

// add counts a run at an endpoint.
func (s *spent) add(run *trace.Run) {
	for _, u := range run.Footer.Used {
		s.Requests += u.Tally.Requests
		s.Tokens += u.Tally.Tokens().All()
	}
	s.Cost = s.Cost.Add(run.Cost().Most)
}

// ration has a run count what those before it used, and says which cap they leave nothing
// of.
func (s *spent) ration(set *runner.Settings) error {
	e := &set.Endpoint
	e.Before = s.Spending
	set.Speech.Asked = &s.Requests // of the turns of speech services no footer tells
	switch most := max(e.MaxRequests, set.Speech.MaxRequests); {
	case most > 0 && s.Requests >= most:
		return fmt.Errorf("the cap of %d requests was reached", most)
	case e.MaxTokens > 0 && s.Tokens >= e.MaxTokens:
		return fmt.Errorf("the cap of %d tokens was reached", e.MaxTokens)
	case e.MaxCost > 0 && s.Cost >= e.MaxCost:
		return fmt.Errorf("the cap of %s was reached", e.MaxCost)
	}
	return nil
}
