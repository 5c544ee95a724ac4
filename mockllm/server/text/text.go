// Package text is the fronts of a mock server for language models, a package for each
// vendor: each reads its own requests and writes its own streams, errors and counts, and
// all are answered by the same engines at the same instants.
//
// Read serve first: what is served, what a client can ask for and how a token gets from
// the loop to the socket at its instant. Then read any vendor. This package puts them
// behind one door, and says which of them answers where several have one path. Beside
// them, sample makes JSON of a schema, fim knows prompts with a hole, tokenid numbers
// tokens, and stand is a service for tests.
package text

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"halfsecond/mockllm/server/text/anthropic"
	"halfsecond/mockllm/server/text/gemini"
	"halfsecond/mockllm/server/text/llamacpp"
	"halfsecond/mockllm/server/text/mistral"
	"halfsecond/mockllm/server/text/ollama"
	"halfsecond/mockllm/server/text/openai"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/tabby"
	"halfsecond/pipeline/wire"
)

// Model is one model that is served.
type Model = serve.Model

// Config sets up a Service.
type Config = serve.Config

// Service answers the requests of language-model protocols.
type Service struct {
	*serve.Service
	openAI    *openai.Front
	anthropic anthropic.Front
	llamaCPP  *llamacpp.Front
}

// Connected is an http.Server's ConnContext: it has the requests of a connection know it.
func Connected(ctx context.Context, c net.Conn) context.Context { return serve.Connected(ctx, c) }

// New returns a service of the given models. The error names what is wrong.
func New(c Config) (*Service, error) {
	s, err := serve.New(c)
	if err != nil {
		return nil, err
	}
	return &Service{Service: s, openAI: openai.New(s), anthropic: anthropic.Front{Service: s}, llamaCPP: llamacpp.New(s)}, nil
}

// Handle adds the routes of every protocol. They answer only while the loop runs.
func (s *Service) Handle(mux *http.ServeMux) {
	s.openAI.Handle(mux)
	s.anthropic.Handle(mux)
	s.llamaCPP.Handle(mux)
	ollama.Handle(s.Service, mux)
	mistral.Handle(s.Service, mux)
	tabby.Handle(s.Service, mux)
	gemini.Handle(s.Service, mux)
	mux.HandleFunc("POST /v1/completions", tabby.Or(s.Service, s.Named("x-request-id", s.openAI.Completions)))
	mux.HandleFunc("GET /v1/models", either(s.Named("x-request-id", s.openAI.List), s.Named(anthropic.HeaderRequestID, s.anthropic.List)))
	mux.HandleFunc("GET /v1/models/{model...}", either(s.Named("x-request-id", s.openAI.Show), s.Named(anthropic.HeaderRequestID, s.anthropic.Show)))
}

// either answers a client of the OpenAI API or one of Anthropic's in its own way.
func either(ofOpenAI, ofAnthropic http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if anthropic.Speaks(r) {
			ofAnthropic(w, r)
			return
		}
		ofOpenAI(w, r)
	}
}

// Metrics returns a handler that puts llama.cpp's own metrics before those of next, where
// its server serves all models.
func (s *Service) Metrics(next http.Handler) http.Handler { return s.llamaCPP.Metrics(next) }

// Unknown answers every path and method that is not served.
func (s *Service) Unknown(w http.ResponseWriter, r *http.Request) {
	refuse := s.openAI.Refused
	if anthropic.Speaks(r) {
		refuse = anthropic.API.Refuse
	}
	refuse(w, unknownPath(r))
}

func unknownPath(r *http.Request) *wire.Failure {
	return &wire.Failure{
		Status: http.StatusNotFound, Code: "unknown_url",
		Message: fmt.Sprintf("Unknown request URL: %s %s. Please check the URL and the method for typos; this server has %s.", r.Method, r.URL.Path, served),
	}
}

// served says in a sentence what there is.
const served = "the generating requests of the OpenAI API (POST /v1/chat/completions, /v1/completions and /v1/responses), of Anthropic (POST /v1/messages), Ollama (under /api), llama.cpp (POST /completion and /infill), Mistral (POST /v1/fim/completions), Tabby and Gemini (under /v1beta), speech of OpenAI (/v1/audio, /v1/realtime), Deepgram (/v1/listen, /v1/speak), AssemblyAI (/v3/ws), ElevenLabs (/v1/text-to-speech) and Cartesia (/tts, /stt), Twilio's calls (POST /2010-04-01/Accounts/SID/Calls.json), GET /v1/models, GET /health, GET /metrics, and of its own /v1/halfsecond/requests and /v1/halfsecond/faults"
