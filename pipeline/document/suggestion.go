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
// before them. It goes by the brackets of the text that close none of its own: each
// takes the next one of closed if that is the same, and closes something else if not.
func Closes(text, closed string) int {
	n, open := 0, 0
	for i := range len(text) {
		switch c := text[i]; c {
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			if open > 0 {
				open--
			} else if next := strings.TrimLeft(closed[n:], " \t\n\r"); next != "" && next[0] == c {
				n = len(closed) - len(next) + 1
			}
		}
	}
	return n
}
