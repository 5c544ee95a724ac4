package voice

import (
	"fmt"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/cartesia"
)

// inkTalk is what both of Cartesia's conversations have: audio one way, and an end of
// those that are left alone.
type inkTalk struct {
	visit
	inkOptions
	decoders
	ear     ear
	unheard pipeline.Timer // nothing has come for long
	told    int            // finals with words
	closing bool
}

// Cartesia closes a connection on which nothing has come for five minutes (docs
// concurrency-limits-and-timeouts.mdx, 2025-10-27, and pipecat#1818 for the reason, read
// 2026-11-29); it says so of speech from text, and nothing else of the other direction.
const inkIdle = 5 * time.Minute

func newInkTalk(v visit, o inkOptions, turn speech.Turn, longest time.Duration, tell func(speech.Event)) *inkTalk {
	t := &inkTalk{visit: v, inkOptions: o, decoders: o.source.decoders(1)}
	h := v.service.hearing(v.service.config.STT(o.model), o.texts)
	h.Turn, h.Profile.MaxSpan = turn, longest
	t.ear = ear{begin: func(rate int) *speech.Recognizer {
		h.Rate = rate
		return speech.NewRecognizer(t.loop, h, tell)
	}}
	t.ear.hear(nil, o.source.format.Rate) // it is known from the start
	t.wait()
	return t
}

// wait starts to wait for the client anew.
func (t *inkTalk) wait() {
	if t.unheard.Stop(); !t.closing {
		t.unheard = t.loop.After(inkIdle, pipeline.RankTimer, func() {
			t.stop()
			t.settle(pipeline.Error, "connection idle timeout")
			t.close(websocket.CloseNormalClosure, "connection idle timeout")
		})
	}
}

func (t *inkTalk) stop() {
	t.closing = true
	t.unheard.Stop()
	t.ear.stop()
}

func (t *inkTalk) gone() {
	t.stop()
	t.leave(t.ear.heard())
}

// binary handles an empty frame.
func (t *inkTalk) binary([]byte) { t.wait() }

func (t *inkTalk) hear(a stretch) {
	if !t.closing {
		t.wait()
		t.ear.hear(a.samples[0], a.rate) // raw samples always decode
	}
}

// flush asks for what is left, after which Closed comes.
func (t *inkTalk) flush() {
	t.closing = true
	t.unheard.Stop()
	t.ear.recognizer().Close()
}

// over ends the conversation as it should.
func (t *inkTalk) over() {
	t.settle(pipeline.OK, "")
	t.close(websocket.CloseNormalClosure, "")
}

// complain tells of a message that was not understood; the conversation goes on.
func (t *inkTalk) complain(problem string) {
	t.say(cartesia.STTError{
		Type: cartesia.TypeSTTError, StatusCode: 400, ErrorCode: inkInvalid, Title: inkTitle, Message: problem, RequestID: t.entry.ID,
	})
}

func (t *inkTalk) notice(kind string) {
	t.say(cartesia.STTNotice{Type: kind, RequestID: t.entry.ID})
}

// joinable returns what was heard, with a space in front unless it is the first: the
// client puts texts together as they are.
func (t *inkTalk) joinable(words []speech.Word) string {
	text := spelled(words)
	if t.told > 0 && text != "" {
		text = " " + text
	}
	return text
}

// inkSession is a conversation of /stt/websocket.
type inkSession struct{ *inkTalk }

func newInkSession(v visit, o inkOptions) inkSession {
	turn := speech.Turn{Never: true}
	switch {
	case o.whisper && o.silence > 0:
		turn = speech.Turn{Silence: o.silence}
	case o.whisper:
		turn = speech.Turn{}
	}
	var s inkSession
	s.inkTalk = newInkTalk(v, o, turn, whisperWindow, func(e speech.Event) { s.tell(e) })
	return s
}

func (s inkSession) text(b []byte) {
	if s.closing {
		return
	}
	s.wait()
	switch command := string(b); command {
	case cartesia.CommandFinalize:
		if r := s.ear.recognizer(); !r.EndTurn() {
			r.Finalize()
		}
	case cartesia.CommandClose:
		s.flush()
	default:
		s.complain(fmt.Sprintf("unknown command %q: want finalize or close, as bare words", command))
	}
}

// tell passes on what the recognizer says.
func (s inkSession) tell(e speech.Event) {
	switch e.Kind {
	case speech.Interim:
		s.transcript(e)
	case speech.Final:
		s.transcript(e)
		if e.Cause == speech.ByRequest {
			s.notice(cartesia.TypeFlushDone)
		}
	case speech.Closed:
		s.notice(cartesia.TypeSTTDone)
		s.over()
	}
}

func (s inkSession) transcript(e speech.Event) {
	if len(e.Words) == 0 {
		return
	}
	s.answered()
	m := cartesia.Transcript{
		Type: cartesia.TypeTranscript, IsFinal: e.Kind == speech.Final, RequestID: s.entry.ID,
		Text: s.joinable(e.Words), Duration: inSeconds(e.End - e.Start), Language: "en",
	}
	for _, w := range e.Words {
		m.Words = append(m.Words, cartesia.STTWord{Word: w.Text, Start: inSeconds(w.Start), End: inSeconds(w.End)})
	}
	s.say(m)
	if m.IsFinal {
		s.told++
	}
}
