package recording

import "unicode/utf8"

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
