package answer

import (
	"iter"
	"strings"
)

// Documents are texts as they will be, by which the truth about an unfinished one is
// known.
type Documents []string

// How much around the cursor must be the same, in bytes, and how far a continuation goes.
const (
	context   = 200
	mostLines = 8
)

// Continuation returns what follows in a document at the place where prefix ends, up
// to where the suffix goes on, and whether a document has that place. The place is where
// the most of the end of prefix stands, at least its last line that is not blank.
func (d Documents) Continuation(prefix, suffix string) (text string, found bool) {
	tail := prefix[max(0, len(prefix)-context):]
	line := tail[lastLine(tail):]
	if line == "" {
		return "", false
	}
	most, follows := 0, ""
	for _, text := range d {
		for end := range places(text, line) {
			if n := commonEnd(text[:end], tail); n > most {
				most, follows = n, text[end:]
			}
		}
	}
	return rest(follows, suffix), most > 0
}

// lastLine returns where the last line of a text begins that is not blank, the length of
// the text when there is none.
func lastLine(text string) int {
	end := len(strings.TrimRight(text, " \t\r\n"))
	if end == 0 {
		return len(text)
	}
	return strings.LastIndexByte(text[:end], '\n') + 1
}

// places yields where a line ends in a text, wherever it stands in it.
func places(text, line string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for from := 0; ; from++ {
			i := strings.Index(text[from:], line)
			if i < 0 || !yield(from+i+len(line)) {
				return
			}
			from += i
		}
	}
}

// commonEnd returns how many bytes two texts have in common at their ends.
func commonEnd(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// rest returns the beginning of a text that a suggestion would be: to where the suffix
// goes on, to an empty line, or some lines.
func rest(text, suffix string) string {
	text = until(text, suffix)
	if i := strings.Index(text, "\n\n"); i > 0 {
		text = text[:i]
	}
	for i, n := 0, 0; i < len(text); i++ {
		if text[i] == '\n' {
			if n++; n == mostLines {
				text = text[:i]
			}
		}
	}
	return strings.TrimRight(text, "\n")
}

// until returns a text up to where the most of the beginning of suffix stands in it, at
// least a line that is not blank; all of it when there is no such place.
func until(text, suffix string) string {
	head := suffix[:min(context, len(suffix))]
	for strings.TrimSpace(head) != "" {
		if i := strings.Index(text, head); i >= 0 {
			return text[:i]
		}
		// Without its last line, but with the sign that ends the line before.
		head = head[:strings.LastIndexByte(head[:len(head)-1], '\n')+1]
	}
	return text
}
