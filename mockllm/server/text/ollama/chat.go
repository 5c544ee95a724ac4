package ollama

import (
	"net/http"
	"time"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/ollama"
)

// chat answers POST /api/chat. Images are not looked at.
func (s front) chat(w http.ResponseWriter, r *http.Request) {
	var q ollama.ChatRequest
	arrived, fault := s.Read(w, r, &q)
	if fault == nil && q.Model == "" {
		fault = serve.BadRequest("model", "", "model is required")
	}
	var m *serve.Model
	if fault == nil {
		m, fault = s.find(q.Model)
	}
	if fault == nil {
		fault = s.checkThinking(q.Model, &q.Common)
	}
	if fault != nil {
		s.Refuse(w, r, api, q.Model, fault)
		return
	}
	if len(q.Messages) == 0 {
		s.chatNothing(w, r, arrived, m, &q)
		return
	}
	o, fault := chatOrder(m, &q)
	var a *answer
	if fault == nil {
		a, fault = s.open(r, arrived, o, &q.Common, q.Model)
	}
	if fault != nil {
		s.Refuse(w, r, api, q.Model, fault)
		return
	}
	s.writeChat(w, r, a, q.Streams())
}

// chatNothing answers a request without messages, which loads or unloads a model.
func (s front) chatNothing(w http.ResponseWriter, r *http.Request, arrived time.Duration, m *serve.Model, q *ollama.ChatRequest) {
	reason := s.nothing(w, r, arrived, m, &q.Common)
	if reason == "" {
		return
	}
	serve.WriteJSON(w, http.StatusOK, ollama.ChatResponse{
		Model: q.Model, CreatedAt: time.Now().UTC(), Message: ollama.Message{Role: "assistant"}, Done: true, DoneReason: reason,
	})
}

// chatOrder turns a request into an order.
func chatOrder(m *serve.Model, q *ollama.ChatRequest) (serve.Order, *wire.Failure) {
	o := serve.Order{Model: m.Name, Kind: serve.KindChat, In: "messages"}
	for _, t := range q.Tools {
		o.Tools = append(o.Tools, serve.Tool{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters})
	}
	if fault := understand(&o, &q.Common); fault != nil {
		return o, fault
	}
	messages := q.Messages
	o.AfterTool = messages[len(messages)-1].Role == "tool"
	if c := &q.Common; c.Truncate == nil || *c.Truncate {
		messages = recent(messages, room(m, c)-serve.CountAll(o.ToolTexts()))
	}
	for i := range messages {
		o.Prompt = append(o.Prompt, textsOf(&messages[i])...)
	}
	return o, fit(&o, m, &q.Common)
}

// room returns the most tokens of a prompt.
func room(m *serve.Model, c *ollama.Common) int {
	if n := c.Options.NumCtx; n > 0 {
		return min(m.Context, n) - 1
	}
	return m.Context - 1
}

// textsOf returns what the prompt says of a message.
func textsOf(m *ollama.Message) []string {
	texts := []string{m.Content}
	for _, c := range m.ToolCalls {
		texts = append(texts, string(c.Function.Arguments))
	}
	return texts
}

// recent returns the messages without the oldest that do not fit into so many tokens;
// those of the system and the last one stay. Source: chatPrompt in ollama/ollama
// server/prompt.go (2026-08-21, commit fb30760), read 2026-11-29.
func recent(messages []ollama.Message, room int) []ollama.Message {
	sizes, total := make([]int, len(messages)), 0
	for i := range messages {
		sizes[i] = serve.CountAll(textsOf(&messages[i]))
		total += sizes[i]
	}
	var kept []ollama.Message
	for i, m := range messages {
		if total > room && m.Role != "system" && i < len(messages)-1 {
			total -= sizes[i]
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

func (s front) writeChat(w http.ResponseWriter, r *http.Request, a *answer, streams bool) {
	if streams {
		s.Stream(w, r, a.g, &form{answer: a, stream: ollama.NewChatStream(a.model)})
		return
	}
	if s.Whole(w, r, a.g) {
		f := a.chatted()
		f.Message.Content, f.Message.Thinking, f.Message.ToolCalls = a.g.TextOfKind(serve.Content), a.g.TextOfKind(serve.Thinking), a.calls()
		serve.WriteJSON(w, http.StatusOK, f)
	}
}

// chatted returns the last line of an answer.
func (a *answer) chatted() ollama.ChatResponse {
	return ollama.ChatResponse{
		Model: a.model, CreatedAt: time.Now().UTC(), Message: ollama.Message{Role: "assistant"}, Done: true, DoneReason: a.reason(), Metrics: a.metrics(),
	}
}
