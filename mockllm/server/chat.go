package server

import (
	"net/http"
	"strings"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/wire"
)

// chat answers POST /v1/chat/completions. The prompt's tokens are those of the
// messages' contents; the mock has no chat template.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	arrived := s.config.Loop.Elapsed()
	var q wire.ChatRequest
	fault := s.read(w, r, &q)
	if fault == nil && len(q.Messages) == 0 {
		fault = badRequest("messages", "missing_required_parameter", "Missing required parameter: 'messages'.")
	}
	if fault != nil {
		fault.write(w)
		return
	}
	limit := q.MaxCompletionTokens
	if limit == nil {
		limit = q.MaxTokens
	}
	var prompt strings.Builder
	tokens := 0
	for _, m := range q.Messages {
		prompt.WriteString(m.Content.Text)
		tokens += token.Count(m.Content.Text)
	}
	g, fault := s.generation(order{
		model: q.Model, prompt: prompt.String(), promptTokens: tokens, limit: limit, sampling: q.Sampling, in: "messages",
	})
	if fault != nil {
		fault.write(w)
		return
	}
	id := s.newID("chatcmpl-")
	if q.Stream {
		stream := wire.NewChatStream(id, g.model.Name, s.unix(), g.usageAsked)
		s.stream(w, r, arrived, g, stream, stream.AppendRole(nil))
		return
	}
	if s.whole(w, r, arrived, g) {
		writeJSON(w, http.StatusOK, wire.ChatResponse{
			ID: id, Object: wire.ChatObject, Created: s.unix(), Model: g.model.Name, Usage: g.usage(),
			Choices: []wire.ChatChoice{{
				Message:      wire.Message{Role: "assistant", Content: wire.Content{Text: g.text}},
				FinishReason: g.finish(),
			}},
		})
	}
}
