package given

import (
	"bytes"
	_ "embed" // for the example
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"halfsecond/pipeline/strict"
)

//go:embed example.json
var example []byte

// Example returns a file of cases, which together have every key.
func Example() []byte { return slices.Clone(example) }

// Read reads a stated server from a file's JSON: a server block, anything with a
// "server" beside other keys, or a file of cases, of which id names one. The name
// stands in errors.
func Read(name string, data []byte, id string) (*Server, error) {
	block, err := block(name, data, id)
	if err != nil {
		return nil, err
	}
	if block = bytes.TrimSpace(block); !bytes.HasPrefix(block, []byte{'{'}) {
		return nil, fmt.Errorf("%s: want an object with a server's keys, got %s", name, block)
	}
	s := Default()
	read := json.NewDecoder(bytes.NewReader(block))
	read.DisallowUnknownFields()
	if err := read.Decode(&s); err != nil {
		return nil, located(name, data, max(0, bytes.Index(data, block)), err)
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &s, nil
}

// block returns the JSON of the server that a file has.
func block(name string, data []byte, id string) (json.RawMessage, error) {
	var file struct {
		Server json.RawMessage `json:"server"`
		Cases  []struct {
			ID     string          `json:"id"`
			Server json.RawMessage `json:"server"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, located(name, data, 0, err)
	}
	switch {
	case file.Cases == nil && id != "":
		return nil, fmt.Errorf("%s: #%s names a case, and this is no file of cases", name, id)
	case file.Cases == nil && file.Server != nil:
		return file.Server, nil
	case file.Cases == nil:
		return data, nil
	}
	var ids []string
	for _, c := range file.Cases {
		if c.Server != nil && c.ID == id {
			return c.Server, nil
		}
		if c.Server != nil {
			ids = append(ids, c.ID)
		}
	}
	if id == "" {
		return nil, fmt.Errorf("%s: a file of cases: add #ID to the name, with one of %s", name, strings.Join(ids, ", "))
	}
	return nil, fmt.Errorf("%s: a file of cases, and none with a server is called %q; %s", name, id, strict.Suggest(id, ids))
}

// located adds to an error of the decoder where it is in a file, of which it read what
// stands from a byte on.
func located(name string, data []byte, from int, err error) error {
	var offset int
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	text := strings.TrimPrefix(err.Error(), "json: ")
	switch {
	case errors.As(err, &syntax):
		offset = int(syntax.Offset)
	case errors.As(err, &kind):
		offset, text = int(kind.Offset), strings.TrimPrefix(fmt.Sprintf("%s: want %s, got %s", kind.Field, wanted(kind.Type), kind.Value), ": ")
	default:
		key, unknown := strings.CutPrefix(text, "unknown field ")
		offset = bytes.Index(data[from:], []byte(key))
		if !unknown || offset < 0 {
			return fmt.Errorf("%s: %s", name, text)
		}
		text += "; " + strict.Suggest(strings.Trim(key, `"`), keys)
	}
	before := data[:min(from+offset, len(data))]
	return fmt.Errorf("%s:%d: %s", name, 1+bytes.Count(before, []byte{'\n'}), text)
}

// keys are those of a server, and of what it holds.
var keys = slices.Concat(tags(Server{}), tags(Limit{}), tags(Scripted{}))

// tags returns the names of a struct's fields as JSON has them.
func tags(v any) (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
		if name := f.Tag.Get("json"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// wanted says in words what a value must be.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
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
