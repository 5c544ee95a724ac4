package budgets

import (
	"slices"
	"time"

	"halfsecond/pipeline"
)

// Segment is a stretch of an interaction's critical path: a stage at work, or a
// wait that no span explains.
type Segment struct {
	Name       string // of the span, or "wait before" what it delayed
	Span       pipeline.SpanID
	Start, End time.Duration // instants; the next segment starts where this one ends
}

// For returns how long the segment is.
func (s Segment) For() time.Duration { return s.End - s.Start }

// graph is one interaction seen from the instant at which it landed: its spans,
// and the spans that each waited for. IDs grow along the arrows, so that walking
// them in order visits causes before effects.
type graph struct {
	trace   *pipeline.Trace
	mark    string
	landing time.Duration   // an instant
	last    pipeline.SpanID // the span that it landed with; NoSpan when there is none
}

func newGraph(t *pipeline.Trace, mark string, landing time.Duration) graph {
	return graph{t, mark, landing, lastSpan(t.Spans, landing)}
}

// lastSpan returns the span that ends at the landing, the last of several;
// otherwise the one at work closest before it.
func lastSpan(spans []pipeline.Span, landing time.Duration) pipeline.SpanID {
	last, until := pipeline.NoSpan, time.Duration(0)
	exact := false
	for i := range spans {
		s := &spans[i]
		if s.End == pipeline.Unknown || s.Start > landing {
			continue
		}
		switch end := min(s.End, landing); {
		case s.End == landing:
			last, exact = pipeline.SpanID(i), true
		case !exact && (last == pipeline.NoSpan || end >= until):
			last, until = pipeline.SpanID(i), end
		}
	}
	return last
}

// end returns when the span ended, as far as the landing is concerned.
func (g *graph) end(id pipeline.SpanID) time.Duration {
	if id == g.last {
		return min(g.trace.Spans[id].End, g.landing)
	}
	return g.trace.Spans[id].End
}

// took returns how long the span was at work before the landing.
func (g *graph) took(id pipeline.SpanID) time.Duration { return g.end(id) - g.trace.Spans[id].Start }

// cause returns the span that held the given one up: the latest to end of those
// it waited for, the first of several.
func (g *graph) cause(id pipeline.SpanID) pipeline.SpanID {
	cause := pipeline.NoSpan
	for _, a := range g.trace.Spans[id].After {
		end := g.trace.Spans[a].End
		if end != pipeline.Unknown && (cause == pipeline.NoSpan || end > g.trace.Spans[cause].End) {
			cause = a
		}
	}
	return cause
}

// gap returns the time between the end of the span's cause and its own start,
// 0 for a span that waited for nothing.
func (g *graph) gap(id pipeline.SpanID) time.Duration {
	cause := g.cause(id)
	if cause == pipeline.NoSpan {
		return 0
	}
	return g.trace.Spans[id].Start - g.trace.Spans[cause].End
}

// path returns the critical path, in order. Its segments follow each other
// without a gap and add up to landing - due, to the nanosecond.
func (g *graph) path() []Segment {
	path := make([]Segment, 0, len(g.trace.Spans)+1)
	cursor := g.landing
	back := func(to time.Duration, id pipeline.SpanID, name string) { // a wait when id is NoSpan
		if to = max(min(to, cursor), g.trace.Due); to == cursor || cursor <= g.trace.Due {
			return
		}
		if id == pipeline.NoSpan {
			name = "wait before " + name
		}
		path = append(path, Segment{name, id, to, cursor})
		cursor = to
	}
	delayed := g.mark
	for id := g.last; id != pipeline.NoSpan && cursor > g.trace.Due; id = g.cause(id) {
		s := &g.trace.Spans[id]
		back(g.end(id), pipeline.NoSpan, delayed)
		back(s.Start, id, s.Name)
		delayed = s.Name
	}
	back(g.trace.Due, pipeline.NoSpan, delayed)
	slices.Reverse(path)
	return path
}

// tails returns for each span the time from its end to the landing along the
// longest way, Unknown for a span that no way leads from.
func (g *graph) tails() []time.Duration {
	tails := make([]time.Duration, len(g.trace.Spans))
	for i := range tails {
		tails[i] = pipeline.Unknown
	}
	if g.last == pipeline.NoSpan {
		return tails
	}
	tails[g.last] = g.landing - g.end(g.last)
	for id := g.last; id >= 0; id-- {
		if tails[id] == pipeline.Unknown {
			continue
		}
		for _, a := range g.trace.Spans[id].After {
			if g.trace.Spans[a].End != pipeline.Unknown {
				tails[a] = max(tails[a], g.gap(id)+g.took(id)+tails[id])
			}
		}
	}
	return tails
}

// slack returns for each span how much longer it could have been without
// moving the landing: 0 on the critical path, Unknown when the landing did not
// wait for it at all.
func (g *graph) slack() []time.Duration {
	slack := g.tails()
	for id, tail := range slack {
		if tail != pipeline.Unknown {
			slack[id] = g.landing - tail - g.end(pipeline.SpanID(id))
		}
	}
	return slack
}

// replay returns the instant of landing if each span had the length that the
// function gives it, and everything else stayed: a span starts when the last of
// those it waited for has ended, plus the gap there was.
func (g *graph) replay(length func(id pipeline.SpanID) time.Duration) time.Duration {
	if g.last == pipeline.NoSpan {
		return g.landing
	}
	var few [32]time.Duration // enough for nearly every trace, without an allocation
	ends := append(few[:0], make([]time.Duration, g.last+1)...)
	for i := range ends {
		id := pipeline.SpanID(i)
		s := &g.trace.Spans[id]
		if s.End == pipeline.Unknown {
			ends[id] = pipeline.Unknown
			continue
		}
		ends[id] = g.startAfter(s, ends) + length(id)
	}
	return ends[g.last] + g.landing - g.end(g.last)
}

// startAfter returns when the span starts, given the ends of those before it.
func (g *graph) startAfter(s *pipeline.Span, ends []time.Duration) time.Duration {
	latest, was := pipeline.Unknown, pipeline.Unknown
	for _, a := range s.After {
		latest, was = max(latest, ends[a]), max(was, g.trace.Spans[a].End)
	}
	if was == pipeline.Unknown {
		return s.Start
	}
	return latest + s.Start - was
}
