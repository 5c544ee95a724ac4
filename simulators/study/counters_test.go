package study

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/counters"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
)

// TestCountersOfCells: each cell that was measured alone has what the server counted of
// its requests, at its place in the comparison.
func TestCountersOfCells(t *testing.T) {
	s := parse(t, strings.Replace(small, "prompts: [128, 1024, 2048, 4096]", "prompts: [16, 64]", 1))
	set := atEndpoint(t, serve(t, "only:1b"))
	set.Metrics = counters.AtRoot
	run := compare(t, s, set)
	cells := 0
	for _, c := range run.Footer.Counters {
		// On a machine that is slow the first look comes after the first of two requests.
		if n := c.Requests(); c.Absent != "" || c.Model != "only:1b" || c.Label != "only:1b" || n < 1 || n > 2 {
			t.Errorf("%+v", c)
		}
		cells++
		var ours trace.Tally
		for i := range run.Traces {
			for j := range run.Traces[i].Requests {
				ours.Add(&run.Traces[i].Requests[j], c.From, c.To)
			}
		}
		if ours.OK != c.Requests() || c.Beside != (trace.Tally{}) {
			t.Errorf("%s, %d tokens, from %s to %s: %+v of ours, and %+v beside", c.Variant, c.Prompt, c.From, c.To, ours, c.Beside)
		}
	}
	if cells != 2*2 { // without the variant that an endpoint cannot have
		t.Errorf("counters of %d cells, want 4", cells)
	}
}

// TestCellsWithoutCounters: a server that shows no metrics is asked once.
func TestCellsWithoutCounters(t *testing.T) {
	s := parse(t, strings.Replace(small, "prompts: [128, 1024, 2048, 4096]", "prompts: [16, 64]", 1))
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/metrics":
			asked.Add(1)
			http.NotFound(w, r)
		case "/v1/models":
			_, _ = w.Write([]byte(`{"data":[{"id":"only:1b"}]}`))
		default:
			http.Error(w, "no", http.StatusTeapot)
		}
	}))
	defer server.Close()
	set := Settings{Settings: runner.Settings{
		Target: runner.Endpoint, Seed: 1, N: 2, Metrics: counters.AtRoot, Endpoint: endpoint.Config{URL: server.URL, Protocol: dialect.OpenAIChat},
	}, Models: []Model{{"only:1b", "only:1b"}}}
	run := compare(t, s, set)
	if n := asked.Load(); n != 1 || len(run.Footer.Counters) != 1 || run.Footer.Counters[0].Absent != "HTTP 404" {
		t.Errorf("asked %d times: %+v", n, run.Footer.Counters)
	}
}
