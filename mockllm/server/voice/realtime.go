package voice

import (
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/realtime"
)

// handleRealtime adds OpenAI's Realtime API: conversations over a WebSocket in which the
// server hears and speaks, sessions that only transcribe, and short-lived keys. It is
// served as of today and, to a client that asks for it by header or sub-protocol, as the
// beta was. Facts of the protocol are those of package realtime.
func (s *Service) handleRealtime(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/realtime", s.realtime)
	mux.HandleFunc("POST /v1/realtime/client_secrets", s.realtimeSecret)
	mux.HandleFunc("POST /v1/realtime/sessions", s.realtimeBetaSecret(realtime.Conversation))
	mux.HandleFunc("POST /v1/realtime/transcription_sessions", s.realtimeBetaSecret(realtime.Transcription))
}

const (
	realtimeProtocol = "realtime"
	betaProtocol     = "openai-beta.realtime-v1"
	keyProtocol      = "openai-insecure-api-key."
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
	q := s.realtimeRequest(r, time.Now().Add(longestSession).Unix())
	s.converse(w, r, []string{realtimeProtocol}, func(k *socket) session { return s.newRealtimeTalk(k, q) })
}

// realtimeRequest is a session that is asked for.
type realtimeRequest struct {
	*http.Request
	config *realtime.Session
	model  Realtime
	beta   bool
	fault  *realtimeFault // why it cannot be
}

// realtimeRequest finds out, off the loop, what a request asks for.
func (s *Service) realtimeRequest(r *http.Request, expires int64) realtimeRequest {
	config, fault := s.realtimeAsked(r, expires)
	return realtimeRequest{r, config, s.config.Realtime(config.Model), asksForBeta(r), fault}
}

// newRealtimeTalk begins a session; one that cannot be is closed at once.
func (s *Service) newRealtimeTalk(k *socket, q realtimeRequest) *realtimeTalk {
	t := &realtimeTalk{beta: q.beta, config: q.config, model: q.model, number: s.stream(), conversation: s.newID("conv_")}
	t.visit = s.visit(k, q.Request, "openai realtime session", q.config.Model, q.config.ID)
	if q.fault != nil {
		code := closeBadRequest
		if q.fault.code == codeBadKey {
			code = closeBadKey
		}
		t.refuse(q.fault, code)
		return t
	}
	t.listen()
	t.say(realtime.SessionEvent{Head: t.sessionHead(realtime.EventSessionCreated, realtime.EventTranscriptionCreated), Session: t.shown()})
	t.expiry = k.loop.After(longestSession, pipeline.RankTimer, t.expire)
	return t
}

// realtimeAsked returns the session that a request asks for: of its key, when that is a
// short-lived one, or else of its parameters.
func (s *Service) realtimeAsked(r *http.Request, expires int64) (*realtime.Session, *realtimeFault) {
	q := r.URL.Query()
	kind, model := realtime.Conversation, q.Get("model")
	if q.Get("intent") == "transcription" {
		kind = realtime.Transcription
	}
	config := newRealtimeSession(kind, s.newID("sess_"), model)
	agreed, fault := s.secrets.session(realtimeKey(r))
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
		return config, faulty("missing_model", "", "You must provide a model parameter, for example ws://%s/v1/realtime?model=%s", r.Host, DefaultRealtime)
	}
	return config, nil
}

// asksForBeta reports whether a client speaks as the beta did.
func asksForBeta(r *http.Request) bool {
	for _, p := range websocket.Subprotocols(r) {
		if p == betaProtocol {
			return true
		}
	}
	return strings.Contains(r.Header.Get("OpenAI-Beta"), "realtime=v1")
}

// realtimeKey returns the key of a request, which a browser can only send as the name of
// a sub-protocol.
func realtimeKey(r *http.Request) string {
	for _, p := range websocket.Subprotocols(r) {
		if key, ok := strings.CutPrefix(p, keyProtocol); ok {
			return key
		}
	}
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return key
}
