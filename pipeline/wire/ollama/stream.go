package ollama

import (
	"encoding/json"
	"time"

	"halfsecond/pipeline/wire"
)

// ContentType is that of a streamed answer: lines of JSON.
const ContentType = "application/x-ndjson"

// Stream writes the lines of one streamed answer. Its methods append to a buffer of
// the caller, since a server calls them once a token.
type Stream struct {
	head     string // up to the instant
	text     string // from there up to the text
	thinking string // from there up to the reasoning
	close    string // what follows either
}

// NewGenerateStream returns the Stream of an answer to a GenerateRequest.
func NewGenerateStream(model string) *Stream {
	return newStream(model, &Stream{
		text:     `","response":`,
		thinking: `","response":"","thinking":`,
		close:    `,"done":false}`,
	})
}

// NewChatStream returns the Stream of an answer to a ChatRequest.
func NewChatStream(model string) *Stream {
	return newStream(model, &Stream{
		text:     `","message":{"role":"assistant","content":`,
		thinking: `","message":{"role":"assistant","content":"","thinking":`,
		close:    `},"done":false}`,
	})
}

func newStream(model string, s *Stream) *Stream {
	s.head = string(append(wire.AppendString([]byte(`{"model":`), model), `,"created_at":"`...))
	s.close += "\n"
	return s
}

// AppendText appends the line of a piece of the answer.
func (s *Stream) AppendText(dst []byte, at time.Time, text string) []byte {
	return s.append(dst, at, s.text, text)
}

// AppendThinking appends the line of a piece of the reasoning.
func (s *Stream) AppendThinking(dst []byte, at time.Time, text string) []byte {
	return s.append(dst, at, s.thinking, text)
}

func (s *Stream) append(dst []byte, at time.Time, key, text string) []byte {
	dst = append(dst, s.head...)
	dst = at.AppendFormat(dst, time.RFC3339Nano)
	dst = wire.AppendString(append(dst, key...), text)
	return append(dst, s.close...)
}

// AppendLine appends any other line: a GenerateResponse, ChatResponse or ErrorBody.
func AppendLine(dst []byte, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("ollama: " + err.Error()) // a caller's arguments of a tool call are no JSON
	}
	return append(append(dst, text...), '\n')
}
