// Package elevenlabs is the front of ElevenLabs' text to speech.
//
// Read service.go for the routes, request.go for what requests ask for, stream.go for a
// text that comes in pieces over a WebSocket, and single.go and multi.go for the two
// WebSockets that there are.
package elevenlabs

import (
	"net/http"

	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
)

// Service answers requests as ElevenLabs does. Any voice may be asked for.
type Service struct {
	*talk.Host
	Mouths *mouth.Models
}

// Handle adds the routes.
func (s *Service) Handle(mux *http.ServeMux) {
	const voice = "/v1/text-to-speech/{voice_id}"
	for path, how := range map[string]manner{
		"":                        {whole: true},
		"/stream":                 {},
		"/with-timestamps":        {whole: true, timed: true},
		"/stream/with-timestamps": {timed: true},
	} {
		mux.HandleFunc("POST "+voice+path, func(w http.ResponseWriter, r *http.Request) { s.speak(w, r, how) })
	}
	mux.HandleFunc("GET "+voice+"/stream-input", s.single)
	mux.HandleFunc("GET "+voice+"/multi-stream-input", s.multi)
	mux.HandleFunc("GET /v1/voices", voices)
}
