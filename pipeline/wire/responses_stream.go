package wire

import (
	"encoding/json"
	"strconv"
)

// Events of a streamed Response that carry it whole.
const (
	EventCreated    = "response.created"
	EventInProgress = "response.in_progress"
	EventCompleted  = "response.completed"
	EventIncomplete = "response.incomplete"
	EventFailed     = "response.failed"
)

// ResponsesStream writes the events of one streamed Response and numbers them. Its
// methods append to a buffer of the caller. The zero value is ready; it must not be
// used concurrently.
type ResponsesStream struct{ next int }

// event appends the head of an event, up to the members of its own. Its name is given
// in two halves, since joining them would cost an allocation a token.
func (s *ResponsesStream) event(dst []byte, name, rest string) []byte {
	dst = append(append(append(dst, "event: "...), name...), rest...)
	dst = append(append(append(dst, "\ndata: {\"type\":\""...), name...), rest...)
	dst = append(dst, `","sequence_number":`...)
	s.next++
	return strconv.AppendInt(dst, int64(s.next-1), 10)
}

const endOfEvent = "}\n\n"

// AppendResponse appends an event that carries the whole Response.
func (s *ResponsesStream) AppendResponse(dst []byte, name string, r Response) []byte {
	dst = append(s.event(dst, name, ""), `,"response":`...)
	return append(append(dst, encode(r)...), endOfEvent...)
}

// AppendError appends the event that says what went wrong with a stream.
func (s *ResponsesStream) AppendError(dst []byte, e APIError) []byte {
	dst = append(s.event(dst, "error", ""), `,"code":`...)
	dst = append(append(dst, encode(e.Code)...), `,"message":`...)
	dst = append(AppendString(dst, e.Message), `,"param":`...)
	return append(append(dst, encode(e.Param)...), endOfEvent...)
}

// AppendOpen appends the events that open the item at that place of the output.
func (s *ResponsesStream) AppendOpen(dst []byte, index int, i OutputItem) []byte {
	i.Status, i.Open, i.Text = StatusInProgress, true, ""
	dst = s.appendItem(dst, "response.output_item.added", index, i)
	return s.appendPart(dst, "added", index, i)
}

// AppendDelta appends a piece of an item's text. Only the item's type, id and
// Summarized are looked at.
func (s *ResponsesStream) AppendDelta(dst []byte, index int, i OutputItem, text string) []byte {
	dst = s.appendPlace(dst, i.event(), ".delta", index, i)
	dst = AppendString(append(dst, `,"delta":`...), text)
	if i.Type == ItemMessage {
		dst = append(dst, `,"logprobs":[]`...)
	}
	return append(dst, endOfEvent...)
}

// AppendDone appends the events that end an item, whose text is whole now.
func (s *ResponsesStream) AppendDone(dst []byte, index int, i OutputItem) []byte {
	member := `,"text":`
	if i.Type == ItemCall {
		member = `,"arguments":`
	}
	dst = s.appendPlace(dst, i.event(), ".done", index, i)
	dst = AppendString(append(dst, member...), i.Text)
	if i.Type == ItemMessage {
		dst = append(dst, `,"logprobs":[]`...)
	}
	dst = append(dst, endOfEvent...)
	dst = s.appendPart(dst, "done", index, i)
	return s.appendItem(dst, "response.output_item.done", index, i)
}

// event returns how the events of the item's text are called.
func (i OutputItem) event() string {
	switch {
	case i.Type == ItemMessage:
		return "response.output_text"
	case i.Type == ItemCall:
		return "response.function_call_arguments"
	case i.Summarized:
		return "response.reasoning_summary_text"
	}
	return "response.reasoning_text"
}

// appendPart appends an event of the item's one part; a call has none.
func (s *ResponsesStream) appendPart(dst []byte, what string, index int, i OutputItem) []byte {
	if i.Type == ItemCall {
		return dst
	}
	name := "response.content_part."
	if i.Summarized {
		name = "response.reasoning_summary_part."
	}
	dst = append(s.appendPlace(dst, name, what, index, i), `,"part":`...)
	return append(append(dst, encode(i.Part())...), endOfEvent...)
}

func (s *ResponsesStream) appendItem(dst []byte, name string, index int, i OutputItem) []byte {
	dst = append(s.event(dst, name, ""), `,"output_index":`...)
	dst = strconv.AppendInt(dst, int64(index), 10)
	dst = append(append(dst, `,"item":`...), encode(i)...)
	return append(dst, endOfEvent...)
}

// appendPlace appends the head of an event and the place that it speaks of.
func (s *ResponsesStream) appendPlace(dst []byte, name, rest string, index int, i OutputItem) []byte {
	dst = AppendString(append(s.event(dst, name, rest), `,"item_id":`...), i.ID)
	dst = append(dst, `,"output_index":`...)
	dst = strconv.AppendInt(dst, int64(index), 10)
	switch {
	case i.Type == ItemCall:
		return dst
	case i.Summarized:
		return append(dst, `,"summary_index":0`...)
	}
	return append(dst, `,"content_index":0`...)
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("wire: " + err.Error()) // our own types always encode
	}
	return text
}
