package server

import (
	"net/http"

	"halfsecond/pipeline/wire"
)

// defaultCompletionTokens is the limit of a completion that names none; source:
// openai/openai-openapi openapi.yaml, CreateCompletionRequest.max_tokens (commit
// f85dbe2, 2026-08-21), read 2026-11-29.
const defaultCompletionTokens = 16

// completions answers POST /v1/completions, with a suffix or without. The
// prompt's tokens are those of prompt and suffix.
func (s *Server) completions(w http.ResponseWriter, r *http.Request) {
	var q wire.CompletionRequest
	arrived, fault := s.read(w, r, &q)
	if fault == nil && q.Echo {
		fault = badRequest("echo", "unsupported_parameter", "Unsupported parameter: 'echo'. This server does not repeat the prompt.")
	}
	if fault != nil {
		fault.write(w)
		return
	}
	limit := q.MaxTokens
	if limit == nil {
		n := defaultCompletionTokens
		limit = &n
	}
	g, fault := s.generation(order{
		model: q.Model, prompt: []string{string(q.Prompt), q.Suffix}, limit: limit, limitedBy: "max_tokens",
		sampling: q.Sampling, in: "prompt",
	})
	if fault != nil {
		fault.write(w)
		return
	}
	id := s.newID("cmpl-")
	if q.Stream {
		s.stream(w, r, arrived, g, wire.NewCompletionStream(id, g.model.Name, s.unix(), g.usageAsked), nil)
		return
	}
	if s.whole(w, r, arrived, g) {
		writeJSON(w, http.StatusOK, wire.CompletionResponse{
			ID: id, Object: wire.CompletionObject, Created: s.unix(), Model: g.model.Name, Usage: g.usage(),
			Choices: []wire.CompletionChoice{{Text: g.text, FinishReason: g.finish()}},
		})
	}
}
