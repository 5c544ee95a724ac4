package typing

import (
	"slices"
	"strings"
	"unicode/utf8"

	"halfsecond/pipeline/document"
)

// undo is a wrong suggestion that the person is about to take back.
type undo struct {
	added   int    // bytes that stand before the cursor
	removed string // what stood after it
}

// Accepted implements Accepter. A text that was to be typed next is done, and the
// typing goes on behind it; so it is when brackets go with it that the editor closed,
// which are typed again if the text closes fewer. Any other one, be it right in its first
// half, or one that takes away more, the person
// takes back at once and whole: one Change, as undo makes it, after the gap with which
// that person begins to take back; then the typing goes on where it was. What stands
// before the cursor may be mistyped: a suggestion that was taken there is wrong.
func (t *work) Accepted(e document.Edit, removed string) (truth string) {
	t.state = t.before // of the step that never happens
	text, right := e.Insert, false
	if t.undo.added == 0 {
		truth, right = t.follows(text, removed)
	}
	if !right {
		t.regret(text, removed)
	}
	t.cursor += len(text)
	if c, _ := utf8.DecodeLastRuneInString(text); text != "" {
		t.prev, t.moved = ClassOf(c), false
	}
	return truth
}

// follows reports whether a text was to be typed next, in place of what it removed, which
// is then done, and returns the truth behind it.
func (t *work) follows(text, removed string) (truth string, ok bool) {
	switch {
	case removed == "" && t.goesOnInScript(text):
		return t.script[t.done-1].truth, true
	case t.goesOn(text, removed):
		return t.text[t.at:t.end], true
	}
	return "", false
}

// regret notes that a suggestion is to be taken back, with those before it that are.
func (t *work) regret(text, removed string) {
	t.undo.added += len(text)
	t.undo.removed += removed
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

// goesOn reports whether the text is what follows, in place of nothing but brackets that
// the editor closed, which is then done. In the middle of a held backspace that is what the
// key had come to.
func (t *work) goesOn(text, removed string) bool {
	at := t.at
	if t.done < len(t.script) {
		at = t.heldAt()
	}
	if at < 0 || text == "" || !strings.HasPrefix(t.text[at:t.end], text) || !strings.HasPrefix(t.closers(), removed) {
		return false
	}
	t.at = at + len(text)
	t.script, t.done = t.script[:0], 0
	t.closed = t.closed[:len(t.closed)-len(removed)]
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

// closers returns the brackets after the cursor that the editor closed, the nearest
// one first.
func (t *work) closers() string {
	closed := slices.Clone(t.closed)
	slices.Reverse(closed)
	return string(closed)
}

// takeBackSuggestion undoes a wrong suggestion.
func (t *work) takeBackSuggestion() Step {
	u := t.undo
	t.undo = undo{}
	t.cursor -= u.added
	s := Step{Kind: Change, Gap: t.gap(Backspace), Truth: t.text[t.at:t.end]}
	if t.done < len(t.script) {
		s.Truth = t.script[t.done-1].truth // as it was before the suggestion
	}
	s.Edit = document.Edit{Offset: t.cursor, Delete: u.added, Insert: u.removed, Cursor: t.cursor}
	return s
}
