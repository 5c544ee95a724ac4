package server

import (
	"net/http"
	"slices"
	"strings"

	"halfsecond/pipeline/wire"
)

// chat answers POST /v1/chat/completions. The prompt's tokens are those of the
// messages' contents; the mock has no chat template.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	var q wire.ChatRequest
	arrived, fault := s.read(w, r, &q)
	if fault == nil {
		fault = checkMessages(q.Messages)
	}
	if fault != nil {
		fault.write(w)
		return
	}
	limit, limitedBy := q.MaxCompletionTokens, "max_completion_tokens"
	if limit == nil {
		limit, limitedBy = q.MaxTokens, "max_tokens"
	}
	var prompt []string
	for _, m := range q.Messages {
		prompt = append(prompt, m.Content.Text)
	}
	g, fault := s.generation(order{
		model: q.Model, prompt: prompt, limit: limit, limitedBy: limitedBy, sampling: q.Sampling, in: "messages",
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

// roles are those of a conversation.
var roles = []string{"system", "developer", "user", "assistant", "tool", "function"}

func checkMessages(messages []wire.Message) *apiError {
	if len(messages) == 0 {
		return badRequest("messages", "missing_required_parameter", "Missing required parameter: 'messages'.")
	}
	for i, m := range messages {
		if !slices.Contains(roles, m.Role) {
			return badRequest("messages", "invalid_value", "Invalid value: '%s'. Supported values of messages[%d].role are: '%s'.", m.Role, i, strings.Join(roles, "', '"))
		}
	}
	return nil
}
