package budgets

import (
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// A tester that reads most of a known stream too late judges nothing; one that read a few
// chunks of it late does, if it was in time over the run. A budget of 400 ms allows 8 ms.
func TestSelfTest(t *testing.T) {
	read := func(p50, p99 time.Duration) trace.SelfTest {
		return trace.SelfTest{Streams: 4, Read: trace.Lateness{N: 104, P50: p50, P99: p99, Max: p99}}
	}
	unknown := trace.Lateness{P50: pipeline.Unknown, P99: pipeline.Unknown, Max: pipeline.Unknown}
	const late = "the tester itself ran 9 ms late (p99), more than 8 ms, 2 % of the smallest budget (400 ms)"
	for name, c := range map[string]struct {
		test  trace.SelfTest
		late  time.Duration // over the run, p99
		unfit string
	}{
		"none":            {trace.SelfTest{}, ms, ""},
		"failed":          {trace.SelfTest{Streams: 4, Read: unknown, TTFT: unknown, Gap: unknown, Failed: "no port"}, ms, ""},
		"in time":         {read(ms, 8*ms), 8 * ms, ""},
		"a hiccup":        {read(8*ms, 90*ms), ms, ""},
		"biased":          {read(8*ms+1, 90*ms), ms, "before the run the tester read streams of known timing 8.000001 ms late (p50), more than 8 ms, 2 % of the smallest budget (400 ms)"},
		"late over all":   {read(ms, 2*ms), 9 * ms, late},
		"both, run first": {read(9*ms, 90*ms), 9 * ms, late},
	} {
		run := voiceRun(turns(100), "p95(reply) < 500ms", "share(reply < 400ms) >= 10%", "mean(ok_share) > 90%")
		run.Header.SelfTest, run.Footer.Lateness = c.test, trace.Lateness{N: 1000, P50: ms, P99: c.late, Max: c.late}
		a, err := Analyse(run)
		if err != nil {
			t.Fatal(err)
		}
		if a.Unfit != c.unfit || (a.Verdict == Unmeasured) != (c.unfit != "") {
			t.Errorf("%s: unfit %q, %v, want %q", name, a.Unfit, a.Verdict, c.unfit)
		}
		if d, ok := a.Allowed(); d != 8*ms || !ok {
			t.Errorf("%s: %s may be late, %t, want 8 ms", name, d, ok)
		}
	}
	run := voiceRun(turns(100), "p95(tpot) < 20ms", "mean(ok_share) > 90%") // neither is of a latency
	run.Header.SelfTest = read(time.Second, time.Second)
	a, err := Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := a.Allowed(); ok || a.Unfit != "" {
		t.Errorf("without a budget of a latency: bounded %t, unfit %q", ok, a.Unfit)
	}
}
