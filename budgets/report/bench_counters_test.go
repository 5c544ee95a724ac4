package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/trace"
)

// benchCounted is a comparison of two lengths at an endpoint whose metrics were looked at
// before and after each cell: the second one was used by others too. Another variant is at
// a service that shows none.
func benchCounted() trace.Run {
	b := newBenchRun("endpoint")
	cell := func(variant string, prompt int, requests int) {
		from := b.now
		for range 3 {
			b.ask("alpha", variant, prompt, 40*ms, 10*ms)
		}
		n := time.Duration(requests)
		b.Footer.Counters = append(b.Footer.Counters, trace.Counters{
			Model: "alpha", Variant: variant, Prompt: prompt, URL: "http://a/metrics", Software: "vLLM", Label: "alpha", From: from, To: b.now,
			Times: []trace.CountedTime{
				{Name: "queue", N: requests, Sum: n * ms}, {Name: "prefill", N: requests, Sum: n * 30 * ms}, {Name: "decode", N: requests, Sum: n * 999 * ms},
				{Name: "ttft", N: requests, Sum: n * 36 * ms}, {Name: "e2e", N: requests, Sum: n * 1035 * ms},
			},
		})
	}
	cell("baseline", 128, 3)
	cell("baseline", 512, 11)
	b.ask("alpha", "rented", 128, 40*ms, 10*ms)
	b.Footer.Counters = append(b.Footer.Counters, trace.Counters{Model: "alpha", Variant: "rented", Prompt: 128, URL: "https://b/metrics", Absent: "HTTP 404"})
	b.ask("alpha", "rented", 512, 40*ms, 10*ms)
	return b.Run
}

// TestBenchCounters: each cell has what its server counted, and its own requests beside.
func TestBenchCounters(t *testing.T) {
	b, err := NewBench(benchCounted())
	if err != nil {
		t.Fatal(err)
	}
	p := newPage(Options{Width: 120})
	b.counterTable(p)
	golden(t, "bench_counters.txt", []byte(p.b.String()))
	for i, want := range []struct {
		ok, requests int
		same         bool
		apart        float64
	}{{3, 3, true, 4}, {3, 11, false, 0}} {
		s := b.Cells[i].Counters
		if s.OK != want.ok || *s.Requests != want.requests || *s.Same != want.same || (s.time("ttft").Apart != nil) != want.same || want.same && *s.time("ttft").Apart != want.apart {
			t.Errorf("cell %d: %+v, want %+v", i, s, want)
		}
	}
	if s := b.Cells[2].Counters; s.Absent == nil || b.Cells[3].Counters != nil {
		t.Errorf("cells without: %+v, %+v", s, b.Cells[3].Counters)
	}
	var doc bytes.Buffer
	if err := b.JSON(&doc); err != nil || strings.Count(doc.String(), `"server_counters"`) != 3 {
		t.Errorf("error %v; want server_counters of three cells", err)
	}
}

// TestBenchWithoutCounters: where nobody looked nothing is said of it.
func TestBenchWithoutCounters(t *testing.T) {
	b, err := NewBench(benchCut())
	if err != nil {
		t.Fatal(err)
	}
	p := newPage(Options{})
	b.counterTable(p)
	if p.b.Len() > 0 {
		t.Errorf("the page says %q", p.b.String())
	}
}
