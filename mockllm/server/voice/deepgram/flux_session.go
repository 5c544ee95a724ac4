package deepgram

import (
	"encoding/json"
	"errors"
	"iter"
	"time"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire/deepgram"
)

// fluxState is where a conversation of /v2/listen stands; see
// developers.deepgram.com/docs/flux/state, read 2026-11-29.
type fluxState uint8

const (
	fluxReady    fluxState = iota // no turn has words
	fluxSpeaking                  // one has
	fluxAwaiting                  // it has probably ended
)

// fluxSession is a conversation of /v2/listen. There is no limit on silence: none is
// stated, and a turn stays open while no audio comes.
type fluxSession struct {
	talk.Visit
	fluxOptions
	every    time.Duration // audio between Updates
	lag      dist.Dist     // of Updates before a turn
	lags     dist.Rand
	decoders ear.Decoders
	ear      ear.Ear
	sequence int
	state    fluxState
	turn     int           // its number
	from     time.Duration // end of the turn before
	until    time.Duration // end of the audio of the last message
	ticked   time.Duration // and of the last Update that idle has made
	words    []speech.Word // of the turn so far
	closing  bool
}

// fluxStep is how much audio lies between two looks at the recognizer: a state changes
// in between. Updates come less often, as the profile has it, or fluxEvery: "for
// approximately every 0.25 seconds of transcribed audio" (docs/flux/state).
const (
	fluxStep  = 50 * time.Millisecond
	fluxEvery = 250 * time.Millisecond
)

func newFluxSession(v talk.Visit, ears *ear.Models, o fluxOptions) *fluxSession {
	s := &fluxSession{Visit: v, fluxOptions: o, every: fluxEvery, decoders: o.source.Decoders(1)}
	h := ears.Hearing(&s.Entry, o.model, o.texts)
	if h.Profile.Every > 0 {
		s.every = h.Profile.Every
	}
	s.lag, s.lags = h.Profile.Interim, dist.Stream(h.Seed, "voice/flux", h.Stream)
	h.Profile.Every, h.Profile.MaxSpan = fluxStep, 0
	s.ear = ear.New(func(rate int) *speech.Recognizer {
		h.Rate, h.Turn = rate, s.fluxSettings.turn()
		return speech.NewRecognizer(s.Loop, h, s.tell)
	})
	s.Say(deepgram.Connected{Type: deepgram.TypeConnected, RequestID: v.Entry.ID, SequenceID: s.number()})
	return s
}

// number returns the number of the message that is sent next.
func (s *fluxSession) number() int {
	s.sequence++
	return s.sequence - 1
}

// Gone implements talk.Session.
func (s *fluxSession) Gone() {
	s.closing = true
	s.ear.Stop()
	s.Leave(s.ear.Heard())
}

// fail ends the conversation because of an error. The code of the close frame is not
// stated: it is that of the errors of /v1/listen.
func (s *fluxSession) fail(code, description string) {
	s.closing = true
	s.ear.Stop()
	s.Say(deepgram.FluxError{Type: deepgram.TypeError, SequenceID: s.number(), Code: code, Description: description})
	s.Settle(pipeline.Error, code+": "+description)
	s.Close(talk.ClosePolicy, code+": "+description)
}

// Binary implements talk.Session.
func (s *fluxSession) Binary(b []byte) iter.Seq[func()] { return s.decoders.Hearing(b, s.hear) }

func (s *fluxSession) hear(a ear.Stretch) {
	if s.closing {
		return
	}
	s.ear.Hear(a.Samples[0], a.Rate)
	if a.Err != nil {
		s.fail("DATA-0000", a.Err.Error())
		return
	}
	s.Loop.After(0, pipeline.RankTimer, s.idle) // after what was heard
}

// Text implements talk.Session.
func (s *fluxSession) Text(b []byte) iter.Seq[func()] {
	command, err := readFluxCommand(b)
	return talk.Once(func() { s.take(command, err) })
}

// take takes a command of the client, or what was none.
func (s *fluxSession) take(command deepgram.FluxCommand, err error) {
	if s.closing {
		return
	}
	if err != nil {
		s.fail("UNPARSABLE_CLIENT_MESSAGE", "Text message received from client did not match any of the formats we expect: "+err.Error())
		return
	}
	switch command.Type {
	case deepgram.TypeConfigure:
		s.configure(command)
	case deepgram.TypeForceEndTurn:
		if s.state != fluxReady {
			s.ear.Recognizer().EndTurn()
		}
	case deepgram.TypeCloseStream:
		s.closing = true
		s.ear.Recognizer().Close()
	}
}

// readFluxCommand reads a text frame of the client.
func readFluxCommand(b []byte) (c deepgram.FluxCommand, err error) {
	if err := json.Unmarshal(b, &c); err != nil {
		return c, err
	}
	switch c.Type {
	case deepgram.TypeConfigure, deepgram.TypeForceEndTurn, deepgram.TypeCloseStream:
		return c, nil
	}
	return c, errors.New("want the type Configure, ForceEndTurn or CloseStream")
}

// configure changes the settings, from the audio on that comes now.
func (s *fluxSession) configure(c deepgram.FluxCommand) {
	f, err := s.with(c)
	code := "INVALID_THRESHOLD"
	if err == nil {
		if err = f.check(s.model); err != nil && f.eager <= f.end {
			code = "INVALID_CONFIGURATION"
		}
	}
	if err != nil {
		s.Say(deepgram.FluxNotConfigured{
			Type: deepgram.TypeConfigureFailure, RequestID: s.Entry.ID, SequenceID: s.number(), Code: code, Description: err.Error(),
		})
		return
	}
	s.fluxSettings = f
	if s.ear.Began() {
		s.ear.Recognizer().SetTurn(f.turn())
	}
	s.Say(deepgram.FluxConfigured{
		Type: deepgram.TypeConfigureSuccess, RequestID: s.Entry.ID, Thresholds: f.thresholds(),
		Keyterms: append([]string{}, f.keyterms...), LanguageHints: f.hints, SequenceID: s.number(),
	})
}

// idle tells, as far behind the audio as words would be, of audio without a turn.
func (s *fluxSession) idle() {
	s.ticked = max(s.ticked, s.until)
	for heard := s.ear.Heard(); !s.closing && s.state == fluxReady && heard-s.ticked >= s.every; {
		s.ticked += s.every
		end := s.ticked
		s.Loop.After(s.lag.Draw(&s.lags), pipeline.RankTimer, func() {
			if !s.closing && s.state == fluxReady && end > s.until {
				s.turnInfo(deepgram.EventUpdate, speech.Event{End: end})
			}
		})
	}
}

// tell passes on what the recognizer says.
func (s *fluxSession) tell(e speech.Event) {
	switch e.Kind {
	case speech.Interim:
		s.interim(e)
	case speech.EagerEnd:
		if len(e.Words) > 0 {
			s.start(e)
			s.state = fluxAwaiting
			s.turnInfo(deepgram.EventEagerEndOfTurn, e)
		}
	case speech.Resumed:
		if s.state == fluxAwaiting {
			s.state = fluxSpeaking
			e.Words = s.words
			s.turnInfo(deepgram.EventTurnResumed, e)
		}
	case speech.Final:
		s.final(e)
	case speech.Closed:
		s.Settle(pipeline.OK, "")
		s.Close(talk.CloseNoStatus, "") // "without sending a WebSocket close status code": docs/flux/close-stream
	}
}

// interim starts a turn with its first word, and updates it as often as it must.
func (s *fluxSession) interim(e speech.Event) {
	switch {
	case s.state == fluxReady && len(e.Words) > 0:
		s.start(e)
	case s.state == fluxReady, e.End-s.until < s.every:
		return
	}
	if e.End-s.until < s.every {
		return
	}
	if len(e.Words) < len(s.words) {
		e.Words = s.words // an eager end has told more, which was right
	}
	s.turnInfo(deepgram.EventUpdate, e)
}

// start starts a turn, if none is open, with words: "every StartOfTurn is guaranteed to
// contain a non-empty transcript" (docs/flux/state).
func (s *fluxSession) start(e speech.Event) {
	if s.state == fluxReady {
		s.state = fluxSpeaking
		s.Answered()
		s.turnInfo(deepgram.EventStartOfTurn, e)
	}
}

// final ends a turn. That of a stream that is closed does not end: its last words are
// in an Update (docs/flux/close-stream).
func (s *fluxSession) final(e speech.Event) {
	if len(e.Words) > 0 {
		s.start(e)
	}
	switch {
	case s.state == fluxReady:
	case e.Cause == speech.ByClose:
		s.turnInfo(deepgram.EventUpdate, e)
	default:
		s.turnInfo(deepgram.EventEndOfTurn, e)
		s.state, s.words, s.from = fluxReady, nil, e.End
		s.turn++
	}
}

// turnInfo tells of the turn, and what was said of it is remembered.
func (s *fluxSession) turnInfo(event string, e speech.Event) {
	s.words, s.until = e.Words, max(s.until, e.End)
	m := deepgram.TurnInfo{
		Type: deepgram.TypeTurnInfo, RequestID: s.Entry.ID, SequenceID: s.number(), Event: event, TurnIndex: s.turn,
		AudioWindowStart: talk.Seconds(s.from), AudioWindowEnd: talk.Seconds(e.End),
		Transcript: e.Text(), Words: []deepgram.FluxWord{}, EndOfTurnConfidence: ear.FourDigits(e.Confidence),
	}
	for _, w := range e.Words {
		m.Words = append(m.Words, deepgram.FluxWord{Word: w.Text, Confidence: w.Confidence, Start: talk.Seconds(w.Start), End: talk.Seconds(w.End)})
	}
	if event == deepgram.EventEndOfTurn {
		m.Trigger = s.trigger(e)
	}
	if s.model == fluxMultilingual {
		m.LanguagesHinted = s.hints
		if len(e.Words) > 0 {
			m.Languages = []string{"en"}
		}
	}
	s.Say(m)
}

// trigger returns what ended a turn.
func (s *fluxSession) trigger(e speech.Event) string {
	switch {
	case e.Cause == speech.ByRequest:
		return deepgram.TriggerManual
	case s.end < fluxMostEnd && ear.FourDigits(e.Confidence) >= s.end:
		return deepgram.TriggerModel
	}
	return deepgram.TriggerTimeout
}
