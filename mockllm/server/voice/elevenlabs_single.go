package voice

import (
	"errors"
	"fmt"
	"net/http"

	"halfsecond/pipeline/wire/elevenlabs"
)

// elevenSingle answers GET /v1/text-to-speech/{voice_id}/stream-input, which becomes a
// WebSocket for one text that comes in pieces.
func (s *Service) elevenSingle(w http.ResponseWriter, r *http.Request) {
	o, fault := elevenOptionsOf(r)
	if fault != nil {
		fault.tell(w)
		return
	}
	s.converse(w, r, nil, func(k *socket) session {
		t := &elevenSingleTalk{elevenTalk: elevenTalk{visit: s.visit(k, r, "elevenlabs stream-input", o.model, s.newID("")), o: o}}
		t.wait()
		return t
	})
}

// elevenSingleTalk is a conversation of stream-input.
type elevenSingleTalk struct {
	elevenTalk
	stream *elevenStream // nil before the first message
}

func (t *elevenSingleTalk) text(b []byte) {
	if t.closing || t.stream != nil && t.stream.ended {
		return
	}
	t.wait()
	m, err := readElevenMessage(b)
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
func (t *elevenSingleTalk) open(m elevenlabs.ClientMessage) (err error) {
	if *m.Text != " " {
		return fmt.Errorf(`text is %q in the first message: it must be a blank, " ", with the settings beside it`, *m.Text)
	}
	t.stream, err = t.begin(m, t.finish)
	return err
}
