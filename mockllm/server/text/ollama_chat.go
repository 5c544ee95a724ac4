package text

import (
	"net/http"
	"time"

	"halfsecond/pipeline/wire/ollama"
)

// ollamaChat answers POST /api/chat. Images are not looked at.
func (s *Service) ollamaChat(w http.ResponseWriter, r *http.Request) {
	var q ollama.ChatRequest
	arrived, fault := s.read(w, r, &q)
	if fault == nil && q.Model == "" {
		fault = badRequest("model", "", "model is required")
	}
	var m *model
	if fault == nil {
		m, fault = s.ollamaModel(q.Model)
	}
	if fault == nil {
		fault = s.checkThinking(q.Model, &q.Common)
	}
	if fault != nil {
		s.refuse(w, r, ollamaAPI, fault)
		return
	}
	if len(q.Messages) == 0 {
		s.chatNothing(w, r, arrived, m, &q)
		return
	}
	o, fault := ollamaChatOrder(m, &q)
	var a *ollamaAnswer
	if fault == nil {
		a, fault = s.openOllama(r, arrived, o, kindChat, q.Model)
	}
	if fault != nil {
		s.refuse(w, r, ollamaAPI, fault)
		return
	}
	s.writeChat(w, r, a, q.Streams())
}

// chatNothing answers a request without messages, which loads or unloads a model.
func (s *Service) chatNothing(w http.ResponseWriter, r *http.Request, arrived time.Duration, m *model, q *ollama.ChatRequest) {
	reason := ollama.DoneUnload
	if !unloads(&q.Common) {
		reason = ollama.DoneLoad
		if !s.load(w, r, arrived, m, q.Model) {
			return
		}
	}
	writeJSON(w, http.StatusOK, ollama.ChatResponse{
		Model: q.Model, CreatedAt: time.Now().UTC(), Message: ollama.Message{Role: "assistant"}, Done: true, DoneReason: reason,
	})
}

// ollamaChatOrder turns a request into an order.
func ollamaChatOrder(m *model, q *ollama.ChatRequest) (order, *apiError) {
	o := order{model: m.Name, in: "messages"}
	for _, t := range q.Tools {
		o.tools = append(o.tools, tool{t.Function.Name, t.Function.Description, t.Function.Parameters})
	}
	if fault := o.ollama(&q.Common); fault != nil {
		return o, fault
	}
	messages := q.Messages
	o.afterTool = messages[len(messages)-1].Role == "tool"
	if c := &q.Common; c.Truncate == nil || *c.Truncate {
		messages = recent(messages, ollamaRoom(m, c)-countAll(o.toolTexts()))
	}
	for i := range messages {
		o.prompt = append(o.prompt, ollamaTexts(&messages[i])...)
	}
	return o, o.fit(m, &q.Common)
}

// ollamaRoom returns the most tokens of a prompt.
func ollamaRoom(m *model, c *ollama.Common) int {
	if n := c.Options.NumCtx; n > 0 {
		return min(m.Context, n) - 1
	}
	return m.Context - 1
}

// ollamaTexts returns what the prompt says of a message.
func ollamaTexts(m *ollama.Message) []string {
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
		sizes[i] = countAll(ollamaTexts(&messages[i]))
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

func (s *Service) writeChat(w http.ResponseWriter, r *http.Request, a *ollamaAnswer, streams bool) {
	if streams {
		s.stream(w, r, a.g, &ollamaForm{ollamaAnswer: a, stream: ollama.NewChatStream(a.model)})
		return
	}
	if s.whole(w, r, a.g) {
		f := a.chatted()
		f.Message.Content, f.Message.Thinking, f.Message.ToolCalls = a.g.textOfKind(content), a.g.textOfKind(thinking), a.calls()
		writeJSON(w, http.StatusOK, f)
	}
}

// chatted returns the last line of an answer.
func (a *ollamaAnswer) chatted() ollama.ChatResponse {
	return ollama.ChatResponse{
		Model: a.model, CreatedAt: time.Now().UTC(), Message: ollama.Message{Role: "assistant"}, Done: true, DoneReason: a.reason(), Metrics: a.metrics(),
	}
}
