// Package realtime is the front of OpenAI's Realtime API: conversations over a WebSocket
// in which the server hears and speaks, sessions that only transcribe, and short-lived
// keys. It is served as of today and, to a client that asks for it by header or
// sub-protocol, as the beta was. Facts of the protocol are those of package wire/realtime.
//
// Read service.go for the routes, request.go for what a session is asked to be, session.go
// for its events, listener.go for what it hears, item.go for what was said, and reply.go for
// what it answers.
package realtime

import (
	"encoding/json"
	"net/http"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire/realtime"
)

// Config sets up a Service.
type Config struct {
	// Model returns how a model of that name behaves; nil is FindModel.
	Model func(name string) Model
	// Replies is what a model answers, a response each, from the start again after the
	// last; an empty one leaves the words to the mock.
	Replies []string
	// Arguments makes arguments of a function that a model calls, given the JSON schema of
	// its parameters; nil makes an empty object.
	Arguments func(schema json.RawMessage, r dist.Rand) (string, error)
}

// Service serves the Realtime API.
type Service struct {
	*talk.Host
	ears    *ear.Models
	config  Config
	secrets secrets
}

// New returns a service that hears as the ears do.
func New(h *talk.Host, ears *ear.Models, c Config) *Service {
	if c.Model == nil {
		c.Model = func(name string) Model { m, _ := FindModel(name); return m }
	}
	return &Service{Host: h, ears: ears, config: c}
}

// Handle adds the routes.
func (s *Service) Handle(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/realtime", s.realtime)
	mux.HandleFunc("POST /v1/realtime/client_secrets", s.secret)
	mux.HandleFunc("POST /v1/realtime/sessions", s.betaSecret(realtime.Conversation))
	mux.HandleFunc("POST /v1/realtime/transcription_sessions", s.betaSecret(realtime.Transcription))
}
