package runner

import (
	"context"
	"fmt"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// busy is an STT that takes a second for everything.
type busy struct{ loop pipeline.Scheduler }

func (b busy) Start(h *pipeline.Hearing) {
	b.loop.After(time.Second, pipeline.RankInput, func() { h.Record.Outcome = pipeline.OK; h.Done() })
}
func (busy) Cancel(*pipeline.Hearing) {}

// TestAllowance: what is over a cap ends as Dropped, and the run when all has ended that was under
// way. A request of any service counts.
func TestAllowance(t *testing.T) {
	loop := &pipeline.Virtual{}
	var said []string
	say := func(format string, a ...any) {
		said = append(said, fmt.Sprintf("%s ", loop.Now())+fmt.Sprintf(format, a...))
	}
	a := &allowance{loop: loop, most: 3, spent: func(err error) { say("spent: %v", err) }}
	stt := allowedSTT{busy{loop}, a}
	hear := func() {
		h := &pipeline.Hearing{}
		h.Done = func() { say("%s %q", h.Record.Outcome, h.Record.Reason) }
		stt.Start(h)
	}
	if done := a.take(func() {}, nil); done == nil {
		t.Error("another service's request is not taken")
	} else {
		done()
	}
	loop.At(0, pipeline.RankInput, hear)
	loop.At(500*time.Millisecond, pipeline.RankInput, hear)
	loop.At(700*time.Millisecond, pipeline.RankInput, hear)
	if err := loop.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := `[700ms dropped "over the cap of 3 requests" 1s ok "" 1.5s ok "" 1.5s spent: over the cap of 3 requests]`
	if got := fmt.Sprint(said); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
