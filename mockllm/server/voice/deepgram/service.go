// Package deepgram is the front of Deepgram's speech to text and text to speech.
//
// Read service.go for the routes; listen.go, flux.go and speak.go for what requests ask
// for, and the session beside each for a conversation.
package deepgram

import (
	"net/http"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
)

// Service answers requests as Deepgram does.
type Service struct {
	*talk.Host
	Ears   *ear.Models
	Mouths *mouth.Models
}

// Handle adds the routes.
func (s *Service) Handle(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/listen", s.listen)
	mux.HandleFunc("POST /v1/listen", s.file)
	mux.HandleFunc("GET /v2/listen", s.flux)
	mux.HandleFunc("GET /v1/speak", s.speak)
	mux.HandleFunc("POST /v1/speak", s.speakOnce)
}
