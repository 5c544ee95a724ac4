package voice

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/cartesia"
)

// sonicSocket answers GET /tts/websocket, which becomes a WebSocket for any number of
// texts at once, each in a context of its own.
func (s *Service) sonicSocket(w http.ResponseWriter, r *http.Request) {
	id := s.newUUID()
	version, fault := sonicVersion(r)
	if fault != nil {
		fault.tell(w, version, id)
		return
	}
	s.converse(w, r, nil, func(k *socket) session {
		t := &sonicTalk{visit: s.visit(k, r, "cartesia tts", "", id), version: version}
		t.wait()
		return t
	})
}

// sonicTalk is a conversation of /tts/websocket. In the ledger it has the model of its
// first context.
type sonicTalk struct {
	visit
	version  string
	contexts []*sonicContext // that are not done, in the order of their first inputs
	idle     pipeline.Timer
	closing  bool
}

// A socket is closed five minutes after the client's last message
// (cartesia-ai/docs fern/api-reference concurrency-limits-and-timeouts.mdx and
// stream-speech-websocket.mdx, 2025-10-27; the reason is that of
// cartesia-ai/cartesia-python pull request 39; all read 2026-11-29).
const (
	sonicIdle       = 5 * time.Minute
	sonicIdleReason = "connection idle timeout"
)

// wait starts to wait for the client anew.
func (t *sonicTalk) wait() {
	t.idle.Stop()
	t.idle = t.loop.After(sonicIdle, pipeline.RankTimer, func() {
		t.stop()
		t.settle(pipeline.OK, sonicIdleReason)
		t.close(websocket.CloseNormalClosure, sonicIdleReason)
	})
}

func (t *sonicTalk) stop() {
	t.closing = true
	t.idle.Stop()
	for _, c := range t.contexts {
		c.stop()
	}
}

// gone says that the connection has ended. A client to whom nothing more was to be
// said may leave as it likes.
func (t *sonicTalk) gone() {
	if !slices.ContainsFunc(t.contexts, func(c *sonicContext) bool { return len(c.queue) > 0 }) {
		t.settle(pipeline.OK, "")
	}
	t.stop()
	t.leave(0)
}

func (t *sonicTalk) binary([]byte) {
	if t.closing {
		return
	}
	t.wait()
	t.complain("", &sonicFault{"Invalid message", "a message must be a text frame with a JSON object"})
}

func (t *sonicTalk) text(b []byte) {
	if t.closing {
		return
	}
	t.wait()
	var g cartesia.Generation
	if err := json.Unmarshal(b, &g); err != nil {
		t.complain("", &sonicFault{"Invalid JSON", err.Error()})
		return
	}
	c := t.find(g.ContextID)
	switch {
	case g.Cancel && c != nil:
		c.cancel()
	case g.Cancel: // of a context that is done, or never was
	case c != nil:
		if fault := c.input(&g); fault != nil {
			c.drop()
			t.complain(g.ContextID, fault)
		}
	default:
		if fault := t.begin(&g); fault != nil {
			t.complain(g.ContextID, fault)
		}
	}
}

func (t *sonicTalk) find(id string) *sonicContext {
	if i := slices.IndexFunc(t.contexts, func(c *sonicContext) bool { return c.id == id }); i >= 0 {
		return t.contexts[i]
	}
	return nil
}

// begin opens a context with its first input. Without an id there is one too, whose
// messages have none.
func (t *sonicTalk) begin(g *cartesia.Generation) *sonicFault {
	output, fault := sonicCheck(g, "raw")
	if fault != nil {
		return fault
	}
	if !speakable(*g.Transcript) {
		return &sonicFault{sonicSilent, "first transcript for WS is empty or contains only punctuation"}
	}
	delay, fault := sonicDelay(g)
	if fault != nil {
		return fault
	}
	if t.entry.Model == "" {
		t.entry.Model = g.ModelID
	}
	c := &sonicContext{talk: t, id: g.ContextID, first: *g, delay: delay, stepped: t.loop.Now()}
	c.mouth = t.service.mouth(&t.entry, g.ModelID, sonicSpeed(g), output, c.tell)
	t.contexts = append(t.contexts, c)
	c.take(g)
	return nil
}

// forget drops a context that is done.
func (t *sonicTalk) forget(c *sonicContext) {
	t.contexts = slices.DeleteFunc(t.contexts, func(o *sonicContext) bool { return o == c })
}

// complain sends an error in the manner of the version; the connection stays.
func (t *sonicTalk) complain(context string, f *sonicFault) {
	base := cartesia.Base{Type: cartesia.TypeError, ContextID: context, StatusCode: http.StatusBadRequest, Done: true}
	if t.version < cartesia.StructuredErrors {
		t.say(cartesia.PlainError{Base: base, Error: f.title + ": " + f.message})
		return
	}
	id := t.entry.ID
	if context != "" {
		id += ":" + context
	}
	t.say(cartesia.TTSError{Base: &base, ErrorCode: &sonicCode, Title: f.title, Message: f.message, RequestID: id})
}
