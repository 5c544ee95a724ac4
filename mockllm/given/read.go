package given

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Read reads a stated server from a file's JSON: a server block, anything with a
// "server" beside other keys, or a file of cases, of which id names one. The name
// stands in errors.
func Read(name string, data []byte, id string) (*Server, error) {
	var file struct {
		Server json.RawMessage `json:"server"`
		Cases  []struct {
			ID     string          `json:"id"`
			Server json.RawMessage `json:"server"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, located(name, data, err)
	}
	block := data
	switch {
	case file.Cases != nil:
		var ids []string
		block = nil
		for _, c := range file.Cases {
			ids = append(ids, c.ID)
			if c.ID == id {
				block = c.Server
			}
		}
		if block == nil {
			return nil, fmt.Errorf("%s: a file of cases, and none with a server is called %q: add #ID to the name, one of %s", name, id, strings.Join(ids, ", "))
		}
	case id != "":
		return nil, fmt.Errorf("%s: #%s names a case, and this is no file of cases", name, id)
	case file.Server != nil:
		block = file.Server
	}
	s := Default()
	read := json.NewDecoder(bytes.NewReader(block))
	read.DisallowUnknownFields()
	if err := read.Decode(&s); err != nil {
		return nil, located(name, block, err)
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &s, nil
}

// located adds to an error of the decoder where it is.
func located(name string, data []byte, err error) error {
	var offset int64
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset, err = kind.Offset, fmt.Errorf("%s: want a %s, got a %s", kind.Field, kind.Type, kind.Value)
	default:
		return fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "json: "))
	}
	before := data[:min(offset, int64(len(data)))]
	return fmt.Errorf("%s:%d: %w", name, 1+bytes.Count(before, []byte{'\n'}), err)
}

// UnmarshalJSON takes "truth", "unrelated" or {"text": ...}.
func (a *Answer) UnmarshalJSON(b []byte) error {
	var word string
	if json.Unmarshal(b, &word) == nil {
		if word != "truth" && word != "unrelated" {
			return fmt.Errorf(`answer: %q, want "truth", "unrelated" or {"text": ...}`, word)
		}
		*a = Answer{Truth: word == "truth"}
		return nil
	}
	var text struct {
		Text *string `json:"text"`
	}
	read := json.NewDecoder(bytes.NewReader(b))
	read.DisallowUnknownFields()
	if err := read.Decode(&text); err != nil || text.Text == nil || *text.Text == "" {
		return errors.New(`answer: want "truth", "unrelated" or {"text": ...}`)
	}
	*a = Answer{Text: *text.Text}
	return nil
}
