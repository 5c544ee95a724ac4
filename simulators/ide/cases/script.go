package cases

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/typing"
)

// script is what happens in the editor, in order.
type script struct {
	acts     []act
	next     int // of the acts
	last     time.Duration
	document document.Document
	truth    string // the line as it will be
	line     int    // where in the document it begins
	opened   bool
	setup    *Setup
	taken    *taken // the last suggestion that was accepted, nil for none
}

// taken is a suggestion that was accepted.
type taken struct {
	before, after string // of the line, once it was
	doubles       bool   // characters behind it stand twice
}

// newScript returns the typing of a case, which opens its document first.
func (s *Setup) newScript() (*script, error) {
	acts, err := s.acts()
	if err != nil {
		return nil, err
	}
	w := &script{acts: acts, setup: s, truth: s.Document.Before}
	if s.Document.Truth != nil {
		w.truth = *s.Document.Truth
	}
	return w, nil
}

// linesAround is how many lines stand above and below the one that is typed in, so that the
// cursor can move there.
const linesAround = 64

// text returns the document as it is at the beginning.
func (s *Setup) text() (before, after string) {
	before, after = s.Document.Before, s.Document.After
	if p := s.Plugin.Prompt; p != nil {
		before = words("before", p.Prefix) + before
		after += words("after", p.Suffix)
	}
	if slices.ContainsFunc(s.Keys, func(k Keys) bool { return k.Move != 0 }) {
		around := strings.Repeat("\n", linesAround)
		before, after = around+before, after+around
	}
	return before, after
}

// words returns n tokens of a document, all of them different.
func words(name string, n int) string {
	p := make(token.Passage, n)
	for i := range p {
		p[i] = token.Segment{ID: token.Name(1, "ide/cases/"+name, i), N: 1}
	}
	return p.Text()
}

// Next implements typing.Source.
func (w *script) Next() (typing.Step, bool) {
	if !w.opened {
		return w.open(), true
	}
	if w.next == len(w.acts) {
		return typing.Step{}, false
	}
	a := &w.acts[w.next]
	w.next++
	s := typing.Step{Kind: a.kind, Text: a.text}
	w.place(&s, a)
	s.Do(&w.document)
	if a.step == nil {
		s.Truth = w.rest()
	}
	s.Gap, w.last = a.at-w.last, a.at
	return s, true
}

// open returns the step that opens the document.
func (w *script) open() typing.Step {
	w.opened = true
	before, after := w.setup.text()
	s := typing.Step{Kind: typing.Open, Text: before + after, Cursor: len(before)}
	s.Do(&w.document)
	own := w.setup.Document.Before
	w.line = len(before) - len(own) + strings.LastIndexByte(own, '\n') + 1
	s.Truth = w.rest()
	return s
}

// place fills in where a step happens.
func (w *script) place(s *typing.Step, a *act) {
	at := w.document.Cursor()
	switch {
	case a.step != nil:
		*s = *a.step
	case a.back:
		_, size := utf8.DecodeLastRune(w.document.Before())
		s.Class = typing.Backspace
		s.Edit = document.Edit{Offset: at - size, Delete: size, Cursor: at - size}
	case a.kind == typing.Key:
		s.Class = typing.ClassOf([]rune(a.text)[0])
		s.Edit = document.Edit{Offset: at, Insert: a.text, Cursor: at + len(a.text)}
		s.Text = ""
	case a.kind == typing.Move:
		s.Cursor = w.lineFrom(a.move)
	case a.kind == typing.Invoke && a.text != "":
		w.document.Apply(document.Edit{Offset: at, Insert: a.text, Cursor: at + len(a.text)})
	}
}

// lineFrom returns the place so many lines below the cursor, at the start of the line.
func (w *script) lineFrom(lines int) int {
	text, at := w.document.Text(), w.document.Cursor()
	for ; lines > 0; lines-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	for ; lines < 0; lines++ {
		at = strings.LastIndexByte(text[:at], '\n')
		if at < 0 {
			return 0
		}
	}
	return at
}

// rest returns what of the line as it will be follows at the cursor, nothing on another line.
func (w *script) rest() string {
	if before := string(w.document.Before()); len(before) >= w.line {
		if rest, ok := strings.CutPrefix(w.truth, before[w.line:]); ok {
			return rest
		}
	}
	return ""
}

// Accepted implements typing.Accepter.
func (w *script) Accepted(e document.Edit, _ string) (truth string) {
	d := w.setup.display()
	doubles := d.Doubles(e.Insert, w.document.RestOfLine())
	line := lineBefore(&w.document)
	w.document.Apply(e)
	w.taken = &taken{line + e.Insert, w.document.RestOfLine(), doubles}
	return w.rest()
}

// lineBefore returns what stands before the cursor on its line.
func lineBefore(d *document.Document) string {
	before := string(d.Before())
	return before[strings.LastIndexByte(before, '\n')+1:]
}

// done returns the acts that happen before a run ends.
func (w *script) done() []act {
	until := w.setup.Until
	if until == nil {
		return w.acts
	}
	after := slices.IndexFunc(w.acts, func(a act) bool { return a.at > span(*until) })
	if after < 0 {
		return w.acts
	}
	return w.acts[:after]
}

// lastKey returns when the last key came, an acceptance included.
func (w *script) lastKey() (at time.Duration, ok bool) {
	for _, a := range w.done() {
		if a.types() {
			at, ok = a.at, true
		}
	}
	return at, ok
}
