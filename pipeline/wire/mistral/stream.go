package mistral

import (
	"encoding/json"
	"strconv"

	"halfsecond/pipeline/wire"
)

// Stream writes the events of one streamed answer: those of a chat completion, but for
// the last, which holds the counts too. Its methods append to a buffer of the caller.
type Stream struct {
	head string // up to the value of choices
}

// NewStream returns the Stream of an answer, created at that Unix time in seconds.
func NewStream(id, model string, created int64) *Stream {
	b := wire.AppendString([]byte(`data: {"id":`), id)
	b = strconv.AppendInt(append(b, `,"object":"`+wire.ChatChunkObject+`","created":`...), created, 10)
	b = wire.AppendString(append(b, `,"model":`...), model)
	return &Stream{head: string(append(b, `,"choices":[{"index":0,"delta":{`...))}
}

// AppendRole appends the event that opens an answer.
func (s *Stream) AppendRole(dst []byte) []byte {
	dst = append(dst, s.head...)
	return append(dst, `"role":"assistant","content":""},"finish_reason":null}]}`+"\n\n"...)
}

// AppendText appends the event of a piece of the answer.
func (s *Stream) AppendText(dst []byte, text string) []byte {
	dst = append(append(dst, s.head...), `"content":`...)
	dst = wire.AppendString(dst, text)
	return append(dst, `},"finish_reason":null}]}`+"\n\n"...)
}

// AppendFinish appends the event that says why the answer ended and counts its tokens.
func (s *Stream) AppendFinish(dst []byte, reason string, u wire.Usage) []byte {
	counts, err := json.Marshal(u)
	if err != nil {
		panic("mistral: " + err.Error()) // it is made of numbers
	}
	dst = append(append(dst, s.head...), `"content":""},"finish_reason":`...)
	dst = append(wire.AppendString(dst, reason), `}],"usage":`...)
	return append(append(dst, counts...), "}\n\n"...)
}
