package diagnosis

import (
	"fmt"
	"slices"
	"time"

	"halfsecond/pipeline"
)

// service is a part of the agent that speaks over connections, by the spans it leaves.
type service struct {
	name, connect string
	used          []string // the spans that begin with a use of the connection
}

var services = []service{
	{"the language model", pipeline.SpanLLMConnect, []string{pipeline.SpanLLMLoad, pipeline.SpanLLMQueue, pipeline.SpanLLMPrefill, pipeline.SpanLLMFirstToken, pipeline.SpanLLMWhole}},
	{"the voice", pipeline.SpanTTSConnect, []string{pipeline.SpanTTSQueue, pipeline.SpanTTSHeld, pipeline.SpanTTSFirstAudio}},
}

// use is one turn's use of a service.
type use struct {
	opened bool          // a connection, for as long as
	takes  time.Duration // this
	gap    time.Duration // since the turn before had its first audio, or the end of its answer; Unknown for the first turn of a session, and where the one before is not in the file
}

// uses returns the uses of a service by the turns, by session and index.
func (r *run) uses(s service) []use {
	var uses []use
	last, at := (*pipeline.Trace)(nil), pipeline.Unknown // the turn before, and its last use
	for _, t := range r.all {
		u := use{gap: pipeline.Unknown}
		begins, until := pipeline.Unknown, pipeline.Unknown
		for i := range t.Spans {
			x := &t.Spans[i]
			open := x.Name == s.connect
			if !open && !slices.Contains(s.used, x.Name) {
				continue
			}
			if begins == pipeline.Unknown {
				begins = x.Start
			}
			if open && x.End != pipeline.Unknown {
				u.opened, u.takes = true, u.takes+x.For()
			}
			if !open {
				until = max(until, x.End)
			}
		}
		if s.connect == pipeline.SpanLLMConnect {
			for i := range t.Requests {
				until = max(until, t.Requests[i].End)
			}
		}
		if begins != pipeline.Unknown {
			if last != nil && last.Session == t.Session && last.Index+1 == t.Index {
				u.gap = pipeline.Since(at, begins)
			}
			uses = append(uses, u)
		}
		last, at = t, until
	}
	return uses
}

// newConnection finds connections that are opened for nearly every turn, while the user
// waits. Of sessions with several turns the first says nothing.
func newConnection(r *run) (Diagnosis, bool) {
	const nearly = 0.9
	d := Diagnosis{ID: NewConnection, Title: "a new connection is opened for each utterance, while the user waits", Fix: cureConnect}
	var spans []string
	for _, s := range services {
		uses := r.uses(s)
		if later := slices.DeleteFunc(slices.Clone(uses), func(u use) bool { return u.gap == pipeline.Unknown }); len(later) > 0 {
			uses = later
		}
		opened := takesOf(uses)
		if len(uses) < fewest || float64(len(opened)) < nearly*float64(len(uses)) {
			continue
		}
		spans = append(spans, s.connect)
		d.Evidence = append(d.Evidence, fmt.Sprintf("%s opened one in %s (%s, %s)", s.name, ofTurns(len(opened), len(uses)), s.connect, figures(opened)))
		if gaps := gapsOf(uses); len(gaps) > 0 {
			d.Evidence = append(d.Evidence, fmt.Sprintf("%s was last used %s before (the shortest %s): an idle limit below that has the same effect", s.name, figures(gaps), ms(slices.Min(gaps))))
		}
	}
	e := r.without(spans...)
	if len(spans) == 0 || e.mean() < noticeable {
		return Diagnosis{}, false
	}
	d.Cost = e.mean()
	d.Evidence = append(d.Evidence, e.String())
	return d, true
}

// idleSocket finds connections that are opened again in just those turns that come long
// after the last use.
func idleSocket(r *run) (Diagnosis, bool) {
	d := Diagnosis{ID: IdleSocket, Title: "an idle connection is closed by the other side, and the next turn pays for a new one", Fix: cureIdle}
	var spans []string
	for _, s := range services {
		var opened, kept []use
		for _, u := range r.uses(s) {
			switch {
			case u.gap == pipeline.Unknown:
			case u.opened:
				opened = append(opened, u)
			default:
				kept = append(kept, u)
			}
		}
		below, above, ok := limitBetween(gapsOf(kept), gapsOf(opened))
		if !ok {
			continue
		}
		spans = append(spans, s.connect)
		d.Evidence = append(d.Evidence, fmt.Sprintf("%s opened a connection in %s (%s, %s): those that came %s or more after the last use, while up to %s it was still open",
			s.name, ofTurns(len(opened), len(opened)+len(kept)), s.connect, figures(takesOf(opened)), ms(above), ms(below)))
	}
	if len(spans) == 0 {
		return Diagnosis{}, false
	}
	e := r.without(spans...)
	d.Cost = e.mean()
	d.Evidence = append(d.Evidence, e.String())
	return d, true
}

// limitBetween returns the longest gap after which a connection was still there and the
// shortest after which it was not. ok is false unless one limit explains all but a
// twentieth, which are left out.
func limitBetween(kept, opened []time.Duration) (below, above time.Duration, ok bool) {
	const few = 2
	if len(kept) < few || len(opened) < few {
		return 0, 0, false
	}
	slices.Sort(kept)
	slices.Sort(opened)
	below, above = kept[len(kept)-1-len(kept)/20], opened[len(opened)/20]
	return below, above, below < above
}

func takesOf(uses []use) []time.Duration {
	var takes []time.Duration
	for _, u := range uses {
		if u.opened {
			takes = append(takes, u.takes)
		}
	}
	return takes
}

func gapsOf(uses []use) []time.Duration {
	var gaps []time.Duration
	for _, u := range uses {
		if u.gap != pipeline.Unknown {
			gaps = append(gaps, u.gap)
		}
	}
	return gaps
}
