package answer

import "strings"

// Documents are texts as they will be, by which the truth about an unfinished one is
// known.
type Documents []string

// How much before the cursor must be the same, in bytes, and how far a continuation
// goes.
const (
	context   = 200
	mostLines = 8
)

// Continuation returns what follows in a document at the place where prefix ends, up
// to where the suffix goes on, or "" when no document has that place. The place is
// where the most of the end of prefix stands, at least its last line.
func (d Documents) Continuation(prefix, suffix string) string {
	tail := prefix[max(0, len(prefix)-context):]
	least := len(tail) - (strings.LastIndexByte(tail, '\n') + 1)
	for n := len(tail); n > 0 && n >= least; n = shorter(tail, n) {
		for _, text := range d {
			if i := strings.Index(text, tail[len(tail)-n:]); i >= 0 {
				return rest(text[i+n:], suffix)
			}
		}
	}
	return ""
}

// shorter returns the length of the end of a text with its first line left out, 0 when
// there is no other line.
func shorter(text string, n int) int {
	i := strings.IndexByte(text[len(text)-n:], '\n')
	if i < 0 {
		return 0
	}
	return n - i - 1
}

// rest returns the beginning of a text that a suggestion would be: to where the first
// line of the suffix stands, to an empty line, or some lines.
func rest(text, suffix string) string {
	if line, _, _ := strings.Cut(strings.TrimLeft(suffix, "\n"), "\n"); strings.TrimSpace(line) != "" {
		if i := strings.Index(text, line); i >= 0 {
			text = text[:i]
		}
	}
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
