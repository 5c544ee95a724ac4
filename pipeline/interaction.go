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

// Room gives the trace memory for what its spans wait for; it takes more where that is not
// enough.
func (t *Trace) Room(after []SpanID) { t.after = after[:0] }

// Remove takes a span out that no other waits for. IDs above it shrink, so that a span is
// removed when nobody needs them any more.
func (t *Trace) Remove(id SpanID) {
	t.Spans = slices.Delete(t.Spans, int(id), int(id)+1)
	for i := int(id); i < len(t.Spans); i++ {
		for j, a := range t.Spans[i].After {
			if a > id {
				t.Spans[i].After[j] = a - 1
			}
		}
	}
}

// Part is a stretch of a span that is told apart.
type Part struct {
	Name string
	End  time.Duration
}

// Divide replaces a span by its parts, each of which waits for the one before it and the
// first for what the span waited for; those that waited for the span wait for the last. A
// part without length is left out, and the last one always ends with the span. IDs above
// the span's grow, so that a trace is divided when nobody needs them any more.
func (t *Trace) Divide(id SpanID, parts []Part) {
	whole := t.Spans[id]
	var few [4]Span
	pieces := few[:0]
	at := whole.Start
	for _, p := range parts {
		end := min(max(p.End, at), whole.End)
		if end > at {
			pieces = append(pieces, Span{Name: p.Name, Start: at, End: end, Simulated: whole.Simulated})
		}
		at = end
	}
	if len(pieces) == 0 {
		return
	}
	pieces[len(pieces)-1].End = whole.End
	pieces[0].After = whole.After
	for i := 1; i < len(pieces); i++ {
		n := len(t.after)
		t.after = append(t.after, id+SpanID(i-1))
		pieces[i].After = t.after[n : n+1 : n+1]
	}
	t.Spans = slices.Replace(t.Spans, int(id), int(id)+1, pieces...)
	t.shift(id, len(pieces)-1)
}

// shift has the spans behind a divided one wait for those that they waited for.
func (t *Trace) shift(id SpanID, by int) {
	if by == 0 {
		return
	}
	for i := int(id) + by + 1; i < len(t.Spans); i++ {
		for j, a := range t.Spans[i].After {
			if a >= id {
				t.Spans[i].After[j] = a + SpanID(by)
			}
		}
	}
}

// SplitLoad tells the wait for a model's load apart in the span of a request's first token.
// A load is known of modelled engines alone.
func (t *Trace) SplitLoad(id SpanID, r *Request) {
	if first := t.Spans[id]; r.Loading > 0 && first.End != Unknown {
		t.Divide(id, []Part{{SpanLLMLoad, first.Start + r.Loading}, {first.Name, first.End}})
		t.Spans[id].Simulated = true
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
