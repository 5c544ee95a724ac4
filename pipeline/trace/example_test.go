package trace_test

import (
	"bytes"
	"fmt"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

func Example() {
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Header{Scenario: "ide", Kind: "ide", Target: "sim", Seed: 1, N: 1, Version: "v0.1.0"})
	if err != nil {
		panic(err)
	}
	key := pipeline.Trace{Kind: "ide", Due: 2 * time.Second, End: 2090 * time.Millisecond}
	key.Append("debounce", 75*time.Millisecond, true)
	if err := w.Write(&key); err != nil {
		panic(err)
	}
	if err := w.Close(trace.Footer{Finished: true}); err != nil {
		panic(err)
	}

	run, err := trace.Read(&file)
	if err != nil {
		panic(err)
	}
	fmt.Println(run.Header.Scenario, len(run.Traces), run.Traces[0].Spans[0].For(), run.Footer.Finished)
	// Output: ide 1 75ms true
}
