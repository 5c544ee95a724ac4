package budgets

import (
	"fmt"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// bundle returns an interaction with an answer of 100 tokens in chunks of the same time, of
// which the first brings so many, and the last comes 200 ms after it.
func bundle(i, first int) pipeline.Trace {
	r := pipeline.NewRequest(int64(i+1), 0)
	r.Sent, r.FirstOutput, r.LastOutput, r.End = 0, 100*ms, 300*ms, 300*ms
	r.OutputTokens, r.Chunks = 100, 101-first
	if first > 1 {
		r.Chunks, r.Opening = 2, pipeline.Opening{Chunks: 1, Tokens: first}
	}
	return pipeline.Trace{Kind: "bench", Session: i, End: r.End, Requests: []pipeline.Request{r}}
}

// TestSlow: beside each value of the pace stands what it is with all that the first output
// may have been, where that differs.
func TestSlow(t *testing.T) {
	plain, several := bundle(0, 1), bundle(1, 80)
	failed := bundle(2, 80)
	failed.Requests[0].Outcome = pipeline.Error
	tpot := pool(t, "bench", "tpot", []pipeline.Trace{several, plain, failed})
	if got, want := fmt.Sprint(tpot.Values, tpot.Slow, tpot.Several, tpot.Population), "[2.020202e+06 2.020202e+06] [2.020202e+06 1e+07] 1 3"; got != want {
		t.Errorf("tpot %s, want %s", got, want)
	}
	tps := pool(t, "bench", "tps", []pipeline.Trace{plain, several})
	if got, want := fmt.Sprint(tps.Values, tps.Slow, tps.Several), "[495 495] [100 495] 1"; got != want {
		t.Errorf("tps %s, want %s", got, want)
	}
	if p := pool(t, "bench", "tpot", []pipeline.Trace{plain}); p.Slow != nil || p.Several != 0 {
		t.Errorf("a token a chunk: %v, %d, want none", p.Slow, p.Several)
	}
}

// TestPaceOfSeveral: a budget on the pace is kept or broken only where it is so for all that
// the first outputs may have been.
func TestPaceOfSeveral(t *testing.T) {
	var traces []pipeline.Trace
	for i := range 20 {
		traces = append(traces, bundle(i, []int{80, 1}[i%4/3])) // three of four bring 80 at once
	}
	const in = "takes the first output for one token, which may be several in 15 of 20 answers: with those it may be "
	for _, test := range []struct {
		budget string
		want   judged
	}{
		{"p50(tpot) < 11ms", judged{Pass, 2020202, 8979798, ""}},
		{"p50(tpot) < 10ms", judged{Unmeasured, 2020202, 0, in + "10 ms"}},
		{"p50(tpot) < 3ms", judged{Unmeasured, 2020202, 0, in + "10 ms"}},
		{"p50(tpot) < 2ms", judged{Fail, 2020202, -20202, "0.02 ms over"}},
		{"p50(tpot) > 3ms", judged{Unmeasured, 2020202, 0, in + "10 ms"}},
		{"p50(tpot) > 2ms", judged{Pass, 2020202, 20202, ""}},
		{"share(tpot < 3ms) >= 25%", judged{Pass, 1, .75, ""}},
		{"share(tpot < 3ms) >= 26%", judged{Unmeasured, 1, 0, in + "25 %"}},
		{"mean(tps) >= 300 tok/s", judged{Unmeasured, 495, 0, in + "199 tok/s"}},
		{"mean(tps) >= 150 tok/s", judged{Pass, 495, 345, ""}},
		{"mean(tps) >= 500 tok/s", judged{Fail, 495, -5, "5 tok/s short"}},
		{"max(e2e) < 310ms", judged{Pass, 3e8, 1e7, ""}},
	} {
		j := analyse(t, "bench", traces, test.budget).Judgements[0]
		if got := (judged{j.Verdict, j.Value, j.Margin, j.Reason}); got != test.want || !j.HasValue {
			t.Errorf("%s: %+v, want %+v", test.budget, got, test.want)
		}
	}
}

// TestPaceOfSummary: 900 tokens of reasoning that came as a summary of 100 bytes are no part of
// the pace of the 400 tokens of text behind it, 22.5 ms each: neither is the budget between kept.
func TestPaceOfSummary(t *testing.T) {
	var traces []pipeline.Trace
	for i := range 40 {
		x := bundle(i, 1)
		r := &x.Requests[0]
		r.LastOutput, r.End, x.End = r.FirstOutput+9000*ms, r.FirstOutput+9000*ms, r.FirstOutput+9000*ms
		r.OutputTokens, r.Chunks, r.Opening = 1300, 11, pipeline.Opening{Chunks: 1, Of: 2000, Unsent: 900}
		traces = append(traces, x)
	}
	for budget, want := range map[string]Verdict{"p50(tpot) < 6ms": Fail, "p50(tpot) < 10ms": Unmeasured, "p50(tpot) < 23ms": Pass} {
		if j := analyse(t, "bench", traces, budget).Judgements[0]; j.Verdict != want {
			t.Errorf("%s: %v, %q, want %v", budget, j.Verdict, j.Reason, want)
		}
	}
}

// TestPaceOfReasoning: 900 tokens of reasoning that came in part, of which nothing tells whether
// that was all, are no ground to call the pace of the 400 tokens of text behind it, 22.5 ms each,
// better than that.
func TestPaceOfReasoning(t *testing.T) {
	var traces []pipeline.Trace
	for i := range 40 {
		x := bundle(i, 1)
		r := &x.Requests[0]
		r.LastOutput, r.End, x.End = r.FirstOutput+9000*ms, r.FirstOutput+9000*ms, r.FirstOutput+9000*ms
		r.OutputTokens, r.Chunks, r.Opening = 1300, 20, pipeline.Opening{Chunks: 1, Bytes: 230, Of: 4300, Sure: 400}
		traces = append(traces, x)
	}
	for budget, want := range map[string]Verdict{"p50(tpot) < 6ms": Fail, "p50(tpot) < 10ms": Unmeasured, "p50(tpot) < 22.5ms": Unmeasured, "p50(tpot) < 23ms": Pass} {
		if j := analyse(t, "bench", traces, budget).Judgements[0]; j.Verdict != want {
			t.Errorf("%s: %v, %q, want %v", budget, j.Verdict, j.Reason, want)
		}
	}
}

// TestDecoding: there is no pace without two tokens at two instants of one choice.
func TestDecoding(t *testing.T) {
	for name, change := range map[string]func(r *pipeline.Request){
		"one token": func(r *pipeline.Request) { r.OutputTokens = 1 }, "nobody counted": func(r *pipeline.Request) { r.OutputTokens = pipeline.UnknownCount },
		"one instant": func(r *pipeline.Request) { r.LastOutput = r.FirstOutput }, "no output": func(r *pipeline.Request) { r.FirstOutput, r.LastOutput = pipeline.Unknown, pipeline.Unknown },
		"a burst": func(r *pipeline.Request) { r.Transport.Burst = true }, "two choices": func(r *pipeline.Request) { r.Choices = 2 },
	} {
		x := bundle(0, 80)
		change(&x.Requests[0])
		if span, f := Decoding(&x.Requests[0]); span != 0 || f != (pipeline.Following{}) {
			t.Errorf("%s: %v in %v, want neither", name, f, span)
		}
	}
	x := bundle(0, 80)
	if span, f := Decoding(&x.Requests[0]); span != 200*time.Millisecond || f != (pipeline.Following{Most: 99, Likely: 20, Least: 20, Counted: true}) {
		t.Errorf("%+v in %v", f, span)
	}
}
