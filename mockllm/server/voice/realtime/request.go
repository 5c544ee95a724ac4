package realtime

import (
	"net/http"
	"strings"
	"time"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/realtime"
)

const (
	currentProtocol = "realtime"
	betaProtocol    = "openai-beta.realtime-v1"
	keyProtocol     = "openai-insecure-api-key."
)

// Codes with which the service closes: what is wrong with the request, and with the key.
const (
	closeBadRequest = 4000
	closeBadKey     = 3000
)

// longestSession is how long a session lasts; the service then says so and closes.
const longestSession = time.Hour

// realtime answers GET /v1/realtime. Like the service it upgrades whatever is asked for,
// and says over the WebSocket what is wrong.
func (s *Service) realtime(w http.ResponseWriter, r *http.Request) {
	q := s.request(r, time.Now().Add(longestSession).Unix())
	s.Converse(w, r, []string{currentProtocol}, func(k *talk.Socket) talk.Session { return s.newSession(k, q) })
}

// request is a session that is asked for.
type request struct {
	*http.Request
	config *realtime.Session
	model  Model
	beta   bool
	fault  *refusal // why it cannot be
}

// request finds out, off the loop, what a request asks for.
func (s *Service) request(r *http.Request, expires int64) request {
	config, fault := s.asked(r, expires)
	return request{r, config, s.config.Model(config.Model), asksForBeta(r), fault}
}

// newSession begins a session; one that cannot be is closed at once.
func (s *Service) newSession(k *talk.Socket, q request) *session {
	t := &session{service: s, beta: q.beta, config: q.config, model: q.model, number: s.Session(wire.AskedStream(q.Header.Get(wire.StreamHeader))), conversation: s.NewID("conv_")}
	t.Visit = s.Visit(k, q.Request, "openai realtime session", q.config.Model, q.config.ID)
	if q.fault != nil {
		code := closeBadRequest
		if q.fault.code == codeBadKey {
			code = closeBadKey
		}
		t.refuse(q.fault, code)
		return t
	}
	t.listen()
	t.Say(realtime.SessionEvent{Head: t.sessionHead(realtime.EventSessionCreated, realtime.EventTranscriptionCreated), Session: t.shown()})
	t.expiry = k.Loop.After(longestSession, pipeline.RankTimer, t.expire)
	return t
}

// asked returns the session that a request asks for: of its key, when that is a
// short-lived one, or else of its parameters.
func (s *Service) asked(r *http.Request, expires int64) (*realtime.Session, *refusal) {
	q := r.URL.Query()
	kind, model := realtime.Conversation, q.Get("model")
	if q.Get("intent") == "transcription" {
		kind = realtime.Transcription
	}
	config := newConfig(kind, s.NewID("sess_"), model)
	agreed, fault := s.secrets.session(keyOf(r))
	if agreed != nil {
		agreed.ID = config.ID
		config = agreed
	}
	config.ExpiresAt = expires
	switch {
	case fault != nil:
		return config, fault
	case q.Has("call_id"):
		return config, faulty("invalid_call_id", "call_id", "No call with the ID '%s' was found: this server has no calls over WebRTC or SIP.", q.Get("call_id"))
	case config.Type == realtime.Conversation && config.Model == "":
		return config, faulty("missing_model", "", "You must provide a model parameter, for example ws://%s/v1/realtime?model=%s", r.Host, DefaultModel)
	}
	return config, nil
}

// asksForBeta reports whether a client speaks as the beta did.
func asksForBeta(r *http.Request) bool {
	for _, p := range talk.Subprotocols(r) {
		if p == betaProtocol {
			return true
		}
	}
	return strings.Contains(r.Header.Get("OpenAI-Beta"), "realtime=v1")
}

// keyOf returns the key of a request, which a browser can only send as the name of
// a sub-protocol.
func keyOf(r *http.Request) string {
	for _, p := range talk.Subprotocols(r) {
		if key, ok := strings.CutPrefix(p, keyProtocol); ok {
			return key
		}
	}
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return key
}
