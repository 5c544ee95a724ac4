package ghost

import (
	"cmp"
	"slices"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
)

// Options are what figures need and traces do not say.
type Options struct {
	// LeastVisible is how long a suggestion must be there to count as shown.
	LeastVisible time.Duration
	// End is when the run ended, for what was still on the screen; 0 stands for the last
	// instant of the traces.
	End time.Duration
}

// DefaultLeastVisible is the least time that is no flash, where none is stated. Cody counts a suggestion as shown
// after 750 ms, Continue drops one that is replaced within 500 ms; 300 ms is the default of the
// ghost-text cases, case IDE-14 (2026-11-29).
const DefaultLeastVisible = 300 * time.Millisecond

// Run is the traces of a run, sorted out. It refers to them.
type Run struct {
	Keys     []*pipeline.Trace // in the order of their instants
	Steps    []*pipeline.Trace // what is no key and may have led to a request, warm-ups aside
	Requests []Request         // of both, in the order of their IDs
	WarmUps  int               // requests that nobody waited for, those aside that the tester dropped
	Warming  []Request         // all that nobody waited for: what was worked on them is work too
	Options  Options

	byID map[int64]*Request
	used map[int64]bool // requests that other steps drew on
}

// Request is a request and the step that led to it.
type Request struct {
	*pipeline.Request
	Trace *pipeline.Trace
	// Final: it is the last of its step's, so that what the step says of an answer, of the time
	// to it and of who gave it up is of this one. One before it was refused, and asked again.
	Final bool
	// Drawn: another step drew on its answer.
	Drawn bool
	// Useful: its answer was useful on arrival, since it was shown, now or after trimming, or
	// was drawn on. That it did not fit any more later on, or was given up by then, changes
	// nothing, and it says nothing of being right. An answer that broke off is not.
	Useful bool
}

// Of sorts traces out.
func Of(traces []*pipeline.Trace, o Options) *Run {
	r := &Run{Options: o, byID: map[int64]*Request{}, used: map[int64]bool{}}
	for _, t := range traces {
		for _, u := range t.Uses {
			r.used[u.Request] = true
		}
		r.Options.End = max(r.Options.End, lastOf(t, o.End))
		r.file(t)
	}
	byDue := func(a, b *pipeline.Trace) int { return cmp.Compare(a.Due, b.Due) }
	slices.SortStableFunc(r.Keys, byDue)
	slices.SortStableFunc(r.Steps, byDue)
	slices.SortStableFunc(r.Requests, func(a, b Request) int { return cmp.Compare(a.ID, b.ID) })
	for i := range r.Requests {
		q := &r.Requests[i]
		q.Drawn = r.used[q.ID]
		q.Useful = (q.Drawn || q.Answered() && shown(q.Trace)) && !q.broke()
		r.byID[q.ID] = q
	}
	return r
}

// Only returns one trace of the run alone, with what others have to do with it.
func (r *Run) Only(t *pipeline.Trace) *Run {
	one := &Run{Options: r.Options, byID: r.byID, used: r.used}
	one.file(t)
	for i := range one.Requests {
		if q := r.byID[one.Requests[i].ID]; q != nil {
			one.Requests[i].Useful, one.Requests[i].Drawn = q.Useful, q.Drawn
		}
	}
	return one
}

// file puts a trace where it belongs.
func (r *Run) file(t *pipeline.Trace) {
	switch {
	case t.Fact(pipeline.FactClass) == pipeline.ClassFocus:
		for i := range t.Requests {
			r.Warming = append(r.Warming, Request{Request: &t.Requests[i], Trace: t})
			if t.Requests[i].Outcome != pipeline.Dropped {
				r.WarmUps++
			}
		}
		return
	case t.Kind == pipeline.KindIDE:
		r.Keys = append(r.Keys, t)
	default:
		r.Steps = append(r.Steps, t)
	}
	for i := range t.Requests {
		r.Requests = append(r.Requests, Request{Request: &t.Requests[i], Trace: t, Final: i == len(t.Requests)-1})
	}
}

// Asked reports whether a request was sent: one that the tester never let go was not.
func (q *Request) Asked() bool { return q.Sent != pipeline.Unknown }

// Sent returns how many requests were sent, warm-ups aside.
func (r *Run) Sent() (n int) {
	for i := range r.Requests {
		if r.Requests[i].Asked() {
			n++
		}
	}
	return n
}

// lastOf returns the last instant of a trace, or when the run ended where that is stated.
func lastOf(t *pipeline.Trace, end time.Duration) time.Duration {
	if end != 0 {
		return end
	}
	last := t.End
	for _, m := range t.Marks {
		last = max(last, m.At)
	}
	return last
}

// Opportunity reports whether the plugin's own rules would ask after a key.
func Opportunity(t *pipeline.Trace) bool { return t.Fact(pipeline.FactOpportunity) == "yes" }

// Verdict returns what a step's answer was worth on arrival: when enough of it to be shown first
// was there, and of one of which that never was so, when text of it last came.
func Verdict(t *pipeline.Trace) document.Verdict {
	return cmp.Or(document.Verdict(t.Fact(pipeline.FactArrival)), Last(t))
}

// Last returns what a step's answer was worth when text of it last came.
func Last(t *pipeline.Trace) document.Verdict {
	return document.Verdict(t.Fact(pipeline.FactVerdict))
}

// Stale reports whether a verdict is of an answer that does not fit any more. That an older
// text asked for it does not make it stale.
func Stale(v document.Verdict) bool {
	return v == document.Diverged || v == document.Moved || v == document.Undone || v == document.Dropped
}

// shown reports whether an answer that a step brought was on the screen. What a cache had for the
// step is shown in its place.
func shown(t *pipeline.Trace) bool {
	there := t.Mark(pipeline.MarkShown) != pipeline.Unknown || t.Mark(pipeline.MarkShownAgain) != pipeline.Unknown
	return there && !slices.ContainsFunc(t.Uses, func(u pipeline.Use) bool { return u.How == "cached" })
}

// broke reports whether a request failed, broke off or met a limit of the client's: what had
// come of its answer counts for nothing, as in every pool of latencies.
func (q *Request) broke() bool {
	return q.Outcome != pipeline.OK && q.Outcome != pipeline.Cancelled
}

// Useful reports whether the answer to a key's own request was useful.
func (r *Run) Useful(t *pipeline.Trace) bool {
	return slices.ContainsFunc(t.Requests, func(q pipeline.Request) bool { return r.byID[q.ID].Useful })
}

// Landed returns the time from a step to its first character; Unknown where there was none, and
// of a step that did not end ok.
func Landed(t *pipeline.Trace) time.Duration { return reached(t, pipeline.MarkFirstCharacter) }

// reached returns the time from a step to a mark; Unknown where there is none, and of a step that
// did not end ok: it gives no latency, here and in the metrics alike.
func reached(t *pipeline.Trace, mark string) time.Duration {
	if t.Outcome != pipeline.OK {
		return pipeline.Unknown
	}
	return pipeline.Since(t.Due, t.Mark(mark))
}

// brought returns the request whose text a step landed with; nil where that is not known, or
// where it was there before the step.
func (r *Run) brought(t *pipeline.Trace) *Request {
	switch t.Fact(pipeline.FactSource) {
	case pipeline.SourceNetwork:
		if n := len(t.Requests); n > 0 {
			return r.byID[t.Requests[n-1].ID]
		}
	case pipeline.SourceJoined, pipeline.SourceSpeculation:
		if n := len(t.Uses); n > 0 {
			return r.byID[t.Uses[n-1].Request]
		}
		if n := len(t.Requests); n > 0 { // a guess itself
			return r.byID[t.Requests[n-1].ID]
		}
	}
	return nil
}
