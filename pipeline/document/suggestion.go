package document

import "strings"

// Suggestion returns the edit that puts a suggestion at the cursor, and the cursor
// behind it. Brackets that the editor closed by itself just after the cursor, and that
// the suggestion closes too, go with it, as they would if it were typed.
func (d *Document) Suggestion(text string) Edit {
	cursor := len(d.before)
	return Edit{Offset: cursor, Delete: Closes(text, d.after[:d.closed]), Insert: text, Cursor: cursor + len(text)}
}

// Closes returns how many bytes at the start of closed, which are brackets that an
// editor closed, with the space between them, a text closes itself when it is put
// before them: one for each bracket of the text that closes none of its own.
func Closes(text, closed string) int {
	n := 0
	var open []byte
	for i := range len(text) {
		switch c := text[i]; c {
		case '(', '[', '{':
			open = append(open, c)
		case ')', ']', '}':
			if len(open) > 0 {
				open = open[:len(open)-1]
				continue
			}
			next := strings.TrimLeft(closed[n:], " \t\n\r")
			if next == "" || next[0] != c {
				return n
			}
			n = len(closed) - len(next) + 1
		}
	}
	return n
}
