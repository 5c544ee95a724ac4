package report

import (
	"bytes"
	"encoding/json"
	"html"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

const us = time.Microsecond

// watched returns a run on an endpoint with a budget that allows 4 ms, whose tester was
// late by so much over the run and read the self test's chunks as late as told.
func watched(late, p50, p99 time.Duration) trace.Run {
	run := endpointRun("p50(ttft) < 200ms")
	run.Footer.Lateness = trace.Lateness{N: 900, P50: 70 * us, P99: late, Max: late}
	run.Header.SelfTest = trace.SelfTest{
		Streams: 4, Read: trace.Lateness{N: 104, P50: p50, P99: p99, Max: p99 + ms},
		TTFT: trace.Lateness{N: 4, P50: 300 * us, P99: pipeline.Unknown, Max: 810 * us}, Gap: trace.Lateness{N: 100, P50: 90 * us, P99: 400 * us, Max: ms},
	}
	run.Footer.Effort = trace.Effort{
		For: 10 * time.Second, Cores: 2, CPU: 1200 * ms, GCCycles: 3, GCCPU: 12 * ms, GCPause: 300 * us, ReadyP99: 50 * us,
		Machine: 20 * time.Second, Busy: 3 * time.Second, Stolen: 0, Waited: time.Second, Held: pipeline.Unknown,
	}
	return run
}

func pageOf(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Table(&b, Options{Width: 1000}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestTesterWords: the page says how late the tester read, what it took and what else the
// machine did, and nothing of what nobody knows.
func TestTesterWords(t *testing.T) {
	const known = `
  Lateness: the tester itself ran late by 0.07 ms at p50, 0.41 ms at p99, 0.41 ms at most (n 900).
  Self test: before the run 4 streams of known timing were read late by 0.14 ms at p50, 0.5 ms at p99, 1.5 ms at most (n 104). Their ttft came out too long by 0.81 ms at most, gaps between chunks wrong by 0.4 ms at p99.
  Effort: over 10 s the process used 0.12 of 2 cores and collected garbage 3 times, stopped for that for 0.3 ms at most and spent 1 % of its processor time on it; what was ready to run waited for a core for 0.05 ms at p99.
  Machine: its cores were 15 % busy, something waited for a core 10 % of the time.
`
	run := watched(410*us, 140*us, 500*us)
	r := report(t, run)
	if got := pageOf(t, r); !strings.Contains(got, known) {
		t.Errorf("the page is\n%s\nwant in it%s", got, known)
	}
	if r.Tester.Advice != nil || *r.Tester.Allowed != 4 || r.Unfit != nil {
		t.Errorf("%+v, unfit %v, want nothing to say", r.Tester, r.Unfit)
	}

	run.Footer.Effort.Stolen, run.Footer.Effort.Held = 2*time.Second, 1200*ms
	run.Header.Target = "mock"
	const more = `
  Machine: its cores were 15 % busy, its host took 10 % of them, something waited for a core 10 % of the time, the limit of its container kept the process from running for 1,200 ms.
`
	if got := pageOf(t, report(t, run)); !strings.Contains(got, more) || !strings.Contains(got, "the process, the mock in it, used 0.12 of 2 cores") {
		t.Errorf("the page is\n%s\nwant in it%s", got, more)
	}

	unknown := pipeline.Unknown
	run.Footer.Effort = trace.Effort{For: 10 * time.Second, Cores: 2, CPU: unknown, ReadyP99: unknown, Machine: unknown, Busy: unknown, Stolen: unknown, Waited: unknown, Held: unknown}
	run.Header.SelfTest, run.Header.Target = trace.SelfTest{}, "endpoint"
	got := pageOf(t, report(t, run))
	if !strings.Contains(got, "\n  Effort: over 10 s the process collected no garbage.\n") || strings.Contains(got, "Machine:") || strings.Contains(got, "Self test") {
		t.Errorf("of a platform that tells nothing the page is\n%s", got)
	}
	run.Footer.Effort = trace.Effort{}
	if r := report(t, run); r.Tester != nil || strings.Contains(pageOf(t, r), "Effort") {
		t.Errorf("%+v of a run that nobody watched", r.Tester)
	}
}

// TestTesterDocument: the document has every figure, and null for what nobody knows.
func TestTesterDocument(t *testing.T) {
	run := watched(410*us, 140*us, 500*us)
	run.Footer.Effort.ReadyP99 = pipeline.Unknown
	got, err := json.Marshal(report(t, run).Tester)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"allowed_ms":4,"self_test":{"streams":4,"read_late":{"n":104,"p50":0.14,"p99":0.5,"max":1.5},` +
		`"ttft_error":{"n":4,"p50":0.3,"p99":null,"max":0.81},"icl_error":{"n":100,"p50":0.09,"p99":0.4,"max":1},"failed":null},` +
		`"effort":{"for_ms":10000,"cores":2,"cores_used":0.12,"gc_cycles":3,"gc_share":0.01,"longest_gc_pause_ms":0.3,"ready_p99_ms":null,` +
		`"machine_busy":0.15,"machine_stolen":0,"machine_waited":0.1,"held_ms":null},"advice":null}`
	if string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestAdvice: a run whose tester was late says what to do, by what is known of it; one
// whose tester was late only before it says so and is judged. The budget allows 4 ms.
func TestAdvice(t *testing.T) {
	const (
		before = "What to do: Before the run, in its self test, the tester was late too: the machine is not fit as it is. "
		during = "What to do: Before the run, in its self test, the tester was in time. "
		no     = "Neither its load nor the machine's explains it, so a short disturbance does: run it again, with more interactions."
	)
	none := trace.Lateness{P50: pipeline.Unknown, P99: pipeline.Unknown, Max: pipeline.Unknown}
	for name, c := range map[string]struct {
		run    trace.Run
		change func(*trace.Run)
		unfit  bool
		want   string
	}{
		"in time":        {run: watched(4*ms, 4*ms, 4*ms)},
		"late before":    {watched(4*ms, 4*ms, 4*ms+1), nil, false, "The self test before the run read 4.000001 ms late at p99, where the budgets allow 4 ms: the machine was disturbed then. Over the run the tester was in time, so they are judged."},
		"for no reason":  {watched(5*ms, ms, 2*ms), nil, true, during + no},
		"biased":         {watched(ms, 5*ms, 6*ms), nil, true, before + no},
		"its own load":   {watched(5*ms, ms, 2*ms), func(r *trace.Run) { r.Footer.Effort.CPU, r.Footer.Effort.Busy = 14*time.Second, 14*time.Second }, true, during + "Ask less at once, or give the tester more cores: it used 1.40 of 2 cores."},
		"with the mock":  {watched(5*ms, ms, 2*ms), func(r *trace.Run) { r.Footer.Effort.CPU, r.Header.Target = 19*time.Second, "mock" }, true, during + "Ask less at once, or run the mock on another machine ('halfsecond mock'): it used 1.90 of 2 cores."},
		"others":         {watched(5*ms, 5*ms, 6*ms), func(r *trace.Run) { r.Footer.Effort.Busy = 18 * time.Second }, true, before + "Stop what else runs here: others used 84 % of the machine."},
		"host and limit": {watched(5*ms, ms, 6*ms), func(r *trace.Run) { r.Footer.Effort.Stolen, r.Footer.Effort.Held = time.Second, 40*ms }, true, before + "Raise the processor limit of its container, which kept it from running for 40 ms. Use a machine whose host leaves it alone: it took 5 % of the cores."},
		"no self test":   {watched(5*ms, ms, ms), func(r *trace.Run) { r.Header.SelfTest = trace.SelfTest{} }, true, "What to do: " + no},
		"killed":         {watched(5*ms, ms, ms), func(r *trace.Run) { r.Footer.Effort = trace.Effort{} }, true, during + "Run it again on a machine that has nothing else to do."},
		"a failed test": {watched(ms, ms, ms), func(r *trace.Run) {
			r.Header.SelfTest = trace.SelfTest{Streams: 4, Read: none, TTFT: none, Gap: none, Failed: "no port."}
		}, false, "Self test: it could not be made, so how late this tester reads is not known: no port."},
		"a failed one, late": {watched(5*ms, ms, ms), func(r *trace.Run) {
			r.Header.SelfTest = trace.SelfTest{Streams: 4, Read: none, TTFT: none, Gap: none, Failed: "no port"}
		}, true, "What to do: " + no},
	} {
		if c.change != nil {
			c.change(&c.run)
		}
		r := report(t, c.run)
		got := ""
		if r.Tester.Advice != nil {
			got = *r.Tester.Advice
		}
		if got != c.want || (r.Unfit != nil) != c.unfit {
			t.Errorf("%s: unfit %t, %q\nwant %q", name, r.Unfit != nil, got, c.want)
		}
		page := pageOf(t, r)
		if n := strings.Count(page, got); got != "" && n != 1 {
			t.Errorf("%s: the page says it %d times:\n%s", name, n, page)
		}
		if failed := c.run.Header.SelfTest.Failed != ""; strings.Contains(page, "Self test: it could not be made") != failed {
			t.Errorf("%s: the page is\n%s", name, page)
		}
		var md, junit bytes.Buffer
		if err := r.JUnit(&junit); err != nil {
			t.Fatal(err)
		}
		if plain := html.UnescapeString(junit.String()); !strings.Contains(plain, "<system-out>"+strings.TrimSpace(r.Summary+"\n"+got)+"</system-out>") {
			t.Errorf("%s: the JUnit document is\n%s", name, plain)
		}
		if err := r.Markdown(&md); err != nil {
			t.Fatal(err)
		}
		if plain := strings.NewReplacer("\\", "").Replace(md.String()); !strings.Contains(plain, got) {
			t.Errorf("%s: the Markdown is\n%s", name, md.String())
		}
	}
}

// TestBenchTester: a comparison of models says the same of its tester.
func TestBenchTester(t *testing.T) {
	w := watched(410*us, 140*us, 500*us)
	b := bench(t, trace.Run{Header: trace.Header{Kind: pipeline.KindGrid, N: 40, Target: "mock", SelfTest: w.Header.SelfTest}, Footer: w.Footer})
	notes := strings.Join(b.Notes, "\n")
	if !strings.Contains(notes, "Self test: before the run 4 streams") || !strings.Contains(notes, "Effort: over 10 s the process, the mock in it, used 0.12") || b.Tester.SelfTest.Streams != 4 {
		t.Errorf("notes\n%s", notes)
	}
}

// TestNothingLanded: where every interaction failed, why they did comes first, and what to do
// about the tester is not said.
func TestNothingLanded(t *testing.T) {
	for late, want := range map[time.Duration]string{
		ms:     "UNMEASURED: none of 40 interactions ended ok, most often: no connection: refused. 'halfsecond doctor' with the URL of what failed shows what it answers.",
		5 * ms: "UNMEASURED: none of 40 interactions ended ok, most often: no connection: refused. 'halfsecond doctor' with the URL of what failed shows what it answers. Beside that the tester itself ran 5 ms late (p99), more than 4 ms",
	} {
		run := watched(late, ms, ms)
		run.Header.Target, run.Traces = "endpoint", run.Traces[:40]
		run.Footer.N = 40
		for i := range run.Traces {
			lost := pipeline.NewRequest(int64(i+1), run.Traces[i].Due)
			lost.Outcome = pipeline.Error
			run.Traces[i].Outcome, run.Traces[i].Reason, run.Traces[i].Requests = pipeline.Error, "no connection: refused.", []pipeline.Request{lost}
		}
		r := report(t, run)
		if !strings.HasPrefix(r.Summary, want) || strings.Count(r.Summary, "refused") != 1 || r.Tester.Advice != nil {
			t.Errorf("%s late: %s\nadvice %v", late, r.Summary, r.Tester.Advice)
		}
	}
}
