package report

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// endpointRun returns 120 requests to an endpoint that tells of its own time: request i
// is sent i%3 ms late and has its first output 100+i%10 ms after that. The first opens a
// connection; some fail, and say why in all sorts of characters.
func endpointRun(exprs ...string) trace.Run {
	const n = 120
	run := trace.Run{
		Header: trace.Header{
			Scenario: "chat | <b>", Kind: "bench", ScenarioHash: "feed0123456789", Target: "endpoint", Seed: 3, N: n, Version: "v0.2.0", Budgets: exprs,
			Stages:    []trace.Stage{{Name: "llm_first_token"}, {Name: "llm_decode"}},
			Endpoints: []trace.Endpoint{{Stage: "llm", URL: "http://127.0.0.1:8000/v1", Protocol: "llamacpp", Model: "m"}},
		},
		Footer: trace.Footer{N: n, Finished: true, Lateness: trace.Lateness{N: 900, P50: 70_000, P99: 410_000, Max: 1_900_000}},
	}
	for i := range n {
		run.Traces = append(run.Traces, asked(i))
	}
	return run
}

func asked(i int) pipeline.Trace {
	t := pipeline.Trace{Kind: "bench", Session: i % 4, Index: i / 4, Due: time.Duration(i) * time.Second}
	r := pipeline.NewRequest(int64(i+1), t.Due)
	r.Sent = r.Due + time.Duration(i%3)*ms
	r.Transport.Status, r.Transport.HTTP, r.Transport.Reused = 200, "1.1", true
	if i == 0 {
		r.Transport.Reused, r.Transport.DNS, r.Transport.Connect, r.Transport.TLS = false, 3*ms, 11*ms, 25*ms
	}
	switch {
	case i%40 == 7:
		r.Outcome, r.Reason = pipeline.Refused, "HTTP 429: slow | down"
		r.Transport.Status, r.Transport.RetryAfter = 429, time.Duration(1+i/40)*time.Second
	case i == 50:
		r.Outcome, r.Reason = pipeline.Error, "HTTP 500: <script>*boom*</script> `x`"
		r.Transport.Status = 500
	case i == 60, i == 61:
		r.Outcome, r.Reason = pipeline.Cancelled, "given up"
	default:
		r.FirstByte = r.Sent + 90*ms
		r.FirstOutput = r.Sent + time.Duration(100+i%10)*ms
		r.FirstText, r.FirstSeen = r.FirstOutput+20*ms, r.FirstOutput+20*ms
		r.LastOutput = r.FirstOutput + 300*ms
		r.OutputTokens, r.Chunks, r.TokenSource = 31, 16, "timings"
		if i >= 110 {
			r.OutputTokens, r.TokenSource = pipeline.UnknownCount, "none"
		}
		r.Server = pipeline.ServerTime{Queue: 5 * ms, Load: pipeline.Unknown, Prefill: 60 * ms, Decode: 290 * ms, Total: 360 * ms}
		first := t.Append("llm_first_token", r.FirstOutput-t.Due, false)
		t.Append("llm_decode", 300*ms, false, first)
	}
	t.Outcome, t.Reason, t.End = r.Outcome, r.Reason, max(r.Sent, r.LastOutput)
	r.End, t.Requests = t.End, []pipeline.Request{r}
	return t
}

func report(t *testing.T, run trace.Run) *Report {
	t.Helper()
	r, err := New(run)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestNetwork(t *testing.T) {
	n := report(t, endpointRun()).Network
	if n.Requests != 120 || n.Responses != 120 || n.Reused != 119 || n.RetryAfter != 3 || *n.LongestRetry != 3000 || n.Bursts != 0 {
		t.Errorf("%+v, want 120 responses, 119 on an open connection, three Retry-After up to 3 s", n)
	}
	if !maps.Equal(n.Statuses, map[int]int{200: 116, 429: 3, 500: 1}) || !maps.Equal(n.HTTP, map[string]int{"1.1": 120}) {
		t.Errorf("statuses %v, HTTP %v", n.Statuses, n.HTTP)
	}
	if !maps.Equal(n.TokenSources, map[string]int{"timings": 104, "none": 10}) {
		t.Errorf("token sources %v, want 104 by timings and 10 by nobody", n.TokenSources)
	}
	want := []Failure{
		{"error", "HTTP 500: <script>*boom*</script> `x`", 1}, {"refused", "HTTP 429: slow | down", 3}, {"cancelled", "given up", 2},
	}
	if !slices.Equal(n.Failures, want) {
		t.Errorf("failures %v, want %v", n.Failures, want)
	}
	if n := report(t, voiceRun(3, 90*ms)).Network; n != nil {
		t.Errorf("a simulated run has a network: %+v", n)
	}
}

// Answers that came whole have no latency of tokens, and connections of requests that did
// not end ok are in no table: the page says so.
func TestConnectionSaysWhatIsNotAbove(t *testing.T) {
	run := endpointRun()
	for i := range 2 {
		run.Traces[i].Requests[0].FirstOutput, run.Traces[i].Requests[0].LastOutput = pipeline.Unknown, pipeline.Unknown
	}
	if e := &run.Traces[2].Requests[0]; e.Outcome == pipeline.OK {
		e.FirstOutput, e.LastOutput, e.Empty = pipeline.Unknown, pipeline.Unknown, true
	}
	q := &run.Traces[60].Requests[0] // which was cancelled
	q.Transport.Reused, q.Transport.Connect = false, 9*ms
	r := report(t, run)
	notes := strings.Join(r.connection().notes, "\n")
	for _, want := range []string{
		"118 of 120 responses came on a connection that was open before (98.3 %), 2 on a new one (above is only what requests waited for that ended ok), 120 by HTTP/1.1.",
		"2 of 114 answers that ended ok came as one JSON text where a stream was asked for: of those there is neither ttft nor tpot; what they took is llm_whole.",
		"1 of 114 answers that ended ok had nothing in them, no text, no reasoning and no call of a tool: of those there is neither ttft nor tpot.",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in\n%s", want, notes)
		}
	}
	if r.Network.Untimed != 2 {
		t.Errorf("untimed: %d, want 2", r.Network.Untimed)
	}
}

// Every latency stands beside its service time, and the server's times beside ours; what
// failed is in none of them.
func TestNetworkMetrics(t *testing.T) {
	r := report(t, endpointRun())
	for name, want := range map[string][3]float64{ // n, p50, p95
		"ttft": {114, 105, 110}, "service_ttft": {114, 104, 109}, "service_e2e": {114, 404, 409}, "icl": {114, 20, 20}, "tpot": {104, 10, 10},
		"server_queue": {114, 5, 5}, "server_prefill": {114, 60, 60}, "server_decode": {114, 290, 290}, "server_total": {114, 360, 360},
		"before_first": {114, 39, 44}, "outside_server": {114, 44, 49},
	} {
		if m := r.Metrics[name]; float64(m.N) != want[0] || *m.P50 != want[1] || *m.P95 != want[2] {
			t.Errorf("%s: n %d, p50 %v, p95 %v, want %v", name, m.N, *m.P50, *m.P95, want)
		}
	}
	for name, want := range map[string]float64{"dns": 3, "connect": 11, "tls": 25} {
		if m := r.Metrics[name]; m.N != 1 || *m.Mean != want {
			t.Errorf("%s: %+v, want one of %v ms", name, m, want)
		}
	}
	if m := r.Metrics["server_load"]; m.N != 0 || m.Mean != nil {
		t.Errorf("server_load: %+v, want none, for the server does not say it", m)
	}
	if m := r.Metrics["reused_share"]; *m.Mean != 119./120 {
		t.Errorf("reused_share %v, want 119 of 120", *m.Mean)
	}
}

// The formula of every metric that a page shows is on it once, under what it is over; what is
// made alike says as which.
func TestFormulasAreShownOnce(t *testing.T) {
	for name, run := range cases() {
		r := report(t, run)
		var table bytes.Buffer
		if err := r.Table(&table, Options{Width: 10_000}); err != nil {
			t.Fatal(err)
		}
		_, page, _ := strings.Cut(table.String(), "\nWhat the metrics are, by what they are over\n")
		over, formulas, seen := "", map[string]string{}, map[string]int{}
		for line := range strings.Lines(page) {
			line = strings.TrimSuffix(line, "\n")
			if !strings.HasPrefix(line, "    ") {
				over = strings.TrimPrefix(line, "  ")
				continue
			}
			metric, formula, _ := strings.Cut(strings.TrimSpace(line), " ")
			formula = strings.TrimSpace(formula)
			seen[formula]++
			if first, again := strings.CutPrefix(formula, "as "); again {
				other, caveat, _ := strings.Cut(first, ". ")
				formula, _, _ = strings.Cut(formulas[other], "; over ")
				if caveat != "" {
					formula += ". " + caveat
				}
			}
			formulas[metric] = formula + "; over " + over
		}
		for formula, n := range seen {
			if n != 1 && !strings.HasPrefix(formula, "as ") {
				t.Errorf("%s: %q is there %d times", name, formula, n)
			}
		}
		for _, pool := range r.shownPools() {
			m := &pool.Metric
			want := m.Formula
			if m.Caveat != "" {
				want += ". " + m.Caveat
			}
			over := m.Over
			if strings.HasSuffix(m.Formula, " / "+m.Over) {
				over = "what each is divided by"
			}
			if got := formulas[m.Name]; got != want+"; over "+over {
				t.Errorf("%s: the page defines %s as %q, want %q over %q", name, m.Name, got, want, over)
			}
		}
	}
}
