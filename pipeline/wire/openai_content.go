package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Content is the content of a message or of a piece of one. The API writes it as
// a string, as null or as a list of parts. It is written as a string.
type Content struct {
	Text     string
	Thinking string // the model's reasoning, where a list holds such parts
	Null     bool   // it is written as null, as beside tool calls
}

type contentPart struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Refusal  string          `json:"refusal"`
	Thinking json.RawMessage `json:"thinking"` // a string or again a list of parts
}

// MarshalJSON writes the text, or null.
func (c Content) MarshalJSON() ([]byte, error) {
	if c.Null {
		return []byte("null"), nil
	}
	return AppendString(nil, c.Text), nil
}

// UnmarshalJSON takes all three forms; parts that are neither text nor thinking,
// and values of any other type, hold nothing.
func (c *Content) UnmarshalJSON(b []byte) error {
	*c = Content{}
	if plainString(b) {
		c.Text = string(b[1 : len(b)-1])
		return nil
	}
	if json.Unmarshal(b, &c.Text) == nil {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(b, &list) != nil {
		return nil
	}
	var text, thinking strings.Builder
	for _, raw := range list {
		t, r := readPart(raw)
		text.WriteString(t)
		thinking.WriteString(r)
	}
	c.Text, c.Thinking = text.String(), thinking.String()
	return nil
}

// plainString reports whether b, which is valid JSON, is a string that stands for
// itself: the common case, which needs no decoder.
func plainString(b []byte) bool {
	return b[0] == '"' && bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b)
}

// readPart returns the text and the thinking of one part of a list.
func readPart(raw json.RawMessage) (text, thinking string) {
	if json.Unmarshal(raw, &text) == nil {
		return text, ""
	}
	var p contentPart
	if json.Unmarshal(raw, &p) != nil {
		return "", ""
	}
	switch p.Type {
	case "text", "output_text", "input_text", "":
		return p.Text, ""
	case "refusal":
		return p.Refusal, ""
	case "thinking", "reasoning":
		var inner Content
		if len(p.Thinking) == 0 {
			return "", p.Text
		}
		_ = inner.UnmarshalJSON(p.Thinking) // never fails
		return "", inner.Text + inner.Thinking
	}
	return "", ""
}
