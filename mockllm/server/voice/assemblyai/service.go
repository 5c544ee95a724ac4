// Package assemblyai is the front of AssemblyAI's streaming speech to text.
//
// Read service.go for the route, request.go for what a request asks for, and session.go
// for a conversation.
package assemblyai

import (
	"net/http"
	"time"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/pipeline/wire/assemblyai"
)

// Service answers requests as AssemblyAI does.
type Service struct {
	*talk.Host
	Ears *ear.Models
}

// Handle adds the route.
func (s *Service) Handle(mux *http.ServeMux) { mux.HandleFunc("GET /v3/ws", s.listen) }

// listen answers GET /v3/ws, which becomes a WebSocket: what is wrong with its
// parameters is told there, as the service does.
func (s *Service) listen(w http.ResponseWriter, r *http.Request) {
	id, expires := s.NewUUID(), time.Now().Add(longestSession)
	p := &talk.Params{Values: r.URL.Query()}
	o := optionsOf(p)
	s.Converse(w, r, nil, func(k *talk.Socket) talk.Session {
		v := newSession(s.Visit(k, r, "assemblyai", o.model, id), s.Ears, o)
		if p.Fault != nil {
			v.fail(assemblyai.CodeInput, "Input Validation Error: "+p.Fault.Error())
			return v
		}
		v.begin(expires)
		return v
	})
}
