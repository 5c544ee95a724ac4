package ghost

import (
	"cmp"
	"slices"
	"sort"
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
	r.EachEdge(func(t *pipeline.Trace, lost bool) {
		e.add(lost)
		if lost {
			why[cmp.Or(t.Fact(pipeline.FactHeld), "none")]++
		}
	})
	e.Why = why.most()
	return e
}

// EachEdge tells of each last key of a burst whether it got neither a suggestion nor a request.
func (r *Run) EachEdge(tell func(t *pipeline.Trace, lost bool)) {
	served := r.services()
	for _, x := range r.events() {
		if x.trace.Kind == pipeline.KindIDE && r.untilNext(x) > Pause {
			tell(x.trace, served.none(x))
		}
	}
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
	return r.services().none(event{t, pipeline.Unknown})
}

// services are what each person was given: by person, in order of time.
type services struct {
	asked map[int][]time.Duration // when requests fell due
	seen  map[int][]seen
}

// seen is a suggestion that came at an instant; until is when it and all before it were gone.
type seen struct{ from, until time.Duration }

// services sorts requests and sights out.
func (r *Run) services() services {
	s := services{map[int][]time.Duration{}, map[int][]seen{}}
	for i := range r.Requests {
		q := &r.Requests[i]
		s.asked[q.Trace.Session] = append(s.asked[q.Trace.Session], q.Due)
	}
	for _, dues := range s.asked {
		slices.Sort(dues)
	}
	for _, x := range r.Sights() {
		all, until := s.seen[x.Session], x.Until(r.Options.End+1)
		if n := len(all); n > 0 {
			until = max(until, all[n-1].until)
		}
		s.seen[x.Session] = append(all, seen{x.From, until})
	}
	return s
}

// none reports whether nothing was shown and nothing asked from a step to the next.
func (s services) none(x event) bool {
	if Landed(x.trace) != pipeline.Unknown {
		return false
	}
	before := func(at time.Duration) bool { return x.next == pipeline.Unknown || at < x.next }
	dues, all := s.asked[x.trace.Session], s.seen[x.trace.Session]
	if i, _ := slices.BinarySearch(dues, x.trace.Due); i < len(dues) && before(dues[i]) {
		return false
	}
	shown := sort.Search(len(all), func(i int) bool { return !before(all[i].from) })
	return shown == 0 || all[shown-1].until <= handled(x.trace)
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
