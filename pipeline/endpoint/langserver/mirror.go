package langserver

import (
	"bytes"
	"strings"

	"halfsecond/pipeline/document"
	"halfsecond/pipeline/wire/lsp"
)

// mirror is a document as its server knows it. Positions are found from the place of the last
// one: typing costs what it types, whatever the document's size.
//
// A line ends with a line feed, a carriage return or both, as LSP has it, and no position
// lies between the two: an edit there is widened to hold both.
type mirror struct {
	document document.Document
	encoding lsp.Encoding
	uri      string
	version  int
	place    place
}

// place is a byte of the text and the position of it. The byte before it is no carriage
// return, so that no text behind it changes how many lines there are before it.
type place struct{ at, line, units int }

// open replaces the text.
func (m *mirror) open(text string, cursor int) {
	m.document.Open(text, cursor)
	m.place = place{}
}

// apply makes an edit, and returns how the server is told of it.
func (m *mirror) apply(e document.Edit) lsp.ContentChange {
	from, to, text := e.Offset, e.Offset+e.Delete, e.Insert
	if m.splits(from) {
		from, text = from-1, "\r"+text
	}
	if m.splits(to) {
		to, text = to+1, text+"\n"
	}
	start := m.position(from)
	kept := m.place
	end := m.position(to)
	m.place = kept
	m.document.Apply(e)
	return lsp.ContentChange{Range: &lsp.Range{Start: start, End: end}, Text: text}
}

// line returns the line of the cursor, and the cursor's position on it.
func (m *mirror) line() (lsp.Line, lsp.Position) {
	cursor := m.document.Cursor()
	if m.splits(cursor) {
		cursor--
	}
	at := m.position(cursor)
	before := m.piece(m.lineStart(cursor), cursor)
	rest := m.document.After()
	if cursor < m.document.Cursor() {
		rest = "\r" + rest
	}
	if end := strings.IndexAny(rest, "\r\n"); end >= 0 {
		rest = rest[:end]
	}
	return lsp.Line{Number: at.Line, Before: before, After: strings.Clone(rest), Encoding: m.encoding}, at
}

// position returns the position of a byte, which must not split the end of a line.
func (m *mirror) position(at int) lsp.Position {
	settled := at
	for settled > 0 && m.byte(settled-1) == '\r' {
		settled--
	}
	m.seek(settled)
	p := m.place
	p.pass(m.piece(settled, at), m.encoding)
	return lsp.Position{Line: p.line, Character: p.units}
}

// seek moves the place.
func (m *mirror) seek(at int) {
	p := &m.place
	if at >= p.at {
		p.pass(m.piece(p.at, at), m.encoding)
		return
	}
	var back place
	passed := m.piece(at, p.at)
	back.pass(passed, m.encoding)
	p.at, p.line = at, p.line-back.line
	if back.line == 0 {
		p.units -= back.units
		return
	}
	p.units = m.encoding.Units(m.piece(m.lineStart(at), at))
}

// pass moves the place over a text, which does not end inside of the end of a line.
func (p *place) pass(text string, e lsp.Encoding) {
	p.at += len(text)
	for text != "" {
		end := strings.IndexAny(text, "\r\n")
		if end < 0 {
			p.units += e.Units(text)
			return
		}
		width := 1
		if strings.HasPrefix(text[end:], "\r\n") {
			width = 2
		}
		p.line, p.units, text = p.line+1, 0, text[end+width:]
	}
}

// lineStart returns where the line of a byte begins, which must not split the end of one.
func (m *mirror) lineStart(at int) int {
	before := m.document.Before()
	if behind := at - len(before); behind > 0 {
		if i := strings.LastIndexAny(m.document.After()[:behind], "\r\n"); i >= 0 {
			return len(before) + i + 1
		}
		at = len(before)
	}
	return bytes.LastIndexAny(before[:at], "\r\n") + 1
}

// splits reports whether a place lies between a carriage return and its line feed.
func (m *mirror) splits(at int) bool {
	return at > 0 && at < m.document.Len() && m.byte(at-1) == '\r' && m.byte(at) == '\n'
}

func (m *mirror) byte(at int) byte {
	before := m.document.Before()
	if at < len(before) {
		return before[at]
	}
	return m.document.After()[at-len(before)]
}

// piece returns the text between two bytes.
func (m *mirror) piece(from, to int) string {
	before, after := m.document.Before(), m.document.After()
	n := len(before)
	switch {
	case to <= n:
		return string(before[from:to])
	case from >= n:
		return after[from-n : to-n]
	}
	return string(before[from:]) + after[:to-n]
}
