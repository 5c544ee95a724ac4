package typing

import (
	"strings"
	"unicode/utf8"

	"halfsecond/pipeline/document"
)

// undo is a wrong suggestion that the person is about to take back.
type undo struct {
	added   int    // bytes that stand before the cursor
	removed string // brackets that stood after it
}

// Accepted implements Accepter. A text that was to be typed next is done, and the
// typing goes on behind it. Any other one, be it right in its first half, the person
// takes back at once and whole: one Change, as undo makes it, after the gap with which
// that person begins to take back; then the typing goes on where it was. What stands
// before the cursor may be mistyped: a suggestion that was taken there is wrong.
func (t *work) Accepted(text string) {
	t.state = t.before // of the step that never happens
	switch closed := t.closers(); {
	case t.goesOnInScript(text):
	case t.goesOn(text):
	default:
		t.undo = undo{len(text), closed[:document.Closes(text, closed)]}
	}
	t.cursor += len(text)
	if c, _ := utf8.DecodeLastRuneInString(text); text != "" {
		t.prev, t.moved = ClassOf(c), false
	}
}

// goesOnInScript reports whether the script types the text next, which is then done.
func (t *work) goesOnInScript(text string) bool {
	ahead := t.done
	for ; text != "" && ahead < len(t.script); ahead++ {
		k := &t.script[ahead]
		rest, ok := strings.CutPrefix(text, k.text)
		if !ok || k.kind == Move || k.class == Backspace {
			return false
		}
		text = rest
	}
	if text == "" && ahead > t.done {
		t.done = ahead
		return true
	}
	return false
}

// goesOn reports whether the text is what follows, which is then done. In the middle
// of a held backspace that is what the key had come to.
func (t *work) goesOn(text string) bool {
	at := t.at
	if t.done < len(t.script) {
		at = t.heldAt()
	}
	if at < 0 || text == "" || !strings.HasPrefix(t.text[at:t.end], text) {
		return false
	}
	t.at = at + len(text)
	t.script, t.done = t.script[:0], 0
	t.given = append(t.given, span{at, t.at})
	t.since, t.rethink, t.paste, t.jump = 0, -1, 0, false
	return true
}

// heldAt returns the place in the text to which a held backspace has come, -1 when
// none is held.
func (t *work) heldAt() int {
	if t.done == 0 || !t.script[t.done].held {
		return -1
	}
	return t.end - len(t.script[t.done-1].truth)
}

// closers returns the brackets after the cursor that the editor closed.
func (t *work) closers() string {
	var closed strings.Builder
	for at := t.at; at < t.end && t.text[at] != '\n'; at++ {
		if partner := t.partner[at]; partner >= 0 && partner < t.at && t.closed(at) {
			closed.WriteByte(t.text[at])
		}
	}
	return closed.String()
}

// takeBackSuggestion undoes a wrong suggestion.
func (t *work) takeBackSuggestion() Step {
	u := t.undo
	t.undo = undo{}
	t.cursor -= u.added
	s := Step{Kind: Change, Gap: t.gap(Backspace)}
	s.Edit = document.Edit{Offset: t.cursor, Delete: u.added, Insert: u.removed, Cursor: t.cursor}
	return s
}
