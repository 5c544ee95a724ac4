package text

import (
	"net/http"
	"slices"
	"strings"

	"halfsecond/pipeline/wire"
)

// chat answers POST /v1/chat/completions. The prompt's tokens are those of the
// messages' contents; the mock has no chat template.
func (s *Service) chat(w http.ResponseWriter, r *http.Request) {
	var q wire.ChatRequest
	g, fault := s.open(w, r, openAI, &q, func() (order, *apiError) { return orderChat(&q) })
	if fault != nil {
		openAI.refuse(w, fault)
		return
	}
	g.id = s.newID("chatcmpl-")
	if q.Stream {
		usage := wantsUsage(&q.Sampling)
		s.stream(w, r, g, openAIForm{wire.NewChatStream(g.id, g.model.Name, g.created, usage), true, usage})
		return
	}
	if s.whole(w, r, g) {
		writeJSON(w, http.StatusOK, wire.ChatResponse{
			ID: g.id, Object: wire.ChatObject, Created: g.created, Model: g.model.Name, Usage: g.openAIUsage(),
			Choices: []wire.ChatChoice{{
				Message:      wire.Message{Role: "assistant", Content: wire.Content{Text: g.text}},
				FinishReason: g.finish(),
			}},
		})
	}
}

func orderChat(q *wire.ChatRequest) (order, *apiError) {
	o := order{model: q.Model, in: "messages", limit: q.MaxCompletionTokens, limitedBy: "max_completion_tokens"}
	if o.limit == nil {
		o.limit, o.limitedBy = q.MaxTokens, "max_tokens"
	}
	for _, m := range q.Messages {
		o.prompt = append(o.prompt, m.Content.Text)
	}
	o.sample(&q.Sampling)
	if fault := checkMessages(q.Messages); fault != nil {
		return o, fault
	}
	return o, checkSampling(&q.Sampling)
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
