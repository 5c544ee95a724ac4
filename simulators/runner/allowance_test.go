package runner

import (
	"context"
	"fmt"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
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
	asked := 0
	quota := &endpoint.Quota{Most: 3}
	a := &allowance{loop: loop, quota: quota, asked: &asked, spent: func(err error) { say("spent: %v", err) }}
	stt := allowedSTT{busy{loop}, a}
	hear := func() {
		h := &pipeline.Hearing{}
		h.Done = func() { say("%s %q", h.Record.Outcome, h.Record.Reason) }
		stt.Start(h)
	}
	quota.Taken++ // by the language model
	loop.At(0, pipeline.RankInput, hear)
	loop.At(500*time.Millisecond, pipeline.RankInput, hear)
	loop.At(700*time.Millisecond, pipeline.RankInput, hear)
	if err := loop.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := `[700ms dropped "over the cap of 3 requests" 1s ok "" 1.5s ok "" 1.5s spent: over the cap of 3 requests]`
	if got := fmt.Sprint(said); got != want || asked != 2 {
		t.Errorf("%d turns of speech\ngot  %s\nwant %s", asked, got, want)
	}
}

// TestAllowanceOfRuns: what runs before asked that share the cap is not there for this one.
func TestAllowanceOfRuns(t *testing.T) {
	loop := &pipeline.Virtual{}
	asked := 5
	r := &run{settings: Settings{Speech: Speech{MaxRequests: 6, Asked: &asked}}}
	r.settings.Endpoint.Before.Requests = asked
	r.services.STT = busy{loop}
	r.fail = func(error) {}
	r.allow(loop)
	var said []string
	for range 2 {
		h := &pipeline.Hearing{}
		h.Done = func() { said = append(said, h.Record.Outcome.String()+" "+h.Record.Reason) }
		r.services.STT.Start(h)
	}
	if err := loop.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%q", said); got != `["dropped over the cap of 6 requests" "ok "]` || asked != 6 {
		t.Errorf("%s, %d asked", got, asked)
	}
}

// speaker is a TTS that takes a second for everything.
type speaker struct{ loop pipeline.Scheduler }

func (s speaker) Start(x *pipeline.Saying) {
	s.loop.After(time.Second, pipeline.RankInput, func() { x.Record.Outcome = pipeline.OK; x.Done() })
}
func (speaker) Say(*pipeline.Saying, string) {}
func (speaker) Finish(*pipeline.Saying)      {}
func (speaker) Cancel(*pipeline.Saying)      {}

// TestAllowanceOfPieces: a reply that is spoken in pieces is one turn, as in the estimate, and is
// spoken to its end where the cap is met meanwhile.
func TestAllowanceOfPieces(t *testing.T) {
	loop, asked := &pipeline.Virtual{}, 0
	var said []string
	a := &allowance{loop: loop, quota: &endpoint.Quota{Most: 2}, asked: &asked, spent: func(err error) { said = append(said, fmt.Sprintf("%s spent", loop.Now())) }}
	tts := allowedTTS{speaker{loop}, a}
	say := func(at time.Duration, rest bool) {
		loop.At(at, pipeline.RankInput, func() {
			x := &pipeline.Saying{Rest: rest}
			x.Done = func() { said = append(said, fmt.Sprintf("%s %s", loop.Now(), x.Record.Outcome)) }
			tts.Start(x)
		})
	}
	say(0, false)
	say(1*time.Second, true)
	say(2*time.Second, true)
	say(3*time.Second, false)
	say(3100*time.Millisecond, false)
	say(3900*time.Millisecond, true)
	if err := loop.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(said), "[1s ok 2s ok 3s ok 3.1s dropped 4s ok 4.9s ok 4.9s spent]"; got != want || asked != 2 {
		t.Errorf("%d turns\ngot  %s\nwant %s", asked, got, want)
	}
}
