// Package openai is the front of OpenAI's speech to text, by uploads, and text to speech.
//
// Read service.go for the routes, transcriptions.go for uploads and speech.go for the
// other way.
package openai

import (
	"net/http"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
)

// Service answers requests as OpenAI does.
type Service struct {
	*talk.Host
	Ears   *ear.Models
	Mouths *mouth.Models
}

// Handle adds the routes.
func (s *Service) Handle(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1/audio/transcriptions", func(w http.ResponseWriter, r *http.Request) { s.transcriptions(w, r, "transcribe") })
	mux.HandleFunc("POST /v1/audio/translations", func(w http.ResponseWriter, r *http.Request) { s.transcriptions(w, r, "translate") })
	mux.HandleFunc("POST /v1/audio/speech", s.speak)
}
