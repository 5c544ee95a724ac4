package gemini

import (
	"encoding/json"
)

// Writer writes the pieces of one streamed answer: as events, or as the elements of one
// JSON array. Its methods append to a buffer of the caller.
type Writer struct {
	array bool
	begun bool
}

// NewWriter returns the Writer of an answer in events, or of one as an array.
func NewWriter(array bool) *Writer { return &Writer{array: array} }

// ContentType returns the content type of the answer.
func (w *Writer) ContentType() string {
	if w.array {
		return "application/json; charset=UTF-8"
	}
	return "text/event-stream"
}

// Append appends a piece: a GenerateResponse or an ErrorBody. An event ends with CR LF
// twice, as the service has it.
func (w *Writer) Append(dst []byte, v any) []byte {
	if !w.array {
		return append(append(append(dst, "data: "...), encode(v, "")...), "\r\n\r\n"...)
	}
	opening := ",\r\n"
	if !w.begun {
		opening = "["
	}
	w.begun = true
	return append(append(append(dst, opening...), encode(v, "  ")...), '\n')
}

// AppendEnd appends what follows the last piece.
func (w *Writer) AppendEnd(dst []byte) []byte {
	if !w.array {
		return dst
	}
	return append(dst, "]\n"...)
}

func encode(v any, indent string) []byte {
	var text []byte
	var err error
	if indent == "" {
		text, err = json.Marshal(v)
	} else {
		text, err = json.MarshalIndent(v, "", indent)
	}
	if err != nil {
		panic("gemini: " + err.Error()) // the arguments of a call are no JSON
	}
	return text
}
