// Package cartesia is the front of Cartesia's speech to text, whose models are called
// Ink, and text to speech, whose models are called Sonic.
//
// Read service.go for the routes, stt.go and tts.go for what requests ask for, and the
// files beside them for conversations.
package cartesia

import (
	"net/http"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
)

// Service answers requests as Cartesia does.
type Service struct {
	*talk.Host
	Ears   *ear.Models
	Mouths *mouth.Models
}

// Handle adds the routes.
func (s *Service) Handle(mux *http.ServeMux) {
	mux.HandleFunc("GET /stt/websocket", func(w http.ResponseWriter, r *http.Request) {
		s.stt(w, r, "cartesia stt", func(v talk.Visit, o inkOptions) talk.Session { return newInkSession(v, s.Ears, o) })
	})
	mux.HandleFunc("GET /stt/turns/websocket", func(w http.ResponseWriter, r *http.Request) {
		s.stt(w, r, "cartesia turns", func(v talk.Visit, o inkOptions) talk.Session { return newInkTurns(v, s.Ears, o) })
	})
	mux.HandleFunc("POST /tts/bytes", s.sonicBytes)
	mux.HandleFunc("POST /tts/sse", s.sonicEvents)
	mux.HandleFunc("GET /tts/websocket", s.sonicSocket)
}
