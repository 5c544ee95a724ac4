package budgets

import (
	"slices"

	"halfsecond/pipeline"
)

// Transcripts counts what speech services wrote down in turns that ended ok.
type Transcripts struct {
	N int // turns of which one did
	// Unflagged are those in which no final text came after the end of speech, and the end of
	// the session stands for it: what they took for that is no latency of a transcript.
	Unflagged int
}

// Transcripts returns how transcripts came; ok is false when no service wrote any.
func (a *Analysis) Transcripts() (c Transcripts, ok bool) {
	for i := range a.Run.Traces {
		t := &a.Run.Traces[i]
		if len(t.Hearings) == 0 || t.Outcome != pipeline.OK {
			continue
		}
		c.N++
		if Unflagged(t) {
			c.Unflagged++
		}
	}
	return c, c.N > 0
}

// Unflagged reports whether a turn's wait for a final text ended without one.
func Unflagged(t *pipeline.Trace) bool {
	return slices.ContainsFunc(t.Spans, func(s pipeline.Span) bool { return unflagged(t, &s) })
}

// unflagged reports whether a span is the wait for a final text that never came: it ends with
// the session, or later.
func unflagged(t *pipeline.Trace, s *pipeline.Span) bool {
	if s.Name != pipeline.SpanSTTTail || s.End == pipeline.Unknown || len(t.Hearings) == 0 {
		return false
	}
	h := &t.Hearings[len(t.Hearings)-1]
	return slices.Contains(h.Flags, pipeline.FlagNoFinal) && h.End != pipeline.Unknown && s.End >= h.End && s.End > s.Start
}

// transcribed has the length of a wait for a final text that never came be missing.
func transcribed(t *pipeline.Trace, s *pipeline.Span) func(v float64, as standing) (float64, standing) {
	return func(v float64, as standing) (float64, standing) {
		if as == present && unflagged(t, s) {
			return 0, missing
		}
		return v, as
	}
}
