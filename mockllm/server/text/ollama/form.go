package ollama

import (
	"time"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/ollama"
)

// form writes the lines of an answer of Ollama's API. A line without text is not
// sent, and a tool call is sent when all of it is there.
type form struct {
	*answer
	stream *ollama.Stream
	called int // calls sent
}

func (f *form) ContentType() string { return ollama.ContentType }

func (f *form) Open(dst []byte, _ *serve.Generation) []byte { return dst }

func (f *form) Piece(dst []byte, p serve.Piece) []byte {
	now := time.Now().UTC()
	switch {
	case p.Shuts && f.complete(p.Part):
		f.called++
		return ollama.AppendLine(dst, ollama.ChatResponse{
			Model: f.model, CreatedAt: now,
			Message: ollama.Message{Role: "assistant", ToolCalls: []ollama.ToolCall{callOf(p.Part, f.called-1)}},
		})
	case p.Text == "" || p.Part.Kind == serve.ToolCall:
		return dst
	case p.Part.Kind == serve.Thinking:
		return f.stream.AppendThinking(dst, now, p.Text)
	}
	return f.stream.AppendText(dst, now, p.Text)
}

func (f *form) End(dst []byte, _ *serve.Generation) []byte {
	if f.chat {
		return ollama.AppendLine(dst, f.chatted())
	}
	return ollama.AppendLine(dst, f.generated())
}

func (f *form) Fail(dst []byte, e *wire.Failure) []byte {
	return ollama.AppendLine(dst, newError(e))
}
