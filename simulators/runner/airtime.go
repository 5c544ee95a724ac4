package runner

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/simulators/scenario"
)

// airtime is how long audio would go to a service that hears calls from their first word on.
type airtime struct {
	turns int           // of a call
	said  time.Duration // from the first sample of a recording to the end of speech
	ends  func(*pipeline.Trace) time.Duration
	heard map[int]time.Duration // of each session, until when
	all   time.Duration
}

// newAirtime returns that of a service of a stage, for calls of a scenario.
func (s *Speech) newAirtime(stage string, of *scenario.Scenario) *airtime {
	a := &airtime{turns: 1, said: s.usual(func(v *pipeline.Voice) time.Duration { return v.SpeechEnd }), heard: map[int]time.Duration{}}
	if !of.Arrivals.Open() && (stage != "stt" || listen.Streams(s.STT.Protocol)) {
		a.turns = max(1, of.Voice.Stack(false, of.Arrivals.Users).Context.Turns)
	}
	switch {
	case stage != "stt":
		a.ends = func(t *pipeline.Trace) time.Duration { return t.End }
	case listen.Streams(s.STT.Protocol):
		until := pipeline.SpanSTTTail
		if s.STT.Force {
			until = pipeline.SpanVADWait // then all text is asked for, and no more said
		}
		a.ends = func(t *pipeline.Trace) time.Duration {
			end := t.Due
			for i := range t.Spans {
				if t.Spans[i].Name == until {
					end = max(end, t.Spans[i].End)
				}
			}
			return end
		}
	default: // of an upload, or what the client ends itself
		a.ends = func(t *pipeline.Trace) time.Duration { return t.Due }
	}
	return a
}

// add counts a turn. Those of a session come in order.
func (a *airtime) add(t *pipeline.Trace) {
	from, end := t.Due-a.said, a.ends(t)
	if t.Index%a.turns > 0 { // audio goes on between turns, and once where one begins before the last has ended
		from = a.heard[t.Session]
		end = max(end, from)
	}
	a.heard[t.Session] = end
	a.all += end - from
}
