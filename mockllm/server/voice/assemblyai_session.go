package voice

import (
	"fmt"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/assemblyai"
)

// assemblySession is a conversation of /v3/ws.
type assemblySession struct {
	visit
	assemblyOptions
	profile speech.STT
	decoders
	ear     ear
	turn    assemblyTurn
	expiry  pipeline.Timer
	unheard pipeline.Timer // nothing has come for long
	closing bool
	over    bool
}

// assemblyTurn is what was told of the turn that is open.
type assemblyTurn struct {
	number  int
	words   int // told
	uttered int // of them, in an utterance

	// Of Universal-3 Pro:
	start   time.Duration // of the speech
	started bool          // that has been told
	partial bool          // and some words
	paused  bool          // and some in this pause
}

const (
	shortestMessage = 50 * time.Millisecond // of audio
	longestMessage  = time.Second
	// formatTime is how much later the turn comes as it is written. Assumed: the
	// service says only that it takes time.
	formatTime = 200 * time.Millisecond
	// proPartial is how much speech there is before the first partial of Universal-3
	// Pro (universal-3-pro/u3-pro-message-sequence, read 2026-11-29).
	proPartial = 750 * time.Millisecond
	// proStep is how often Universal-3 Pro is looked at for a pause.
	proStep = 100 * time.Millisecond
)

func newAssemblySession(v visit, o assemblyOptions) *assemblySession {
	s := &assemblySession{visit: v, assemblyOptions: o, profile: v.service.config.STT(o.model), decoders: o.source.decoders(1)}
	h := v.service.hearing(s.profile, o.texts)
	h.Detector = o.detector
	if h.Profile.MaxSpan = 0; o.pro {
		h.Profile.Every = proStep
	}
	s.ear = ear{begin: func(rate int) *speech.Recognizer {
		h.Rate, h.Turn = rate, s.assemblySettings.turn()
		return speech.NewRecognizer(s.loop, h, s.tell)
	}}
	return s
}

// begin begins a session that ends by itself at a wall-clock time.
func (s *assemblySession) begin(expires time.Time) {
	s.say(assemblyai.Begin{Type: assemblyai.TypeBegin, ID: s.entry.ID, ExpiresAt: expires.Unix()})
	if s.warning != "" {
		s.say(assemblyai.Warning{Type: assemblyai.TypeWarning, Code: assemblyai.CodeInput, Warning: s.warning})
	}
	s.expiry = s.loop.After(assemblyLongest, pipeline.RankTimer, func() {
		s.fail(assemblyai.CodeExpired, "Session Expired: Maximum session duration exceeded")
	})
	s.wait()
}

// wait starts to wait for the client anew. No document says with which code a session
// is closed that was left alone: it is that of errors without a code of their own.
func (s *assemblySession) wait() {
	if s.unheard.Stop(); s.idle > 0 && !s.closing {
		s.unheard = s.loop.After(s.idle, pipeline.RankTimer, func() {
			s.fail(assemblyai.CodeSession, fmt.Sprintf("Session Cancelled: No audio or KeepAlive for the inactivity_timeout of %.0f s", s.idle.Seconds()))
		})
	}
}

// fail ends the session because of an error. The reason of the close frame is short.
func (s *assemblySession) fail(code int, problem string) {
	s.stop()
	s.say(assemblyai.Error{Type: assemblyai.TypeError, Code: code, Error: problem})
	s.settle(pipeline.Error, problem)
	reason := problem
	if len(reason) > longestReason {
		reason = "See Error message for details"
	}
	s.close(code, reason)
}

// stop makes everything end that would still be told.
func (s *assemblySession) stop() {
	s.closing, s.over = true, true
	s.expiry.Stop()
	s.unheard.Stop()
	s.ear.stop()
}

func (s *assemblySession) gone() {
	s.stop()
	s.leave(s.ear.heard())
}

// binary handles an empty frame.
func (s *assemblySession) binary([]byte) {
	if !s.closing {
		s.wait()
		s.lasts(0)
	}
}

// lasts reports whether a message of so many bytes has a length that is allowed; else
// the session has failed.
func (s *assemblySession) lasts(bytes int) bool {
	d := s.source.format.Duration(bytes)
	if s.limited && (d < shortestMessage || d > longestMessage) {
		s.fail(assemblyai.CodeDuration, fmt.Sprintf("Input Duration Error: Input Duration Violation: %.1f ms. Expected between 50 and 1000 ms", d.Seconds()*1000))
		return false
	}
	return true
}

func (s *assemblySession) hear(a stretch) {
	if s.closing || a.frame > 0 && !s.lasts(a.frame) {
		return
	}
	s.wait()
	s.ear.hear(a.samples[0], a.rate)
	if a.err != nil {
		s.fail(assemblyai.CodeInput, "Input Validation Error: the audio cannot be decoded: "+a.err.Error())
	}
}

func (s *assemblySession) text(b []byte) {
	if s.closing {
		return
	}
	command, problem := readAssemblyCommand(b)
	if problem != "" {
		s.fail(assemblyai.CodeInput, problem)
		return
	}
	switch command.Type {
	case assemblyai.TypeKeepAlive:
		s.wait()
	case assemblyai.TypeForceEndpoint:
		s.ear.recognizer().EndTurn()
	case assemblyai.TypeUpdateConfiguration:
		s.update(command)
	case assemblyai.TypeTerminate:
		s.closing = true
		s.unheard.Stop()
		s.ear.recognizer().Close()
	}
}

func (s *assemblySession) update(c assemblyai.Command) {
	settings, err := s.with(c)
	if err != nil {
		s.fail(assemblyai.CodeInput, "Input Validation Error: "+err.Error())
		return
	}
	s.assemblySettings = settings
	s.ear.recognizer().SetTurn(settings.turn())
}

// tell passes on what the recognizer says.
func (s *assemblySession) tell(e speech.Event) {
	switch e.Kind {
	case speech.SpeechStarted:
		s.turn.start = e.Start
		if !s.pro {
			s.say(assemblyai.SpeechStarted{Type: assemblyai.TypeSpeechStarted, Timestamp: e.Start.Milliseconds()})
		}
	case speech.Interim:
		if s.pro {
			s.proInterim(e)
		} else {
			s.interim(e)
		}
	case speech.EagerEnd:
		if !s.pro {
			s.utterance(e)
		}
	case speech.Final:
		s.final(e)
	case speech.Closed:
		s.closed()
	}
}

// interim tells of a word more.
func (s *assemblySession) interim(e speech.Event) {
	if len(e.Words) > s.turn.words {
		s.turn.words = len(e.Words)
		s.partial(e, "")
	}
}

// utterance tells what was said up to a pause, in which the turn may end.
func (s *assemblySession) utterance(e speech.Event) {
	if len(e.Words) > s.turn.uttered {
		said := spelled(e.Words[s.turn.uttered:])
		s.turn.words, s.turn.uttered = len(e.Words), len(e.Words)
		s.partial(e, said)
	}
}

// partial sends what was heard of an open turn so far. The last word is not final.
func (s *assemblySession) partial(e speech.Event, utterance string) {
	s.answered()
	words := flattened(e.Words)
	m := s.message(e, words)
	final := max(0, len(words)-1)
	for i := range m.Words {
		m.Words[i].WordIsFinal = i < final
	}
	m.Transcript, m.Utterance = spelled(words[:final]), utterance
	s.say(m)
}

// proInterim tells of a turn of Universal-3 Pro: once after some speech, then once in
// each pause. None of its words are final.
func (s *assemblySession) proInterim(e speech.Event) {
	pause := e.Confidence > 0
	first := !s.turn.partial && e.End-s.turn.start >= proPartial
	tells := len(e.Words) > 0 && (first || pause && !s.turn.paused)
	s.turn.paused = pause && (s.turn.paused || tells)
	if !tells {
		return
	}
	s.turn.partial = true
	s.answered()
	s.proStarted(e)
	e.Confidence = 0
	m := s.message(e, e.Words)
	m.Transcript = spelled(e.Words)
	s.say(m)
}

// proStarted tells, before the first message with words, that speech has started: at
// their start, as the service does (captures in public repositories, read 2026-11-29).
func (s *assemblySession) proStarted(e speech.Event) {
	if first := e.Words[0]; !s.turn.started {
		s.turn.started = true
		s.say(assemblyai.SpeechStarted{Type: assemblyai.TypeSpeechStarted, Timestamp: first.Start.Milliseconds(), Confidence: first.Confidence})
	}
}

// message returns a Turn message with words that are not final.
func (s *assemblySession) message(e speech.Event, words []speech.Word) assemblyai.Turn {
	m := assemblyai.Turn{Type: assemblyai.TypeTurn, TurnOrder: s.turn.number, Confidence: fourDigits(e.Confidence), Words: []assemblyai.Word{}}
	for _, w := range words {
		m.Words = append(m.Words, assemblyai.Word{Start: w.Start.Milliseconds(), End: w.End.Milliseconds(), Text: w.Text, Confidence: w.Confidence})
	}
	return m
}

// final ends the turn. Speech in which there were no words was none.
func (s *assemblySession) final(e speech.Event) {
	if len(e.Words) > 0 {
		s.answered()
		s.endTurn(e)
	}
	s.turn = assemblyTurn{number: s.turn.number, start: s.turn.start}
	if len(e.Words) > 0 {
		s.turn.number++
	}
}

func (s *assemblySession) endTurn(e speech.Event) {
	if s.pro {
		s.proStarted(e)
		e.Confidence = 1
		m := s.whole(e, e.Words)
		m.TurnIsFormatted, m.Utterance = true, m.Transcript
		s.say(m)
		return
	}
	m := s.whole(e, flattened(e.Words))
	m.Utterance = spelled(e.Words[min(s.turn.uttered, len(e.Words)):])
	s.say(m)
	if s.format {
		formatted := s.whole(e, e.Words)
		formatted.TurnIsFormatted = true
		s.loop.After(formatTime, pipeline.RankOutput, func() {
			if !s.over {
				s.say(formatted)
			}
		})
	}
}

// whole returns the message of a turn that has ended.
func (s *assemblySession) whole(e speech.Event, words []speech.Word) assemblyai.Turn {
	m := s.message(e, words)
	m.EndOfTurn, m.Transcript = true, spelled(words)
	for i := range m.Words {
		m.Words[i].WordIsFinal = true
	}
	return m
}

// closed ends the session once the last turn has been told, formatted too.
func (s *assemblySession) closed() {
	wait := time.Duration(0)
	if s.format && !s.pro {
		wait = formatTime
	}
	s.loop.After(wait, pipeline.RankOutput, func() {
		if s.over {
			return
		}
		s.say(assemblyai.Termination{
			Type:          assemblyai.TypeTermination,
			AudioDuration: int(s.ear.heard() / time.Second), SessionDuration: int((s.loop.Now() - s.entry.Arrived) / time.Second),
		})
		s.settle(pipeline.OK, "")
		s.stop()
		s.close(websocket.CloseNormalClosure, "Session Ended") // the service's words, as users quote them (read 2026-11-29)
	})
}
