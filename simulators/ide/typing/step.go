// Package typing is what a person does in an editor, step by step.
//
// Read step.go first: what a step is. typist.go and work.go make steps out of a text
// and a seed, with profile.go, gaps.go, keyboard.go and the texts; slips.go has what goes
// wrong on the way, excursion.go jumps and pastes, accepted.go what a suggestion that was
// taken does to the typing. reader.go is whether one is taken.
package typing

import (
	"time"
	"unicode"

	"halfsecond/pipeline/document"
)

// Kind tells what a step of typing does.
type Kind uint8

const (
	Key    Kind = iota // a key that edits at the cursor: it leaves a trace
	Change             // any other edit: a paste, an accepted suggestion, a snippet, formatting
	Move               // the cursor goes elsewhere
	Open               // another document is opened
	Accept             // the suggestion that is shown is accepted; nothing where none is
	Focus              // the editor gets the focus
	// Invoke asks for a suggestion by hand, at once and whatever is under way, after Text is
	// inserted at the cursor.
	Invoke
	Popup // a list of completions opens, with Text selected
)

// Class is a class of keys.
type Class uint8

const (
	Word Class = iota // letters, digits, underscore
	Space
	Punct
	Enter
	Backspace
	Classes // how many there are
)

var classNames = [Classes]string{"word", "space", "punct", "enter", "backspace"}

// String returns the class's name in traces.
func (c Class) String() string { return classNames[c] }

// ClassOf returns the class of the key that types a character.
func ClassOf(c rune) Class {
	switch {
	case c == '\n':
		return Enter
	case c == ' ' || c == '\t':
		return Space
	case c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c):
		return Word
	}
	return Punct
}

// Step is one thing that a person does in an editor.
type Step struct {
	Gap  time.Duration // since the step before, or since the start; zero or more
	Kind Kind

	Edit   document.Edit // of a Key or a Change
	Class  Class         // of a Key
	Burst  int           // of a Key: the burst of typing that it is part of, from 1 on; 0 when nobody counted
	Cursor int           // of a Move or an Open: the cursor's new position
	// Selected is how many bytes a Move selects before the cursor; below 0 so many behind it.
	Selected int
	// Document is, of an Open, the number of the document, from 1, of a person who comes back to
	// some; 0 is one that was never open before.
	Document int
	Text     string // of an Open: the new document; of a Popup: the selected entry; of an Invoke
	// Truth is, for what changes the document or moves the cursor, the text that will really follow at the cursor, as far
	// as it is typed in one go. It is empty when nothing follows there, such as
	// when the next thing to happen is that the key is taken back.
	Truth string
}

// Source is what one person does in an editor, step by step.
type Source interface {
	// Next returns the next step, or false when there is none.
	Next() (Step, bool)
}

// First returns the steps of a source up to its so manieth key.
func First(y Source, keys int) Source { return &first{y, keys} }

type first struct {
	Source
	keys int
}

// Next implements Source.
func (f *first) Next() (Step, bool) {
	if f.keys == 0 {
		return Step{}, false
	}
	s, ok := f.Source.Next()
	if ok && s.Kind == Key {
		f.keys--
	}
	return s, ok
}

// Accepter is a Source that goes on with its text behind a suggestion that was taken.
type Accepter interface {
	// Accepted says that the person took a suggestion: the edit put it at the cursor, which
	// is behind it now, and removed is what it took away there. The step that Next returned
	// last has not been done, and never will be. It returns the truth of the new place, as a
	// Step has it.
	Accepted(e document.Edit, removed string) (truth string)
}

// Do does what the step does to the document. It panics when a position is outside
// of the text.
func (s *Step) Do(d *document.Document) {
	switch s.Kind {
	case Key, Change:
		d.Apply(s.Edit)
	case Move:
		d.Move(s.Cursor)
	case Open:
		d.Open(s.Text, s.Cursor)
	case Accept, Focus, Popup, Invoke: // what they do depends on what is shown
	}
}
