package dashboard

import (
	"slices"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
)

const unknown = pipeline.Unknown

// seen is what a framework that watches one turn sees of it: instants, Unknown for what it
// does not see.
type seen struct {
	due      time.Duration // the end of speech at the mouth
	arrived  time.Duration // the end of speech is at the agent
	rewound  time.Duration // the detector's stop, less the silence that it is set to
	stop     time.Duration // the detector's stop
	final    time.Duration // the transcript is final
	commit   time.Duration // the turn is over, and the user's code is called
	hooked   time.Duration // it is done
	asked    time.Duration // the model is asked, connecting included
	output   time.Duration // its first token of any kind
	token    time.Duration // the first of its answer
	gathered time.Duration // there is text for the voice
	handed   time.Duration // it is handed over
	dialled  stretch       // the connection to the voice, opened while the text waits
	audio    time.Duration // the first audio comes
	sent     time.Duration // the first sound that can be heard leaves the agent, a filler's if there is one
	// silence is what the first audio begins with: it leaves the agent as much sooner.
	silence stretch
}

// The spans between two events.
var (
	toAgent = pipeline.ToAgent()
	ending  = []string{pipeline.SpanVADWait, pipeline.SpanEndOfTurn, pipeline.SpanSTTTail, pipeline.SpanSTTTimer, pipeline.SpanPolicyWait}
	model   = []string{pipeline.SpanLLMConnect, pipeline.SpanLLMLoad, pipeline.SpanLLMQueue, pipeline.SpanLLMPrefill, pipeline.SpanLLMFirstToken, pipeline.SpanLLMWhole}
	text    = []string{pipeline.SpanGathering, pipeline.SpanLookAhead}
	voice   = []string{pipeline.SpanTTSHeld, pipeline.SpanTTSConnect, pipeline.SpanTTSQueue, pipeline.SpanTTSFirstAudio}
	toEar   = pipeline.ToEar()
)

// see looks at a turn that landed at an instant.
func see(t *pipeline.Trace, landing time.Duration) seen {
	x := spans{t, landing}
	s := seen{due: t.Due, arrived: max(t.Due, x.end(toAgent...)), stop: x.end(pipeline.SpanVADWait)}
	s.rewound = x.rewound(s.stop, s.arrived)
	if s.final = x.end(pipeline.SpanSTTTail); budgets.Unflagged(t) {
		s.final = unknown
	}
	s.commit = x.end(ending...)
	s.hooked = x.end(pipeline.SpanHook)
	answer := x.after(x.end(pipeline.SpanTool))
	s.asked, s.output = answer.start(model...), answer.end(model...)
	if s.token = answer.end(pipeline.SpanLLMReasoning); s.token == unknown {
		s.token = s.output
	}
	s.gathered = answer.end(text...)
	s.handed = answer.start(voice...)
	s.dialled = stretch{answer.start(pipeline.SpanTTSConnect), answer.end(pipeline.SpanTTSConnect)}
	s.audio = x.end(pipeline.SpanTTSFirstAudio)
	if s.audio == unknown {
		s.audio = x.end(pipeline.SpanModelAudio)
	}
	s.leave(&x)
	return s
}

// rewound returns where a framework takes speech to have ended: the detector's stop, less the
// silence that it is set to. What its frames and its computing take beyond that it does not
// know. Without a detector it is the end of speech.
func (x spans) rewound(stop, arrived time.Duration) time.Duration {
	if stop == unknown {
		return arrived
	}
	if silence, err := time.ParseDuration(x.Fact(pipeline.FactVADSilence)); err == nil {
		return stop - silence
	}
	return x.start(pipeline.SpanVADWait)
}

// fromText returns the time from an instant at which there is text until the first audio,
// without the opening of a connection in between.
func (s *seen) fromText(from time.Duration) []stretch {
	if d := s.dialled; d.from != unknown && d.from >= from {
		return []stretch{{from, d.from}, {d.to, s.audio}}
	}
	return []stretch{{from, s.audio}}
}

// mayBeSaid returns when there is an answer that may be said: its first token, or the end of
// the turn where that comes later and the voice waited for it.
func (s *seen) mayBeSaid() time.Duration {
	if over := max(s.commit, s.hooked); s.token != unknown && s.handed >= over {
		return max(s.token, over)
	}
	return s.token
}

// spans are those of a turn that ended by its landing.
type spans struct {
	*pipeline.Trace
	landing time.Duration
}

// after leaves out those that began before an instant; Unknown leaves out none.
func (x spans) after(at time.Duration) spans {
	if at == unknown {
		return x
	}
	t := *x.Trace
	t.Spans = slices.DeleteFunc(slices.Clone(t.Spans), func(s pipeline.Span) bool { return s.Start < at })
	return spans{&t, x.landing}
}

// each calls f with the spans of these names.
func (x spans) each(names []string, f func(s *pipeline.Span)) {
	for i := range x.Spans {
		if s := &x.Spans[i]; s.End != unknown && s.End <= x.landing && slices.Contains(names, s.Name) {
			f(s)
		}
	}
}

// start returns when the first span of these names began; Unknown for none.
func (x spans) start(names ...string) time.Duration {
	at := unknown
	x.each(names, func(s *pipeline.Span) {
		if at == unknown || s.Start < at {
			at = s.Start
		}
	})
	return at
}

// end returns when the last span of these names ended; Unknown for none.
func (x spans) end(names ...string) time.Duration {
	at := unknown
	x.each(names, func(s *pipeline.Span) { at = max(at, s.End) })
	return at
}

// leave finds when sound leaves the agent: that is the landing less the way to the ear. A
// filler comes the same way.
func (s *seen) leave(x *spans) {
	s.silence = stretch{x.start(pipeline.SpanLeading), x.end(pipeline.SpanLeading)}
	if s.sent = x.Mark(pipeline.MarkReplySent); s.sent != unknown {
		s.silence = stretch{unknown, unknown}
		return
	}
	way := time.Duration(0)
	x.each(toEar, func(s *pipeline.Span) { way += s.For() })
	s.sent = x.landing - way
	if filler := x.Mark(pipeline.MarkFillerHeard); filler != unknown && filler < x.landing {
		s.sent = filler - way
		if s.silence.from != unknown { // the filler's is as long, and ends with its first sound
			s.silence = stretch{s.sent - s.silence.length(), s.sent}
		}
	}
}

// untilSent returns the time from an instant until the first audio leaves the agent: a
// clock that stops there does not see the silence that it begins with.
func (s *seen) untilSent(from time.Duration) []stretch {
	if s.silence.from == unknown || from == unknown {
		return []stretch{{from, s.sent}}
	}
	return []stretch{{from, s.silence.from}, {s.silence.to, s.sent}}
}
