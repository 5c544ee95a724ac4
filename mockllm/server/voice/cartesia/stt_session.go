package cartesia

import (
	"fmt"
	"iter"
	"time"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/cartesia"
)

// inkTalk is what both of Cartesia's conversations have: audio one way, and an end of
// those that are left alone.
type inkTalk struct {
	talk.Visit
	inkOptions
	decoders ear.Decoders
	ear      ear.Ear
	idle     talk.Idle
	told     int // finals with words
	closing  bool
}

// Cartesia closes a connection on which nothing has come for five minutes (docs
// concurrency-limits-and-timeouts.mdx, 2025-10-27, and pipecat#1818 for the reason, read
// 2026-11-29); it says so of speech from text, and nothing else of the other direction.
const inkIdle = 5 * time.Minute

func newInkTalk(v talk.Visit, ears *ear.Models, o inkOptions, turn speech.Turn, longest time.Duration, tell func(speech.Event)) *inkTalk {
	t := &inkTalk{Visit: v, inkOptions: o, decoders: o.source.Decoders(1)}
	h := ears.Hearing(&t.Entry, o.model, o.texts)
	h.Turn, h.Profile.MaxSpan = turn, longest
	t.ear = ear.New(func(rate int) *speech.Recognizer {
		h.Rate = rate
		return speech.NewRecognizer(t.Loop, h, tell)
	})
	t.ear.Hear(nil, o.source.Format.Rate) // it is known from the start
	t.idle.Watch(t.Loop, inkIdle, func() {
		t.stop()
		t.Settle(pipeline.Error, "connection idle timeout")
		t.Close(talk.CloseNormal, "connection idle timeout")
	})
	return t
}

func (t *inkTalk) stop() {
	t.closing = true
	t.idle.Stop()
	t.ear.Stop()
}

// Gone implements talk.Session.
func (t *inkTalk) Gone() {
	t.stop()
	t.Leave(t.ear.Heard())
}

// Binary implements talk.Session.
func (t *inkTalk) Binary(b []byte) iter.Seq[func()] {
	if len(b) == 0 {
		return talk.Once(t.idle.Heard)
	}
	return t.decoders.Hearing(b, t.hear)
}

func (t *inkTalk) hear(a ear.Stretch) {
	if !t.closing {
		t.idle.Heard()
		t.ear.Hear(a.Samples[0], a.Rate) // raw samples always decode
	}
}

// flush asks for what is left, after which Closed comes.
func (t *inkTalk) flush() {
	t.closing = true
	t.idle.Stop()
	t.ear.Recognizer().Close()
}

// over ends the conversation as it should.
func (t *inkTalk) over() {
	t.Settle(pipeline.OK, "")
	t.Close(talk.CloseNormal, "")
}

// complain tells of a message that was not understood; the conversation goes on.
func (t *inkTalk) complain(problem string) {
	t.Say(cartesia.STTError{
		Type: cartesia.TypeSTTError, StatusCode: 400, ErrorCode: inkInvalid, Title: inkTitle, Message: problem, RequestID: t.Entry.ID,
	})
}

func (t *inkTalk) notice(kind string) {
	t.Say(cartesia.STTNotice{Type: kind, RequestID: t.Entry.ID})
}

// joinable returns what was heard, with a space in front unless it is the first: the
// client puts texts together as they are.
func (t *inkTalk) joinable(words []speech.Word) string {
	text := ear.Spelled(words)
	if t.told > 0 && text != "" {
		text = " " + text
	}
	return text
}

// inkSession is a conversation of /stt/websocket.
type inkSession struct{ *inkTalk }

func newInkSession(v talk.Visit, ears *ear.Models, o inkOptions) inkSession {
	turn := speech.Turn{Never: true}
	switch {
	case o.whisper && o.silence > 0:
		turn = speech.Turn{Silence: o.silence}
	case o.whisper:
		turn = speech.Turn{}
	}
	var s inkSession
	s.inkTalk = newInkTalk(v, ears, o, turn, ear.Window, func(e speech.Event) { s.tell(e) })
	return s
}

// Text implements talk.Session.
func (s inkSession) Text(b []byte) iter.Seq[func()] {
	return talk.Once(func() { s.take(string(b)) })
}

// take takes a command of the client.
func (s inkSession) take(command string) {
	if s.closing {
		return
	}
	s.idle.Heard()
	switch command {
	case cartesia.CommandFinalize:
		if r := s.ear.Recognizer(); !r.EndTurn() {
			r.Finalize()
		}
	case cartesia.CommandClose:
		s.flush()
	default:
		s.complain(fmt.Sprintf("unknown command %q: want finalize or close, as bare words", talk.Quoted(command)))
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
	s.Answered()
	m := cartesia.Transcript{
		Type: cartesia.TypeTranscript, IsFinal: e.Kind == speech.Final, RequestID: s.Entry.ID,
		Text: s.joinable(e.Words), Duration: talk.Seconds(e.End - e.Start), Language: "en",
	}
	for _, w := range e.Words {
		m.Words = append(m.Words, cartesia.STTWord{Word: w.Text, Start: talk.Seconds(w.Start), End: talk.Seconds(w.End)})
	}
	s.Say(m)
	if m.IsFinal {
		s.told++
	}
}
