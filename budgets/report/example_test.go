package report_test

import (
	"fmt"
	"time"

	"halfsecond/budgets/report"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

func Example() {
	run := trace.Run{
		Header: trace.Header{Scenario: "chain", Kind: "voice", Target: "sim", N: 3, Budgets: []string{"p50(reply) < 250ms"}},
		Footer: trace.Footer{Finished: true},
	}
	for i := range 3 {
		t := pipeline.Trace{Kind: "voice", Index: i}
		llm := t.Append("llm_first_token", 180*time.Millisecond, true)
		tts := t.Append("tts_first_audio", 120*time.Millisecond, true, llm)
		t.Marks = []pipeline.Mark{{Name: "reply_heard", At: t.Spans[tts].End}}
		run.Traces = append(run.Traces, t)
	}
	r, err := report.New(run)
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Verdict)
	fmt.Println(r.Summary)
	// Output:
	// fail
	// FAIL: the p50 reply lands at 300 ms, 50 ms over 250 ms; llm_first_token owns most of it; shortening llm_first_token to under 130 ms would bring it inside.
}
