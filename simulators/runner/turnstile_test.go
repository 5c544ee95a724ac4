package runner

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// TestTurnstile: of three calls of one user the first passes, the newest follows
// it, the one between is dropped; another user is not held up, and a call that
// waits can be cancelled.
func TestTurnstile(t *testing.T) {
	var loop pipeline.Virtual
	model := engine.NewStage(&loop, engine.NewHosted(&loop, engine.HostedConfig{First: func(uint64) time.Duration { return 100 * ms }}))
	gate := newTurnstile(&loop, model, 1)
	var log []string
	call := func(name string, user int, at time.Duration) *pipeline.Call {
		c := &pipeline.Call{Session: user, PromptTokens: 1, OutputTokens: 1, Record: pipeline.NewRequest(1, at)}
		c.Done = func() { log = append(log, fmt.Sprintf("%s %s %d", name, c.Record.Outcome, loop.Now()/ms)) }
		loop.At(at, pipeline.RankTimer, func() { gate.Start(c) })
		return c
	}
	call("a", 0, 0)
	call("b", 0, 10*ms)
	call("c", 0, 20*ms)
	call("other", 1, 30*ms)
	d := call("d", 0, 110*ms)
	loop.At(120*ms, pipeline.RankInput, func() { gate.Cancel(d) })
	e := call("e", 2, 300*ms)
	loop.At(320*ms, pipeline.RankInput, func() { gate.Cancel(e) })
	call("f", 2, 330*ms)
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"b dropped 20", "a ok 100", "d cancelled 120", "other ok 130", "c ok 200", "e cancelled 320", "f ok 430"}
	if !slices.Equal(log, want) {
		t.Errorf("calls ended as\n%q, want\n%q", log, want)
	}
}
