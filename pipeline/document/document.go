// Package document is a text that somebody edits: its edits, what it was when a
// completion was asked for, and what the answer is worth when it comes.
//
// Read document.go for the text and its edits, verdict.go for the judgement of an
// answer.
package document

import "strings"

// Edit replaces Delete bytes at Offset by Insert and leaves the cursor at
// Cursor. All three positions are bytes from the start of the document and fall
// between characters. What an edit inserts after its cursor is what an editor
// adds by itself, such as the closing bracket of a pair.
type Edit struct {
	Offset, Delete int
	Insert         string
	Cursor         int
}

// Typed returns the text that the edit puts between a cursor and its own, when
// it does no more than that and what the editor adds after it.
func (e Edit) Typed(cursor int) (text string, ok bool) {
	if e.Offset != cursor || e.Cursor < e.Offset || e.Cursor > e.Offset+len(e.Insert) {
		return "", false
	}
	return e.Insert[:e.Cursor-e.Offset], true
}

// Document is a text with a cursor. The zero Document is empty. Typing costs
// what it types; moving the cursor costs the text in between, and the text after
// it too when it moves back.
type Document struct {
	before []byte
	after  string
	// closed is the number of bytes just after the cursor that the editor added
	// by itself and the typing has not passed.
	closed  int
	opened  int // how many texts were opened
	version int
	shared  int // bytes of before that snapshots read, and nobody may overwrite
	kept    int // bytes at the start that did not change since Unchanged was asked
}

// Text returns the whole text.
func (d *Document) Text() string { return string(d.before) + d.after }

// Before returns the text before the cursor. It may be read until the document
// changes; a Snapshot may be read for longer.
func (d *Document) Before() []byte { return d.before }

// After returns the text after the cursor.
func (d *Document) After() string { return d.after }

// RestOfLine returns the text from the cursor to the end of its line.
func (d *Document) RestOfLine() string {
	line, _, _ := strings.Cut(d.after, "\n")
	return strings.TrimSuffix(line, "\r")
}

// Opened returns how many texts were opened in the document.
func (d *Document) Opened() int { return d.opened }

// Cursor returns the cursor's position.
func (d *Document) Cursor() int { return len(d.before) }

// Len returns the length of the text in bytes.
func (d *Document) Len() int { return len(d.before) + len(d.after) }

// Open replaces the document by another one. It panics when the cursor is
// outside of the text.
func (d *Document) Open(text string, cursor int) {
	d.cut(0)
	d.extend(text[:cursor])
	d.after, d.closed = text[cursor:], 0
	d.opened++
	d.version++
}

// Apply makes the edit. It panics when a position is outside of the text.
func (d *Document) Apply(e Edit) {
	closed := d.stillClosed(e)
	d.seek(e.Offset + e.Delete)
	d.cut(e.Offset)
	d.extend(e.Insert)
	d.seek(e.Cursor)
	d.closed = closed
	d.version++
}

// Move puts the cursor somewhere else. It panics when that is outside of the
// text.
func (d *Document) Move(cursor int) {
	if cursor != len(d.before) {
		d.seek(cursor)
		d.closed = 0
	}
}

// stillClosed returns how much of what follows the cursor after the edit was
// added by the editor: none when the edit happens elsewhere.
func (d *Document) stillClosed(e Edit) int {
	cursor := len(d.before)
	taken := e.Offset + e.Delete - cursor
	added := e.Offset + len(e.Insert) - e.Cursor
	if e.Offset > cursor || taken < 0 || e.Cursor < e.Offset || added < 0 {
		return 0
	}
	return max(0, d.closed-taken) + added
}

func (d *Document) seek(cursor int) {
	switch at := len(d.before); {
	case cursor < at:
		d.after = string(d.before[cursor:]) + d.after
		d.cut(cursor)
	case cursor > at:
		d.extend(d.after[:cursor-at])
		d.after = d.after[cursor-at:]
	}
}

// cut shortens the text before the cursor to n bytes. Snapshots keep reading
// the old bytes, so what follows them later must go elsewhere.
func (d *Document) cut(n int) {
	d.kept = min(d.kept, n)
	if n >= d.shared {
		d.before = d.before[:n]
		return
	}
	d.before = append(make([]byte, 0, n+n/4+64), d.before[:n]...)
	d.shared = 0
}

func (d *Document) extend(text string) {
	d.kept = min(d.kept, len(d.before))
	d.before = append(d.before, text...)
}

// Unchanged returns how many bytes at the start of the document are as they were,
// and before the cursor all the time, since it was last asked. It is for one asker,
// who keeps what follows from those bytes.
func (d *Document) Unchanged() int {
	n := d.kept
	d.kept = len(d.before)
	return n
}

// Snapshot is a document as it was. It shares the document's bytes.
type Snapshot struct {
	opened, version int
	before          []byte
	after           string
	closed          int
}

// Snapshot returns the document as it is.
func (d *Document) Snapshot() Snapshot {
	d.shared = len(d.before)
	return Snapshot{d.opened, d.version, d.before, d.after, d.closed}
}

// Supposing returns the document as it would be after an edit at the cursor.
func (d *Document) Supposing(e Edit) Snapshot {
	before := append(make([]byte, 0, e.Offset+len(e.Insert)), d.before[:e.Offset]...)
	return Snapshot{d.opened, -1, append(before, e.Insert...), d.after[e.Delete:], d.stillClosed(e)}
}

// Before returns the text before the cursor, which nobody may change.
func (s *Snapshot) Before() []byte { return s.before }

// After returns the text after the cursor.
func (s *Snapshot) After() string { return s.after }

// Closed returns how many bytes at the start of After the editor added by itself and the
// typing has not passed.
func (s *Snapshot) Closed() int { return s.closed }
