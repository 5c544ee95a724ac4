package diagnosis_test

import (
	"fmt"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/diagnosis"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// A voice that holds text back, in three turns.
func ExampleDiagnose() {
	run := trace.Run{Header: trace.Header{Kind: pipeline.KindVoice, Target: "sim"}}
	for i := range 3 {
		t := pipeline.Trace{Kind: pipeline.KindVoice, Index: i, Due: time.Duration(i) * 10 * time.Second}
		text := t.Append(pipeline.SpanGathering, 400*time.Millisecond, true)
		held := t.Append(pipeline.SpanTTSHeld, 250*time.Millisecond, true, text)
		audio := t.Append(pipeline.SpanTTSFirstAudio, 180*time.Millisecond, true, held)
		t.End = t.Spans[audio].End
		t.Marks = []pipeline.Mark{{Name: pipeline.MarkReplyHeard, At: t.End}}
		run.Traces = append(run.Traces, t)
	}
	a, err := budgets.Analyse(run)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range diagnosis.Diagnose(a) {
		fmt.Printf("%s: %s\n", d.ID, d.Title)
		for _, e := range d.Evidence {
			fmt.Println("-", e)
		}
	}
	// Output:
	// tts_held: the voice holds the first text back until more comes: audio begins after the second call
	// - tts_held is critical in 100 % of turns (p50 250 ms)
	// - replies land at p50 830 ms; without it they would at p50 580 ms
}
