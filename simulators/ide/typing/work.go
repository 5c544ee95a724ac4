package typing

import (
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline/dist"
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

// typing is a Typist at work on one copy of the text after the other.
type work struct {
	*Typist
	seed        uint64
	user, round int // round -1: nothing is open
	rand        dist.Rand
	prev        Class
	at          int // bytes of the text that stand before the cursor, slips aside
	end         int // where in the text this round of typing ends
	cursor      int // bytes before the cursor
	since       int // characters since the last bracket or the start of the line
	rethink     int // where in the text the person will think again, -1 for nowhere
	script      []stroke
	done        int // strokes of the script that are typed
}

// stroke is a key that does not just type on.
type stroke struct {
	text  string // what it types, or takes back when it is a backspace
	class Class
	truth string
	held  bool // it is a repeat of a held key, after
	after time.Duration
}

// Type returns what that person does: the same steps for the same seed and
// user. It never ends: when the text, or its part that was to be typed, stands
// there, the next round begins in a new document, with other draws. Truth is the
// rest of what is typed in the round, and empty while something mistyped stands
// before the cursor.
func (t *Typist) Type(seed uint64, user int) Source {
	return &work{Typist: t, seed: seed, user: user, round: -1}
}

// Next implements Source.
func (t *work) Next() (Step, bool) {
	if t.done == len(t.script) {
		if t.round < 0 || t.at == t.end {
			return t.open(), true
		}
		t.plan()
	}
	if t.done < len(t.script) {
		t.done++
		return t.act(&t.script[t.done-1]), true
	}
	return t.typeOn(), true
}

// open starts the next round: on the next copy of the text, or with lines missing
// from it.
func (t *work) open() Step {
	s := Step{Kind: Open}
	if t.round >= 0 {
		s.Gap = t.gap(Enter)
	}
	t.round++
	t.rand = dist.Stream(t.seed, "ide/typing", t.user, t.round)
	t.at, t.end = t.place()
	s.Text, s.Cursor = t.text[:t.at]+t.text[t.end:], t.at
	t.prev, t.cursor = Enter, t.at
	t.startLine()
	return s
}

// place draws the part of the text that is typed in this round.
func (t *work) place() (from, to int) {
	n := t.profile.Lines
	if n == 0 || len(t.starts) < 2*n {
		return 0, len(t.text)
	}
	first := t.rand.IntN(len(t.starts) - n + 1)
	last := t.starts[first+n-1]
	if i := strings.IndexByte(t.text[last:], '\n'); i >= 0 {
		return t.starts[first], last + i
	}
	return t.starts[first], len(t.text)
}

// startLine decides whether the line ahead will be thought over, and where.
func (t *work) startLine() {
	t.since, t.rethink = 0, -1
	if t.rand.Float64() >= t.profile.Rethinks {
		return
	}
	length := strings.IndexByte(t.text[t.at:t.end], '\n')
	if length < 0 {
		length = t.end - t.at
	}
	if length >= leastBack {
		t.rethink = t.at + leastBack + t.rand.IntN(length-leastBack+1)
	}
}

// plan writes the script of a rethink or a slip when one begins here.
func (t *work) plan() {
	t.script, t.done = t.script[:0], 0
	if t.rethink >= 0 && t.at >= t.rethink {
		t.rethink = -1
		t.takeBack()
		return
	}
	if classAt(t.text, t.at) == Word && t.rand.Float64() < t.profile.Slips {
		t.slip()
	}
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

// act types a stroke of the script.
func (t *work) act(k *stroke) Step {
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

// typeOn types what comes next in the text.
func (t *work) typeOn() Step {
	text, class, bracket := strokeAt(t.text, t.at), classAt(t.text, t.at), t.paired[t.at]
	e := document.Edit{Offset: t.cursor, Insert: text, Cursor: t.cursor + len(text)}
	t.since++
	if class == Punct && strings.Contains(opening+closing, text) {
		t.since = 0
		if i := strings.Index(opening, text); bracket && i >= 0 {
			e.Insert = bracketPairs[i]
		} else if bracket {
			e.Delete = len(text)
		}
	}
	s := Step{Kind: Key, Gap: t.gap(class), Edit: e, Class: class}
	t.at += len(text)
	t.cursor += len(text)
	s.Truth = t.text[t.at:t.end]
	if class == Enter {
		t.startLine()
	}
	return s
}

// gap draws the time until a key of that class is pressed.
func (t *work) gap(cur Class) time.Duration {
	d := t.rhythms[t.prev][cur].draw(&t.rand)
	t.prev = cur
	return d
}
