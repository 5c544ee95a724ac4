package engine

import (
	"testing"
	"time"

	"halfsecond/pipeline"
)

// TestEvaluated: a slot computes a prompt evenly, and what was computed when a client closes is
// in the record.
func TestEvaluated(t *testing.T) {
	for _, c := range []struct {
		closes time.Duration
		want   pipeline.Work
	}{
		{50 * ms, pipeline.Work{}}, // it waits
		{100 * ms, pipeline.Work{}},
		{150 * ms, pipeline.Work{Prompt: 500}},
		{199 * ms, pipeline.Work{Prompt: 990}},
		{205 * ms, pipeline.Work{Prompt: 1000, Output: 1}},
		{215 * ms, pipeline.Work{Prompt: 1000, Output: 2}},
	} {
		var loop pipeline.Virtual
		s := NewStage(&loop, NewSlots(&loop, SlotsConfig{Service: Fixed{TTFT: 100 * ms, TPOT: 10 * ms}, Slots: 1, MaxContext: 1 << 20}))
		ended := 0
		first := &pipeline.Call{PromptTokens: 1, OutputTokens: 1, Done: func() { ended++ }}
		second := &pipeline.Call{PromptTokens: 1000, OutputTokens: 9, Done: func() { ended++ }}
		first.Record, second.Record = pipeline.NewRequest(1, 0), pipeline.NewRequest(2, 0)
		loop.At(0, pipeline.RankInput, func() { s.Start(first); s.Start(second) })
		loop.At(c.closes, pipeline.RankInput, func() {
			second.Record.Closed = loop.Now()
			s.Cancel(second)
		})
		loop.RunUntil(pipeline.LastInstant)
		if got := second.Record.AtClose; got != c.want || ended != 2 {
			t.Errorf("closed at %s: %+v, %d ended; want %+v", c.closes, got, ended, c.want)
		}
	}
}

// TestEvaluatedUnknown: of a model whose published latencies alone are known nobody can say how
// much of a prompt it had computed before its first token; of one behind a relay the engine
// behind that says it.
func TestEvaluatedUnknown(t *testing.T) {
	unknown := pipeline.UnknownCount
	for _, c := range []struct {
		name           string
		engine         func(l pipeline.Scheduler) Engine
		closes         time.Duration
		atClose, atEnd int
	}{
		{"hosted", hostedFor, 50 * ms, unknown, unknown},
		{"hosted, text came", hostedFor, 150 * ms, 1000, 1000},
		{"relayed", func(l pipeline.Scheduler) Engine { return relayed{slotFor(l), map[*Request]*Relay{}} }, 50 * ms, 500, 500},
	} {
		var loop pipeline.Virtual
		s := NewStage(&loop, c.engine(&loop))
		call := &pipeline.Call{PromptTokens: 1000, OutputTokens: 9, Done: func() {}}
		call.Record = pipeline.NewRequest(1, 0)
		loop.At(0, pipeline.RankInput, func() { s.Start(call) })
		loop.At(c.closes, pipeline.RankInput, func() {
			call.Record.Closed = loop.Now()
			s.Cancel(call)
		})
		loop.RunUntil(pipeline.LastInstant)
		if r := &call.Record; r.AtClose.Prompt != c.atClose || r.AtEnd.Prompt != c.atEnd {
			t.Errorf("%s: %d of the prompt at the close, %d at the end; want %d, %d", c.name, r.AtClose.Prompt, r.AtEnd.Prompt, c.atClose, c.atEnd)
		}
	}
}

func hostedFor(l pipeline.Scheduler) Engine {
	return NewHosted(l, HostedConfig{First: func(uint64) time.Duration { return 100 * ms }, Next: 10 * ms})
}

func slotFor(l pipeline.Scheduler) Engine {
	return NewSlots(l, SlotsConfig{Service: Fixed{TTFT: 100 * ms, TPOT: 10 * ms}, Slots: 1, MaxContext: 1 << 20})
}
