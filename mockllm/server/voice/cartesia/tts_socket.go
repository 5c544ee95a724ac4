package cartesia

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"time"

	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/cartesia"
)

// sonicSocket answers GET /tts/websocket, which becomes a WebSocket for any number of
// texts at once, each in a context of its own.
func (s *Service) sonicSocket(w http.ResponseWriter, r *http.Request) {
	id := s.NewUUID()
	version, fault := sonicVersion(r)
	if fault != nil {
		fault.tell(w, version, id)
		return
	}
	s.Converse(w, r, nil, func(k *talk.Socket) talk.Session {
		return newSonicTalk(s.Visit(k, r, "cartesia tts", "", id), s.Mouths, version)
	})
}

// sonicTalk is a conversation of /tts/websocket. In the ledger it has the model of its
// first context.
type sonicTalk struct {
	talk.Visit
	mouths   *mouth.Models
	version  string
	contexts []*sonicContext // that are not done, in the order of their first inputs
	idle     talk.Idle
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

func newSonicTalk(v talk.Visit, mouths *mouth.Models, version string) *sonicTalk {
	t := &sonicTalk{Visit: v, mouths: mouths, version: version}
	t.idle.Watch(t.Loop, sonicIdle, func() {
		t.stop()
		t.Settle(pipeline.OK, sonicIdleReason)
		t.Close(talk.CloseNormal, sonicIdleReason)
	})
	return t
}

func (t *sonicTalk) stop() {
	t.closing = true
	t.idle.Stop()
	for _, c := range t.contexts {
		c.stop()
	}
}

// Gone says that the connection has ended. A client to whom nothing more was to be
// said may leave as it likes.
func (t *sonicTalk) Gone() {
	if !slices.ContainsFunc(t.contexts, func(c *sonicContext) bool { return len(c.queue) > 0 }) {
		t.Settle(pipeline.OK, "")
	}
	t.stop()
	t.Leave(0)
}

// Binary implements talk.Session.
func (t *sonicTalk) Binary([]byte) iter.Seq[func()] {
	return talk.Once(func() {
		t.take(nil, &sonicFault{"Invalid message", "a message must be a text frame with a JSON object"})
	})
}

// Text implements talk.Session.
func (t *sonicTalk) Text(b []byte) iter.Seq[func()] {
	var in sonicInput
	fault := in.read(b)
	return talk.Once(func() { t.take(&in, fault) })
}

// sonicInput is a message of the client.
type sonicInput struct {
	cartesia.Generation
	output audio.Output
	fault  *sonicFault // what is wrong with it, unless it cancels
}

// sonicLongestID is the longest id of a context in bytes; it is ours.
const sonicLongestID = 1000

// read reads a message. The fault is that of one that belongs to no context.
func (in *sonicInput) read(b []byte) *sonicFault {
	if err := json.Unmarshal(b, &in.Generation); err != nil {
		return &sonicFault{"Invalid JSON", err.Error()}
	}
	if n := len(in.ContextID); n > sonicLongestID {
		return &sonicFault{"Invalid request", fmt.Sprintf("context_id has %d bytes: this mock server takes %d", n, sonicLongestID)}
	}
	in.output, in.fault = sonicCheck(&in.Generation, "raw")
	return nil
}

// take takes a message of the client, or what was none.
func (t *sonicTalk) take(g *sonicInput, fault *sonicFault) {
	if t.closing {
		return
	}
	t.idle.Heard()
	if fault != nil {
		t.complain("", fault)
		return
	}
	c := t.find(g.ContextID)
	switch {
	case g.Cancel && c != nil:
		c.cancel()
	case g.Cancel: // of a context that is done, or never was
	case c != nil:
		if fault := c.input(g); fault != nil {
			c.drop()
			t.complain(g.ContextID, fault)
		}
	default:
		if fault := t.begin(g); fault != nil {
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

// sonicMost is how many contexts a connection may have that are not done: it is far more
// than any plan of the service lets an account have, 15 (docs.cartesia.ai/use-the-api/
// concurrency-limits-and-timeouts, read 2026-11-29), as a test of load needs them. The
// error is the service's (docs.cartesia.ai/use-the-api/api-errors, read 2026-11-29).
const sonicMost = 100

var (
	sonicCrowded     = &sonicFault{"Too many concurrent requests", fmt.Sprintf("You have exceeded your plan's concurrency limit: this mock server takes %d contexts at once on a connection.", sonicMost)}
	sonicCrowdedCode = "concurrency_limited"
)

// begin opens a context with its first input. Without an id there is one too, whose
// messages have none.
func (t *sonicTalk) begin(g *sonicInput) *sonicFault {
	switch {
	case g.fault != nil:
		return g.fault
	case !mouth.Speakable(*g.Transcript):
		return &sonicFault{sonicSilent, "first transcript for WS is empty or contains only punctuation"}
	case len(t.contexts) == sonicMost:
		return sonicCrowded
	}
	delay, fault := sonicDelay(&g.Generation)
	if fault != nil {
		return fault
	}
	if t.Entry.Model == "" {
		t.Entry.Model = g.ModelID
	}
	c := &sonicContext{conn: t, id: g.ContextID, first: g.Generation, delay: delay, stepped: t.Loop.Now()}
	c.mouth = t.mouths.Mouth(&t.Entry, g.ModelID, sonicSpeed(&g.Generation), g.output, c.tell)
	t.contexts = append(t.contexts, c)
	return c.take(&g.Generation)
}

// forget drops a context that is done.
func (t *sonicTalk) forget(c *sonicContext) {
	t.contexts = slices.DeleteFunc(t.contexts, func(o *sonicContext) bool { return o == c })
}

// complain sends an error in the manner of the version; the connection stays.
func (t *sonicTalk) complain(context string, f *sonicFault) {
	base, code := cartesia.Base{Type: cartesia.TypeError, ContextID: context, StatusCode: http.StatusBadRequest, Done: true}, &sonicCode
	if f == sonicCrowded {
		base.StatusCode, code = http.StatusTooManyRequests, &sonicCrowdedCode
	}
	if t.version < cartesia.StructuredErrors {
		t.Say(cartesia.PlainError{Base: base, Error: f.title + ": " + f.message})
		return
	}
	id := t.Entry.ID
	if context != "" {
		id += ":" + context
	}
	t.Say(cartesia.TTSError{Base: &base, ErrorCode: code, Title: f.title, Message: f.message, RequestID: id})
}
