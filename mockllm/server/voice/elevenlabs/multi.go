package elevenlabs

import (
	"fmt"
	"iter"
	"net/http"
	"slices"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/pipeline/wire/elevenlabs"
)

// multi answers GET /v1/text-to-speech/{voice_id}/multi-stream-input, which
// becomes a WebSocket for several texts at once, each in a context of its own.
func (s *Service) multi(w http.ResponseWriter, r *http.Request) {
	s.converse(w, r, "elevenlabs multi-stream-input", func(c *conversation) talk.Session {
		return &multi{conversation: c}
	})
}

// multi is a conversation of multi-stream-input. Each of its streams is a
// context.
type multi struct {
	*conversation
	leaving bool // the client has closed the socket: contexts are finished
}

// Text implements talk.Session.
func (t *multi) Text(b []byte) iter.Seq[func()] {
	m, err := t.o.read(b)
	return talk.Once(func() { t.hear(m, err) })
}

// hear handles a message, or what was none.
func (t *multi) hear(m elevenlabs.ClientMessage, err error) {
	if t.closing || t.leaving {
		return
	}
	t.idle.Heard()
	c := t.find(m.ContextID)
	switch {
	case err != nil:
	case m.CloseSocket:
		t.closeAll()
	case c != nil && m.CloseContext:
		t.shut(c)
	case c != nil:
		c.idle.Heard()
		err = c.take(m)
	case m.Text != nil && !m.CloseContext && (m.ContextID != nil || *m.Text != ""):
		err = t.open(m)
	}
	if err != nil {
		t.fail(errorInvalid, err.Error()+".")
	}
}

// find returns the open context of an id, or nil; without an id it is the one without.
func (t *multi) find(id *string) *stream {
	i := slices.IndexFunc(t.streams, func(c *stream) bool {
		return !c.ended && (c.context == nil) == (id == nil) && (id == nil || *id == *c.context)
	})
	if i < 0 {
		return nil
	}
	return t.streams[i]
}

// open opens a context. Its first message may have text; one with an id and an empty
// text, which keeps a context alive, opens one too, and without an id nothing.
func (t *multi) open(m elevenlabs.ClientMessage) error {
	if len(t.streams) == elevenlabs.MaxContexts {
		t.fail(elevenlabs.ErrorContexts, fmt.Sprintf("Maximum simultaneous contexts per WebSocket connection exceeded (%d). Please close an existing context before opening a new one.", elevenlabs.MaxContexts))
		return nil
	}
	c, err := t.begin(m, t.closed)
	if err != nil {
		return err
	}
	c.idle.Watch(t.Loop, t.o.inactivity, func() { t.shut(c) })
	return c.take(m)
}

// shut closes a context: what is not spoken yet is dropped, what is goes on, and then
// comes its last message.
func (t *multi) shut(c *stream) {
	c.idle.Stop()
	c.end()
}

// closeAll closes the socket once all contexts have spoken what they have.
func (t *multi) closeAll() {
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
func (t *multi) closed() {
	if t.leaving && len(t.streams) == 0 {
		t.finish()
	}
}
