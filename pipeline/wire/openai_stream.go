package wire

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Stream writes the events of one streamed answer with a single choice, in the
// shape of the OpenAI API. Its methods append to a buffer of the caller and
// allocate nothing else, since a server calls them once a token. A Stream does
// not change after it is made and may be used concurrently.
type Stream struct {
	head  string // up to the value of choices
	tail  string // what follows the choices, with the end of the event
	piece string // in a choice, up to the text
	close string // what closes the text's object
	empty string // a choice without text, up to the finish reason
}

// NewChatStream returns the Stream of a chat completion, created at that Unix
// time in seconds. With usage each chunk has a null usage member, as the API does
// when stream_options.include_usage is set.
func NewChatStream(id, model string, created int64, usage bool) *Stream {
	return newStream(&Stream{
		piece: `[{"index":0,"delta":{"content":`,
		close: `}`,
		empty: `[{"index":0,"delta":{}`,
	}, ChatChunkObject, id, model, created, usage)
}

// NewCompletionStream is NewChatStream for a text completion.
func NewCompletionStream(id, model string, created int64, usage bool) *Stream {
	return newStream(&Stream{
		piece: `[{"index":0,"text":`,
		close: `,"logprobs":null`,
		empty: `[{"index":0,"text":"","logprobs":null`,
	}, CompletionObject, id, model, created, usage)
}

func newStream(s *Stream, object, id, model string, created int64, usage bool) *Stream {
	b := AppendString([]byte(`data: {"id":`), id)
	b = AppendString(append(b, `,"object":`...), object)
	b = strconv.AppendInt(append(b, `,"created":`...), created, 10)
	b = AppendString(append(b, `,"model":`...), model)
	s.head = string(append(b, choicesKey...))
	if usage {
		s.tail = `,"usage":null`
	}
	s.tail += "}\n\n"
	return s
}

// choicesKey ends the head of a chunk.
const choicesKey = `,"choices":`

// WithFingerprint returns a Stream whose chunks have the system_fingerprint of the
// software that serves.
func (s Stream) WithFingerprint(fingerprint string) *Stream {
	b := append([]byte(strings.TrimSuffix(s.head, choicesKey)), `,"system_fingerprint":`...)
	s.head = string(append(AppendString(b, fingerprint), choicesKey...))
	return &s
}

// AppendRole appends the chunk that opens a chat completion: the role and an
// empty content.
func (s *Stream) AppendRole(dst []byte) []byte {
	dst = append(dst, s.head...)
	dst = append(dst, `[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]`...)
	return append(dst, s.tail...)
}

// AppendText appends a chunk with a piece of the answer.
func (s *Stream) AppendText(dst []byte, text string) []byte {
	dst = append(dst, s.head...)
	dst = append(dst, s.piece...)
	dst = AppendString(dst, text)
	dst = append(dst, s.close...)
	dst = append(dst, `,"finish_reason":null}]`...)
	return append(dst, s.tail...)
}

// AppendReasoning appends a chunk with a piece of the reasoning before an answer, under
// the name that vLLM and DeepSeek give it.
func (s *Stream) AppendReasoning(dst []byte, text string) []byte {
	dst = append(dst, s.head...)
	dst = append(dst, `[{"index":0,"delta":{"reasoning_content":`...)
	dst = AppendString(dst, text)
	dst = append(dst, `},"finish_reason":null}]`...)
	return append(dst, s.tail...)
}

// AppendCall appends the chunk that opens a tool call.
func (s *Stream) AppendCall(dst []byte, index int, id, name string) []byte {
	dst = s.appendCallHead(dst, index)
	dst = AppendString(append(dst, `,"id":`...), id)
	dst = AppendString(append(dst, `,"type":"function","function":{"name":`...), name)
	return s.appendCallTail(append(dst, `,"arguments":""`...))
}

// AppendArguments appends a chunk with a piece of the arguments of a tool call.
func (s *Stream) AppendArguments(dst []byte, index int, text string) []byte {
	dst = s.appendCallHead(dst, index)
	return s.appendCallTail(AppendString(append(dst, `,"function":{"arguments":`...), text))
}

func (s *Stream) appendCallHead(dst []byte, index int) []byte {
	dst = append(dst, s.head...)
	dst = append(dst, `[{"index":0,"delta":{"tool_calls":[{"index":`...)
	return strconv.AppendInt(dst, int64(index), 10)
}

func (s *Stream) appendCallTail(dst []byte) []byte {
	dst = append(dst, `}}]},"finish_reason":null}]`...)
	return append(dst, s.tail...)
}

// AppendFinish appends the chunk that says why the answer ended.
func (s *Stream) AppendFinish(dst []byte, reason string) []byte {
	dst = append(dst, s.head...)
	dst = append(dst, s.empty...)
	dst = append(dst, `,"finish_reason":`...)
	dst = AppendString(dst, reason)
	dst = append(dst, `}]`...)
	return append(dst, s.tail...)
}

// AppendUsage appends the chunk without choices that counts the tokens, with more
// members, each with a comma in front.
func (s *Stream) AppendUsage(dst []byte, u Usage, members string) []byte {
	dst = append(dst, s.head...)
	dst = append(dst, `[],"usage":`...)
	dst = append(u.appendJSON(dst), members...)
	return append(dst, "}\n\n"...)
}

func (u Usage) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"prompt_tokens":`...)
	dst = strconv.AppendInt(dst, int64(u.PromptTokens), 10)
	dst = append(dst, `,"completion_tokens":`...)
	dst = strconv.AppendInt(dst, int64(u.CompletionTokens), 10)
	dst = append(dst, `,"total_tokens":`...)
	dst = strconv.AppendInt(dst, int64(u.TotalTokens), 10)
	if d := u.PromptTokensDetails; d != nil {
		dst = append(dst, `,"prompt_tokens_details":{"cached_tokens":`...)
		dst = strconv.AppendInt(dst, int64(d.CachedTokens), 10)
		dst = append(dst, '}')
	}
	if d := u.CompletionTokensDetails; d != nil {
		dst = append(dst, `,"completion_tokens_details":{"reasoning_tokens":`...)
		dst = strconv.AppendInt(dst, int64(d.ReasoningTokens), 10)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// Amendment is what a server may add to a chunk beside what every API has.
type Amendment struct {
	Choice string // members of the choice, each with a comma in front
	Chunk  string // members of the chunk, each with a comma in front
	Usage  *Usage // the counts so far
}

// Amend adds to the chunk at the end of dst, which another method of s has appended.
func (s *Stream) Amend(dst []byte, a Amendment) []byte {
	dst = append(dst[:len(dst)-len(s.tail)-len("}]")], a.Choice...)
	dst = append(append(dst, "}]"...), a.Chunk...)
	if a.Usage == nil {
		return append(dst, s.tail...)
	}
	dst = append(dst, `,"usage":`...)
	return append(a.Usage.appendJSON(dst), "}\n\n"...)
}

// AppendError appends the event that ends a stream which cannot be completed, as
// vLLM and others send it.
func AppendError(dst []byte, e ErrorBody) []byte {
	dst = append(append(dst, "data: "...), encode(e)...)
	return append(dst, "\n\n"...)
}

// AppendDone appends the end marker of a stream.
func AppendDone(dst []byte) []byte {
	return append(dst, "data: "+Done+"\n\n"...)
}

const hex = "0123456789abcdef"

// AppendString appends s as a JSON string. Bytes that are no UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, s[start:i]...)
			dst = append(dst, "\ufffd"...)
			start = i + 1
		}
		i += size
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
