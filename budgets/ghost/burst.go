package ghost

import (
	"cmp"
	"slices"
	"time"

	"halfsecond/pipeline"
)

// Pause ends a burst of typing: nothing happens for longer.
const Pause = time.Second

// Edges are the last keys of bursts. After each there should be a suggestion, or a request.
type Edges struct {
	Share         // those with neither
	Why   []Count // the rules that kept the plugin from asking; "none" where no rule did
}

// event is a key or another step of a person, and when the next one came.
type event struct {
	trace *pipeline.Trace
	next  time.Duration // Unknown after the last
}

// events returns what people did, person by person in the order of time. What nobody did, such
// as a guess, is none of it.
func (r *Run) events() (all []event) {
	for _, t := range slices.Concat(r.Keys, r.Steps) {
		if t.Fact(pipeline.FactClass) != pipeline.ClassSpeculation {
			all = append(all, event{t, pipeline.Unknown})
		}
	}
	slices.SortStableFunc(all, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.trace.Session, b.trace.Session), cmp.Compare(a.trace.Due, b.trace.Due))
	})
	for i := range all {
		all[i].next = nextOf(all, i)
	}
	return all
}

// nextOf returns when what a person did next came; Unknown where nothing did. A step at the
// instant of a key is part of it.
func nextOf(all []event, i int) time.Duration {
	x := all[i].trace
	for _, e := range all[i+1:] {
		with := x.Kind == pipeline.KindIDE && e.trace.Kind != pipeline.KindIDE && e.trace.Due == x.Due
		if e.trace.Session != x.Session {
			break
		}
		if !with {
			return e.trace.Due
		}
	}
	return pipeline.Unknown
}

// Edges tells what followed the last keys of bursts.
func (r *Run) Edges() (e Edges) {
	why := counts{}
	sights := r.Sights()
	for _, x := range r.events() {
		if x.trace.Kind != pipeline.KindIDE || r.untilNext(x) <= Pause {
			continue
		}
		lost := r.unserved(x, sights)
		e.add(lost)
		if lost {
			why[cmp.Or(x.trace.Fact(pipeline.FactHeld), "none")]++
		}
	}
	e.Why = why.most()
	return e
}

// untilNext returns how long nothing happened behind a step: until the next, or the end of the
// run.
func (r *Run) untilNext(x event) time.Duration {
	if x.next == pipeline.Unknown {
		return r.Options.End - x.trace.Due
	}
	return x.next - x.trace.Due
}

// EdgeLost reports whether a person's last key or acceptance, which a step is, got neither
// a suggestion nor a request.
func (r *Run) EdgeLost(t *pipeline.Trace) bool {
	return r.unserved(event{t, pipeline.Unknown}, r.Sights())
}

// unserved reports whether nothing was shown and nothing asked from a step to the next.
func (r *Run) unserved(x event, sights []Sight) bool {
	if Landed(x.trace) != pipeline.Unknown {
		return false
	}
	before := func(at time.Duration) bool { return x.next == pipeline.Unknown || at < x.next }
	for i := range r.Requests {
		if q := &r.Requests[i]; q.Trace.Session == x.trace.Session && q.Due >= x.trace.Due && before(q.Due) {
			return false
		}
	}
	return !slices.ContainsFunc(sights, func(s Sight) bool {
		return s.Session == x.trace.Session && s.Until(r.Options.End+1) > handled(x.trace) && before(s.From)
	})
}

// handled returns when the editor's thread came to a step, which may then have hidden what was
// there.
func handled(t *pipeline.Trace) time.Duration {
	at := t.Due
	for i := range t.Spans {
		if t.Spans[i].Name == pipeline.SpanKeyWait {
			at = max(at, t.Spans[i].End)
		}
	}
	return at
}
