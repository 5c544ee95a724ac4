package observe

import (
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline/document"
)

// Kind is what was done in an editor between two prompts.
type Kind string

const (
	Opened   Kind = "opened"   // the first prompt of a document
	Same     Kind = "same"     // nothing: the same text, the cursor at the same place
	Typed    Kind = "typed"    // text was typed at the cursor
	Erased   Kind = "erased"   // text before the cursor was taken away, as by backspace
	Accepted Kind = "accepted" // text came in that an answer had said
	Inserted Kind = "inserted" // more text came in at once than anybody types: pasted, or completed by the editor
	Moved    Kind = "moved"    // the cursor alone
	Edited   Kind = "edited"   // text elsewhere was changed, or more than one place, or much was taken away at once
)

// step is what was done before a request.
type step struct {
	kind Kind
	keys []string // what each key typed or erased
	from int      // where the cursor was before
}

// fastest is the least time that a key takes in the mean of several: 30 ms is 400 words a
// minute, twice what the fastest typists do; assumed.
const fastest = 30 * time.Millisecond

// burst is how many keys fit between any two requests, whatever their time says, since a
// request can be late: assumed.
const burst = 3

// stepOf says what an edit was that was made at most so long before its request.
func stepOf(e document.Edit, cursor int, erased string, within time.Duration) step {
	s := step{kind: Edited, from: cursor}
	typed, atCursor := e.Typed(cursor)
	switch {
	case e.Delete == 0 && e.Insert == "" && e.Cursor == cursor:
		s.kind = Same
	case e.Delete == 0 && e.Insert == "":
		s.kind = Moved
	case e.Delete == 0 && atCursor && typed != "":
		s.kind, s.keys = Typed, keysOf(typed)
		if tooFast(len(s.keys), within) {
			s.kind, s.keys = Inserted, nil
		}
	case e.Insert == "" && e.Cursor == e.Offset && e.Offset < cursor && cursor <= e.Offset+e.Delete && closes(erased[:cursor-e.Offset], erased[cursor-e.Offset:]):
		s.kind, s.keys = Erased, backward(erased[:cursor-e.Offset])
		if tooFast(len(s.keys), within) {
			s.kind, s.keys = Edited, nil
		}
	}
	return s
}

// tooFast reports whether nobody presses so many keys within a time.
func tooFast(keys int, within time.Duration) bool {
	return keys > burst && time.Duration(keys)*fastest > within
}

// closing are brackets and quotes that editors close by themselves, and take back with what
// they close.
var closing = map[byte]byte{'(': ')', '[': ']', '{': '}', '"': '"', '\'': '\'', '`': '`'}

// closes reports whether what follows a cursor closes what ends before it.
func closes(before, after string) bool {
	for i := range len(after) {
		if i >= len(before) || closing[before[len(before)-1-i]] != after[i] {
			return false
		}
	}
	return true
}

// keysOf cuts a text into what each key typed. The blanks at the start of a line came with
// the key that ended the line before.
func keysOf(typed string) (keys []string) {
	for typed != "" {
		_, n := utf8.DecodeRuneInString(typed)
		if typed[0] == '\n' {
			n += len(typed[1:]) - len(strings.TrimLeft(typed[1:], " \t"))
		}
		keys, typed = append(keys, typed[:n]), typed[n:]
	}
	return keys
}

// backward returns the characters of a text, the last first.
func backward(text string) (all []string) {
	for text != "" {
		_, n := utf8.DecodeLastRuneInString(text)
		all, text = append(all, text[len(text)-n:]), text[:len(text)-n]
	}
	return all
}
