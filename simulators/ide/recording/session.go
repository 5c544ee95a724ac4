// Package recording replays what people did in their editors, and writes it down.
//
// Read session.go first: a Session, and what its files are. read.go tells the formats
// apart; lines.go, workspace.go and table.go read one each, and hand what was done to
// document.go, which makes steps of it on the text of text.go; session.go and whole.go
// hand the steps out. write.go writes any typing in two of the formats.
package recording

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"halfsecond/simulators/ide/typing"
)

// Session is the recording of a person at work on some documents. It never
// changes and may be used by many goroutines. See Read for its files.
type Session struct {
	documents []*recording // the one with the most edits first
	order     []event      // all that was done, in order of time
}

// Replay returns what the person did to the document with that number. Truth is
// the text that really follows at the cursor until something else happens, unless
// the recording tells it.
func (s *Session) Replay(document int) (typing.Source, error) {
	for _, d := range s.documents {
		if d.id == document {
			return &replay{d.steps}, nil
		}
	}
	return nil, fmt.Errorf("the recording has no document %d, only %s", document, s.list())
}

// Documents returns the numbers of the documents, that of the one with the most edits
// first.
func (s *Session) Documents() []int {
	var numbers []int
	for _, d := range s.documents {
		numbers = append(numbers, d.id)
	}
	return numbers
}

// list names the documents, of many the first.
func (s *Session) list() string {
	const most = 20
	var names []string
	for _, d := range s.documents {
		if len(names) == most {
			names = append(names, fmt.Sprintf("and %d more", len(s.documents)-most))
			break
		}
		names = append(names, fmt.Sprintf("%d (%s%d edits)", d.id, d.named(), d.edits))
	}
	return strings.Join(names, ", ")
}

// named returns the document's path with a comma, or nothing when it has none.
func (d *recording) named() string {
	if d.path == "" {
		return ""
	}
	return d.path + ", "
}

// Path returns where the document with that number lay, "" for none.
func (s *Session) Path(document int) string {
	for _, d := range s.documents {
		if d.id == document {
			return d.path
		}
	}
	return ""
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

// BuiltInName is the name of the built-in recording.
const BuiltInName = "vscode_session1"

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
	s, err := Read(BuiltInName, file)
	if err != nil {
		panic("recording: " + err.Error())
	}
	return s
})

// busiestFirst sorts by the number of edits.
func busiestFirst(documents []*recording) {
	slices.SortStableFunc(documents, func(a, b *recording) int { return b.edits - a.edits })
}
