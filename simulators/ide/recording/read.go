package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/simulators/ide/typing"
)

// The bounds of a recording. The built-in session has 7190 lines in 0.6 MB for an hour
// and a half; in VS Code's own form, with all that was offered, it has 2.8 MB.
const (
	MaxBytes    = 64 << 20 // of a file
	maxDocument = 4 << 20  // bytes of a document at any time
	maxSteps    = 1_000_000
	// longestRecording is the latest instant of a recording.
	longestRecording = 366 * 24 * time.Hour
)

// Read reads a recording of one of three formats, which it tells by the content; file
// is its name in messages. An error names the file, the line and the column, which
// counts characters in JSON and bytes in a table.
//
// The first format is ours: one JSON object a line, in order of time (t, milliseconds):
//
//	{"ev":"content","t":0,"doc":22,"path":"a.ts","text":"..."} opens a document, again or anew
//	{"ev":"edit","t":80.5,"doc":22,"k":"char","edit":[[4,4,"x"]]} replaces [start, end) by a text
//	{"ev":"sel","t":81,"doc":22,"sel":[[5,5]]} moves the cursor to the end of the first range
//
// An edit of several parts is made from the last to the first. The kind k is char,
// pair (a bracket that the editor closed), enter, backspace or overtype for keys;
// delete, insert, replace or multi for what is none. An edit with a source (src) came
// from the editor and is no key either. "cursor" says where a content or an edit leaves
// the cursor; without it that is the start of a content, the end of what an edit put in,
// or what a sel within 50 ms says. "truth" is the text that really follows an edit or a
// move; without it that is found in the recording. "class" and "burst" of a key are for readers of
// the file.
//
// The second is a workspace recording of VS Code (*.recording.w.json, and the log of one
// entry a line that it is made of); see workspace.go. The third is a table in CSV with a
// header line, the simplest to write by oneself:
//
//	t_ms,doc,offset,delete,insert,cursor
//	0,main.py,0,0,"print(1)
//	",9
//	1200,main.py,6,1,2,
//	1500,main.py,,,,9
//
// The first row of each document is its text and opens it. Any other row replaces
// delete characters at offset by insert and leaves the cursor at cursor, which when it
// is empty is the end of insert; a row that neither deletes nor inserts moves the cursor.
// An optional column kind says which kind of edit a row is, as k above, or "open" for a
// text that the document is opened with anew; without it that is told by what the row
// does. An optional column truth is as above, and stands for none where it is empty.
// Columns may stand in any order. A line end within quotes is read as \n.
//
// Positions count UTF-16 code units in the text before the edit, as VS Code and the
// language server protocol do: of plain ASCII these are bytes. Files are UTF-8.
func Read(file string, r io.Reader) (*Session, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%s: larger than %d bytes, the most for a recording: cut it into parts", file, MaxBytes)
	}
	s, err := parse(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if err != nil {
		var at *placed
		if errors.As(err, &at) {
			return nil, fmt.Errorf("%s:%w", file, err)
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

func parse(data []byte) (*Session, error) {
	if at := invalid(data); at >= 0 {
		return nil, locate(data, at, errors.New("not UTF-8"))
	}
	r := &reading{most: maxSteps, byID: map[int]*recording{}}
	if err := formatOf(data)(r, data); err != nil {
		return nil, err
	}
	return r.session()
}

// invalid returns where the first byte stands that is not UTF-8, or -1.
func invalid(data []byte) int {
	for at := 0; at < len(data); {
		c, size := utf8.DecodeRune(data[at:])
		if c == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// formatOf returns what reads a file.
func formatOf(data []byte) func(*reading, []byte) error {
	start := bytes.TrimLeft(data, " \t\r\n")
	switch {
	case len(start) == 0:
		return func(*reading, []byte) error { return nil }
	case start[0] != '{':
		return readTable
	case isWorkspace(start):
		return readWorkspace
	}
	return readLines
}

// placed is an error in a line and a column, both from 1 on.
type placed struct {
	line, column int
	err          error
}

func (p *placed) Error() string { return fmt.Sprintf("%d:%d: %s", p.line, p.column, p.err) }
func (p *placed) Unwrap() error { return p.err }

// locate places an error at a byte of a file.
func locate(data []byte, at int, err error) error {
	at = max(0, min(at, len(data)))
	start := bytes.LastIndexByte(data[:at], '\n') + 1
	return &placed{1 + bytes.Count(data[:at], []byte("\n")), 1 + utf8.RuneCount(data[start:at]), err}
}

// reading is a session while it is read.
type reading struct {
	most      int // steps
	now       time.Duration
	documents []*recording
	byID      map[int]*recording
	order     []event
}

// do takes what was done next.
func (r *reading) do(l *line) error {
	switch {
	case l.T == nil:
		return errors.New(`"t" is missing`)
	case l.Doc == nil:
		return errors.New(`"doc" is missing`)
	case time.Duration(*l.T) < r.now:
		return fmt.Errorf("t is %s ms, before the %s ms of an earlier line", l.T, instant(r.now))
	case time.Duration(*l.T) > longestRecording:
		return fmt.Errorf("t is %s ms, more than a year", l.T)
	}
	r.now = time.Duration(*l.T)
	d := r.byID[*l.Doc]
	if d == nil {
		d = &recording{id: *l.Doc}
		r.byID[d.id] = d
		r.documents = append(r.documents, d)
	}
	if err := r.note(d, l); err != nil {
		return fmt.Errorf("document %d: %w", d.id, err)
	}
	return nil
}

// note has a document read the line, and keeps the order of what comes of it.
func (r *reading) note(d *recording, l *line) error {
	had := len(d.steps)
	if err := d.read(l); err != nil {
		return err
	}
	if d.len() > maxDocument {
		return fmt.Errorf("it grows beyond %d bytes, the most for a document", maxDocument)
	}
	for step := had; step < len(d.steps); step++ {
		r.order = append(r.order, event{document: d, step: step, at: r.now})
	}
	if len(r.order) > r.most {
		return fmt.Errorf("the recording has more than %d steps, the most for one: cut it into parts", r.most)
	}
	return nil
}

// session returns what was read.
func (r *reading) session() (*Session, error) {
	edits := 0
	for _, d := range r.documents {
		edits += d.edits
	}
	if edits == 0 {
		return nil, errors.New("the recording has no edit")
	}
	busiestFirst(r.documents)
	for _, d := range r.documents {
		d.finish()
	}
	findWay(r.order)
	return &Session{r.documents, r.order}, nil
}

// classOf returns the class of the key that types a text.
func classOf(text string) typing.Class {
	if strings.HasPrefix(text, "\r") {
		return typing.Enter
	}
	c, _ := utf8.DecodeRuneInString(text)
	return typing.ClassOf(c)
}
