package voice

import (
	"fmt"
	"net/http"
	"slices"

	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/elevenlabs"
)

// elevenMulti answers GET /v1/text-to-speech/{voice_id}/multi-stream-input, which
// becomes a WebSocket for several texts at once, each in a context of its own.
func (s *Service) elevenMulti(w http.ResponseWriter, r *http.Request) {
	o, fault := elevenOptionsOf(r)
	if fault != nil {
		fault.tell(w)
		return
	}
	s.converse(w, r, nil, func(k *socket) session {
		t := &elevenMultiTalk{elevenTalk: elevenTalk{visit: s.visit(k, r, "elevenlabs multi-stream-input", o.model, s.newID("")), o: o}}
		t.wait()
		return t
	})
}

// elevenMultiTalk is a conversation of multi-stream-input. Each of its streams is a
// context.
type elevenMultiTalk struct {
	elevenTalk
	leaving bool // the client has closed the socket: contexts are finished
}

func (t *elevenMultiTalk) text(b []byte) {
	if t.closing || t.leaving {
		return
	}
	t.wait()
	m, err := readElevenMessage(b)
	c := t.find(m.ContextID)
	switch {
	case err != nil:
	case m.CloseSocket:
		t.closeAll()
	case c != nil && m.CloseContext:
		t.shut(c)
	case c != nil:
		t.attend(c)
		err = c.take(m)
	case m.Text != nil && !m.CloseContext && (m.ContextID != nil || *m.Text != ""):
		err = t.open(m)
	}
	if err != nil {
		t.fail(errorInvalid, err.Error()+".")
	}
}

// find returns the open context of an id, or nil; without an id it is the one without.
func (t *elevenMultiTalk) find(id *string) *elevenStream {
	i := slices.IndexFunc(t.streams, func(c *elevenStream) bool {
		return !c.ended && (c.context == nil) == (id == nil) && (id == nil || *id == *c.context)
	})
	if i < 0 {
		return nil
	}
	return t.streams[i]
}

// open opens a context. Its first message may have text; one with an id and an empty
// text, which keeps a context alive, opens one too, and without an id nothing.
func (t *elevenMultiTalk) open(m elevenlabs.ClientMessage) error {
	if len(t.streams) == elevenlabs.MaxContexts {
		t.fail(elevenlabs.ErrorContexts, fmt.Sprintf("Maximum simultaneous contexts per WebSocket connection exceeded (%d). Please close an existing context before opening a new one.", elevenlabs.MaxContexts))
		return nil
	}
	c, err := t.begin(m, t.closed)
	if err != nil {
		return err
	}
	t.attend(c)
	return c.take(m)
}

// attend starts to wait for the client anew in a context.
func (t *elevenMultiTalk) attend(c *elevenStream) {
	c.idle.Stop()
	c.idle = t.loop.After(t.o.inactivity, pipeline.RankTimer, func() { t.shut(c) })
}

// shut closes a context: what is not spoken yet is dropped, what is goes on, and then
// comes its last message.
func (t *elevenMultiTalk) shut(c *elevenStream) {
	c.idle.Stop()
	c.end()
}

// closeAll closes the socket once all contexts have spoken what they have.
func (t *elevenMultiTalk) closeAll() {
	t.leaving = true
	t.idle.Stop()
	for _, c := range slices.Clone(t.streams) {
		if !c.ended {
			c.speak()
			t.shut(c)
		}
	}
	if !t.closing {
		t.closed()
	}
}

// closed says that a context has ended.
func (t *elevenMultiTalk) closed() {
	if t.leaving && len(t.streams) == 0 {
		t.finish()
	}
}
