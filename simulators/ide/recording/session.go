// Package recording replays what people did in their editors.
//
// Read session.go first: a Session and its file. recording.go reads one document
// of it.
package recording

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/typing"
)

// Session is the recording of a person at work on some documents. It never
// changes and may be used by many goroutines.
//
// Its file has one JSON object a line, in order of time (t, milliseconds):
//
//	{"ev":"content","t":0,"doc":22,"path":"a.ts","text":"..."} opens a document, again or anew
//	{"ev":"edit","t":80,"doc":22,"k":"char","edit":[[4,4,"x"]]} replaces [start, end) by a text
//	{"ev":"sel","t":81,"doc":22,"sel":[[5,5]]} moves the cursor to the end of the first range
//
// Positions are UTF-16 code units in the text before the edit; an edit of several
// parts is made from the last to the first. The kind k is char, pair (a bracket
// that the editor closed), enter, backspace or overtype for keys; delete, insert,
// replace or multi for what is none. An edit with a source (src) came from the
// editor and is no key either.
type Session struct {
	documents []*recording // the one with the most edits first
}

// Read reads a recording. An error names the line.
func Read(r io.Reader) (*Session, error) {
	documents, err := readRecordings(r)
	if err != nil {
		return nil, err
	}
	if len(documents) == 0 || documents[0].edits == 0 {
		return nil, fmt.Errorf("the recording has no edit")
	}
	for _, d := range documents {
		findTruths(d.steps)
	}
	return &Session{documents}, nil
}

// Replay returns what the person did to the document with that number. Truth is
// the text that really follows at the cursor until something else happens.
func (s *Session) Replay(document int) (typing.Source, error) {
	for _, d := range s.documents {
		if d.id == document {
			return &replay{d.steps}, nil
		}
	}
	return nil, fmt.Errorf("the recording has no document %d, only %s", document, s.list())
}

func (s *Session) list() string {
	var names []string
	for _, d := range s.documents {
		names = append(names, fmt.Sprintf("%d (%s, %d edits)", d.id, d.path, d.edits))
	}
	return strings.Join(names, ", ")
}

type replay struct{ steps []typing.Step }

// Next implements typing.Source.
func (r *replay) Next() (typing.Step, bool) {
	if len(r.steps) == 0 {
		return typing.Step{}, false
	}
	s := r.steps[0]
	r.steps = r.steps[1:]
	return s, true
}

// sessions/NOTICE tells where the recording is from and its licence.
//
//go:embed sessions/vscode_session1.edits.jsonl.gz
var recorded []byte

// BuiltIn returns the built-in recording: an expert at work on a small
// TypeScript program, with completion on, for an hour and a half.
var BuiltIn = sync.OnceValue(func() *Session {
	file, err := gzip.NewReader(bytes.NewReader(recorded))
	if err != nil {
		panic("recording: built-in recording: " + err.Error())
	}
	s, err := Read(file)
	if err != nil {
		panic("recording: built-in recording: " + err.Error())
	}
	return s
})

// findTruths gives every key the text that follows it.
func findTruths(steps []typing.Step) {
	var d document.Document
	var follows strings.Builder // what is typed in one go
	var ends []end              // the keys of that go
	flush := func() {
		text := follows.String()
		for _, e := range ends {
			steps[e.step].Truth = text[e.at:]
		}
		follows.Reset()
		ends = ends[:0]
	}
	for i, s := range steps {
		if text, ok := added(&d, s); ok {
			follows.WriteString(text)
		} else {
			flush()
		}
		s.Do(&d)
		if s.Kind == typing.Key {
			ends = append(ends, end{i, follows.Len()})
		}
	}
	flush()
}

// end is where a key leaves the text typed in one go.
type end struct{ step, at int }

// added returns the text that a step adds at the cursor, when it does no more
// than that. A step that replaces the text around the cursor by the same text
// with more in between adds what is in between.
func added(d *document.Document, s typing.Step) (text string, ok bool) {
	e := s.Edit
	switch {
	case s.Kind == typing.Key && s.Class != typing.Backspace:
		return e.Typed(d.Cursor())
	case s.Kind != typing.Change:
		return "", false
	}
	before := d.Cursor() - e.Offset // replaced by the same text
	if before < 0 || before > e.Delete || before > len(e.Insert) || e.Cursor < d.Cursor() {
		return "", false
	}
	old := d.Text()[e.Offset : e.Offset+e.Delete]
	if old[:before] != e.Insert[:before] || !strings.HasSuffix(e.Insert[before:], old[before:]) {
		return "", false
	}
	return e.Insert[before : e.Cursor-e.Offset], e.Cursor <= e.Offset+len(e.Insert)
}

// busiestFirst sorts by the number of edits.
func busiestFirst(documents []*recording) {
	slices.SortStableFunc(documents, func(a, b *recording) int { return b.edits - a.edits })
}
