package runner

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/report"
	"halfsecond/mockllm/server/memnet"
	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/trace"
)

const us = time.Microsecond

// steady is a load of one user, an answer of 30 ms every 40 ms.
const steady = `
halfsecond: 1
kind: bench
name: steady
arrivals: {process: closed, users: 1, think: 10ms}
bench:
  prompt_tokens: 20
  output_tokens: 3
  llm: {ttft: 20ms, tokens_per_second: 200}
budgets: [p50(ttft) < 200ms]
`

// tested is a network in memory for a run and for its self test.
func tested() network {
	n, ln := memory(), memnet.Listen()
	n.listenKnown, n.dialKnown = func() (net.Listener, error) { return ln, nil }, ln.DialContext
	return n
}

// TestSelfTest: the header has what the tester made of known streams, and the run is none
// the later; without the switch and on the simulator there is nothing.
func TestSelfTest(t *testing.T) {
	exact := trace.SelfTest{
		Streams: 4, Read: trace.Lateness{N: 104}, TTFT: trace.Lateness{N: 4, P99: pipeline.Unknown}, Gap: trace.Lateness{N: 100},
	}
	for name, c := range map[string]struct {
		set  Settings
		want trace.SelfTest
		from time.Duration // when the run begins
		took time.Duration // 20 times thinking and an answer
	}{
		"mock":      {Settings{Target: Mock, SelfTest: true}, exact, 535 * ms, 20 * 40 * ms},
		"raw log":   {Settings{Target: Mock, SelfTest: true, KeepExchange: func(*exchange.Exchange) error { return nil }}, exact, 535 * ms, 20 * 40 * ms},
		"off":       {Settings{Target: Mock}, trace.SelfTest{}, 0, 20 * 40 * ms},
		"simulator": {Settings{Target: Sim, SelfTest: true}, trace.SelfTest{}, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			set := c.set
			set.N, set.network = 20, tested()
			var kept atomic.Int32
			if set.KeepExchange != nil {
				set.KeepExchange = func(*exchange.Exchange) error { kept.Add(1); return nil }
			}
			from, begun, at := time.Now(), trace.SelfTest{}, time.Duration(0)
			set.Begin = func(h trace.Header) error { begun, at = h.SelfTest, time.Since(from); return nil }
			run, err := Run(t.Context(), parse(t, steady), set)
			if err != nil {
				t.Fatal(err)
			}
			if took := run.Footer.Effort.For; at != c.from || took != c.took {
				t.Errorf("%s: it began after %s and took %s, want %s and %s", name, at, took, c.from, c.took)
			}
			if run.Header.SelfTest != c.want || begun != c.want {
				t.Errorf("%s: %+v, and %+v before the run, want %+v", name, run.Header.SelfTest, begun, c.want)
			}
			if want := int32(20); set.KeepExchange != nil && kept.Load() != want {
				t.Errorf("%s: %d exchanges kept, want those of the run, %d", name, kept.Load(), want)
			}
		})
	}
}

// TestOverloaded: a loop that is kept busy after each interaction is late by just that, less
// the time to the next thing that was due, and its run is not judged when that is too
// much. The budget allows 4 ms. Thinking takes a time that keeps the ends of
// interactions off the pulses, which come every 10 ms.
func TestOverloaded(t *testing.T) {
	uneven := strings.Replace(steady, "think: 10ms", "think: 10.37ms", 1)
	for name, c := range map[string]struct {
		busy    time.Duration
		latest  time.Duration
		verdict budgets.Verdict
		unfit   string
	}{
		// The 27th answer ends after 27 * 40.37 ms, 0.01 ms before a pulse.
		"as much as is allowed": {4 * ms, 3990 * us, budgets.Pass, ""},
		// The next request waits for the loop, so answers end after 40.37 ms and every 50 ms
		// from then on, each 9.63 ms before a pulse.
		"more": {20 * ms, 10370 * us, budgets.Unmeasured, "the tester itself ran 10.37 ms late (p99), more than 4 ms, 2 % of the smallest budget (200 ms)"},
	} {
		synctest.Test(t, func(t *testing.T) {
			run, err := Run(t.Context(), parse(t, uneven), Settings{
				Target: Mock, N: 50, SelfTest: true, network: tested(),
				Keep: func(*pipeline.Trace) error { time.Sleep(c.busy); return nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			if l := run.Footer.Lateness; l.Max != c.latest {
				t.Errorf("%s: the tester was late by %+v, want %s at most", name, l, c.latest)
			}
			r, err := report.New(run)
			if err != nil {
				t.Fatal(err)
			}
			unfit := ""
			if r.Unfit != nil {
				unfit = *r.Unfit
			}
			if unfit != c.unfit || r.Verdict != c.verdict || (r.Tester.Advice != nil) != (c.unfit != "") {
				t.Errorf("%s: %v, unfit %q, tester %+v; want %v, %q", name, r.Verdict, unfit, r.Tester, c.verdict, c.unfit)
			}
			if test := run.Header.SelfTest; test.Read.Max != 0 || test.Read.N != 104 {
				t.Errorf("%s: self test %+v, want it exact", name, test)
			}
		})
	}
}

// TestOverloadedForReal is TestOverloaded on the machine's own clock: there the loop is
// late at least by as much, whatever else runs.
func TestOverloadedForReal(t *testing.T) {
	run, err := Run(t.Context(), parse(t, steady), Settings{
		Target: Mock, N: 20, SelfTest: true,
		Keep: func(*pipeline.Trace) error {
			for from := time.Now(); time.Since(from) < 20*ms; { // at work, not asleep
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.New(run)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != budgets.Unmeasured || r.Unfit == nil || r.Tester.Advice == nil || run.Footer.Lateness.Max < 10*ms {
		t.Errorf("%v, unfit %v, late %+v; want it unmeasured", r.Verdict, r.Unfit, run.Footer.Lateness)
	}
	if e := run.Footer.Effort; e.For < 20*20*ms || e.CPU == 0 {
		t.Errorf("effort %+v, want the 400 ms of the loop at work in it, and some processor time", e)
	}
	if test := run.Header.SelfTest; test.Failed != "" || test.Read.N != 104 {
		t.Errorf("self test %+v", test)
	}
}
