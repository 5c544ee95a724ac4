package recording

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/typing"
)

// recording is what was done to one document.
type recording struct {
	id    int
	path  string
	edits int
	steps []typing.Step

	// While it is read:
	text   string
	ascii  bool // positions are bytes
	cursor int
	last   int64 // when the last step was, in ms
	edited bool  // that was an edit: the next selection tells where it left the cursor
}

// line is one line of the file.
type line struct {
	Ev   string
	T    *int64
	Doc  *int
	Path string
	Text string
	K    string
	Src  string
	Edit []part
	Sel  [][2]int
}

// part is one replacement of an edit.
type part struct {
	start, end int
	text       string
}

// UnmarshalJSON reads [start, end, "text"].
func (p *part) UnmarshalJSON(data []byte) error {
	var fields []json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	if len(fields) != 3 {
		return fmt.Errorf("a part of an edit is %s, want [start, end, text]", data)
	}
	return errors.Join(
		json.Unmarshal(fields[0], &p.start),
		json.Unmarshal(fields[1], &p.end),
		json.Unmarshal(fields[2], &p.text),
	)
}

// readRecordings reads a file; the document with the most edits comes first.
func readRecordings(r io.Reader) ([]*recording, error) {
	var documents []*recording
	byID := map[int]*recording{}
	var now int64
	file := bufio.NewReader(r)
	for number := 1; ; number++ {
		data, err := file.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if data = bytes.TrimSpace(data); len(data) > 0 {
			l, err := parseLine(data, &now)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			d := byID[*l.Doc]
			if d == nil {
				d = &recording{id: *l.Doc}
				byID[d.id] = d
				documents = append(documents, d)
			}
			if err := d.read(l); err != nil {
				return nil, fmt.Errorf("line %d: document %d: %w", number, d.id, err)
			}
		}
		if err == io.EOF {
			busiestFirst(documents)
			return documents, nil
		}
	}
}

// longestRecording is the latest instant of a recording, in ms: a year.
const longestRecording = 366 * 24 * 3600 * 1000

// parseLine checks that time goes on from now.
func parseLine(data []byte, now *int64) (*line, error) {
	var l line
	if err := json.Unmarshal(data, &l); err != nil {
		return nil, err
	}
	switch {
	case l.T == nil:
		return nil, errors.New(`"t" is missing`)
	case l.Doc == nil:
		return nil, errors.New(`"doc" is missing`)
	case *l.T < *now:
		return nil, fmt.Errorf("t is %d ms, before the %d ms of an earlier line", *l.T, *now)
	case *l.T > longestRecording:
		return nil, fmt.Errorf("t is %d ms, more than a year", *l.T)
	}
	*now = *l.T
	return &l, nil
}

func (d *recording) read(l *line) error {
	if l.Ev != "content" && len(d.steps) == 0 {
		return fmt.Errorf("%q comes before its content", l.Ev)
	}
	switch l.Ev {
	case "content":
		d.path, d.text, d.cursor, d.ascii = l.Path, l.Text, 0, ascii(l.Text)
		d.add(*l.T, typing.Step{Kind: typing.Open, Text: l.Text})
		return nil
	case "edit":
		return d.readEdit(l)
	case "sel":
		return d.readSelection(l)
	}
	return fmt.Errorf("ev is %q, want content, edit or sel", l.Ev)
}

// add appends a step.
func (d *recording) add(t int64, s typing.Step) {
	if len(d.steps) > 0 {
		s.Gap = time.Duration(t-d.last) * time.Millisecond
	}
	d.last = t
	d.edited = false
	d.steps = append(d.steps, s)
}

// editKinds tells of each kind of edit whether it is a key.
var editKinds = map[string]bool{
	"char": true, "pair": true, "enter": true, "backspace": true, "overtype": true,
	"delete": false, "insert": false, "replace": false, "multi": false,
}

func (d *recording) readEdit(l *line) error {
	isKey, ok := editKinds[l.K]
	isKey = isKey && l.Src == ""
	switch {
	case !ok:
		return fmt.Errorf("k is %q, want char, pair, enter, backspace, overtype, delete, insert, replace or multi", l.K)
	case len(l.Edit) == 0:
		return errors.New("the edit has no part")
	case isKey && len(l.Edit) > 1:
		return fmt.Errorf("an edit of kind %s has %d parts, want 1", l.K, len(l.Edit))
	case isKey && l.K == "backspace" && l.Edit[0].text != "":
		return fmt.Errorf("a backspace adds %q, want nothing", l.Edit[0].text)
	case isKey && l.K != "backspace" && l.Edit[0].text == "":
		return fmt.Errorf("an edit of kind %s adds nothing", l.K)
	}
	d.edits++
	for i := len(l.Edit) - 1; i >= 0; i-- {
		e, err := d.edit(l.Edit[i])
		if err != nil {
			return err
		}
		s := typing.Step{Kind: typing.Change, Edit: e}
		if isKey {
			s = d.key(l.K, e)
		}
		d.add(*l.T, s)
		d.cursor = s.Edit.Cursor
	}
	d.edited = true
	return nil
}

// edit makes one replacement.
func (d *recording) edit(p part) (document.Edit, error) {
	start, err := d.offset(p.start)
	if err != nil {
		return document.Edit{}, err
	}
	end, err := d.offset(p.end)
	if err != nil {
		return document.Edit{}, err
	}
	if end < start {
		return document.Edit{}, fmt.Errorf("an edit ends at %d, before its start at %d", p.end, p.start)
	}
	d.text = d.text[:start] + p.text + d.text[end:]
	d.ascii = d.ascii && ascii(p.text)
	return document.Edit{Offset: start, Delete: end - start, Insert: p.text, Cursor: start + len(p.text)}, nil
}

// key returns the step of a key. Unless the recording tells it, the cursor of a
// pair is behind its first bracket, and that of an enter in the first of the
// lines that it makes.
func (d *recording) key(kind string, e document.Edit) typing.Step {
	if kind == "backspace" {
		return typing.Step{Kind: typing.Key, Class: typing.Backspace, Edit: e}
	}
	c, size := utf8.DecodeRuneInString(e.Insert)
	s := typing.Step{Kind: typing.Key, Class: typing.ClassOf(c), Edit: e}
	switch kind {
	case "pair":
		s.Edit.Cursor = e.Offset + size
	case "enter":
		s.Class = typing.Enter
		if i := strings.IndexByte(e.Insert[size:], '\n'); i >= 0 {
			s.Edit.Cursor = e.Offset + size + i
		}
	}
	return s
}

// settled is how long after an edit the editor reports the cursor that the edit
// left: within 5 ms nearly always in the built-in recording.
const settled = 50

func (d *recording) readSelection(l *line) error {
	if len(l.Sel) == 0 {
		return errors.New("the selection has no range")
	}
	cursor, err := d.offset(l.Sel[0][1])
	if err != nil {
		return err
	}
	if d.edited && *l.T-d.last <= settled {
		d.steps[len(d.steps)-1].Edit.Cursor = cursor
		d.edited = false
	} else if cursor != d.cursor {
		d.add(*l.T, typing.Step{Kind: typing.Move, Cursor: cursor})
	}
	d.cursor = cursor
	return nil
}

// offset returns the byte at which a position in UTF-16 code units falls.
func (d *recording) offset(units int) (int, error) {
	if d.ascii && units >= 0 && units <= len(d.text) {
		return units, nil
	}
	left := units
	for i, c := range d.text {
		if left <= 0 {
			return i, inside(units, left)
		}
		left--
		if c > 0xffff {
			left--
		}
	}
	return len(d.text), inside(units, left)
}

// inside reports a position that is not between two characters of the text; left
// is what remains of it where the search ended.
func inside(units, left int) error {
	if left == 0 {
		return nil
	}
	if units >= 0 && left < 0 {
		return fmt.Errorf("position %d is inside of a character", units)
	}
	return fmt.Errorf("position %d is outside of the text", units)
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
