package voice

import (
	"time"

	"halfsecond/pipeline"
)

// heardOut returns when the user has heard the last of the reply, or of what there was of it
// before it was given up; Unknown where nothing was heard. Of a service's audio it is when a
// player at the ear is through with that; of a modelled voice whose playback is followed, with
// its pieces, and otherwise the words play without a gap.
func (t *turn) heardOut() time.Duration {
	switch {
	case !t.replied:
		return pipeline.Unknown
	case t.stopped:
		return t.silentAt
	case len(t.trace.Answers) > 0:
		return t.answerOver()
	case t.trace.Sayings != nil:
		return t.sayingsOver()
	}
	return t.atEar(pipeline.Unknown).Over
}

// answerOver returns when the answer of a model that hears and speaks is heard out.
func (t *turn) answerOver() time.Duration {
	r := &t.trace.Answers[0]
	d := &t.drawn
	return r.FirstAudio + r.Stalled + pipeline.SamplesLast(r.Samples, r.Rate) + d.post + d.buffer + d.egress + d.playout
}

// sayingsOver returns when what a service spoke is heard out. A request's audio is played once
// that of the one before has been, and ends no sooner than if it were alone.
func (t *turn) sayingsOver() time.Duration {
	over, ear := pipeline.Unknown, pipeline.Unknown
	for i := range t.trace.Sayings {
		r := &t.trace.Sayings[i]
		if r.FirstAudio == pipeline.Unknown {
			continue
		}
		alone := r.FirstAudio + r.Stalled + r.Length()
		if over == pipeline.Unknown {
			over = alone
		} else {
			over = max(over+r.Length(), alone)
		}
		if ear == pipeline.Unknown && r.Voiced != pipeline.Unknown {
			ear = t.heardAt - r.Voiced
		}
	}
	if over == pipeline.Unknown || ear == pipeline.Unknown {
		return t.heardAt
	}
	return over + ear
}

// hearsOut has a user of a closed loop listen to the end of the reply.
func (t *turn) hearsOut() {
	s := t.simulator
	if _, asks := s.users[t.trace.Session]; asks {
		s.users[t.trace.Session] = t.heardOut()
	}
}
