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

// TestSpentOnSpeech: turns of speech services count in the cap of the runs together, without a
// language model as well.
func TestSpentOnSpeech(t *testing.T) {
	var s spent
	for range 3 {
		set := runner.Settings{Speech: runner.Speech{MaxRequests: 12}}
		if err := s.ration(&set); err != nil {
			t.Fatal(err)
		}
		*set.Speech.Asked += 4
		s.add(&trace.Run{})
	}
	set := runner.Settings{Speech: runner.Speech{MaxRequests: 12}}
	if err := s.ration(&set); err == nil || err.Error() != "the cap of 12 requests was reached" || set.Endpoint.Before.Requests != 12 {
		t.Errorf("%v, %d before", err, set.Endpoint.Before.Requests)
	}
}

// TestSetApart: what was set apart before a sweep counts in its runs.
func TestSetApart(t *testing.T) {
	s := oneSlot(t, "{process: constant, every: 1s}", "50", "max(ttft) < 20ms")
	set := SweepSettings{Settings: runner.Settings{N: 100}, Loads: []float64{1}, Repeats: 2}
	set.Endpoint.Before = endpoint.Spending{Cost: price.Dollar / 2}
	runs := 0
	set.Around = func(_ float64, _ int, one runner.Settings, run func(runner.Settings) (trace.Run, error)) (trace.Run, error) {
		runs++
		if one.Endpoint.Before.Cost != price.Dollar/2 {
			t.Errorf("%s before run %d, want 0.5 USD", one.Endpoint.Before.Cost, runs)
		}
		return run(one)
	}
	if swept(t, s, set); runs != 2 {
		t.Errorf("%d runs", runs)
	}
}
