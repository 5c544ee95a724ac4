package study

import (
	"testing"

	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/price"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
)

// TestSpent: runs share their caps, and what nobody counted is held against them in full.
func TestSpent(t *testing.T) {
	p := price.Price{Input: 100, Cached: 10, Output: 1000, Source: "a test"}
	run := trace.Run{
		Header: trace.Header{Endpoints: []trace.Endpoint{{Model: "m", Price: p}}},
		Footer: trace.Footer{Used: []trace.Used{{Model: "m", Tally: price.Tally{
			Requests: 3, Counted: price.Tokens{Prompt: 20, Cached: 10, Output: 5}, Uncounted: 1, Assumed: price.Tokens{Prompt: 10, Output: 2},
		}}}},
	}
	var s spent
	s.add(&run)
	if want := (endpoint.Spending{Requests: 3, Tokens: 37, Cost: 10*100 + 10*10 + 5*1000 + 10*100 + 2*1000}); s.Spending != want {
		t.Fatalf("spent %+v, want %+v", s, want)
	}
	s.add(&run)
	for _, c := range []struct {
		caps   endpoint.Config
		reason string
	}{
		{endpoint.Config{}, ""},
		{endpoint.Config{MaxRequests: 7, MaxTokens: 75, MaxCost: 18_201}, ""},
		{endpoint.Config{MaxRequests: 6}, "the cap of 6 requests was reached"},
		{endpoint.Config{MaxTokens: 74}, "the cap of 74 tokens was reached"},
		{endpoint.Config{MaxCost: 18_200}, "the cap of 0.0000000182 USD was reached"},
	} {
		set := runner.Settings{Endpoint: c.caps}
		reason := ""
		if err := s.ration(&set); err != nil {
			reason = err.Error()
		}
		if reason != c.reason {
			t.Errorf("%+v: %q, want %q", c.caps, reason, c.reason)
		}
		if set.Endpoint.Before != s.Spending {
			t.Errorf("before %+v, want %+v", set.Endpoint.Before, s.Spending)
		}
	}
}
