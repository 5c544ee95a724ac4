package budgets

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
	"halfsecond/pipeline/trace"
)

// judged is what a test looks at in a judgement.
type judged struct {
	verdict Verdict
	value   float64
	margin  float64
	reason  string
}

func TestJudge(t *testing.T) {
	hundred := turns(100) // landing at 342 to 441 ms
	nineteen := hundred[:19]
	lost := slices.Clone(hundred)
	for i := range 10 {
		lost[i].Outcome = pipeline.Timeout
	}
	var keys []pipeline.Trace
	for i := range 100 {
		ttfc := time.Duration(101+i) * ms
		if i >= 60 {
			ttfc = -1
		}
		keys = append(keys, key(i, true, ttfc, pipeline.Cancelled))
	}

	tests := []struct {
		name string
		run  trace.Run
		want judged
	}{
		{"pass", voiceRun(hundred, "p95(reply) < 500ms"), judged{Pass, 436e6, 64e6, ""}},
		{"at most the value", voiceRun(hundred, "p95(reply) <= 436ms"), judged{Pass, 436e6, 0, ""}},
		{"less than the value", voiceRun(hundred, "p95(reply) < 436ms"), judged{Fail, 436e6, 0, "the limit itself is not inside; vad_wait owns the largest part of it"}},
		{"a nanosecond inside", voiceRun(hundred, "p95(reply) < 436000001ns"), judged{Pass, 436e6, 1, ""}},
		{"fail", voiceRun(hundred, "p95(reply) < 400ms"), judged{Fail, 436e6, -36e6, "36 ms over; vad_wait owns the largest part of it"}},
		{"stage", voiceRun(hundred, "p95(end_of_turn) <= 90ms"), judged{Fail, 95e6, -5e6, "5 ms over"}},
		{"max", voiceRun(hundred, "max(reply) < 441.5ms"), judged{Pass, 441e6, 0.5e6, ""}},
		{"mean", voiceRun(hundred, "mean(reply) < 391ms"), judged{Fail, 391.5e6, -0.5e6, "0.5 ms over; vad_wait owns most of it"}},
		{"too few", voiceRun(nineteen, "p95(reply) < 500ms"), judged{Unmeasured, 0, 0, "p95 needs 20 samples or more, there are 19"}},
		{"no samples", voiceRun(hundred, "p95(playout) < 500ms"), judged{Unmeasured, 0, 0, "no samples"}},
		{"no samples to share", voiceRun(nil, "share(reply < 500ms) >= 90%"), judged{Unmeasured, 0, 0, "no samples"}},
		{"share counts the lost", voiceRun(lost, "share(reply < 500ms) >= 95%"), judged{Fail, 0.9, -0.05, "5 points short; 10 of 100 got no answer"}},
		{"quantile does not", voiceRun(lost, "p95(reply) < 500ms"), judged{Pass, 437e6, 63e6, ""}},
		{"share exactly", voiceRun(lost, "share(reply < 500ms) >= 90%"), judged{Pass, 0.9, 0, ""}},
		{"share and more", voiceRun(lost, "share(reply < 500ms) > 90%"), judged{Fail, 0.9, 0, "the limit itself is not inside; 10 of 100 got no answer"}},
		{"ttfc", ideRun(keys, "share(ttfc < 150ms) >= 90%"), judged{Fail, 0.49, -0.41, "41 points short; 40 of 100 got no answer; send_to_text owns most of it"}},
		{"ttfc of what was shown", ideRun(keys, "share(ttfc_shown < 150ms) >= 80%"), judged{Pass, 49.0 / 60, 0.016666666667, ""}},
		{"requests a key", ideRun(keys, "mean(requests_per_key) <= 1"), judged{Pass, 1, 0, ""}},
		{"a share's mean", ideRun(keys, "mean(cancelled_share) < 30%"), judged{Fail, 1, -0.7, "70 points over"}},
		{"failed requests alone", ideRun(keys, "share(ttft < 100ms) > 90%"), judged{Fail, 0, -0.9, "90 points short; 100 of 100 got no answer"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, err := Analyse(test.run)
			if err != nil {
				t.Fatal(err)
			}
			j := a.Judgements[0]
			if got := (judged{j.Verdict, j.Value, j.Margin, j.Reason}); got != test.want {
				t.Errorf("%v = %+v, want %+v", j.Budget, got, test.want)
			}
			if a.Verdict != test.want.verdict {
				t.Errorf("overall %v, want %v", a.Verdict, test.want.verdict)
			}
			if j.HasValue != (j.Verdict != Unmeasured) {
				t.Errorf("has a value: %v", j.HasValue)
			}
		})
	}
}

// A request that ended ok without saying when it was scheduled is nothing to
// judge by, whatever the failed ones are.
func TestUnobservableIsUnmeasured(t *testing.T) {
	ok, failed := pipeline.NewRequest(1, 0), pipeline.NewRequest(2, 0)
	failed.Outcome = pipeline.Error
	x := pipeline.Trace{Kind: "bench", Requests: []pipeline.Request{ok, failed}}
	for _, text := range []string{"share(llm_queue < 1ms) > 90%", "p50(llm_queue) < 1ms"} {
		j := analyse(t, "bench", []pipeline.Trace{x}, text).Judgements[0]
		if want := "nothing to observe llm_queue by"; j.Verdict != Unmeasured || j.Reason != want || j.HasValue {
			t.Errorf("%s: %v, %q, want unmeasured, %q", text, j.Verdict, j.Reason, want)
		}
	}
}

func TestOverall(t *testing.T) {
	tests := []struct {
		verdicts []Verdict
		want     Verdict
	}{
		{nil, Pass}, {[]Verdict{Pass, Pass}, Pass}, {[]Verdict{Pass, Unmeasured}, Unmeasured}, {[]Verdict{Unmeasured, Fail, Pass}, Fail},
	}
	for _, test := range tests {
		var js []Judgement
		for _, v := range test.verdicts {
			js = append(js, Judgement{Verdict: v})
		}
		if got := overall(js); got != test.want {
			t.Errorf("overall(%v) = %v, want %v", test.verdicts, got, test.want)
		}
	}
}

func TestUnfit(t *testing.T) {
	run := voiceRun(turns(100), "p95(reply) < 500ms", "share(reply < 400ms) >= 10%", "mean(ok_share) > 90%")
	run.Footer.Lateness = trace.Lateness{N: 1000, P50: ms, P99: 8 * ms, Max: 50 * ms}
	a, err := Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	if a.Unfit != "" || a.Verdict != Pass { // 8 ms is 2 % of 400 ms
		t.Errorf("unfit %q, %v, want a fit run that passes", a.Unfit, a.Verdict)
	}

	run.Footer.Lateness.P99++
	if a, err = Analyse(run); err != nil {
		t.Fatal(err)
	}
	const want = "the tester itself ran 8.000001 ms late (p99), more than 8 ms, 2 % of the smallest budget (400 ms)"
	for _, j := range a.Judgements {
		if j.Verdict != Unmeasured || j.Reason != a.Unfit || !j.HasValue {
			t.Errorf("%v: %v, %q, value %v", j.Budget, j.Verdict, j.Reason, j.HasValue)
		}
	}
	if a.Unfit != want || a.Verdict != Unmeasured {
		t.Errorf("unfit %q, want %q", a.Unfit, want)
	}

	run.Footer.Lateness = trace.Lateness{N: 3, P50: ms, P99: pipeline.Unknown, Max: 9 * ms}
	if a, err = Analyse(run); err != nil {
		t.Fatal(err)
	}
	if want := "the tester itself ran 9 ms late (largest), more than 8 ms, 2 % of the smallest budget (400 ms)"; a.Unfit != want {
		t.Errorf("unfit %q, want %q", a.Unfit, want)
	}

	// Without a footer, as after a kill, the interactions' own lateness counts.
	run.Footer, run.Header.Target = trace.Footer{}, "mock"
	for i := range run.Traces {
		run.Traces[i].Late = 8*ms + 1
	}
	if a, err = Analyse(run); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(a.Unfit, "late (p99), more than 8 ms, 2 % of the smallest budget (400 ms)") {
		t.Errorf("unfit %q without a footer", a.Unfit)
	}
	run.Header.Target = "sim"
	if a, err = Analyse(run); err != nil || a.Unfit != "" {
		t.Errorf("unfit %q on the virtual clock, error %v", a.Unfit, err)
	}

	// A pace is no latency: 9 ms spread over the tokens of an answer.
	run.Header.Budgets = []string{"p95(tpot) < 21ms", "p95(reply) < 500ms"}
	run.Footer.Lateness = trace.Lateness{N: 1000, P50: ms, P99: 9 * ms, Max: 9 * ms}
	if a, err = Analyse(run); err != nil || a.Unfit != "" {
		t.Errorf("unfit %q by a budget of the pace, error %v", a.Unfit, err)
	}
}

// Of a stage with a published median only, a median may be judged and nothing
// else, provided that it was critical at all.
func TestNoSpread(t *testing.T) {
	run := voiceRun(turns(100),
		"p50(reply) < 500ms", "p95(reply) < 500ms", "share(reply < 300ms) > 90%", "max(reply) < 300ms", "p95(end_of_turn) < 500ms",
		"p95(llm_first_token) < 2ms", "p50(llm_first_token) < 2ms", "p95(ttft) < 500ms", "mean(ok_share) >= 100%")
	run.Header.Stages = []trace.Stage{
		{Name: "llm_first_token", Simulated: true, Component: "fast-llm", NoSpread: true},
		{Name: "stt_tail", Simulated: true, Component: "slow-stt", NoSpread: true}, // never critical
	}
	a, err := Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	const rests = "rests on llm_first_token (fast-llm), of which only a median is published"
	const without = "; outside even if no time went to llm_first_token (fast-llm), of which only a median is published: "
	want := []string{
		"pass: " + rests + "; medians of stages add up only roughly",
		"unmeasured: " + rests,
		"fail: 90 points short; vad_wait owns most of it" + without + "0 %",
		"fail: 141 ms over; vad_wait owns the largest part of it" + without + "440 ms", "pass: ",
		"unmeasured: " + rests,
		"pass: " + rests + "; medians of stages add up only roughly",
		"unmeasured: no samples", "pass: ",
	}
	for i, j := range a.Judgements {
		if got := fmt.Sprintf("%v: %s", j.Verdict, j.Reason); got != want[i] {
			t.Errorf("%v is %q, want %q", j.Budget, got, want[i])
		}
	}
	// What fails so is shown with its margin, its owner and its levers.
	if j := a.Judgements[3]; !j.HasValue || j.Owner == nil || len(j.Levers) == 0 || j.Margin != -141e6 {
		t.Errorf("%v: %+v, want a value, a margin, an owner and levers", j.Budget, j)
	}
}

// A failure is certain only where no spread at all could save it: not where it takes a
// stage that is waited for once another takes no time, nor where interactions were given
// up at a stage of which only a median is known.
func TestFailureThatNoSpreadSaves(t *testing.T) {
	// Turns that land at 340 ms: 20 + max(200, 47) + 0 + 120; keys that are half given up.
	var even []pipeline.Trace
	for i := range 20 {
		even = append(even, turn(i, 0, 0))
	}
	var keys []pipeline.Trace
	for i := range 20 {
		k := key(i, true, 60*ms)
		if i%2 == 0 {
			k = key(i, true, -1, pipeline.Cancelled)
			k.Requests[0].End = k.End
			k.Spans = append(k.Spans, pipeline.Span{Name: "llm_first_token", Start: k.Due + 50*ms, End: pipeline.Unknown})
		}
		keys = append(keys, k)
	}
	for _, c := range []struct {
		name   string
		run    trace.Run
		stages []string
		want   Verdict
	}{
		{"what is left is outside", voiceRun(even, "p95(reply) < 139ms"), []string{"vad_wait", "stt_tail"}, Fail},
		{"what is left is inside", voiceRun(even, "p95(reply) < 141ms"), []string{"vad_wait", "stt_tail"}, Unmeasured},
		{"the other one is waited for then", voiceRun(even, "p95(reply) < 187ms"), []string{"vad_wait"}, Fail},
		{"and has no spread either", voiceRun(even, "p95(reply) < 187ms"), []string{"vad_wait", "stt_tail"}, Unmeasured},
		{"given up at the stage", ideRun(keys, "share(ttfc < 70ms) >= 90%"), []string{"llm_first_token"}, Unmeasured},
		{"given up at another", ideRun(keys, "share(ttfc < 70ms) >= 90%"), []string{"debounce"}, Fail},
	} {
		for _, name := range c.stages {
			c.run.Header.Stages = append(c.run.Header.Stages, trace.Stage{Name: name, Simulated: true, NoSpread: true})
		}
		a, err := Analyse(c.run)
		if err != nil {
			t.Fatal(err)
		}
		if j := a.Judgements[0]; j.Verdict != c.want || a.Verdict != c.want || (j.Certain != "") != (c.want == Fail) {
			t.Errorf("%s: %v, %q, certain %q, want %v", c.name, j.Verdict, j.Reason, j.Certain, c.want)
		}
	}
}

func TestOwner(t *testing.T) {
	// The tail from the 95th percentile on is i from 95 to 100, of 436 to 441 ms.
	a := analyse(t, "voice", turns(100), "p95(reply) < 421ms")
	if got, want := *a.Judgements[0].Owner, (Owner{"vad_wait", 200e6, 438.5e6}); got != want {
		t.Errorf("owner %+v, want %+v", got, want)
	}
	var slow []pipeline.Trace
	for i := range 20 {
		slow = append(slow, turn(i, 453*ms, 20*ms))
	}
	a = analyse(t, "voice", slow, "p95(reply) < 500ms")
	if got, want := a.Judgements[0].Owner.Words(), "end_of_turn owns most of it"; got != want {
		t.Errorf("owner %q, want %q", got, want)
	}
}

// "pXX(m) <= b" and "share(m <= b) >= XX%" never disagree, and neither does the
// test that levers use.
func TestQuantileAgreesWithShare(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 150 {
		var traces []pipeline.Trace
		for i := range 100 + rng.IntN(50) {
			traces = append(traces, turn(i, time.Duration(rng.IntN(30)), 0))
		}
		percent, sign := 1+rng.IntN(99), []string{"<", "<="}[rng.IntN(2)]
		limit := 340_000_000 + rng.IntN(30)
		a := analyse(t, "voice", traces,
			fmt.Sprintf("p%d(reply) %s %dns", percent, sign, limit), fmt.Sprintf("share(reply %s %dns) >= %d%%", sign, limit, percent))
		x, y := a.Judgements[0], a.Judgements[1]
		if x.Verdict != y.Verdict {
			t.Fatalf("%v is %v at %v, %v is %v at %v", x.Budget, x.Verdict, x.Value, y.Budget, y.Verdict, y.Value)
		}
		for _, j := range a.Judgements {
			r := &replayer{budget: j.Budget, population: a.Landing().Population}
			if met := r.met(a.Landing().Values); met != (j.Verdict == Pass) {
				t.Fatalf("%v is %v, but levers take it for %v", j.Budget, j.Verdict, met)
			}
		}
	}
}

func TestInterval(t *testing.T) {
	a := analyse(t, "voice", turns(100), "p50(reply) < 500ms", "p95(reply) < 500ms", "max(reply) < 500ms")
	j := a.Judgements[0]
	if !j.HasInterval || j.Low != 381e6 || j.High != 402e6 { // ranks 40 and 61
		t.Errorf("interval of the median %v to %v, want 381 to 402 ms", j.Low, j.High)
	}
	low, high, ok := quantile.Interval(100, quantile.P95, 0.95)
	if j = a.Judgements[1]; j.HasInterval != ok || j.Low != 341e6+float64(low)*1e6 || j.High != 341e6+float64(high)*1e6 {
		t.Errorf("interval of the p95 %v to %v, want ranks %d to %d", j.Low, j.High, low, high)
	}
	if a.Judgements[2].HasInterval {
		t.Error("a maximum has an interval")
	}
}
