package recording

import (
	"fmt"
	"unicode/utf8"
)

// offset returns the byte at which a position in UTF-16 code units falls in a text,
// which is ASCII or not.
func offset(text string, isASCII bool, units int) (int, error) {
	if isASCII && units >= 0 && units <= len(text) {
		return units, nil
	}
	left := units
	for i, c := range text {
		if left <= 0 {
			return i, inside(units, left)
		}
		left--
		if c > 0xffff {
			left--
		}
	}
	return len(text), inside(units, left)
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

// unitsOf returns the length of a text in UTF-16 code units.
func unitsOf[T string | []byte](text T) int {
	n := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 0xf0: // the first of four bytes
			n += 2
		case utf8.RuneStart(c):
			n++
		}
	}
	return n
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
