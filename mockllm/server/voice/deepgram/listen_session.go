package deepgram

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"iter"
	"strings"
	"time"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/deepgram"
)

// listenSession is a conversation of /v1/listen: audio and commands one way, results
// the other.
type listenSession struct {
	talk.Visit
	o        listenOptions
	profile  speech.STT
	origin   deepgram.ResultsOrigin
	created  time.Time
	sum      hash.Hash // of the audio
	decoders ear.Decoders
	ears     []*listenEar
	open     int // ears that have not told everything
	closing  bool
	idle     talk.Idle
}

// listenEar is one channel of it.
type listenEar struct {
	ear.Ear
	session *listenSession
	channel int
	asked   []bool // of each Final that was asked for: whether the client did
	talking bool   // an utterance is not over
	span    time.Duration
	next    time.Duration // when the next result without words is due, in audio
}

// Deepgram closes a connection on which nothing has come for ten seconds (docs
// audio-keep-alive.md and stt-troubleshooting-websocket-data-and-net-errors.mdx, read
// 2026-11-29). The documents call the reason NET-0001; the words are those that users
// quote from the close frame (public repositories, read 2026-11-29).
const (
	listenIdle  = 10 * time.Second
	reasonIdle  = "Deepgram did not receive audio data or a text message within the timeout window. See https://dpgr.am/net0001"
	reasonAudio = "DATA-0000: "
)

func newListenSession(v talk.Visit, ears *ear.Models, o listenOptions, created time.Time) *listenSession {
	s := &listenSession{Visit: v, o: o, created: created, sum: sha256.New(), decoders: o.source.Decoders(o.channels), open: o.channels}
	s.profile = ears.STT(o.model)
	s.origin = deepgram.ResultsOrigin{RequestID: v.Entry.ID, ModelInfo: modelInfo(o.model), ModelUUID: talk.UUID(o.model)}
	for c := range o.channels {
		s.ears = append(s.ears, s.newEar(ears, c))
	}
	s.idle.Watch(s.Loop, listenIdle, func() { s.fail(talk.CloseInternal, reasonIdle) })
	return s
}

func (s *listenSession) newEar(ears *ear.Models, channel int) *listenEar {
	e := &listenEar{session: s, channel: channel, next: s.profile.Every}
	h := ears.Hearing(&s.Entry, s.o.model, s.o.texts)
	h.Turn, h.WordGap = s.o.turn, s.o.gap
	e.Ear = ear.New(func(rate int) *speech.Recognizer {
		h.Rate = rate
		return speech.NewRecognizer(s.Loop, h, e.tell)
	})
	return e
}

// fail ends the conversation because of an error.
func (s *listenSession) fail(code int, reason string) {
	s.stop()
	s.Settle(pipeline.Error, reason)
	s.Close(code, reason)
}

// stop makes everything end that would still be told.
func (s *listenSession) stop() {
	s.closing = true
	s.idle.Stop()
	for _, e := range s.ears {
		e.Stop()
	}
}

// Gone implements talk.Session.
func (s *listenSession) Gone() {
	s.stop()
	s.Leave(s.ears[0].Heard())
}

// Binary implements talk.Session. An empty frame is an older way to say CloseStream.
func (s *listenSession) Binary(b []byte) iter.Seq[func()] {
	if len(b) > 0 {
		return s.decoders.Hearing(b, s.hear)
	}
	return talk.Once(func() {
		if !s.closing {
			s.finish()
		}
	})
}

func (s *listenSession) hear(a ear.Stretch) {
	if s.closing {
		return
	}
	s.idle.Heard()
	s.sum.Write(a.Bytes)
	for i, e := range s.ears {
		e.Hear(a.Samples[i], a.Rate)
		// What was heard is told first.
		s.Loop.After(0, pipeline.RankTimer, e.silence)
	}
	if a.Err != nil {
		s.fail(talk.ClosePolicy, reasonAudio+a.Err.Error())
	}
}

// Text implements talk.Session.
func (s *listenSession) Text(b []byte) iter.Seq[func()] {
	command, err := readListenCommand(b)
	return talk.Once(func() { s.take(command, err, b) })
}

// take takes a command of the client, or what was none.
func (s *listenSession) take(command deepgram.ListenCommand, err error, b []byte) {
	if s.closing {
		return
	}
	s.idle.Heard()
	if err != nil {
		s.Say(deepgram.ListenError{
			Type: deepgram.TypeError, Variant: deepgram.VariantSchema,
			Description: "Could not deserialize last text message: " + err.Error(), Message: talk.Quoted(b),
		})
		return
	}
	switch command.Type {
	case deepgram.TypeFinalize:
		s.finalize(command.Channel)
	case deepgram.TypeCloseStream:
		s.finish()
	case deepgram.TypeConfigure:
		s.configure(command)
	}
}

// readListenCommand reads a text frame of the client.
func readListenCommand(b []byte) (c deepgram.ListenCommand, err error) {
	if err := json.Unmarshal(b, &c); err != nil {
		return c, err
	}
	known := []string{deepgram.TypeCloseStream, deepgram.TypeConfigure, deepgram.TypeSync, deepgram.TypeKeepAlive, deepgram.TypeFinalize}
	for _, k := range known {
		if c.Type == k {
			return c, nil
		}
	}
	if c.Type == "" {
		return c, errors.New("missing field `type`")
	}
	return c, fmt.Errorf("unknown variant `%s`, expected one of `%s`", talk.Quoted(c.Type), strings.Join(known, "`, `"))
}

// finalize asks for what was heard so far, on one channel or on all.
func (s *listenSession) finalize(channel *int) {
	for _, e := range s.ears {
		if e.Began() && (channel == nil || *channel == e.channel) {
			e.finalize(true)
		}
	}
}

// finish ends the stream: what is left is told, then the metadata.
func (s *listenSession) finish() {
	s.closing = true
	s.idle.Stop()
	for _, e := range s.ears {
		e.Recognizer().Close()
	}
}

// closed says that a channel has told everything.
func (s *listenSession) closed() {
	if s.open--; s.open > 0 {
		return
	}
	m := metadata(s.Entry.ID, s.o.model, s.sum.Sum(nil), s.created, s.ears[0].Heard(), max(1, s.o.source.Format.Channels))
	m.Type = deepgram.TypeMetadata
	s.Say(m)
	s.Settle(pipeline.OK, "")
	s.Close(talk.CloseNormal, "")
}

// configure changes the key terms, which only Nova-3 has; the mock hears what it hears.
func (s *listenSession) configure(c deepgram.ListenCommand) {
	answer := deepgram.ListenConfigured{Type: deepgram.TypeConfigureSuccess, RequestID: s.Entry.ID}
	switch {
	case c.Keyterms == nil:
	case !strings.HasPrefix(s.o.model, "nova-3"):
		answer.Type, answer.Code = deepgram.TypeConfigureFailure, "KeytermsNotSupported"
		answer.Description = fmt.Sprintf("keyterms are supported by Nova-3 models, not by %q", s.o.model)
	default:
		answer.Keyterms = *c.Keyterms
	}
	s.Say(answer)
}

// finalize asks for a Final, for the client or for ourselves.
func (e *listenEar) finalize(client bool) {
	e.asked = append(e.asked, client)
	e.Recognizer().Finalize()
}

// silence tells of audio in which nobody speaks: results without words come as often
// as others.
func (e *listenEar) silence() {
	s, heard := e.session, e.Heard()
	switch p := s.profile; {
	case e.talking || s.closing || !e.Began():
	case p.MaxSpan > 0 && heard-e.span >= p.MaxSpan:
		e.finalize(false)
	case s.o.interim && p.Every > 0 && heard >= e.next:
		e.next += p.Every
		e.results(speech.Event{Kind: speech.Interim, Start: e.span, End: heard}, false)
	}
}

// tell passes on what the recognizer says.
func (e *listenEar) tell(event speech.Event) {
	s := e.session
	channel := [2]int{e.channel, s.o.channels}
	switch event.Kind {
	case speech.SpeechStarted:
		e.talking = true
		if s.o.vad {
			s.Say(deepgram.SpeechStarted{Type: deepgram.TypeSpeechStarted, Channel: channel, Timestamp: talk.Seconds(event.Start)})
		}
	case speech.Interim:
		if s.o.interim {
			e.results(event, false)
		}
	case speech.Final:
		e.final(event)
	case speech.UtteranceEnd:
		e.talking = e.talking && !s.o.turn.Never
		s.Say(deepgram.UtteranceEnd{Type: deepgram.TypeUtteranceEnd, Channel: channel, LastWordEnd: talk.Seconds(event.End)})
	case speech.Closed:
		s.closed()
	}
}

func (e *listenEar) final(event speech.Event) {
	client := false
	if event.Cause == speech.ByRequest {
		client, e.asked = e.asked[0], e.asked[1:]
	}
	e.talking = e.talking && !event.Endpoint
	e.span, e.next = event.End, event.End+e.session.profile.Every
	e.results(event, client)
}

// results sends what was heard in a span of the audio.
func (e *listenEar) results(event speech.Event, asked bool) {
	s := e.session
	if len(event.Words) > 0 {
		s.Answered()
	}
	s.Say(deepgram.Results{
		Type:         deepgram.TypeResults,
		ChannelIndex: [2]int{e.channel, s.o.channels},
		Start:        talk.Seconds(event.Start),
		Duration:     talk.Seconds(event.End - event.Start),
		IsFinal:      event.Kind == speech.Final,
		SpeechFinal:  event.Endpoint && !s.o.turn.Never,
		Channel:      deepgram.ListenChannel{Alternatives: []deepgram.Alternative{alternative(event.Words, s.o.punctuate)}},
		Metadata:     s.origin,
		FromFinalize: asked,
	})
}
