package cases

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/typing"
)

// act is one thing that happens in the editor.
type act struct {
	at   time.Duration
	kind typing.Kind
	text string // that is typed, or selected
	back bool
	move int // lines
}

// script is what happens in the editor, in order.
type script struct {
	acts     []act
	last     time.Duration
	document document.Document
	truth    string // the line as it will be
	opened   bool
	setup    *Setup
}

// acts returns what the keys and the requests of a case are.
func (s *Setup) acts() (all []act) {
	n := 0
	for _, k := range s.Keys {
		all = append(all, k.acts(func() string { n++; return s.unimportant(n) })...)
	}
	for _, a := range s.Requests {
		at := span(a.At)
		for _, c := range a.Text {
			all = append(all, act{at: at, kind: typing.Invoke, text: string(c)})
		}
		if a.Text == "" {
			all = append(all, act{at: at, kind: typing.Invoke})
		}
	}
	slices.SortStableFunc(all, func(a, b act) int { return cmp.Compare(a.at, b.at) })
	return all
}

// acts returns the steps of one entry.
func (k *Keys) acts(unimportant func() string) (all []act) {
	at := span(k.At)
	add := func(a act) {
		a.at = at
		all = append(all, a)
		at += span(k.Gap)
	}
	for range k.Count {
		add(act{kind: typing.Key, text: unimportant()})
	}
	for _, c := range k.Type {
		add(act{kind: typing.Key, text: string(c)})
	}
	for range k.Backspace {
		add(act{kind: typing.Key, back: true})
	}
	if k.Move != 0 {
		add(act{kind: typing.Move, move: k.Move})
	}
	if k.Accept {
		add(act{kind: typing.Accept})
	}
	if k.Focus {
		add(act{kind: typing.Focus})
	}
	if k.Popup != nil {
		add(act{kind: typing.Popup, text: *k.Popup})
	}
	return all
}

// unimportant returns the n-th character of no importance: where prompts are made of
// tokens, one token that no other key types.
func (s *Setup) unimportant(n int) string {
	if s.Plugin.Prompt == nil {
		return string(rune('a' + n%26))
	}
	return " " + token.Passage{{ID: token.Name(1, "ide/cases/key", n), N: 1}}.Text()
}

// linesAround is how many lines stand above and below the one that is typed in, so that the
// cursor can move there.
const linesAround = 64

// newScript returns the typing of a case, which opens its document first.
func (s *Setup) newScript() *script {
	w := &script{acts: s.acts(), setup: s, truth: s.Document.Before}
	if s.Document.Truth != nil {
		w.truth = *s.Document.Truth
	}
	return w
}

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
		w.opened = true
		before, after := w.setup.text()
		s := typing.Step{Kind: typing.Open, Text: before + after, Cursor: len(before)}
		s.Do(&w.document)
		return s, true
	}
	if len(w.acts) == 0 {
		return typing.Step{}, false
	}
	a := w.acts[0]
	w.acts = w.acts[1:]
	s := typing.Step{Gap: a.at - w.last, Kind: a.kind, Text: a.text}
	w.last = a.at
	w.place(&s, &a)
	s.Do(&w.document)
	s.Truth = w.rest()
	return s, true
}

// place fills in where a step happens.
func (w *script) place(s *typing.Step, a *act) {
	at := w.document.Cursor()
	switch {
	case a.back:
		s.Class = typing.Backspace
		s.Edit = document.Edit{Offset: at - 1, Delete: 1, Cursor: at - 1}
		if at == 0 {
			s.Edit = document.Edit{}
		}
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

// rest returns what of the line as it will be follows at the cursor.
func (w *script) rest() string {
	line := string(w.document.Before())
	line = line[strings.LastIndexByte(line, '\n')+1:]
	if rest, ok := strings.CutPrefix(w.truth, line); ok {
		return rest
	}
	return ""
}

// Accepted implements typing.Accepter.
func (w *script) Accepted(text string) {
	at := w.document.Cursor()
	e := document.Edit{Offset: at, Insert: text, Cursor: at + len(text)}
	if w.setup.Plugin.Accept == "replace_line" {
		line, _, _ := strings.Cut(w.document.After(), "\n")
		e.Delete = len(line)
	}
	w.document.Apply(e)
}

// span returns milliseconds as a duration.
func span(ms float64) time.Duration { return time.Duration(ms*1e6 + .5) }

// lastKey returns when the last key comes, an acceptance included.
func (s *Setup) lastKey() (at time.Duration, ok bool) {
	for _, a := range s.acts() {
		if a.kind == typing.Key || a.kind == typing.Accept {
			at, ok = a.at, true
		}
	}
	return at, ok
}
