// Package phone is the telephone network with a caller in it, as far as the API and the
// Media Streams of Twilio show it: a call that is asked for is answered at once, and its
// TwiML puts the caller through to a server of the user over a Media Stream. The caller
// says its texts, each after the answer to the one before, and hangs up. What the caller
// heard, and when, is at /v1/halfsecond/calls/SID. Requests of the mock carry no
// X-Twilio-Signature: there is no token to sign with.
//
// Read service.go for the routes, request.go for what is asked for, run.go for how a call
// goes, stream.go for its Media Stream, and caller.go and playout.go for the person in it.
package phone

import (
	"context"
	"net"
	"net/http"
	"sync"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
)

// Config sets up a Service.
type Config struct {
	// Transcript is what callers say, a turn each; an empty one has them greet.
	Transcript []string
	// TTS returns how a voice of that name speaks.
	TTS func(model string) speech.TTS
	// DialAnywhere lets calls be connected to any host, not this machine alone.
	DialAnywhere bool
	// Dial opens the connections of calls; nil dials the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Service places calls.
type Service struct {
	*talk.Host
	config Config
	calls  book
	// lines returns what the callers say.
	lines func() []line
}

// New returns a service.
func New(h *talk.Host, c Config) *Service {
	s := &Service{Host: h, config: c}
	s.lines = sync.OnceValue(s.sayLines)
	return s
}

// Handle adds the routes.
func (s *Service) Handle(mux *http.ServeMux) {
	mux.HandleFunc("POST /2010-04-01/Accounts/{account}/Calls.json", s.placeCall)
	mux.HandleFunc("GET /2010-04-01/Accounts/{account}/Calls/{call}", s.showCall)
	mux.HandleFunc("POST /2010-04-01/Accounts/{account}/Calls/{call}", s.changeCall)
	mux.HandleFunc("GET /v1/halfsecond/calls/{sid}", s.reportCall)
}
