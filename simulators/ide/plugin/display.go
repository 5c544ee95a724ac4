package plugin

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"halfsecond/pipeline/document"
)

// Display is how a plugin shows a suggestion. The zero Display shows what it has at once.
type Display struct {
	// Hold is how long after a step nothing is shown: what comes sooner waits. 0 or more.
	Hold   time.Duration
	Render time.Duration // from there to the screen; 0 or more
	Lines  Lines
	Accept Accept
	// LeastVisible is how long a suggestion must be there to count as shown; a shorter one
	// is a flash. 0 or more.
	LeastVisible time.Duration
}

// Lines is how much of an answer that is still coming is shown.
type Lines uint8

const (
	LinesAll   Lines = iota // what has come
	LinesWhole              // lines that are complete, and all of it when that has come
	LinesFirst              // the first line when it is complete, and nothing after it
	LinesEnd                // nothing before all of it has come
)

var linesNames = []string{"all", "whole", "first", "end"}

// String returns the name that scenario files use.
func (l Lines) String() string { return linesNames[l] }

// Accept is where an accepted suggestion goes.
type Accept uint8

const (
	AcceptInsert  Accept = iota // between what is before the cursor and what is after it
	AcceptReplace               // in place of the rest of the line
)

var acceptNames = []string{"insert", "replace_line"}

// String returns the name that scenario files use.
func (a Accept) String() string { return acceptNames[a] }

func (d *Display) validate() error {
	var errs []error
	for _, f := range []struct {
		name  string
		value time.Duration
	}{{"hold", d.Hold}, {"render", d.Render}, {"least visible", d.LeastVisible}} {
		if f.value < 0 {
			errs = append(errs, fmt.Errorf("%s is %s, must not be negative", f.name, f.value))
		}
	}
	if int(d.Lines) >= len(linesNames) {
		errs = append(errs, fmt.Errorf("lines is %d, which is no rule", d.Lines))
	}
	if int(d.Accept) >= len(acceptNames) {
		errs = append(errs, fmt.Errorf("accept is %d, which is no rule", d.Accept))
	}
	return errors.Join(errs...)
}

// Part returns what is shown of a text that may be shown, of which whole says that
// nothing more will come.
func (d *Display) Part(text string, whole bool) string {
	switch d.Lines {
	case LinesWhole:
		if !whole {
			return text[:strings.LastIndexByte(text, '\n')+1]
		}
	case LinesFirst:
		if end := document.LineEnd(text); end >= 0 {
			return text[:end]
		} else if !whole {
			return ""
		}
	case LinesEnd:
		if !whole {
			return ""
		}
	}
	return text
}

// Fits reports whether a suggestion can be shown before that rest of the cursor's line. One
// that goes in between always can. One that replaces the rest must have its characters, in
// their order, in its first line: so VS Code has it (microsoft/vscode
// src/vs/editor/contrib/inlineCompletions, commit 00dda3b; sourcegraph/cody
// vscode/src/completions/is-completion-visible.ts, commit dced3c1; read 2026-11-29).
func (d *Display) Fits(suggestion, after string) bool {
	if d.Accept == AcceptInsert {
		return true
	}
	line, _, _ := strings.Cut(suggestion, "\n")
	for _, c := range strings.TrimRight(after, " \t\r") {
		i := strings.IndexRune(line, c)
		if i < 0 {
			return false
		}
		line = line[i+len(string(c)):]
	}
	return true
}

// Doubles reports whether an accepted suggestion leaves characters after the cursor that
// stand twice: it ends with what follows on the line, and did not open what it closes there.
func (d *Display) Doubles(suggestion, after string) bool {
	if d.Accept == AcceptReplace {
		return false
	}
	for n := min(len(after), len(suggestion)); n > 0; n-- {
		if end := suggestion[len(suggestion)-n:]; end == after[:n] && strings.TrimSpace(end) != "" {
			return !ownPairs(suggestion, n)
		}
	}
	return false
}

// ownPairs reports whether the last n bytes of a text are brackets alone that it opened
// itself.
func ownPairs(text string, n int) bool {
	const opening, closing = "([{", ")]}"
	depth, least := 0, 0
	for i := 0; i < len(text); i++ {
		switch {
		case strings.IndexByte(opening, text[i]) >= 0:
			depth++
		case strings.IndexByte(closing, text[i]) >= 0:
			depth--
			least = min(least, depth)
		case i >= len(text)-n:
			return false
		}
	}
	return least == 0
}
