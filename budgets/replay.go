package budgets

import (
	"time"

	"halfsecond/pipeline"
)

// Replay is an interaction that landed, ready to be run again with other lengths.
type Replay struct {
	Trace *pipeline.Trace
	Value time.Duration // landing - due
	graph graph
}

// Replays returns the interactions that landed, the soonest first.
func (a *Analysis) Replays() []Replay {
	replays := make([]Replay, len(a.landed))
	for i, l := range a.landed {
		replays[i] = Replay{Trace: l.trace, Value: l.value, graph: l.graph(a.kind.mark)}
	}
	return replays
}

// Path returns the critical path, in order. Its segments add up to Value.
func (r *Replay) Path() []Segment { return r.graph.path() }

// With returns landing - due if each span had the length that the function gives it, and
// everything else stayed: a span starts when the last of those it waited for has ended,
// plus the gap there was. The function is asked for spans that ended and is given what
// each took before the landing.
func (r *Replay) With(length func(id pipeline.SpanID, took time.Duration) time.Duration) time.Duration {
	landing := r.graph.replay(func(id pipeline.SpanID) time.Duration { return length(id, r.graph.took(id)) })
	return landing - r.Trace.Due
}
