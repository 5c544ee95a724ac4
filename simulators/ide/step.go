package ide

import (
	"time"
	"unicode"
)

// Kind tells what a step of typing does.
type Kind uint8

const (
	Key    Kind = iota // a key that edits at the cursor: it leaves a trace
	Change             // any other edit: a paste, an accepted suggestion, a snippet, formatting
	Move               // the cursor goes elsewhere
	Open               // another document is opened
)

// Class is a class of keys.
type Class uint8

const (
	Word Class = iota // letters, digits, underscore
	Space
	Punct
	Enter
	Backspace
	classes
)

var classNames = [classes]string{"word", "space", "punct", "enter", "backspace"}

// String returns the class's name in traces.
func (c Class) String() string { return classNames[c] }

// classOf returns the class of the key that types a character.
func classOf(c rune) Class {
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

	Edit   Edit   // of a Key or a Change
	Class  Class  // of a Key
	Cursor int    // of a Move or an Open: the cursor's new position
	Text   string // of an Open: the new document
	// Truth is, for a Key, the text that will really follow at the cursor, as far
	// as it is typed in one go. It is empty when nothing follows there, such as
	// when the next thing to happen is that the key is taken back.
	Truth string
}

// Typing is what one person does in an editor, step by step.
type Typing interface {
	// Next returns the next step, or false when there is none.
	Next() (Step, bool)
}
