package assemblyai

import (
	"fmt"
	"iter"
	"time"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/assemblyai"
)

// session is a conversation of /v3/ws.
type session struct {
	talk.Visit
	options
	decoders ear.Decoders
	ear      ear.Ear
	turn     turn
	expiry   pipeline.Timer
	unheard  talk.Idle
	closing  bool
	over     bool
}

// turn is what was told of the turn that is open.
type turn struct {
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

func newSession(v talk.Visit, ears *ear.Models, o options) *session {
	s := &session{Visit: v, options: o, decoders: o.source.Decoders(1)}
	h := ears.Hearing(&s.Entry, o.model, o.texts)
	h.Detector = o.detector
	if h.Profile.MaxSpan = 0; o.pro {
		h.Profile.Every = proStep
	}
	s.ear = ear.New(func(rate int) *speech.Recognizer {
		h.Rate, h.Turn = rate, s.settings.turn()
		return speech.NewRecognizer(s.Loop, h, s.tell)
	})
	return s
}

// begin begins a session that ends by itself at a wall-clock time.
func (s *session) begin(expires time.Time) {
	s.Say(assemblyai.Begin{Type: assemblyai.TypeBegin, ID: s.Entry.ID, ExpiresAt: expires.Unix()})
	if s.warning != "" {
		s.Say(assemblyai.Warning{Type: assemblyai.TypeWarning, Code: assemblyai.CodeInput, Warning: s.warning})
	}
	s.expiry = s.Loop.After(longestSession, pipeline.RankTimer, func() {
		s.fail(assemblyai.CodeExpired, "Session Expired: Maximum session duration exceeded")
	})
	// No document says with which code a session is closed that was left alone: it is that
	// of errors without a code of their own.
	s.unheard.Watch(s.Loop, s.idle, func() {
		s.fail(assemblyai.CodeSession, fmt.Sprintf("Session Cancelled: No audio or KeepAlive for the inactivity_timeout of %.0f s", s.idle.Seconds()))
	})
}

// fail ends the session because of an error. The reason of the close frame is short.
func (s *session) fail(code int, problem string) {
	s.stop()
	s.Say(assemblyai.Error{Type: assemblyai.TypeError, Code: code, Error: problem})
	s.Settle(pipeline.Error, problem)
	reason := problem
	if len(reason) > talk.LongestReason {
		reason = "See Error message for details"
	}
	s.Close(code, reason)
}

// stop makes everything end that would still be told.
func (s *session) stop() {
	s.closing, s.over = true, true
	s.expiry.Stop()
	s.unheard.Stop()
	s.ear.Stop()
}

// Gone implements talk.Session.
func (s *session) Gone() {
	s.stop()
	s.Leave(s.ear.Heard())
}

// Binary implements talk.Session.
func (s *session) Binary(b []byte) iter.Seq[func()] {
	if len(b) == 0 {
		return talk.Once(s.empty)
	}
	return s.decoders.Hearing(b, s.hear)
}

// empty handles an empty frame.
func (s *session) empty() {
	if !s.closing {
		s.unheard.Heard()
		s.lasts(0)
	}
}

// lasts reports whether a message of so many bytes has a length that is allowed; else
// the session has failed.
func (s *session) lasts(bytes int) bool {
	d := s.source.Format.Duration(bytes)
	if s.limited && (d < shortestMessage || d > longestMessage) {
		s.fail(assemblyai.CodeDuration, fmt.Sprintf("Input Duration Error: Input Duration Violation: %.1f ms. Expected between 50 and 1000 ms", d.Seconds()*1000))
		return false
	}
	return true
}

func (s *session) hear(a ear.Stretch) {
	if s.closing || a.Frame > 0 && !s.lasts(a.Frame) {
		return
	}
	s.unheard.Heard()
	s.ear.Hear(a.Samples[0], a.Rate)
	if a.Err != nil {
		s.fail(assemblyai.CodeInput, "Input Validation Error: the audio cannot be decoded: "+a.Err.Error())
	}
}

// Text implements talk.Session.
func (s *session) Text(b []byte) iter.Seq[func()] {
	command, problem := readCommand(b)
	return talk.Once(func() { s.take(command, problem) })
}

// take takes a command of the client, or what is wrong with it.
func (s *session) take(command assemblyai.Command, problem string) {
	if s.closing {
		return
	}
	if problem != "" {
		s.fail(assemblyai.CodeInput, problem)
		return
	}
	switch command.Type {
	case assemblyai.TypeKeepAlive:
		s.unheard.Heard()
	case assemblyai.TypeForceEndpoint:
		s.ear.Recognizer().EndTurn()
	case assemblyai.TypeUpdateConfiguration:
		s.update(command)
	case assemblyai.TypeTerminate:
		s.closing = true
		s.unheard.Stop()
		s.ear.Recognizer().Close()
	}
}

func (s *session) update(c assemblyai.Command) {
	settings, err := s.with(c)
	if err != nil {
		s.fail(assemblyai.CodeInput, "Input Validation Error: "+err.Error())
		return
	}
	s.settings = settings
	s.ear.Recognizer().SetTurn(settings.turn())
}

// tell passes on what the recognizer says.
func (s *session) tell(e speech.Event) {
	switch e.Kind {
	case speech.SpeechStarted:
		s.turn.start = e.Start
		if !s.pro {
			s.Say(assemblyai.SpeechStarted{Type: assemblyai.TypeSpeechStarted, Timestamp: e.Start.Milliseconds()})
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
func (s *session) interim(e speech.Event) {
	if len(e.Words) > s.turn.words {
		s.turn.words = len(e.Words)
		s.partial(e, "")
	}
}

// utterance tells what was said up to a pause, in which the turn may end.
func (s *session) utterance(e speech.Event) {
	if len(e.Words) > s.turn.uttered {
		said := ear.Spelled(e.Words[s.turn.uttered:])
		s.turn.words, s.turn.uttered = len(e.Words), len(e.Words)
		s.partial(e, said)
	}
}

// partial sends what was heard of an open turn so far. The last word is not final.
func (s *session) partial(e speech.Event, utterance string) {
	s.Answered()
	words := ear.Plain(e.Words)
	m := s.message(e, words)
	final := max(0, len(words)-1)
	for i := range m.Words {
		m.Words[i].WordIsFinal = i < final
	}
	m.Transcript, m.Utterance = ear.Spelled(words[:final]), utterance
	s.Say(m)
}

// proInterim tells of a turn of Universal-3 Pro: once after some speech, then once in
// each pause. None of its words are final.
func (s *session) proInterim(e speech.Event) {
	pause := e.Confidence > 0
	first := !s.turn.partial && e.End-s.turn.start >= proPartial
	tells := len(e.Words) > 0 && (first || pause && !s.turn.paused)
	s.turn.paused = pause && (s.turn.paused || tells)
	if !tells {
		return
	}
	s.turn.partial = true
	s.Answered()
	s.proStarted(e)
	e.Confidence = 0
	m := s.message(e, e.Words)
	m.Transcript = ear.Spelled(e.Words)
	s.Say(m)
}

// proStarted tells, before the first message with words, that speech has started: at
// their start, as the service does (captures in public repositories, read 2026-11-29).
func (s *session) proStarted(e speech.Event) {
	if first := e.Words[0]; !s.turn.started {
		s.turn.started = true
		s.Say(assemblyai.SpeechStarted{Type: assemblyai.TypeSpeechStarted, Timestamp: first.Start.Milliseconds(), Confidence: first.Confidence})
	}
}

// message returns a Turn message with words that are not final.
func (s *session) message(e speech.Event, words []speech.Word) assemblyai.Turn {
	m := assemblyai.Turn{Type: assemblyai.TypeTurn, TurnOrder: s.turn.number, Confidence: ear.FourDigits(e.Confidence), Words: []assemblyai.Word{}}
	for _, w := range words {
		m.Words = append(m.Words, assemblyai.Word{Start: w.Start.Milliseconds(), End: w.End.Milliseconds(), Text: w.Text, Confidence: w.Confidence})
	}
	return m
}

// final ends the turn. Speech in which there were no words was none.
func (s *session) final(e speech.Event) {
	if len(e.Words) > 0 {
		s.Answered()
		s.endTurn(e)
	}
	s.turn = turn{number: s.turn.number, start: s.turn.start}
	if len(e.Words) > 0 {
		s.turn.number++
	}
}

func (s *session) endTurn(e speech.Event) {
	if s.pro {
		s.proStarted(e)
		e.Confidence = 1
		m := s.whole(e, e.Words)
		m.TurnIsFormatted, m.Utterance = true, m.Transcript
		s.Say(m)
		return
	}
	m := s.whole(e, ear.Plain(e.Words))
	m.Utterance = ear.Spelled(e.Words[min(s.turn.uttered, len(e.Words)):])
	s.Say(m)
	if s.format {
		formatted := s.whole(e, e.Words)
		formatted.TurnIsFormatted = true
		s.Loop.After(formatTime, pipeline.RankOutput, func() {
			if !s.over {
				s.Say(formatted)
			}
		})
	}
}

// whole returns the message of a turn that has ended.
func (s *session) whole(e speech.Event, words []speech.Word) assemblyai.Turn {
	m := s.message(e, words)
	m.EndOfTurn, m.Transcript = true, ear.Spelled(words)
	for i := range m.Words {
		m.Words[i].WordIsFinal = true
	}
	return m
}

// closed ends the session once the last turn has been told, formatted too.
func (s *session) closed() {
	wait := time.Duration(0)
	if s.format && !s.pro {
		wait = formatTime
	}
	s.Loop.After(wait, pipeline.RankOutput, func() {
		if s.over {
			return
		}
		s.Say(assemblyai.Termination{
			Type:          assemblyai.TypeTermination,
			AudioDuration: int(s.ear.Heard() / time.Second), SessionDuration: int((s.Loop.Now() - s.Entry.Arrived) / time.Second),
		})
		s.Settle(pipeline.OK, "")
		s.stop()
		s.Close(talk.CloseNormal, "Session Ended") // the service's words, as users quote them (read 2026-11-29)
	})
}
