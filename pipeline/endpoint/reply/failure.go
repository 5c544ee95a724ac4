package reply

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// FailureKind says where a failure showed.
type FailureKind string

const (
	InBand     FailureKind = "in_band"      // an error in the body of a good response
	HTTPStatus FailureKind = "http_status"  // a status other than 2xx
	BadType    FailureKind = "content_type" // a body that is neither a stream nor JSON
	BadLink    FailureKind = "transport"    // the connection, or bytes that cannot be read
	TooLong    FailureKind = "too_long"     // more than a limit of the reader's own lets it take
)

// Failure is an error that the server reported, or what kept us from reading it.
type Failure struct {
	Kind FailureKind
	// Message is the server's own words: the unexpected type for BadType, and
	// empty for BadLink and TooLong.
	Message string
	// Code is the error's code, else its type: a string, a float64 or nil. For
	// HTTPStatus it is the status, an int.
	Code any
	// Detail is, for HTTPStatus, the code that the body gives, as above.
	Detail any
	// Cause is our own words for BadLink and TooLong, nil otherwise.
	Cause error
}

// Refusal reports whether the server would not take the request as it is or just
// now: too large, rate limited or overloaded.
func (f *Failure) Refusal() bool {
	if f.Kind != HTTPStatus {
		return false
	}
	const overloaded = 529 // Anthropic's own
	switch f.Code {
	case http.StatusRequestEntityTooLarge, http.StatusTooManyRequests, http.StatusServiceUnavailable, overloaded:
		return true
	}
	return f.Detail == "context_length_exceeded" || f.Detail == "exceed_context_size_error"
}

// String describes the failure in one line of any length.
func (f *Failure) String() string {
	switch f.Kind {
	case HTTPStatus:
		return joinNonEmpty(fmt.Sprintf("HTTP %v", f.Code), f.Message)
	case BadType:
		return fmt.Sprintf("content type %q, want text/event-stream or application/json", f.Message)
	case BadLink, TooLong:
		return f.Cause.Error()
	}
	if f.Code == nil {
		return joinNonEmpty("the server reports an error", f.Message)
	}
	return joinNonEmpty(fmt.Sprintf("the server reports error %v", f.Code), f.Message)
}

func joinNonEmpty(head, message string) string {
	if message == "" {
		return head
	}
	return head + ": " + message
}

// MemberFailure reads the error member of a JSON object: an object, or only a
// text. It returns nil when the member is missing or says that there is none.
func MemberFailure(raw json.RawMessage) *Failure {
	switch string(bytes.Join(bytes.Fields(raw), nil)) {
	case "", "null", "false", `""`, "0", `"0"`, "{}", "[]":
		return nil
	}
	f := &Failure{Kind: InBand}
	if json.Unmarshal(raw, &f.Message) == nil {
		return f
	}
	var object struct {
		Message any `json:"message"`
		Code    any `json:"code"`
		Type    any `json:"type"`
	}
	if json.Unmarshal(raw, &object) != nil {
		f.Message = string(raw)
		return f
	}
	f.Message, _ = object.Message.(string)
	f.Code = cmp.Or(code(object.Code), code(object.Type))
	return f
}

// code returns v when it can name an error, and nil otherwise.
func code(v any) any {
	switch v := v.(type) {
	case string:
		if v != "" {
			return v
		}
	case float64:
		return v
	}
	return nil
}

// eventFailure reads the data of an event that is named error. A pending one may
// be cut, so it counts only when it is whole JSON.
func eventFailure(data []byte, pending bool) *Failure {
	if !json.Valid(data) {
		if pending {
			return nil
		}
		return &Failure{Kind: InBand, Message: string(data)}
	}
	var object struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(data, &object) == nil {
		if f := MemberFailure(object.Error); f != nil {
			return f
		}
	}
	if f := MemberFailure(data); f != nil {
		return f
	}
	return &Failure{Kind: InBand}
}

// StatusMessage returns the words of a response whose status says that it failed: those
// of its body, as for a Failure.
func StatusMessage(status int, body []byte) string { return statusFailure(status, body).Message }

// statusFailure describes a status other than 2xx, with the message from the
// body: the usual members of a JSON error, else the body as it stands.
func statusFailure(status int, body []byte) *Failure {
	f := &Failure{Kind: HTTPStatus, Code: status}
	body = bytes.TrimSpace(body)
	object := body
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		object = list[0]
	}
	var members struct {
		Error   json.RawMessage `json:"error"`
		Message any             `json:"message"`
		Detail  any             `json:"detail"`
	}
	if json.Unmarshal(object, &members) == nil {
		if e := MemberFailure(members.Error); e != nil {
			f.Message, f.Detail = e.Message, e.Code
		}
		for _, m := range []any{members.Message, members.Detail} {
			if s, ok := m.(string); ok {
				f.Message = cmp.Or(f.Message, s)
			}
		}
	}
	f.Message = cmp.Or(f.Message, strings.ToValidUTF8(string(body), "\ufffd"))
	return f
}
