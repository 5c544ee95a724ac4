package elevenlabs

import (
	"errors"
	"fmt"
	"iter"
	"net/http"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/pipeline/wire/elevenlabs"
)

// single answers GET /v1/text-to-speech/{voice_id}/stream-input, which becomes a
// WebSocket for one text that comes in pieces.
func (s *Service) single(w http.ResponseWriter, r *http.Request) {
	s.converse(w, r, "elevenlabs stream-input", func(c *conversation) talk.Session {
		return &single{conversation: c}
	})
}

// single is a conversation of stream-input.
type single struct {
	*conversation
	stream *stream // nil before the first message
}

// Text implements talk.Session.
func (t *single) Text(b []byte) iter.Seq[func()] {
	m, err := t.o.read(b)
	return talk.Once(func() { t.hear(m, err) })
}

// hear handles a message, or what was none.
func (t *single) hear(m elevenlabs.ClientMessage, err error) {
	if t.closing || t.stream != nil && t.stream.ended {
		return
	}
	t.idle.Heard()
	switch {
	case err != nil:
	case m.Text == nil:
		err = errors.New(`text is missing: want the text to be spoken, or "" to end the stream`)
	case t.stream == nil:
		err = t.open(m)
	case *m.Text == "":
		t.idle.Stop()
		t.stream.speak()
		t.stream.end()
	default:
		err = t.stream.take(m)
	}
	if err != nil {
		t.fail(errorInvalid, err.Error()+".")
	}
}

// open takes the first message, which has settings and a blank to be spoken.
func (t *single) open(m elevenlabs.ClientMessage) (err error) {
	if *m.Text != " " {
		return fmt.Errorf(`text is %q in the first message: it must be a blank, " ", with the settings beside it`, talk.Quoted(*m.Text))
	}
	t.stream, err = t.begin(m, t.finish)
	return err
}
