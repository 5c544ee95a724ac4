package budgets

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/budgets/steady"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// requestAt returns a request whose first token takes so long.
func requestAt(session, index int, due, ttft time.Duration) pipeline.Trace {
	t := pipeline.Trace{Kind: "bench", Session: session, Index: index, Due: due, End: due + ttft + ms}
	r := pipeline.NewRequest(1, due)
	r.Sent, r.FirstOutput, r.LastOutput, r.End = due, due+ttft, t.End, t.End
	t.Requests = []pipeline.Request{r}
	return t
}

// noisy returns 10 ms, give or take one.
func noisy(rng *rand.Rand) time.Duration { return 9*ms + time.Duration(rng.IntN(int(2*ms))) }

func loaded(load trace.Load, traces []pipeline.Trace, exprs ...string) trace.Run {
	run := voiceRun(traces, exprs...)
	run.Header.Kind, run.Header.Load = "bench", load
	run.Header.Load.FindStartUp = true
	return run
}

func open(n int, ttft func(i int, rng *rand.Rand) time.Duration) []pipeline.Trace {
	rng := rand.New(rand.NewPCG(1, 2))
	traces := make([]pipeline.Trace, n)
	for i := range traces {
		traces[i] = requestAt(i, 0, time.Duration(i)*100*ms, ttft(i, rng))
	}
	return traces
}

func slowFor(k int) func(int, *rand.Rand) time.Duration {
	return func(i int, rng *rand.Rand) time.Duration {
		if i < k {
			return 50*ms + noisy(rng)
		}
		return noisy(rng)
	}
}

func TestStartUpIsCut(t *testing.T) {
	run := loaded(trace.Load{}, open(200, slowFor(40)), "max(ttft) < 20ms")
	a, err := Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	want := StartUp{Metric: "ttft", Of: 200, Valued: 200, Cut: 40, Until: 4 * time.Second, Verdict: steady.Steady}
	if *a.StartUp != want || len(a.Run.Traces) != 160 || a.Verdict != Pass {
		t.Errorf("%+v, %d traces, %v; want %+v, 160, pass", *a.StartUp, len(a.Run.Traces), a.Verdict, want)
	}
	words := "Start-up: the first 40 of 200 interactions are cut, up to 4,000 ms, from where on ttft is steady (MSER-5, and the test of Heidelberger and Welch at 1 %)."
	if got := a.StartUp.Words(); got != words {
		t.Errorf("words\n%s\nwant\n%s", got, words)
	}
	b, err := Analyse(loaded(trace.Load{}, open(200, func(int, *rand.Rand) time.Duration { return 10 * ms }), "max(ttft) < 20ms"))
	if w := b.StartUp.Words(); err != nil || w != "Start-up: nothing to cut: ttft is steady from the first of 200 interactions on (MSER-5, and the test of Heidelberger and Welch at 1 %)." {
		t.Error(w, err)
	}
	run.Header.Load.FindStartUp = false
	if a, err = Analyse(run); err != nil || a.StartUp != nil || len(a.Run.Traces) != 200 || a.Verdict != Fail {
		t.Errorf("without being asked to: %+v, %d traces, %v", a.StartUp, len(a.Run.Traces), a.Verdict)
	}
	if len(run.Traces) != 200 || run.Traces[0].Due != 0 {
		t.Error("the run was changed")
	}
}

// The order of the file is that of the ends; what counts is when requests were due.
func TestStartUpGoesByDue(t *testing.T) {
	traces := open(200, slowFor(40))
	slices.Reverse(traces)
	a, err := Analyse(loaded(trace.Load{}, traces))
	if err != nil || a.StartUp.Cut != 40 || a.StartUp.Metric != "response" || a.Run.Traces[0].Due != 4*time.Second {
		t.Errorf("%+v, %v", a.StartUp, err)
	}
}

// Requests without a value are cut with their neighbours, and do not move the place.
func TestFailuresDuringStartUp(t *testing.T) {
	traces := open(250, slowFor(50))
	for i := 0; i < 50; i += 5 {
		traces[i].Outcome, traces[i].Requests[0].Outcome = pipeline.Refused, pipeline.Refused
	}
	a, err := Analyse(loaded(trace.Load{}, traces, "p95(ttft) < 20ms"))
	if err != nil || a.StartUp.Cut != 50 || a.StartUp.Valued != 240 || a.StartUp.Of != 250 {
		t.Errorf("%+v, %v", a.StartUp, err)
	}
}

func TestSettlingIsCut(t *testing.T) {
	a, err := Analyse(loaded(trace.Load{Settling: 3 * time.Second}, open(200, slowFor(0)), "p95(ttft) < 20ms"))
	if err != nil || a.StartUp.Cut != 30 || a.StartUp.Settled != 30 || len(a.Run.Traces) != 170 {
		t.Errorf("%+v, %v", a.StartUp, err)
	}
	if !strings.HasSuffix(a.StartUp.Words(), "; in 30 of them the load itself was still changing.") {
		t.Error(a.StartUp.Words())
	}
}

// Four users; the last one has half as many interactions as the others. What is due
// from its last end on is asked by three.
func TestTailOfAClosedLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var traces []pipeline.Trace
	for user, n := range []int{100, 100, 100, 50} {
		for i := range n {
			traces = append(traces, requestAt(user, i, time.Duration(i)*100*ms, noisy(rng)))
		}
	}
	a, err := Analyse(loaded(trace.Load{Users: 4}, traces, "p95(ttft) < 20ms"))
	if err != nil || a.StartUp.Tail != 150 || a.StartUp.Cut != 0 || len(a.Run.Traces) != 200 {
		t.Errorf("%+v, %v", a.StartUp, err)
	}
	if !strings.HasSuffix(a.StartUp.Words(), "; the last 150 are cut, for some users were through by then.") {
		t.Error(a.StartUp.Words())
	}
}

func TestNeverSteady(t *testing.T) {
	slower := func(i int, rng *rand.Rand) time.Duration { return noisy(rng) + time.Duration(i)*ms }
	a, err := Analyse(loaded(trace.Load{}, open(200, slower), "p95(ttft) < 20ms", "p95(ttft) < 500ms"))
	if err != nil {
		t.Fatal(err)
	}
	got := []Verdict{a.Judgements[0].Verdict, a.Judgements[1].Verdict, a.Verdict}
	if !slices.Equal(got, []Verdict{Fail, Unmeasured, Fail}) || a.StartUp.Verdict != steady.Unsteady || len(a.Run.Traces) != 200 {
		t.Errorf("verdicts %v, %+v, %d traces", got, a.StartUp, len(a.Run.Traces))
	}
	if r := a.Judgements[1].Reason; r != "rests on a run that is not steady: a longer one may have another value" {
		t.Errorf("reason %q", r)
	}
	if w := a.StartUp.Words(); w != "Start-up: it does not end: ttft still changes in the second half of 200 interactions. The figures are of all of them, and would be others in a longer run." {
		t.Error(w)
	}
}

func TestTooShortForAStartUp(t *testing.T) {
	a, err := Analyse(loaded(trace.Load{}, open(99, slowFor(0)), "p95(ttft) < 20ms"))
	if err != nil || a.Verdict != Unmeasured || a.StartUp.Until != pipeline.Unknown {
		t.Errorf("%v, %+v, %v", a.Verdict, a.StartUp, err)
	}
	if w := a.StartUp.Words(); w != "Start-up: nobody can say where it ends: 99 values of ttft, and the test takes 100; nothing is cut for it." {
		t.Error(w)
	}
	if a, err = Analyse(loaded(trace.Load{}, nil)); err != nil || a.StartUp.Verdict != steady.TooShort {
		t.Errorf("of nothing: %+v, %v", a.StartUp, err)
	}
}

// A step that is no key does not bring the start-up back, and is cut with the keys around it.
func TestStartUpOfAnEditorIsCut(t *testing.T) {
	key := func(i int) pipeline.Trace {
		took := time.Duration(60+i%5) * ms
		if i < 200 {
			took = 900 * ms
		}
		k := typed(i, 0, 0, took)
		k.Requests[0].LastOutput = k.Requests[0].FirstOutput
		return k
	}
	step := func(at time.Duration, id int64) pipeline.Trace {
		q := pipeline.NewRequest(id, at)
		q.Sent, q.FirstOutput, q.LastOutput, q.End = at, at+60*ms, at+60*ms, at+61*ms
		return pipeline.Trace{Kind: pipeline.KindStep, Due: at, End: q.End, Requests: []pipeline.Request{q}}
	}
	for _, c := range []struct {
		name           string
		steps          []pipeline.Trace
		kept, requests int
	}{
		{"none", nil, 0, 400},
		{"after all", []pipeline.Trace{step(600*time.Second, 1001)}, 1, 401},
		{"before the cut", []pipeline.Trace{step(0, 1001), step(200*time.Second-1, 1002)}, 0, 400},
		{"at the cut", []pipeline.Trace{step(200*time.Second, 1001)}, 1, 401},
	} {
		var all []pipeline.Trace
		for i := range 600 {
			all = append(all, key(i))
		}
		run := ideRun(append(all, c.steps...), "share(ttfc < 150ms) >= 90%", "p95(ttft) < 150ms")
		run.Header.Load.FindStartUp = true
		a, err := Analyse(run)
		if err != nil {
			t.Fatal(err)
		}
		if a.StartUp.Cut != 200 || a.Verdict != Pass || len(a.Steps) != c.kept {
			t.Errorf("%s: %+v, %v, %d steps, want 200 cut, pass, %d", c.name, *a.StartUp, a.Verdict, len(a.Steps), c.kept)
		}
		g := a.Ghost()
		for name, got := range map[string]int{"ttft": a.Pool("ttft").Population, "asked by ghost text": len(g.Requests), "useful_requests": a.Pool("useful_requests").Population} {
			if got != c.requests {
				t.Errorf("%s: %s of %d, want %d", c.name, name, got, c.requests)
			}
		}
	}
}
