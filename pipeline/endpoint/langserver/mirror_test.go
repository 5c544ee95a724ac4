package langserver

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/document"
	"halfsecond/pipeline/wire/lsp"
)

// naive is the position of a byte, counted from the start of the text.
func naive(text string, at int, e lsp.Encoding) lsp.Position {
	var p lsp.Position
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(text[:at], "\r\n", "\n"), "\r", "\n"), "\n")
	last := lines[len(lines)-1]
	p.Line = len(lines) - 1
	p.Character = len(last)
	if e == lsp.UTF16 {
		p.Character = len(utf16.Encode([]rune(last)))
	}
	return p
}

// offset is the byte of a position, counted from the start of the text.
func offset(t *testing.T, text string, p lsp.Position, e lsp.Encoding) int {
	for at := 0; at <= len(text); at++ {
		inside := at > 0 && at < len(text) && (text[at-1] == '\r' && text[at] == '\n' || !utf8.RuneStart(text[at]))
		if !inside && naive(text, at, e) == p {
			return at
		}
	}
	t.Fatalf("%q has no position %+v", text, p)
	return 0
}

// What a server makes of the changes is the document, and the cursor is where it is, whatever
// the edits.
func TestChangesAreExact(t *testing.T) {
	pieces := []string{"a", "word ", "\n", "\r\n", "\r", "é", "😀", "日本", "\n\n\r\r\n", "x = 😀\r\n\ty", "\u2028", ""}
	for seed := range uint64(60) {
		e := []lsp.Encoding{lsp.UTF16, lsp.UTF8}[seed%2]
		m := &mirror{encoding: e}
		m.open("first\r\nsecond 😀 line\rthird\n", 3)
		server := m.document.Text()
		r := dist.Stream(seed, "edits")
		bound := func(from int) int {
			text := m.document.Text()
			at := from + r.IntN(len(text)-from+1)
			for at < len(text) && !utf8.RuneStart(text[at]) {
				at++
			}
			return at
		}
		for step := range 120 {
			switch r.IntN(6) {
			case 0:
				m.document.Move(bound(0))
			default:
				at := m.document.Cursor()
				if r.IntN(3) == 0 {
					at = bound(0)
				}
				edit := document.Edit{Offset: at, Insert: pieces[r.IntN(len(pieces))]}
				if r.IntN(3) == 0 {
					edit.Delete = bound(at) - at
				}
				edit.Cursor = at + len(edit.Insert)
				c := m.apply(edit)
				from, to := offset(t, server, c.Range.Start, e), offset(t, server, c.Range.End, e)
				server = server[:from] + c.Text + server[to:]
			}
			if text := m.document.Text(); server != text {
				t.Fatalf("seed %d, step %d: the server has %q, the editor %q", seed, step, server, text)
			}
			line, at := m.line()
			cursor := m.document.Cursor()
			if m.splits(cursor) {
				cursor--
			}
			if want := naive(server, cursor, e); at != want || line.Number != want.Line {
				t.Fatalf("seed %d, step %d: the cursor is at %+v, want %+v in %q", seed, step, at, want, server)
			}
			whole := strings.Split(strings.ReplaceAll(strings.ReplaceAll(server, "\r\n", "\n"), "\r", "\n"), "\n")[line.Number]
			if line.Before+line.After != whole || e.Units(line.Before) != at.Character {
				t.Fatalf("seed %d, step %d: the line is %q and %q, want %q", seed, step, line.Before, line.After, whole)
			}
		}
	}
}

// A key costs no more in a document of a million lines, nor on a line of a million characters.
func BenchmarkTyping(b *testing.B) {
	for name, text := range map[string]string{"lines": strings.Repeat("some line\n", 1<<20), "one line": strings.Repeat("some line ", 1<<20)} {
		b.Run(name, func(b *testing.B) {
			m := &mirror{encoding: lsp.UTF16}
			m.open(text, len(text)/2)
			m.position(len(text) / 2)
			b.ReportAllocs()
			for b.Loop() {
				at := m.document.Cursor()
				m.apply(document.Edit{Offset: at, Insert: "a", Cursor: at + 1})
			}
		})
	}
}
