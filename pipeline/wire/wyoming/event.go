package wyoming

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Event is one event.
type Event struct {
	Type    string
	Data    json.RawMessage // an object; nil is an empty one
	Payload []byte          // such as audio
}

// Version is the version of the protocol that events are written in.
const Version = "1.7.2"

// header is the line that an event begins with.
type header struct {
	Type          string          `json:"type"`
	Version       string          `json:"version,omitempty"`
	Data          json.RawMessage `json:"data,omitempty"`
	DataLength    int             `json:"data_length,omitempty"`
	PayloadLength int             `json:"payload_length,omitempty"`
}

// New returns an event that says v, which must encode as an object; nil says nothing.
func New(kind string, v any) (Event, error) {
	e := Event{Type: kind}
	if v == nil {
		return e, nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return e, fmt.Errorf("encode %s: %w", kind, err)
	}
	e.Data = data
	return e, nil
}

// Append appends the event as the reference library writes it: data after the line.
func (e Event) Append(dst []byte) ([]byte, error) {
	line, err := json.Marshal(header{Type: e.Type, Version: Version, DataLength: len(e.Data), PayloadLength: len(e.Payload)})
	if err != nil {
		return dst, fmt.Errorf("encode %s: %w", e.Type, err)
	}
	dst = append(append(dst, line...), '\n')
	return append(append(dst, e.Data...), e.Payload...), nil
}

// Decode decodes the data of the event; those of none are empty.
func (e Event) Decode(v any) error {
	if len(e.Data) == 0 {
		return nil
	}
	if err := json.Unmarshal(e.Data, v); err != nil {
		return fmt.Errorf("data of %s: %w", e.Type, err)
	}
	return nil
}

// The longest line, data and payload of an event that a Reader takes, in bytes.
const (
	MaxLine    = 1 << 20
	MaxData    = 1 << 20
	MaxPayload = 8 << 20
)

// Reader reads events.
type Reader struct{ r *bufio.Reader }

// NewReader returns a reader of what r reads.
func NewReader(r io.Reader) *Reader { return &Reader{bufio.NewReader(r)} }

// Read returns the next event, or io.EOF when there is none. Any other error says what
// was wrong with it; nothing can be read after that.
func (r *Reader) Read() (Event, error) {
	line, err := r.line()
	if err != nil {
		return Event{}, err
	}
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return Event{}, fmt.Errorf("the line of an event is not a JSON object of the right form: %w", err)
	}
	if h.Type == "" {
		return Event{}, errors.New("the line of an event has no type")
	}
	e := Event{Type: h.Type}
	data, err := r.block("data", h.DataLength, MaxData)
	if err != nil {
		return e, err
	}
	if e.Data, err = merged(h.Data, data); err != nil {
		return e, fmt.Errorf("the data of %s are not a JSON object: %w", h.Type, err)
	}
	e.Payload, err = r.block("payload", h.PayloadLength, MaxPayload)
	return e, err
}

// line returns the next line.
func (r *Reader) line() ([]byte, error) {
	var line []byte
	for {
		part, err := r.r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > MaxLine:
			return nil, fmt.Errorf("the line of an event is longer than %d bytes", MaxLine)
		case err == nil:
			return line, nil
		case errors.Is(err, io.EOF) && len(line) > 0:
			return nil, io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// block returns the next n bytes; as the reference library has it, n below 0 is 0.
func (r *Reader) block(name string, n, most int) ([]byte, error) {
	if n <= 0 {
		return nil, nil
	}
	if n > most {
		return nil, fmt.Errorf("the %s_length of an event is %d, want at most %d", name, n, most)
	}
	// A length costs its sender nothing: memory is taken as bytes come.
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r.r, int64(n)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b.Bytes(), nil
}

// merged returns the members of both objects, those of the second where both have one.
func merged(first, second json.RawMessage) (json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	for _, o := range []json.RawMessage{first, second} {
		if len(o) == 0 {
			continue
		}
		if err := json.Unmarshal(o, &members); err != nil {
			return nil, err
		}
		if members == nil { // null
			members = map[string]json.RawMessage{}
		}
	}
	if len(members) == 0 {
		return nil, nil
	}
	return json.Marshal(members)
}
