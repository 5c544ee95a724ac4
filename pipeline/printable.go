package pipeline

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Printable makes words of a server fit for a terminal: what is not printed, such as an
// escape sequence, a line break or a change of the direction of writing, is shown as a Go
// string has it. JSON documents need it not: they escape.
func Printable(s string) string {
	plain := func(r rune) bool { return strconv.IsPrint(r) && r != utf8.RuneError }
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if plain(r) {
			b.WriteString(s[:size])
		} else {
			quoted := strconv.QuoteToASCII(s[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		s = s[size:]
	}
	return b.String()
}
