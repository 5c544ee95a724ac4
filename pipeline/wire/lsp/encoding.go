package lsp

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Encoding is what the characters of a position are units of.
type Encoding string

// The encodings that clients here know.
const (
	UTF16 Encoding = "utf-16" // what counts when nothing is said
	UTF8  Encoding = "utf-8"
)

// unitsOf returns the units of one character. A byte that is no UTF-8 is sent as the
// replacement character, and so counts as that.
func (e Encoding) unitsOf(r rune) int {
	if e == UTF8 {
		return utf8.RuneLen(r)
	}
	return utf16.RuneLen(r)
}

// Units returns how many units a text has.
func (e Encoding) Units(text string) (n int) {
	for _, r := range text {
		n += e.unitsOf(r)
	}
	return n
}

// Bytes returns how many bytes of a text so many units are. More than it has stand for all of
// it, as the protocol wants. ok is false inside of a character.
func (e Encoding) Bytes(text string, units int) (n int, ok bool) {
	for i, r := range text {
		if units <= 0 {
			return i, units == 0
		}
		units -= e.unitsOf(r)
	}
	return len(text), units >= 0
}
