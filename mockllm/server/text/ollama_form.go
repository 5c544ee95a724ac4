package text

import (
	"time"

	"halfsecond/pipeline/wire/ollama"
)

// ollamaForm writes the lines of an answer of Ollama's API. A line without text is not
// sent, and a tool call is sent when all of it is there.
type ollamaForm struct {
	*ollamaAnswer
	stream *ollama.Stream
	called int // calls sent
}

func (f *ollamaForm) contentType() string { return ollama.ContentType }

func (f *ollamaForm) open(dst []byte, _ *generation) []byte { return dst }

func (f *ollamaForm) piece(dst []byte, p piece) []byte {
	now := time.Now().UTC()
	switch {
	case p.shuts && f.complete(p.part):
		f.called++
		return ollama.AppendLine(dst, ollama.ChatResponse{
			Model: f.model, CreatedAt: now,
			Message: ollama.Message{Role: "assistant", ToolCalls: []ollama.ToolCall{ollamaCall(p.part, f.called-1)}},
		})
	case p.text == "" || p.part.kind == toolCall:
		return dst
	case p.part.kind == thinking:
		return f.stream.AppendThinking(dst, now, p.text)
	}
	return f.stream.AppendText(dst, now, p.text)
}

func (f *ollamaForm) end(dst []byte, _ *generation) []byte {
	if f.chat {
		return ollama.AppendLine(dst, f.chatted())
	}
	return ollama.AppendLine(dst, f.generated())
}

func (f *ollamaForm) fail(dst []byte, e *apiError) []byte { return ollama.AppendLine(dst, e.ollama()) }
