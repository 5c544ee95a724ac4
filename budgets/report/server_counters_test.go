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

// countedRun is endpointRun at a server of vLLM's whose metrics were looked at before and
// after it. All of its requests that ended ok, 114, and nobody else's are in the figures
// unless change says otherwise.
func countedRun(change func(c *trace.Counters)) trace.Run {
	run := withEnds(endpointRun("p95(ttft) < 200ms"))
	c := trace.Counters{
		URL: "http://127.0.0.1:8000/metrics", Software: "vLLM", Label: "m", To: time.Hour,
		Times: []trace.CountedTime{
			{Name: "queue", N: 114, Sum: 114 * 2500 * time.Microsecond, Buckets: []trace.Bucket{{Most: 300 * ms, N: 114}, {Most: 500 * ms, N: 114}}},
			{Name: "prefill", N: 114, Sum: 114 * 80 * ms, Buckets: []trace.Bucket{{Most: 300 * ms, N: 114}}},
			{Name: "decode", N: 114, Sum: 114 * 297 * ms, Buckets: []trace.Bucket{{Most: 300 * ms, N: 100}, {Most: 500 * ms, N: 113}}},
			{Name: "ttft", N: 114, Sum: 114 * 90 * ms, Buckets: []trace.Bucket{{Most: 80 * ms, N: 20}, {Most: 100 * ms, N: 110}, {Most: 250 * ms, N: 113}}},
			{Name: "e2e", N: 114, Sum: 114 * 390 * ms},
			{Name: "itl", N: 3420, Sum: 3420 * 9900 * time.Microsecond},
		},
		Counts: []trace.Count{
			{Name: "prompt_tokens", N: 40_000}, {Name: "output_tokens", N: 3534}, {Name: "looked_up_tokens", N: 40_000}, {Name: "cached_tokens", N: 10_000},
			{Name: "preemptions", N: 3}, {Name: "drafted_tokens", N: 900}, {Name: "accepted_tokens", N: 360},
			{Name: "running_before", N: 2}, {Name: "waiting_before", N: 1},
		},
	}
	if change != nil {
		change(&c)
	}
	run.Footer.Counters = []trace.Counters{c}
	return run
}

// withEnds gives the requests of a run the ends that a client sees.
func withEnds(run trace.Run) trace.Run {
	for i := range run.Traces {
		run.Traces[i].Requests[0].End = run.Traces[i].End
	}
	return run
}

// TestServerCounters: the page and the document of a server that counts what was asked here
// and nothing else.
func TestServerCounters(t *testing.T) {
	r := report(t, countedRun(nil))
	p := newPage(Options{})
	p.section(r.ServerCounters.section())
	golden(t, "server_counters.txt", []byte(p.b.String()))
	var m markdown
	m.section(4, r.ServerCounters.section())
	golden(t, "server_counters.md", []byte(m.b.String()))
	doc, err := json.MarshalIndent(r.ServerCounters, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "server_counters.json", append(doc, '\n'))
	var table bytes.Buffer
	if err := r.Table(&table, Options{Width: 200}); err != nil || !strings.Contains(table.String(), "\nWhat the server counted (vLLM), ms\n") {
		t.Errorf("error %v; the page has no such section", err)
	}
}

// TestServerCountersApart: the mean of ours less its mean, where both are of the same
// requests, and what of the whole is none of the server's parts.
func TestServerCountersApart(t *testing.T) {
	s := report(t, countedRun(nil)).ServerCounters
	// service_ttft is 100 to 109 ms, e2e 300 ms more; some of each hundred failed.
	ours := 0.0
	for i := range 120 {
		if i%40 != 7 && i != 50 && i != 60 && i != 61 {
			ours += float64(100+i%10) / 114
		}
	}
	near := func(a *float64, b float64) bool { return a != nil && *a > b-1e-9 && *a < b+1e-9 }
	for name, want := range map[string]float64{"ttft": ours - 90, "e2e": ours + 300 - 390, "decode": 3} {
		if x := s.time(name); !near(x.Apart, want) || *x.Ours != 114 {
			t.Errorf("%s: %+v, want %v apart", name, x, want)
		}
	}
	if !near(s.Rest, ours+300-2.5-80-297) {
		t.Errorf("rest %v, want %v", s.Rest, ours+300-2.5-80-297)
	}
	if itl := s.time("itl"); *itl.Ours != 104*30 || itl.Apart != nil {
		t.Errorf("gaps %+v; want no difference of means of other gaps", itl)
	}
	if s.time("queue").Ours != nil || s.time("queue").Apart != nil {
		t.Errorf("queue %+v; a client has none of its own", s.time("queue"))
	}
}

// TestWhoseCounters: others' requests are told apart from ours, as far as they can be.
func TestWhoseCounters(t *testing.T) {
	count := func(name string, n int) func(c *trace.Counters) {
		return func(c *trace.Counters) {
			c.Times = slices.DeleteFunc(c.Times, func(x trace.CountedTime) bool { return x.Name == "e2e" })
			c.Counts = slices.DeleteFunc(c.Counts, func(x trace.Count) bool { return x.Name == name })
			if n >= 0 {
				c.Counts = append(c.Counts, trace.Count{Name: name, N: n})
			}
		}
	}
	for _, c := range []struct {
		name   string
		change func(c *trace.Counters)
		same   *bool
		want   string
	}{
		{"ours", count("requests", 114), ptr(true), "It counts 114 requests that ended, as this run does."},
		{"others too", count("requests", 300), ptr(false), "It counts 300 requests that ended, this run had 114 that ended ok, and 6 that did not: others used it too, and what it says is of all."},
		{"some given up", count("requests", 117), ptr(false), "It counts 117 requests that ended, this run had 114 that ended ok, and 6 that did not: some of the latter came to their end there, and what it says is of those too."},
		{"one of several", count("requests", 50), ptr(false), "It counts 50 requests that ended, this run had 114 that ended ok, and 6 that did not: not all that answered show here what they count."},
		{"no requests, tokens uncounted here", count("output_tokens", 3534), nil, "It counts no requests, and who counted the tokens of these answers is not known: whether others used it meanwhile cannot be told."},
		{"with those beside the file", func(c *trace.Counters) {
			count("requests", 120)(c)
			c.Beside = trace.Tally{OK: 6}
		}, ptr(true), "It counts 120 requests that ended, as this run does."},
	} {
		s := report(t, countedRun(c.change)).ServerCounters
		if got := s.whose(); got != c.want || (s.Same == nil) != (c.same == nil) || s.Same != nil && *s.Same != *c.same {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
		if rest := s.Rest != nil; rest != (c.name == "ours") {
			t.Errorf("%s: a rest: %t", c.name, rest)
		}
	}
}

func ptr(b bool) *bool { return &b }

// TestCountersWithoutCounts: llama.cpp's server adds times up and counts no requests, so a
// mean takes that the tokens are those of this run.
func TestCountersWithoutCounts(t *testing.T) {
	run := withEnds(endpointRun())
	run.Traces = slices.DeleteFunc(run.Traces, func(t pipeline.Trace) bool { return t.Outcome != pipeline.OK || t.Requests[0].OutputTokens < 0 })
	counters := func(output int) *ServerCounters {
		run.Footer.Counters = []trace.Counters{{
			URL: "http://h/metrics", Software: "llama.cpp", To: time.Hour,
			Times: []trace.CountedTime{
				{Name: "prefill", N: pipeline.UnknownCount, Sum: 104 * 90 * ms}, {Name: "decode", N: pipeline.UnknownCount, Sum: 104 * 290 * ms},
				{Name: "token", N: output, Sum: 104 * 290 * ms},
			},
			Counts: []trace.Count{{Name: "output_tokens", N: output}},
		}}
		return report(t, run).ServerCounters
	}
	s := counters(104 * 31)
	if x := s.time("prefill"); *x.Mean != 90 || *x.N != 104 || x.P50 != nil {
		t.Errorf("prefill %+v, want 90 ms of 104", x)
	}
	if x := s.time("decode"); *x.Apart != 10 {
		t.Errorf("decode %+v, want 10 ms apart", x)
	}
	if words := s.whereTheTimeWent(); !strings.Contains(words, "it counts 90 ms of prefill and 290 ms of decode; the other 24.5 ms are its queue, which it does not time, network,") {
		t.Error(words)
	}
	s = counters(104*31 + 500)
	if x := s.time("prefill"); x.Mean != nil || x.N != nil || x.Apart != nil || s.Rest != nil || *s.Same {
		t.Errorf("beside others: %+v, rest %v; want no mean", x, s.Rest)
	}
}

// TestServerCountersAbsent: why there are none is said, and a run that did not look has none.
func TestServerCountersAbsent(t *testing.T) {
	s := report(t, countedRun(func(c *trace.Counters) {
		*c = trace.Counters{URL: c.URL, Absent: "HTTP 404"}
	})).ServerCounters
	got := s.section()
	if want := "The server shows nothing that it counts (GET http://127.0.0.1:8000/metrics: HTTP 404)."; len(got.rows) != 0 || !slices.Equal(got.notes, []string{want}) {
		t.Errorf("section %+v, want only %q", got, want)
	}
	r := report(t, endpointRun())
	if doc, err := json.Marshal(r); err != nil || r.ServerCounters != nil || bytes.Contains(doc, []byte("server_counters")) || !r.ServerCounters.section().empty() {
		t.Errorf("a run that did not look: %+v, %v", r.ServerCounters, err)
	}
}

// TestServerBounds: a percentile is between bounds, or refused.
func TestServerBounds(t *testing.T) {
	for _, c := range []struct {
		n       int
		buckets []trace.Bucket
		want    string
	}{
		{100, []trace.Bucket{{Most: 10 * ms, N: 95}, {Most: 20 * ms, N: 100}}, "up to 10"},
		{100, []trace.Bucket{{Most: 10 * ms, N: 94}, {Most: 20 * ms, N: 100}}, "10 to 20"},
		{100, []trace.Bucket{{Most: 10 * ms, N: 10}, {Most: 2560 * time.Second, N: 94}}, "over 2,560,000"},
		{100, []trace.Bucket{{Most: 0, N: 99}, {Most: 12500 * time.Microsecond, N: 100}}, "up to 0"},
		{100, []trace.Bucket{{Most: 0, N: 0}, {Most: 12500 * time.Microsecond, N: 100}}, "up to 12.5"},
		{19, []trace.Bucket{{Most: 10 * ms, N: 19}}, "-"},
		{100, nil, "-"},
		{pipeline.UnknownCount, []trace.Bucket{{Most: 10 * ms, N: 19}}, "-"},
	} {
		if got := tableUnit(0).between(bounds(&trace.CountedTime{N: c.n, Buckets: c.buckets}, 950_000_000)); got != c.want {
			t.Errorf("p95 of %d in %v: %q, want %q", c.n, c.buckets, got, c.want)
		}
	}
}

// TestCountersBeforeTheCut: of a run whose start-up is cut off, figures of ours are of all
// that the server counted.
func TestCountersBeforeTheCut(t *testing.T) {
	run := countedRun(nil)
	run.Header.Load.FindStartUp = true
	if r := report(t, run); r.StartUp == nil || r.ServerCounters.OK != 114 {
		t.Errorf("start-up %+v, %d ok; want 114", r.StartUp, r.ServerCounters.OK)
	}
}
