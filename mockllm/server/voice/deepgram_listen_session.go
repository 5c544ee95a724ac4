package voice

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/deepgram"
)

// listenSession is a conversation of /v1/listen: audio and commands one way, results
// the other.
type listenSession struct {
	visit
	o       listenOptions
	profile speech.STT
	origin  deepgram.ResultsOrigin
	created time.Time
	sum     hash.Hash // of the audio
	decoders
	ears    []*listenEar
	open    int // ears that have not told everything
	closing bool
	idle    pipeline.Timer
}

// listenEar is one channel of it.
type listenEar struct {
	ear
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

func newListenSession(v visit, o listenOptions, created time.Time) *listenSession {
	s := &listenSession{visit: v, o: o, created: created, sum: sha256.New(), decoders: o.source.decoders(o.channels), open: o.channels}
	s.profile = v.service.config.STT(o.model)
	s.origin = deepgram.ResultsOrigin{RequestID: v.entry.ID, ModelInfo: deepgramInfo(o.model), ModelUUID: uuidOf(o.model)}
	for c := range o.channels {
		s.ears = append(s.ears, s.newEar(c))
	}
	s.wait()
	return s
}

func (s *listenSession) newEar(channel int) *listenEar {
	e := &listenEar{session: s, channel: channel, next: s.profile.Every}
	h := s.service.hearing(s.profile, s.o.texts)
	h.Turn, h.WordGap = s.o.turn, s.o.gap
	e.ear = ear{begin: func(rate int) *speech.Recognizer {
		h.Rate = rate
		return speech.NewRecognizer(s.loop, h, e.tell)
	}}
	return e
}

// wait starts to wait for the client anew.
func (s *listenSession) wait() {
	s.idle.Stop()
	if !s.closing {
		s.idle = s.loop.After(listenIdle, pipeline.RankTimer, func() {
			s.fail(websocket.CloseInternalServerErr, reasonIdle)
		})
	}
}

// fail ends the conversation because of an error.
func (s *listenSession) fail(code int, reason string) {
	s.stop()
	s.settle(pipeline.Error, reason)
	s.close(code, clipped(reason))
}

// stop makes everything end that would still be told.
func (s *listenSession) stop() {
	s.closing = true
	s.idle.Stop()
	for _, e := range s.ears {
		e.stop()
	}
}

func (s *listenSession) gone() {
	s.stop()
	s.leave(s.ears[0].heard())
}

// binary handles an empty frame, which is an older way to say CloseStream.
func (s *listenSession) binary([]byte) {
	if !s.closing {
		s.finish()
	}
}

func (s *listenSession) hear(a stretch) {
	if s.closing {
		return
	}
	s.wait()
	s.sum.Write(a.bytes)
	for i, e := range s.ears {
		e.hear(a.samples[i], a.rate)
		// What was heard is told first.
		s.loop.After(0, pipeline.RankTimer, e.silence)
	}
	if a.err != nil {
		s.fail(websocket.ClosePolicyViolation, reasonAudio+a.err.Error())
	}
}

func (s *listenSession) text(b []byte) {
	if s.closing {
		return
	}
	s.wait()
	command, err := readListenCommand(b)
	if err != nil {
		s.say(deepgram.ListenError{
			Type: deepgram.TypeError, Variant: deepgram.VariantSchema,
			Description: "Could not deserialize last text message: " + err.Error(), Message: string(b),
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
	return c, fmt.Errorf("unknown variant `%s`, expected one of `%s`", c.Type, strings.Join(known, "`, `"))
}

// finalize asks for what was heard so far, on one channel or on all.
func (s *listenSession) finalize(channel *int) {
	for _, e := range s.ears {
		if e.inner != nil && (channel == nil || *channel == e.channel) {
			e.finalize(true)
		}
	}
}

// finish ends the stream: what is left is told, then the metadata.
func (s *listenSession) finish() {
	s.closing = true
	s.idle.Stop()
	for _, e := range s.ears {
		e.recognizer().Close()
	}
}

// closed says that a channel has told everything.
func (s *listenSession) closed() {
	if s.open--; s.open > 0 {
		return
	}
	m := deepgramMetadata(s.entry.ID, s.o.model, s.sum.Sum(nil), s.created, s.ears[0].heard(), max(1, s.o.source.format.Channels))
	m.Type = deepgram.TypeMetadata
	s.say(m)
	s.settle(pipeline.OK, "")
	s.close(websocket.CloseNormalClosure, "")
}

// configure changes the key terms, which only Nova-3 has; the mock hears what it hears.
func (s *listenSession) configure(c deepgram.ListenCommand) {
	answer := deepgram.ListenConfigured{Type: deepgram.TypeConfigureSuccess, RequestID: s.entry.ID}
	switch {
	case c.Keyterms == nil:
	case !strings.HasPrefix(s.o.model, "nova-3"):
		answer.Type, answer.Code = deepgram.TypeConfigureFailure, "KeytermsNotSupported"
		answer.Description = fmt.Sprintf("keyterms are supported by Nova-3 models, not by %q", s.o.model)
	default:
		answer.Keyterms = *c.Keyterms
	}
	s.say(answer)
}

// finalize asks for a Final, for the client or for ourselves.
func (e *listenEar) finalize(client bool) {
	e.asked = append(e.asked, client)
	e.inner.Finalize()
}

// silence tells of audio in which nobody speaks: results without words come as often
// as others.
func (e *listenEar) silence() {
	s, heard := e.session, e.heard()
	switch p := s.profile; {
	case e.talking || s.closing || e.inner == nil:
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
			s.say(deepgram.SpeechStarted{Type: deepgram.TypeSpeechStarted, Channel: channel, Timestamp: inSeconds(event.Start)})
		}
	case speech.Interim:
		if s.o.interim {
			e.results(event, false)
		}
	case speech.Final:
		e.final(event)
	case speech.UtteranceEnd:
		e.talking = e.talking && !s.o.turn.Never
		s.say(deepgram.UtteranceEnd{Type: deepgram.TypeUtteranceEnd, Channel: channel, LastWordEnd: inSeconds(event.End)})
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
		s.answered()
	}
	s.say(deepgram.Results{
		Type:         deepgram.TypeResults,
		ChannelIndex: [2]int{e.channel, s.o.channels},
		Start:        inSeconds(event.Start),
		Duration:     inSeconds(event.End - event.Start),
		IsFinal:      event.Kind == speech.Final,
		SpeechFinal:  event.Endpoint && !s.o.turn.Never,
		Channel:      deepgram.ListenChannel{Alternatives: []deepgram.Alternative{deepgramAlternative(event.Words, s.o.punctuate)}},
		Metadata:     s.origin,
		FromFinalize: asked,
	})
}
