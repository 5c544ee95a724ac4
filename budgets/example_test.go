package budgets_test

import (
	"fmt"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

func ExampleParse() {
	b, err := budgets.Parse("p95( reply )<0.5s", budgets.Metrics("voice"))
	fmt.Println(b, err)
	_, err = budgets.Parse("p95(replay) < 500ms", budgets.Metrics("voice"))
	fmt.Println(err)
	// Output:
	// p95(reply) < 500ms <nil>
	// budget "p95(replay) < 500ms", column 5: found "replay", want a metric; did you mean "reply"?
}

func ExampleAnalyse() {
	run := trace.Run{Header: trace.Header{Scenario: "chain", Kind: "voice", Budgets: []string{"p50(reply) < 250ms"}}}
	for i := range 3 {
		t := pipeline.Trace{Kind: "voice", Index: i}
		llm := t.Append("llm_first_token", 180*time.Millisecond, true)
		tts := t.Append("tts_first_audio", 120*time.Millisecond, true, llm)
		t.Marks = []pipeline.Mark{{Name: "reply_heard", At: t.Spans[tts].End}}
		run.Traces = append(run.Traces, t)
	}
	a, err := budgets.Analyse(run)
	if err != nil {
		panic(err)
	}
	j := a.Judgements[0]
	fmt.Println(j.Verdict, j.Unit().Format(j.Value), j.Reason)
	fmt.Println(j.Levers[0].Stages, j.Levers[0].Cap)
	// Output:
	// fail 300 ms 50 ms over; llm_first_token owns most of it
	// [llm_first_token] 129.999999ms
}
