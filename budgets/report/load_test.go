package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// settling returns a run of requests every 100 ms whose first ones are slow.
func settling(n, slow int, load trace.Load, p trace.Prompts) trace.Run {
	run := trace.Run{
		Header: trace.Header{Scenario: "s", Kind: "bench", Target: "sim", N: n, Load: load, Budgets: []string{"p95(ttft) < 20ms"}},
		Footer: trace.Footer{N: n, Finished: true, Prompts: p, Lateness: trace.Lateness{P50: pipeline.Unknown, P99: pipeline.Unknown, Max: pipeline.Unknown}},
	}
	for i := range n {
		at := time.Duration(i) * 100 * time.Millisecond
		ttft := 10*time.Millisecond + time.Duration(i*7919%97)*10*time.Microsecond
		if i < slow {
			ttft *= 5
		}
		r := pipeline.NewRequest(int64(i+1), at)
		r.Sent, r.FirstOutput, r.LastOutput, r.End, r.Simulated = at, at+ttft, at+2*ttft, at+2*ttft, true
		run.Traces = append(run.Traces, pipeline.Trace{Kind: "bench", Session: i, Due: at, End: r.End, Requests: []pipeline.Request{r}})
	}
	return run
}

func TestLoadInReports(t *testing.T) {
	for name, c := range map[string]struct {
		load    trace.Load
		prompts trace.Prompts
		n       int
		json    string
		notes   []string
	}{
		"nothing": {n: 200, json: "null null", notes: nil},
		"a start-up": {
			load: trace.Load{FindStartUp: true}, n: 160,
			json:  `{"metric":"ttft","verdict":"steady","of":200,"valued":200,"cut":40,"settled":0,"tail":0,"until_ms":4000} null`,
			notes: []string{"Start-up: the first 40 of 200 interactions are cut, up to 4,000 ms, from where on ttft is steady (MSER-5, and the test of Heidelberger and Welch at 1 %)."},
		},
		"calibrated": {
			load: trace.Load{Salt: 1<<64 - 1}, prompts: trace.Prompts{Learned: 8, Blind: 3, PerWord: 1.25, Extra: 29.5}, n: 200,
			json: `null {"salt":"18446744073709551615","learned":8,"blind":3,"per_word":1.25,"extra":29.5}`,
			notes: []string{
				"Prompts: words of their own, which no other run has, so that no cache holds those of an earlier one; --salt 18446744073709551615 makes the same again.",
				"Their lengths are calibrated: tokens 1.250 of the server for one of ours and 29.5 more for each, by the usage of the first 8 requests; 3 were made before that was known, of our own tokens.",
			},
		},
		"blind": {
			prompts: trace.Prompts{Blind: 200}, n: 200,
			json:  `null {"salt":null,"learned":0,"blind":200,"per_word":null,"extra":null}`,
			notes: []string{"Their lengths are counted in our own tokens: the server said of none how many its own are."},
		},
	} {
		r, err := New(settling(200, 40, c.load, c.prompts))
		if err != nil {
			t.Fatal(err)
		}
		start, err := json.Marshal(r.StartUp)
		if err != nil {
			t.Fatal(err)
		}
		prompts, err := json.Marshal(r.Prompts)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(start) + " " + string(prompts); got != c.json || r.N != c.n || !slices.Equal(r.loadNotes(), c.notes) {
			t.Errorf("%s: %d interactions,\n%s\n%q\nwant %d,\n%s\n%q", name, r.N, got, r.loadNotes(), c.n, c.json, c.notes)
		}
		var table, page bytes.Buffer
		if err := r.Table(&table, Options{Width: 400}); err != nil {
			t.Fatal(err)
		}
		if err := r.Markdown(&page); err != nil {
			t.Fatal(err)
		}
		for _, note := range c.notes {
			if !strings.Contains(table.String(), note) || !strings.Contains(page.String(), escape(note)) {
				t.Errorf("%s: no %q on a page", name, note)
			}
		}
		if name == "a start-up" && !strings.Contains(table.String(), "160 interactions after 40 of start-up") {
			t.Errorf("the head does not say what was cut:\n%s", table.String())
		}
	}
}
