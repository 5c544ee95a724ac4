package document

import (
	"bytes"
	"strings"
)

// Verdict is what an answer is worth when its text arrives. It is judged against
// what was typed since the request left, each time that text arrives; the last
// verdict counts.
type Verdict string

const (
	// NoVerdict: nothing was asked, or no text came.
	NoVerdict    Verdict = "none"
	Exact        Verdict = "exact"         // the document is as it was
	TypedThrough Verdict = "typed_through" // what was typed since is the answer's start
	UsedUp       Verdict = "used_up"       // the answer so far was typed, and perhaps more
	Diverged     Verdict = "diverged"      // something else was typed
	Moved        Verdict = "moved"         // the cursor is elsewhere
	Undone       Verdict = "undone"        // the text is what it was before
	Empty        Verdict = "empty"         // the answer has nothing to see
	Dropped      Verdict = "dropped"       // the editor had given it up before
	// Ahead: it was asked for as if a suggestion were accepted, and that has not happened.
	Ahead Verdict = "ahead"
	// NotDisplayable: it is right, and cannot be shown where it stands.
	NotDisplayable Verdict = "not_displayable"
)

// Judge compares an answer to a request, as far as it came, with the document
// now. The rest is what may be shown at the cursor, when the verdict is Exact or
// TypedThrough. Text after the cursor that the editor put there by itself is not
// looked at: to type a bracket that the editor closes is not to move.
func (d *Document) Judge(asked *Snapshot, text string) (v Verdict, rest string) {
	if d.opened != asked.opened {
		return Moved, ""
	}
	if d.version == asked.version && len(d.before) == len(asked.before) {
		return Exact, text
	}
	switch {
	case d.after[d.closed:] != asked.after[asked.closed:]:
		return Moved, ""
	case bytes.HasPrefix(d.before, asked.before):
		return continued(string(d.before[len(asked.before):]), text)
	case bytes.HasPrefix(asked.before, d.before):
		return Undone, ""
	}
	return Diverged, ""
}

// continued judges an answer after something was typed where it belongs.
func continued(typed, text string) (v Verdict, rest string) {
	switch {
	case typed == "":
		return Exact, text
	case len(typed) < len(text) && strings.HasPrefix(text, typed):
		return TypedThrough, text[len(typed):]
	case strings.HasPrefix(typed, text):
		return UsedUp, ""
	}
	return Diverged, ""
}
