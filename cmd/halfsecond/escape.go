package main

import (
	"io"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// escaped returns a writer of JSON that writes as \uXXXX what JSON leaves as it is and
// terminals obey: the second row of control characters, and the marks that change the
// direction of writing. Nothing but ASCII stands outside of strings, so that the document
// stays the same.
func escaped(w io.Writer) io.Writer { return &escaper{to: w} }

type escaper struct {
	to   io.Writer
	rest []byte // the beginning of a letter that was not written whole
}

// Write implements io.Writer.
func (e *escaper) Write(p []byte) (int, error) {
	text := append(e.rest, p...)
	out := make([]byte, 0, len(text))
	for len(text) > 0 && utf8.FullRune(text) {
		r, n := utf8.DecodeRune(text)
		if obeyed(r) {
			out = append(append(out, `\u`...), hex4(r)...)
		} else {
			out = append(out, text[:n]...)
		}
		text = text[n:]
	}
	e.rest = append([]byte(nil), text...)
	if _, err := e.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// obeyed reports whether a character changes how a terminal shows others. JSON escapes
// those below U+0020.
func obeyed(r rune) bool {
	return r >= 0x7f && r <= 0x9f || unicode.Is(unicode.Bidi_Control, r)
}

func hex4(r rune) string { return strconv.FormatInt(0x10000|int64(r), 16)[1:] }
