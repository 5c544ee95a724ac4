// Package bot is a voice bot as users run one: a server to which Twilio's Media Streams puts
// a caller through. It greets, hears the caller out, answers, and falls silent when the
// caller cuts in, or does so badly. It is what a caller is tested against; the caller of
// package phone, which is Twilio, can be one too.
//
// Read bot.go for what it does and stream.go for one call.
package bot

import (
	"net/http"
	"time"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
)

// Path is where the bot takes calls.
const Path = "/v1/halfsecond/bot"

// Config sets up a Service.
type Config struct {
	// Greeting is what the bot says first; "" is nothing.
	Greeting string
	// Replies are what it answers, a turn each, from the start again after the last.
	Replies []string
	// STT is how it hears. Its Turn says when the caller has finished.
	STT speech.STT
	// Voice is how it speaks. FirstByte is all the time from the end of a turn to the first
	// audio of the answer.
	Voice speech.TTS
	// Ahead is how far ahead of being played audio is sent, in frames of 20 ms; below 0 it is
	// sent as it is made, in messages as long as the voice's chunks.
	Ahead time.Duration
	// NoClear leaves what was sent to be played when the caller cuts in.
	NoClear bool
}

// Service takes calls.
type Service struct {
	*talk.Host
	config Config
}

// New returns a service.
func New(h *talk.Host, c Config) *Service { return &Service{h, c} }

// Handle adds the route.
func (s *Service) Handle(mux *http.ServeMux) {
	mux.HandleFunc("GET "+Path, func(w http.ResponseWriter, r *http.Request) {
		s.Converse(w, r, nil, func(k *talk.Socket) talk.Session { return s.stream(k, r) })
	})
}
