package recording

import (
	"errors"
	"fmt"
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
	told  []bool // of each step: the file says what its truth is

	// While it is read:
	page
	last   time.Duration // when the last step was
	edited bool          // that was an edit: the next selection tells where it left the cursor
}

func (d *recording) read(l *line) error {
	if l.Ev != "content" && len(d.steps) == 0 {
		return fmt.Errorf("%q comes before its content", l.Ev)
	}
	switch l.Ev {
	case "content":
		return d.readContent(l)
	case "edit":
		return d.readEdit(l)
	case "sel":
		return d.readSelection(l)
	}
	return fmt.Errorf("ev is %q, want content, edit or sel", l.Ev)
}

func (d *recording) readContent(l *line) error {
	content := ""
	if l.Text != nil {
		content = *l.Text
	}
	d.path, d.page = l.Path, page{text: textOf(content)}
	if l.Cursor != nil {
		var err error
		if d.cursor, err = d.offset(*l.Cursor); err != nil {
			return err
		}
	}
	d.add(l, typing.Step{Kind: typing.Open, Text: content, Cursor: d.cursor})
	return nil
}

// add appends a step.
func (d *recording) add(l *line, s typing.Step) {
	at := time.Duration(*l.T)
	if len(d.steps) > 0 {
		s.Gap = at - d.last
	}
	if l.Truth != nil && s.Kind != typing.Open {
		s.Truth = *l.Truth
	}
	d.last = at
	d.edited = false
	d.steps = append(d.steps, s)
	d.told = append(d.told, l.Truth != nil)
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
			s = key(l.K, e)
		}
		d.add(l, s)
		d.cursor = s.Edit.Cursor
	}
	d.edited = true
	return d.leave(l)
}

// leave puts the cursor where the edit says that it leaves it.
func (d *recording) leave(l *line) (err error) {
	if l.Cursor == nil {
		return nil
	}
	if d.cursor, err = d.offset(*l.Cursor); err != nil {
		return err
	}
	d.steps[len(d.steps)-1].Edit.Cursor = d.cursor
	d.edited = false
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
	d.replace(start, end, p.text)
	return document.Edit{Offset: start, Delete: end - start, Insert: p.text, Cursor: start + len(p.text)}, nil
}

// key returns the step of a key. Unless the recording tells it, the cursor of a
// pair is behind its first bracket, and that of an enter in the first of the
// lines that it makes.
func key(kind string, e document.Edit) typing.Step {
	if kind == "backspace" {
		return typing.Step{Kind: typing.Key, Class: typing.Backspace, Edit: e}
	}
	_, size := utf8.DecodeRuneInString(e.Insert)
	s := typing.Step{Kind: typing.Key, Class: classOf(e.Insert), Edit: e}
	switch kind {
	case "pair":
		s.Edit.Cursor = e.Offset + size
	case "enter":
		s.Class = typing.Enter
		if i := strings.IndexByte(e.Insert[size:], '\n'); i >= 0 && e.Insert[0] == '\n' {
			s.Edit.Cursor = e.Offset + size + i
		}
	}
	return s
}

// settled is how long after an edit the editor reports the cursor that the edit
// left: within 5 ms nearly always in the built-in recording.
const settled = 50 * time.Millisecond

func (d *recording) readSelection(l *line) error {
	if len(l.Sel) == 0 {
		return errors.New("the selection has no range")
	}
	anchor, err := d.offset(l.Sel[0][0])
	if err != nil {
		return err
	}
	cursor, err := d.offset(l.Sel[0][1])
	if err != nil {
		return err
	}
	if d.edited && time.Duration(*l.T)-d.last <= settled {
		d.steps[len(d.steps)-1].Edit.Cursor = cursor
		d.edited = false
	} else if cursor != d.cursor {
		d.add(l, typing.Step{Kind: typing.Move, Cursor: cursor, Selected: cursor - anchor})
	}
	d.cursor = cursor
	return nil
}

// finish finds what the file does not tell.
func (d *recording) finish() {
	var doc page
	var follows follower
	var bursts typing.Bursts
	for i := range d.steps {
		s := &d.steps[i]
		s.Burst = bursts.Of(s)
		truth := &s.Truth
		if d.told[i] {
			truth = nil
		}
		follows.do(&doc, s, truth)
	}
	follows.end()
}
