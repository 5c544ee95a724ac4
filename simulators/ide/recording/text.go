package recording

import (
	"fmt"
	"unicode/utf8"

	"halfsecond/simulators/ide/typing"
)

// text is a text while it is edited. It has a gap where it was edited last, so that an
// edit costs its own length and the way from the edit before it, and not the length of
// the text. The zero text is empty.
type text struct {
	bytes          []byte // UTF-8, but for the gap
	at, to         int    // the gap
	before, behind int    // UTF-16 code units on each side of the gap
}

func textOf(s string) text {
	return text{bytes: []byte(s), behind: unitsOf(s)}
}

// len returns how many bytes the text has.
func (t *text) len() int { return len(t.bytes) - (t.to - t.at) }

// String returns the whole text.
func (t *text) String() string { return t.between(0, t.len()) }

// between returns the text from a byte to another one.
func (t *text) between(start, end int) string {
	gap := t.to - t.at
	switch {
	case end <= t.at:
		return string(t.bytes[start:end])
	case start >= t.at:
		return string(t.bytes[start+gap : end+gap])
	}
	return string(t.bytes[start:t.at]) + string(t.bytes[t.to:end+gap])
}

// offset returns the byte at which a position in UTF-16 code units falls. In a text that
// is not all ASCII it moves the gap there, since it has to count anyway.
func (t *text) offset(units int) (int, error) {
	switch all := t.before + t.behind; {
	case units < 0 || units > all:
		return 0, fmt.Errorf("position %d is outside of the text", units)
	case all == t.len():
		return units, nil
	}
	for t.before > units {
		_, size := utf8.DecodeLastRune(t.bytes[:t.at])
		t.seek(t.at - size)
	}
	for t.before < units {
		_, size := utf8.DecodeRune(t.bytes[t.to:])
		t.seek(t.at + size)
	}
	if t.before > units {
		return 0, fmt.Errorf("position %d is inside of a character", units)
	}
	return t.at, nil
}

// units returns the position of a byte in UTF-16 code units, as offset takes it.
func (t *text) units(at int) int {
	if t.before+t.behind == t.len() {
		return at
	}
	t.seek(at)
	return t.before
}

// seek moves the gap to a byte of the text.
func (t *text) seek(at int) {
	if moved := t.bytes[min(at, t.at):t.at]; len(moved) > 0 {
		units := unitsOf(moved)
		t.before, t.behind = t.before-units, t.behind+units
		t.to -= len(moved)
		copy(t.bytes[t.to:], moved)
	} else {
		moved := t.bytes[t.to : t.to+at-t.at]
		units := unitsOf(moved)
		t.before, t.behind = t.before+units, t.behind-units
		t.to += copy(t.bytes[t.at:], moved)
	}
	t.at = at
}

// replace puts a text in the place of what stands between two bytes.
func (t *text) replace(start, end int, by string) {
	t.seek(end)
	t.before -= unitsOf(t.bytes[start:end])
	t.at = start
	t.widen(len(by))
	t.at += copy(t.bytes[t.at:], by)
	t.before += unitsOf(by)
}

// widen makes the gap so many bytes wide or wider.
func (t *text) widen(width int) {
	if t.to-t.at >= width {
		return
	}
	rest := t.bytes[t.to:]
	wider := make([]byte, 2*t.len()+width+64)
	copy(wider, t.bytes[:t.at])
	t.to = len(wider) - copy(wider[len(wider)-len(rest):], rest)
	t.bytes = wider
}

// page is a text with a cursor, to which steps are done.
type page struct {
	text
	cursor int
}

// do does what a step does to a document.
func (p *page) do(s *typing.Step) {
	switch s.Kind {
	case typing.Key, typing.Change:
		p.replace(s.Edit.Offset, s.Edit.Offset+s.Edit.Delete, s.Edit.Insert)
		p.cursor = s.Edit.Cursor
	case typing.Move:
		p.cursor = s.Cursor
	case typing.Open:
		p.text, p.cursor = textOf(s.Text), s.Cursor
	}
}
