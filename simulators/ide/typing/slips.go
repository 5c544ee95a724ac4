package typing

import (
	"time"
	"unicode/utf8"

	"halfsecond/pipeline/document"
)

const (
	// transposed is the share of slips that exchange two characters, blindly the
	// most characters typed on before a slip is seen. A rethink takes back
	// leastBack to mostBack characters. All four are assumed.
	transposed = .25
	blindly    = 3
	leastBack  = 3
	mostBack   = 15
)

// stroke is a thing of a script that does not just type on: a key, or a Move.
type stroke struct {
	kind  Kind
	text  string // what it types, or takes back when it is a backspace
	class Class
	truth string
	held  bool // it is a repeat of a held key, after
	after time.Duration
	to    int // of a Move: where the cursor goes
}

// takeBack deletes part of the line, back to its last bracket at most.
func (t *work) takeBack() {
	n := min(leastBack+t.rand.IntN(mostBack-leastBack+1), t.since)
	if n < leastBack {
		return
	}
	t.since -= n
	for i := range n {
		_, size := utf8.DecodeLastRuneInString(t.text[:t.at])
		t.at -= size
		s := stroke{text: t.text[t.at : t.at+size], class: Backspace, truth: t.text[t.at:t.end]}
		switch {
		case i == 1:
			s.held, s.after = true, t.profile.HoldFirst
		case i > 1:
			s.held, s.after = true, t.profile.HoldNext
		}
		t.script = append(t.script, s)
	}
}

// slip mistypes what comes next, types on for a moment and takes it all back.
func (t *work) slip() {
	wrong, meant := t.mistyped()
	if wrong == "" {
		return
	}
	from := t.at + meant
	end := from
	for n := min(t.rand.IntN(blindly+1), t.rand.IntN(blindly+1)); n > 0 && end < t.end && classAt(t.text, end) == Word; n-- {
		end += len(strokeAt(t.text, end))
	}
	wrong += t.text[from:end]
	for len(wrong) > 0 {
		_, size := utf8.DecodeRuneInString(wrong)
		t.script = append(t.script, stroke{text: wrong[:size], class: Word})
		wrong = wrong[size:]
	}
	for i := len(t.script) - 1; i >= 0; i-- {
		t.script = append(t.script, stroke{text: t.script[i].text, class: Backspace})
	}
	t.script[len(t.script)-1].truth = t.text[t.at:t.end]
}

// mistyped returns what is typed in place of the next one or two characters, and
// how many bytes of the text that was meant to be; nothing when the key here is
// on no row of the keyboard.
func (t *work) mistyped() (wrong string, meant int) {
	c, size := utf8.DecodeRuneInString(t.text[t.at:])
	exchange := t.rand.Float64() < transposed
	if next := t.at + size; exchange && next < t.end && classAt(t.text, next) == Word {
		second := strokeAt(t.text, next)
		if first := t.text[t.at:next]; first != second {
			return second + first, size + len(second)
		}
	}
	return slipOf(c, &t.rand), size
}

// act does a stroke of the script.
func (t *work) act(k *stroke) Step {
	if k.kind == Move {
		return t.move(k)
	}
	s := Step{Kind: Key, Class: k.class, Truth: k.truth, Gap: k.after}
	gap := t.gap(k.class)
	if !k.held {
		s.Gap = gap
	}
	if k.class == Backspace {
		t.cursor -= len(k.text)
		s.Edit = document.Edit{Offset: t.cursor, Delete: len(k.text), Cursor: t.cursor}
		return s
	}
	s.Edit = document.Edit{Offset: t.cursor, Insert: k.text, Cursor: t.cursor + len(k.text)}
	t.cursor += len(k.text)
	return s
}
