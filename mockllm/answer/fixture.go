package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Fixture answers with texts of a file, unless the request dictates its answer.
type Fixture struct{ entries []entry }

// entry is one answer and the requests that get it.
type entry struct {
	Contains string `json:"contains"` // a text of the prompt; "" for every request
	Model    string `json:"model"`    // "" for every model
	Answer   string `json:"answer"`
}

// Always answers with one text, unless the request dictates its answer.
func Always(text string) *Fixture { return &Fixture{[]entry{{Answer: text}}} }

// ReadFixture reads the answers of a file: one JSON object a line, {"contains":
// "...", "model": "...", "answer": "..."}, of which the first that suits a request is
// its answer; or, when the file does not begin with a brace, one text that is every
// answer. The name stands in errors.
func ReadFixture(name string, data []byte) (*Fixture, error) {
	text := strings.TrimRight(string(data), "\r\n")
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("%s: no text in it", name)
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return Always(text), nil
	}
	f := &Fixture{}
	for i, line := range bytes.Split(data, []byte{'\n'}) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		e, err := readEntry(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		f.entries = append(f.entries, e)
	}
	return f, nil
}

func readEntry(line []byte) (e entry, err error) {
	read := json.NewDecoder(bytes.NewReader(line))
	read.DisallowUnknownFields()
	switch err := read.Decode(&e); {
	case err != nil:
		return e, fmt.Errorf(`%s: want {"contains": "...", "model": "...", "answer": "..."} on one line`, strings.TrimPrefix(err.Error(), "json: "))
	case e.Answer == "":
		return e, errors.New("answer: missing or empty")
	}
	if _, err := read.Token(); !errors.Is(err, io.EOF) {
		return e, errors.New("more than one object on the line")
	}
	return e, nil
}

// Answer implements Source.
func (f *Fixture) Answer(a *Asked) (text string, ok bool) {
	if a.Given != "" {
		return a.Given, true
	}
	for _, e := range f.entries {
		if (e.Model == "" || e.Model == a.Model) && a.contains(e.Contains) {
			return e.Answer, true
		}
	}
	a.Unsaid = "no answer of the file suits the prompt"
	return "", false
}

// contains reports whether a text of the prompt has that in it.
func (a *Asked) contains(s string) bool {
	for _, text := range a.Texts {
		if strings.Contains(text, s) {
			return true
		}
	}
	return s == ""
}
