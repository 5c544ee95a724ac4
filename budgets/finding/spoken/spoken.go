package spoken

import (
	"fmt"
	"slices"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/finding"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
)

// Of returns what was found, what hurts most first.
func Of(e *heard.Endpoint) []finding.Finding {
	v := newView(e)
	var found []finding.Finding
	for _, check := range []func(*view) []finding.Finding{
		refusals, failures, finals, partials, answers, leads, wholes, underruns, containers, rates, noises, connections, partings, tester,
	} {
		found = append(found, check(v)...)
	}
	finding.Sort(found)
	return found
}

// Measured reports whether there was any answer to look at.
func Measured(e *heard.Endpoint) bool {
	return slices.ContainsFunc(e.Sessions, func(s heard.Session) bool { return s.Transport().Status != 0 })
}

// view is what checks look at.
type view struct {
	*heard.Endpoint
	// all are the sessions, however they ended: what began can be judged without its end.
	all []*heard.Session
	// ok are the sessions that ended well, with a text where speech was to be heard. Own are
	// those of them that left the end of speech to the service, forced those in which the
	// client told it.
	ok, own, forced []*heard.Session
}

func newView(e *heard.Endpoint) *view {
	v := &view{Endpoint: e}
	for i := range e.Sessions {
		s := &e.Sessions[i]
		v.all = append(v.all, s)
		if !s.OK() || flagged(s, pipeline.FlagNoFinal) {
			continue
		}
		v.ok = append(v.ok, s)
		if s.Forced {
			v.forced = append(v.forced, s)
		} else {
			v.own = append(v.own, s)
		}
	}
	return v
}

// which names a session.
func (v *view) which(s *heard.Session) string { return fmt.Sprintf("session %d", s.ID) }

// middle returns the session with the middle value of a span among those that have one; nil
// where none has.
func middle(sessions []*heard.Session, span func(*heard.Session) time.Duration) (*heard.Session, time.Duration) {
	known := slices.DeleteFunc(slices.Clone(sessions), func(s *heard.Session) bool { return span(s) == pipeline.Unknown })
	if len(known) == 0 {
		return nil, pipeline.Unknown
	}
	slices.SortStableFunc(known, func(a, b *heard.Session) int { return int(span(a) - span(b)) })
	s := known[(len(known)-1)/2]
	return s, span(s)
}

// amid says that a session is the middle one of several.
func amid(sessions []*heard.Session) string {
	if len(sessions) < 2 {
		return ""
	}
	return fmt.Sprintf(", the middle one of %d", len(sessions))
}

// ms returns a time for a reader.
func ms(d time.Duration) string {
	if d == pipeline.Unknown {
		return "unknown"
	}
	return budgets.Duration.Format(float64(d))
}

// one returns a finding as a list.
func one(f finding.Finding) []finding.Finding { return []finding.Finding{f} }
