package wyoming

import (
	"errors"
	"fmt"
	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/pipeline/wire/wyoming"
	"io"
	"iter"
	"net"
	"slices"
)

// session is one connection. Its methods run on the loop.
type session struct {
	*talk.Outlet
	service *Service
	reader  *wyoming.Reader // off the loop
	over    bool

	asked   asked
	hearing *hearing   // nil between streams of audio
	ended   []*hearing // streams whose transcript is to come
	heard   int        // streams so far

	speaking *speaking   // nil before the first text
	waiting  []utterance // for another voice
	queued   int         // bytes of texts that have not been spoken to their end
	stream   *pieces     // nil unless texts come in pieces
}

// longestData is the longest data of an event in bytes, which the loop decodes; it is ours.
const longestData = 256 << 10

// Next implements talk.Conversation.
func (t *session) Next() (iter.Seq[func()], error) {
	e, err := t.reader.Read()
	if err == nil && len(e.Data) > longestData {
		err = fmt.Errorf("the data of a %s event have %d bytes, want at most %d", talk.Quoted(e.Type), len(e.Data), longestData)
	}
	if err != nil {
		return nil, err
	}
	return func(yield func(func()) bool) {
		for part := range parts(e) {
			if !yield(func() { t.handle(part) }) {
				return
			}
		}
	}, nil
}

// parts returns an event as the loop takes it: audio in stretches, none of which
// takes it long.
func parts(e wyoming.Event) iter.Seq[wyoming.Event] {
	return func(yield func(wyoming.Event) bool) {
		for len(e.Payload) > ear.StretchBytes {
			part := e
			part.Payload, e.Payload = e.Payload[:ear.StretchBytes], e.Payload[ear.StretchBytes:]
			if !yield(part) {
				return
			}
		}
		yield(e)
	}
}

// say sends an event.
func (t *session) say(kind string, v any) {
	t.Send(encoded(kind, v, nil))
}

// encoded returns an event as it is sent.
func encoded(kind string, v any, payload []byte) []byte {
	e, err := wyoming.New(kind, v)
	var b []byte
	if err == nil {
		e.Payload = payload
		b, err = e.Append(nil)
	}
	if err != nil {
		panic(fmt.Sprintf("wyoming: %v", err)) // our own types always encode
	}
	return b
}

// refuse says what is wrong and ends the connection.
func (t *session) refuse(format string, args ...any) {
	if !t.over {
		t.say(wyoming.ErrorType, wyoming.Error{Text: fmt.Sprintf(format, args...), Code: "invalid-event"})
		t.over = true
		t.End()
	}
}

// events are the events that a client may send.
var events = map[string]func(*session, wyoming.Event) error{
	wyoming.Describe:        (*session).describe,
	wyoming.Ping:            (*session).ping,
	wyoming.Transcribe:      (*session).transcribe,
	wyoming.Detect:          (*session).detect,
	wyoming.AudioStart:      (*session).audioStart,
	wyoming.AudioChunk:      (*session).audioChunk,
	wyoming.AudioStop:       (*session).audioStop,
	wyoming.Synthesize:      (*session).synthesize,
	wyoming.SynthesizeStart: (*session).synthesizeStart,
	wyoming.SynthesizeChunk: (*session).synthesizeChunk,
	wyoming.SynthesizeStop:  (*session).synthesizeStop,
}

// handle handles an event of the client. As servers of the reference library do, it
// passes over those that it does not know.
func (t *session) handle(e wyoming.Event) {
	if handle := events[e.Type]; handle != nil && !t.over {
		if err := handle(t, e); err != nil {
			t.refuse("%v", err)
		}
	}
}

// ping handles a ping.
func (t *session) ping(e wyoming.Event) error {
	var v wyoming.Text
	if err := e.Decode(&v); err != nil {
		return err
	}
	t.say(wyoming.Pong, v)
	return nil
}

// Gone implements talk.Conversation: what was wrong with an event is said.
func (t *session) Gone(err error) {
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, net.ErrClosed) {
		t.refuse("%v", err)
	}
	t.over = true
	if t.hearing != nil {
		t.hearing.leave()
	}
	for _, h := range slices.Clone(t.ended) {
		h.leave()
	}
	if t.speaking != nil {
		t.speaking.leave()
	}
}
