package document

import "strings"

// LineEnd returns where the first line of a text ends that has something to see,
// or -1 when it does not end.
func LineEnd(text string) int {
	first := firstVisible(text)
	if end := strings.IndexByte(text[first:], '\n'); end >= 0 {
		return first + end
	}
	return -1
}

// Visible reports whether a text has a character that can be seen.
func Visible(text string) bool { return firstVisible(text) < len(text) }

// firstVisible returns where the first character stands that can be seen, or the
// length of the text.
func firstVisible(text string) int {
	for i := range len(text) {
		switch text[i] {
		case ' ', '\t', '\r', '\n':
		default:
			return i
		}
	}
	return len(text)
}
