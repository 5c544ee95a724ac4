package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/price"
	"halfsecond/pipeline/trace"
)

// guarded returns a run at an endpoint whose every limit and cap is stated, and which cost
// something.
func guarded() trace.Run {
	run := endpointRun("p95(ttft) < 200ms")
	e := &run.Header.Endpoints[0]
	e.MaxRequests, e.MaxTokens, e.MaxCost, e.PerUser = 1000, 1_000_000, 5*price.Dollar, 1
	e.Limits = trace.Limits{Connect: 5 * time.Second, FirstByte: 30 * time.Second, Gap: 20 * time.Second, Whole: 2 * time.Minute, Bytes: 4 << 20}
	e.Price = price.Price{Input: 2_500_000, Cached: 1_250_000, Output: 10_000_000, Model: "gpt-4o", Source: "a list", Date: "2026-08-21"}
	run.Footer.Used = []trace.Used{{Model: "m", Tally: price.Tally{
		Requests: 130, Counted: price.Tokens{Prompt: 40_000, Cached: 10_000, Output: 5000}, Uncounted: 10, Assumed: price.Tokens{Prompt: 4000, Output: 600},
	}}}
	return run
}

// TestGuard: 30,000 tokens at 2.5 USD a million, 10,000 at 1.25 and 5,000 at 10 are 13.75
// cents; what nobody counted is 1.6 more.
func TestGuard(t *testing.T) {
	r, err := New(guarded())
	if err != nil {
		t.Fatal(err)
	}
	page := table(t, r)
	for _, want := range []string{
		"The endpoint\n  llm: m at http://127.0.0.1:8000/v1 by llamacpp; a connection is kept for the next request.\n",
		"  Caps: 1,000 requests, 1,000,000 tokens, 5.00 USD; of each user 1 request in flight. Limits: 5s for a connection, 30s to the first byte, 20s between reads, 2m0s for all of it, 4,194,304 bytes of an answer.",
		"  Cost: 0.138 USD for 40,000 tokens of prompts (10,000 of them cached) and 5,000 of answers in 130 requests; m at 2.5 USD a million tokens of prompts (1.25 USD of those cached), 10 USD of answers; gpt-4o, a list, 2026-08-21. Of 10 requests nobody counted all tokens: up to 0.016 USD more.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	var document struct {
		Endpoints []struct {
			MaxCost float64 `json:"max_cost_usd"`
			Limits  struct {
				Gap   float64 `json:"gap_ms"`
				Bytes int     `json:"bytes"`
			}
			Price struct {
				Cached float64 `json:"cached_input_usd_per_m"`
				Date   string
			}
		}
		Cost struct {
			USD  float64
			Most float64 `json:"most_usd"`
		}
	}
	var b bytes.Buffer
	if err := r.JSON(&b); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	e := document.Endpoints[0]
	if e.MaxCost != 5 || e.Limits.Gap != 20_000 || e.Limits.Bytes != 4<<20 || e.Price.Cached != 1.25 || e.Price.Date != "2026-08-21" {
		t.Errorf("endpoint %+v", e)
	}
	if document.Cost.USD != 0.1375 || document.Cost.Most != 0.1535 {
		t.Errorf("cost %+v, want 0.1375 and 0.1535", document.Cost)
	}
}

// table returns the page of a report, as wide as its lines.
func table(t *testing.T, r *Report) string {
	t.Helper()
	var b strings.Builder
	if err := r.Table(&b, Options{Width: 400}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCostOfPart: a run that was cut off cost at least what its file holds. Of 120 requests
// 104 have a count, of 9 tokens and 31, 3 were refused, one got a 500, and of 12 it is that of the prompt alone.
func TestCostOfPart(t *testing.T) {
	run := guarded()
	run.Footer = trace.Footer{N: 120, Reason: "cut off"}
	for i := range run.Traces {
		run.Traces[i].Requests[0].PromptTokens = 9
	}
	r, err := New(run)
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Cost; c == nil || !c.Part || c.Requests != 120 || c.USD != 0.034805 || c.MostUSD != c.USD || c.Uncounted != 13 {
		t.Fatalf("cost %+v, want 0.034805 USD of 120 requests, 13 of them uncounted", r.Cost)
	}
	if words := r.Cost.words(run.Header.Endpoints); !strings.HasPrefix(words, "Cost of what the file holds, which is not all that was sent: ") {
		t.Error(words)
	}
}

// TestOverCaps: what requests under way took beyond a cap is told, in tokens and in money.
func TestOverCaps(t *testing.T) {
	run := guarded()
	run.Header.Endpoints[0].MaxTokens, run.Header.Endpoints[0].MaxCost = 45_000, price.Dollar/10
	r, err := New(run)
	if err != nil {
		t.Fatal(err)
	}
	page := table(t, r)
	for _, want := range []string{
		"  4,600 tokens over the cap: requests that were under way took more than what they stood for.\n",
		"  0.0535 USD over the cap: requests that were under way took more than what they stood for.\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if notes := overCaps(guarded()); notes != nil {
		t.Errorf("below its caps: %q", notes)
	}
}

// TestNoPriceNoCost: what nobody has a price of costs an unknown sum, never 0.
func TestNoPriceNoCost(t *testing.T) {
	run := guarded()
	run.Header.Endpoints[0].Price = price.Price{}
	r, err := New(run)
	if err != nil {
		t.Fatal(err)
	}
	if r.Cost != nil || r.Endpoints[0].Price != nil {
		t.Errorf("cost %+v, price %+v; want none", r.Cost, r.Endpoints[0].Price)
	}
	if page := table(t, r); strings.Contains(page, "Cost:") {
		t.Error("the page has a cost")
	}
}

// TestCostBesideSpeech: the sum is the language model's alone, which the report says, and no
// speech service is named with a price that nobody knows.
func TestCostBesideSpeech(t *testing.T) {
	run := guarded()
	llm := run.Header.Endpoints[0]
	run.Header.Endpoints = []trace.Endpoint{{Stage: "stt", Model: "nova-3", Protocol: "deepgram-listen"}, llm, {Stage: "tts", Model: "tts-1", Protocol: "openai-speech"}}
	r, err := New(run)
	if err != nil {
		t.Fatal(err)
	}
	words := r.Cost.words(run.Header.Endpoints)
	if !strings.HasPrefix(words, "Cost of the language model alone: 0.138 USD for ") || strings.Contains(words, "nova-3") || strings.Contains(words, "0 USD a million") {
		t.Error(words)
	}
	if words, want := unpricedSpeech(run.Header.Endpoints), "Not counted is what nova-3 of stt and tts-1 of tts cost: "; !strings.HasPrefix(words, want) {
		t.Errorf("%q, want %q", words, want)
	}
	if words := unpricedSpeech([]trace.Endpoint{llm}); words != "" {
		t.Errorf("%q of no speech", words)
	}
}
