package pipeline

import (
	"slices"
	"time"
)

// Interaction is one voice turn, key or request under way: the trace so far and
// the loop it runs on. Its methods run on that loop.
//
// Stages call Begin and End as they start and stop work; Finish hands the trace
// over exactly once.
type Interaction struct {
	Trace *Trace
	loop  Scheduler
	done  func(*Trace)
}

// NewInteraction starts an interaction that is due now. done receives the
// finished trace; it owns it from then on.
func NewInteraction(loop Scheduler, t *Trace, done func(*Trace)) Interaction {
	t.Due = loop.Now()
	return Interaction{Trace: t, loop: loop, done: done}
}

// Begin opens a span now. Its end is Unknown until End.
func (x *Interaction) Begin(name string, simulated bool, after ...SpanID) SpanID {
	return x.Trace.Add(Span{Name: name, Start: x.loop.Now(), End: Unknown, Simulated: simulated}, after...)
}

// End closes the span now. A span ends once.
func (x *Interaction) End(id SpanID) {
	s := &x.Trace.Spans[id]
	if s.End != Unknown {
		panic("pipeline: span " + s.Name + " ended twice")
	}
	s.End = x.loop.Now()
}

// Mark names this instant.
func (x *Interaction) Mark(name string) {
	x.Trace.Marks = append(x.Trace.Marks, Mark{name, x.loop.Now()})
}

// Finish ends the interaction now and hands its trace over; spans still open
// stay of unknown length. Later calls do nothing.
func (x *Interaction) Finish(o Outcome, reason string) {
	if x.done == nil {
		return
	}
	done := x.done
	x.done = nil
	x.Trace.Outcome, x.Trace.Reason, x.Trace.End = o, reason, x.loop.Now()
	done(x.Trace)
}

// Add appends a span that starts after the given ones and returns its ID.
// NoSpan among them is left out.
func (t *Trace) Add(s Span, after ...SpanID) SpanID {
	from := len(t.after)
	for _, a := range after {
		if a != NoSpan {
			t.after = append(t.after, a)
		}
	}
	s.After = t.after[from:len(t.after):len(t.after)]
	t.Spans = append(t.Spans, s)
	return SpanID(len(t.Spans) - 1)
}

// SplitLoad divides the span of a request's first token where that waited for the model
// to be loaded: the wait becomes a span of its own before the rest, which those that
// waited for the whole wait for. IDs above the span's grow by one, so a trace is divided
// when nobody needs them any more. A load is known of modelled engines alone.
func (t *Trace) SplitLoad(id SpanID, r *Request) {
	first := t.Spans[id]
	if r.Loading <= 0 || first.End == Unknown {
		return
	}
	load := Span{Name: SpanLLMLoad, Start: first.Start, End: first.Start + r.Loading, After: first.After, Simulated: true}
	first.Start, first.After = load.End, []SpanID{id}
	t.Spans = slices.Insert(t.Spans, int(id), load)
	t.Spans[id+1] = first
	for i := int(id) + 2; i < len(t.Spans); i++ {
		for j, a := range t.Spans[i].After {
			if a >= id {
				t.Spans[i].After[j] = a + 1
			}
		}
	}
}

// Append adds a span of known length that starts when the last of the given
// spans has ended, or at Due when there is none, and returns its ID.
func (t *Trace) Append(name string, length time.Duration, simulated bool, after ...SpanID) SpanID {
	start := t.Due
	for _, a := range after {
		if a != NoSpan {
			start = max(start, t.Spans[a].End)
		}
	}
	return t.Add(Span{Name: name, Start: start, End: start + length, Simulated: simulated}, after...)
}
