package exchange

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// masked returns the body of an exchange with an x for every byte of what may be
// somebody's words, so that its messages still have their kinds, sizes, counts and
// instants. It is nil when that cannot be done: of compressed bytes and of sound.
func masked(x *Exchange) []byte {
	if x.coding() != "" {
		return nil
	}
	b := bytes.Clone(x.Body)
	if !walk(b, x.kind(), masker{}) {
		return nil
	}
	return b
}

// kind returns the media type of a body, in small letters and without parameters.
func (x *Exchange) kind() string {
	kind, _, _ := strings.Cut(strings.ToLower(x.Header("Content-Type")), ";")
	return strings.TrimSpace(kind)
}

// walk masks the texts of a body of a kind in place, as a masker does; it is false, and nothing
// done, where its kind has none.
func walk(b []byte, kind string, m masker) bool {
	switch {
	case kind == "text/event-stream":
		maskEvents(b, m)
	case kind == "application/json", strings.HasSuffix(kind, "+json"):
		m.mask(b)
	case strings.Contains(kind, "json"):
		for line := range bytes.Lines(b) {
			one := m
			one.mask(line)
		}
	case strings.HasPrefix(kind, "text/"):
		m.page(b)
	default:
		return false
	}
	return true
}

// maskEvents masks an event stream in place.
func maskEvents(b []byte, set masker) {
	m := set
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	for len(b) > 0 {
		end := bytes.IndexAny(b, "\r\n")
		if end < 0 {
			end = len(b)
		}
		if end == 0 {
			m = set
		}
		m.line(b[:end])
		if bytes.HasPrefix(b[end:], []byte("\r\n")) {
			end++
		}
		b = b[min(end+1, len(b)):]
	}
}

// word matches what a program says, and nobody else.
var word = regexp.MustCompile(`^[A-Za-z0-9_.:/+-]{0,80}$`)

// line masks one line of an event stream.
func (m *masker) line(b []byte) {
	field, value, _ := bytes.Cut(b, []byte(":"))
	switch string(field) {
	case "data":
		if len(m.stack) > 0 || string(bytes.TrimSpace(value)) != "[DONE]" {
			m.mask(value)
		}
	case "event", "id", "retry":
		m.failed = m.failed || string(field) == "event" && string(bytes.TrimSpace(value)) == "error"
		m.words(value, word.Match(bytes.TrimSpace(value)))
	case "":
		m.words(value, false)
	default:
		m.words(b, false)
	}
}

// masker masks JSON, piece by piece, and whatever stands in its place: every word, or with a
// seeker what that hides.
type masker struct {
	stack  []frame
	seeker *seeker
	failed bool // it is of a failure
}

// words masks a text that is no JSON; plain says that a program says it.
func (m *masker) words(b []byte, plain bool) {
	switch {
	case m.seeker != nil:
		m.seeker.text(b, m.failed && !plain)
	case !plain:
		blank(b)
	}
}

// page masks a text, word by word.
func (m *masker) page(b []byte) {
	if m.seeker != nil {
		m.seeker.text(b, m.failed)
		return
	}
	for one := range bytes.FieldsSeq(b) {
		blank(one)
	}
}

// frame is an object or array that is not closed.
type frame struct {
	array  bool
	key    string // of the member in hand
	value  bool   // its value comes
	opaque bool   // all in it is somebody's words
	failed bool   // it is of a failure
}

func (m *masker) top() frame {
	if len(m.stack) == 0 {
		return frame{value: true}
	}
	return m.stack[len(m.stack)-1]
}

// mask masks b in place.
func (m *masker) mask(b []byte) {
	if m.seeker != nil {
		m.failed = m.failed || ofFailure.Match(b)
		m.seeker.bare(b, m.failed)
	}
	for len(b) > 0 {
		n := 1
		switch c := b[0]; {
		case c == '{', c == '[':
			up := m.top()
			m.stack = append(m.stack, frame{array: c == '[', opaque: up.opaque || slices.Contains(opaqueKeys, up.key), failed: up.ofError()})
		case c == '}', c == ']':
			m.stack = m.stack[:max(0, len(m.stack)-1)]
		case c == ',', c == ':':
			if len(m.stack) > 0 {
				m.stack[len(m.stack)-1].value = c == ':'
			}
		case c == '"':
			n = m.text(b)
		case c == '-' || c >= '0' && c <= '9':
			n = m.number(b)
		case c > ' ':
			n = m.literal(b)
		}
		b = b[n:]
	}
}

// opaqueKeys are the keys of values that are words to their last letter, names and
// numbers among them: arguments of calls, echoes of what was asked, tokens.
var opaqueKeys = []string{"arguments", "args", "input", "parameters", "metadata", "logprobs", "completion_probabilities", "context", "tokens"}

// plainKeys are the keys of texts that a program says.
var plainKeys = []string{
	"type", "object", "role", "status", "code", "reason", "event", "modality",
	"finish_reason", "finishReason", "stop_reason", "done_reason", "stop_type",
	"model", "modelVersion", "created_at", "service_tier", "system_fingerprint",
	"id", "item_id", "call_id", "tool_call_id", "responseId",
}

// finishKeys are the keys of why an answer ended, which some servers say in a few words, and
// finish matches these.
var (
	finishKeys = []string{"finish_reason", "finishReason", "stop_reason", "done_reason", "stop_type"}
	finish     = regexp.MustCompile(`^[A-Za-z0-9_.:/+ ,-]{0,80}$`)
)

// text masks the string that b begins with and returns its length.
func (m *masker) text(b []byte) int {
	end := 1
	for end < len(b) && b[end] != '"' {
		if b[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(b))
	inner, at := b[1:end], m.top()
	isKey := !at.array && !at.value
	if isKey && len(m.stack) > 0 {
		m.stack[len(m.stack)-1].key = string(inner)
	}
	plain := isKey || slices.Contains(plainKeys, at.key) && word.Match(inner) || slices.Contains(finishKeys, at.key) && finish.Match(inner)
	switch {
	case m.seeker != nil:
		named := !plain && namesSecret(at.key)
		m.seeker.quoted(inner, named || !plain && (m.failed || at.ofError()))
		m.seeker.value(inner, named)
	case at.opaque || !plain:
		blank(inner)
	}
	return min(end+1, len(b))
}

// ofError reports whether the value in hand is of an error.
func (f frame) ofError() bool { return f.failed || f.key == "error" || f.key == "errors" }

// number masks the number that b begins with, where numbers can be words: elements of
// arrays are tokens. It returns its length.
func (m *masker) number(b []byte) int {
	n := 0
	at := m.top()
	words := m.seeker == nil && (at.opaque || at.array || at.key == "id" || at.key == "token")
	for ; n < len(b) && bytes.IndexByte([]byte("+-.eE0123456789"), b[n]) >= 0; n++ {
		if words && b[n] >= '0' && b[n] <= '9' {
			b[n] = '1'
		}
	}
	return n
}

// literal masks what is no JSON and returns its length.
func (m *masker) literal(b []byte) int {
	n := bytes.IndexAny(b, " \t\r\n{}[],:\"")
	if n < 0 {
		n = len(b)
	}
	switch string(b[:n]) {
	case "true", "false", "null":
	default:
		m.words(b[:n], false)
	}
	return n
}

// blank writes x over a text, unless there is nothing to see in it. Its escapes are
// those of a string of JSON.
func blank(b []byte) {
	seen := b
	if bytes.IndexByte(b, '\\') >= 0 {
		var s string
		if json.Unmarshal(slices.Concat([]byte(`"`), b, []byte(`"`)), &s) == nil {
			seen = []byte(s)
		}
	}
	if len(bytes.TrimSpace(seen)) == 0 {
		return
	}
	for i, c := range b {
		if c != '\n' && c != '\r' { // a line stays one
			b[i] = 'x'
		}
	}
}
