package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Message is a request, a notification or an answer. A request has an ID and a Method, a
// notification a Method alone, an answer an ID and either a Result or an Error.
type Message struct {
	ID     ID
	Method string
	Params json.RawMessage // an object or an array; nil for none
	Result json.RawMessage // of an answer; one that says nothing is null
	Error  *Error
}

// Error is what an answer says that is no result.
type Error struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Codes of errors. Those from RequestFailed on are of the Language Server Protocol.
const (
	ParseError       = -32700
	InvalidRequest   = -32600
	MethodNotFound   = -32601
	InvalidParams    = -32602
	InternalError    = -32603
	RequestFailed    = -32803
	ServerCancelled  = -32802
	ContentModified  = -32801
	RequestCancelled = -32800
)

// Request reports whether the message wants an answer.
func (m *Message) Request() bool { return m.Method != "" && m.ID.Given() }

// Notification reports whether the message wants none.
func (m *Message) Notification() bool { return m.Method != "" && !m.ID.Given() }

// Answer reports whether the message is an answer.
func (m *Message) Answer() bool { return m.Method == "" }

// NewRequest returns a request with these params, which must encode; nil is none.
func NewRequest(id ID, method string, params any) (Message, error) {
	text, err := encode(params)
	if err != nil {
		return Message{}, fmt.Errorf("params of %s: %w", method, err)
	}
	return Message{ID: id, Method: method, Params: text}, nil
}

// NewNotification returns a notification with these params, which must encode; nil is none.
func NewNotification(method string, params any) (Message, error) {
	return NewRequest(ID{}, method, params)
}

// NewAnswer returns an answer with this result, which must encode; nil is null.
func NewAnswer(id ID, result any) (Message, error) {
	text, err := encode(result)
	if err != nil {
		return Message{}, fmt.Errorf("answer to %s: %w", id, err)
	}
	if text == nil {
		text = null
	}
	return Message{ID: id, Result: text}, nil
}

// NewFailure returns an answer that is an error.
func NewFailure(id ID, code int64, words string) Message {
	return Message{ID: id, Error: &Error{Code: code, Message: words}}
}

var null = json.RawMessage("null")

// encode returns v as JSON that repeats text as it stands, nil for nil.
func encode(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// AppendJSON appends the message without a header.
func (m *Message) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if m.ID.Given() {
		dst = append(append(dst, `,"id":`...), m.ID.String()...)
	}
	var err error
	add := func(name string, v any) {
		text, bad := encode(v)
		err = errors.Join(err, bad)
		dst = append(append(dst, `,"`+name+`":`...), text...)
	}
	switch {
	case m.Method != "":
		add("method", m.Method)
		if m.Params != nil {
			add("params", m.Params)
		}
	case m.Error != nil:
		add("error", m.Error)
	default:
		add("result", m.Result)
	}
	return append(dst, '}'), err
}

// ErrBatch is that of an array of messages, which language servers do not send.
var ErrBatch = errors.New("it is a batch (a JSON array), want one message: the Language Server Protocol has no batches")

// Decode reads one message. The error says what is wrong with it.
func Decode(text []byte) (Message, error) {
	var m Message
	trimmed := bytes.TrimLeft(text, " \t\r\n")
	if len(trimmed) > 0 && trimmed[0] == '[' {
		return m, ErrBatch
	}
	if !utf8.Valid(text) {
		return m, errors.New("it is not UTF-8")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return m, located(err)
	}
	if members == nil {
		return m, errors.New("it is null, want an object")
	}
	return read(members)
}

// located says where in a message something is wrong.
func located(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("it is no JSON: %w, at byte %d", err, syntax.Offset)
	}
	return fmt.Errorf("it is no JSON object: %w", err)
}

// read makes a message of its members.
func read(members map[string]json.RawMessage) (m Message, err error) {
	if v := members["jsonrpc"]; string(v) != `"2.0"` {
		return m, fmt.Errorf(`jsonrpc is %s, want "2.0"`, short(v))
	}
	if m.ID, err = parseID(members["id"]); err != nil {
		return m, err
	}
	method, asks := members["method"]
	if !asks {
		return m, m.readAnswer(members)
	}
	if err := json.Unmarshal(method, &m.Method); err != nil || m.Method == "" {
		return m, fmt.Errorf("method is %s, want a name", short(method))
	}
	if m.ID == Null() {
		return m, fmt.Errorf("id of the request %s is null, want a string or a number", strconv.Quote(m.Method))
	}
	m.Params, err = params(members["params"])
	return m, err
}

// params reads params; null, which some senders write for none, is none.
func params(text json.RawMessage) (json.RawMessage, error) {
	switch {
	case text == nil || text[0] == 'n':
		return nil, nil
	case text[0] == '{' || text[0] == '[':
		return text, nil
	}
	return nil, fmt.Errorf("params is %s, want an object or an array", short(text))
}

// readAnswer reads what has no method.
func (m *Message) readAnswer(members map[string]json.RawMessage) error {
	result, ok := members["result"]
	failure, failed := members["error"]
	failed = failed && string(failure) != "null"
	switch {
	case !m.ID.Given():
		return errors.New("it has neither a method nor an id")
	case !ok && !failed:
		return fmt.Errorf("the answer to %s has neither a result nor an error", m.ID)
	case failed && ok && string(result) != "null":
		return fmt.Errorf("the answer to %s has both a result and an error", m.ID)
	case failed:
		if err := json.Unmarshal(failure, &m.Error); err != nil {
			return fmt.Errorf("the error of the answer to %s: %w", m.ID, err)
		}
		return nil
	case m.ID == Null():
		return errors.New("the answer with a result has the id null")
	}
	m.Result = result
	return nil
}

// short returns the beginning of a value for a message, quoted where it is long.
func short(text json.RawMessage) string {
	const most = 40
	switch {
	case text == nil:
		return "not there"
	case len(text) > most:
		return fmt.Sprintf("%q...", text[:most])
	}
	return fmt.Sprintf("%q", text)
}
