package anthropic

import (
	"encoding/json"
	"strconv"

	"halfsecond/pipeline/wire"
)

// The events of a streamed answer, in the order in which they come: a start; for each
// block of the answer its start, its deltas and its stop; the delta of the message,
// which says why it ended; and its stop. A ping or an error may come between any two.

// AppendStart appends the event that opens an answer.
func AppendStart(dst []byte, a Answer) []byte {
	dst = append(dst, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":"...)
	return append(append(dst, encode(a)...), "}\n\n"...)
}

// AppendPing appends an event that says nothing.
func AppendPing(dst []byte) []byte {
	return append(dst, "event: ping\ndata: {\"type\":\"ping\"}\n\n"...)
}

// AppendBlockStart appends the event that opens a block. The block has no text yet, and
// an empty input.
func AppendBlockStart(dst []byte, index int, b Block) []byte {
	dst = append(dst, "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":"...)
	dst = strconv.AppendInt(dst, int64(index), 10)
	dst = append(append(dst, `,"content_block":`...), encode(b)...)
	return append(dst, "}\n\n"...)
}

// AppendText appends a piece of a block of text.
func AppendText(dst []byte, index int, text string) []byte {
	return appendDelta(dst, index, `{"type":"text_delta","text":`, text)
}

// AppendThinking appends a piece of a block of reasoning.
func AppendThinking(dst []byte, index int, text string) []byte {
	return appendDelta(dst, index, `{"type":"thinking_delta","thinking":`, text)
}

// AppendSignature appends the signature of a block of reasoning; it comes last.
func AppendSignature(dst []byte, index int, signature string) []byte {
	return appendDelta(dst, index, `{"type":"signature_delta","signature":`, signature)
}

// AppendInput appends a piece of the JSON text that is the input of a tool.
func AppendInput(dst []byte, index int, text string) []byte {
	return appendDelta(dst, index, `{"type":"input_json_delta","partial_json":`, text)
}

func appendDelta(dst []byte, index int, head, text string) []byte {
	dst = append(dst, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":"...)
	dst = strconv.AppendInt(dst, int64(index), 10)
	dst = append(append(dst, `,"delta":`...), head...)
	return append(wire.AppendString(dst, text), "}}\n\n"...)
}

// AppendBlockStop appends the event that ends a block.
func AppendBlockStop(dst []byte, index int) []byte {
	dst = append(dst, "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":"...)
	return append(strconv.AppendInt(dst, int64(index), 10), "}\n\n"...)
}

// AppendEnd appends the event that says why an answer ended, with all counts so far,
// and the one that ends it.
func AppendEnd(dst []byte, reason string, sequence *string, u Usage) []byte {
	dst = append(dst, "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"...)
	dst = wire.AppendString(dst, reason)
	dst = append(append(dst, `,"stop_sequence":`...), encode(sequence)...)
	dst = append(append(dst, `},"usage":`...), encode(u)...)
	return append(dst, "}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"...)
}

// AppendError appends the event that ends a stream which cannot be completed.
func AppendError(dst []byte, e ErrorBody) []byte {
	return wire.AppendEvent(dst, TypeError, encode(e))
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("anthropic: " + err.Error()) // our own types always encode, but for an input that is no JSON
	}
	return text
}
