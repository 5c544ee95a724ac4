package typing

import (
	"strings"
	"time"

	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/document"
)

// work is a Typist at work on one copy of the text after the other.
type work struct {
	*Typist
	seed uint64
	user int
	state
	before state // as it was before the last step
}

// state is how far the work is.
type state struct {
	round   int // -1: nothing is open
	rand    dist.Rand
	side    dist.Rand // of jumps and pastes, which shift no other draw
	prev    Class
	moved   bool // the last thing done was to move the cursor
	bursts  Bursts
	at      int // bytes of the text that stand before the cursor, slips aside
	end     int // where in the text this round of typing ends
	cursor  int // bytes before the cursor
	since   int // characters since the last bracket, the start of the line or a suggestion
	rethink int // where in the text the person will think again, -1 for nowhere
	jump    bool
	paste   int // where in the text the paste ends that is next, 0 for none
	script  []stroke
	done    int    // strokes of the script that are done
	closed  []byte // brackets after the cursor that the editor closed, the nearest one last
	undo    undo
}

// Type returns what that person does: the same steps for the same seed and
// user. It never ends: when the text, or its part that was to be typed, stands
// there, the next round begins in a new document, with other draws. Truth is the
// rest of what is typed in the round, and empty while something mistyped stands
// before the cursor; on another line it is the rest of what is typed there. The
// source is an Accepter.
func (t *Typist) Type(seed uint64, user int) Source {
	return &work{Typist: t, seed: seed, user: user, state: state{round: -1}}
}

// Next implements Source.
func (t *work) Next() (Step, bool) {
	t.before = t.state
	s := t.step()
	s.Burst = t.bursts.Of(&s)
	return s, true
}

func (t *work) step() Step {
	if t.undo.added > 0 {
		return t.takeBackSuggestion()
	}
	if t.done == len(t.script) {
		if t.round < 0 || t.at == t.end {
			return t.open()
		}
		if t.paste > 0 {
			return t.putIn()
		}
		t.plan()
	}
	if t.done < len(t.script) {
		t.done++
		return t.act(&t.script[t.done-1])
	}
	return t.typeOn()
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
	t.side = dist.Stream(t.seed, "ide/typing/side", t.user, t.round)
	t.at, t.end = t.place()
	s.Text, s.Cursor = t.text[:t.at]+t.text[t.end:], t.at
	t.prev, t.moved, t.jump, t.cursor, t.closed = Enter, false, false, t.at, t.closed[:0]
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

// startLine decides whether the line ahead will be thought over, and where, and
// whether it is pasted.
func (t *work) startLine() {
	t.since, t.rethink = 0, -1
	t.choosePaste()
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

// plan writes the script of a jump, a rethink or a slip when one begins here.
func (t *work) plan() {
	t.script, t.done = t.script[:0], 0
	switch {
	case t.jump:
		t.jump = false
		t.leave()
	case t.rethink >= 0 && t.at >= t.rethink:
		t.rethink = -1
		t.takeBack()
	case classAt(t.text, t.at) == Word && t.rand.Float64() < t.profile.Slips:
		t.slip()
	}
}

// typeOn types what comes next in the text.
func (t *work) typeOn() Step {
	text, class := strokeAt(t.text, t.at), classAt(t.text, t.at)
	e := document.Edit{Offset: t.cursor, Insert: text, Cursor: t.cursor + len(text)}
	t.since++
	if class == Punct && strings.Contains(opening+closing, text) {
		t.since = 0
		t.bracket(&e, text[0])
	}
	s := Step{Kind: Key, Gap: t.gap(class), Edit: e, Class: class}
	t.at += len(text)
	t.cursor += len(text)
	s.Truth = t.text[t.at:t.end]
	if class == Enter {
		t.startLine()
		t.chooseJump()
	}
	return s
}

// bracket has the editor close a bracket that is opened, and one that it closed typed
// over.
func (t *work) bracket(e *document.Edit, c byte) {
	if i := strings.IndexByte(opening, c); i >= 0 {
		if t.paired[t.at] {
			e.Insert = bracketPairs[i]
			t.closed = append(t.closed, closing[i])
		}
	} else if last := len(t.closed) - 1; last >= 0 && t.closed[last] == c {
		e.Delete, t.closed = 1, t.closed[:last]
	}
}

// gap draws the time until a key of that class is pressed.
func (t *work) gap(cur Class) time.Duration {
	d := t.rhythms.draw(t.prev, cur, &t.rand)
	if t.moved {
		t.moved, d = false, settles.Draw(&t.side)
	}
	t.prev = cur
	return d
}
