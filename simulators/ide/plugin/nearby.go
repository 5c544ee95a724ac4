package plugin

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"halfsecond/pipeline/document"
)

// Nearby is after which moves of the cursor a plugin asks. The zero Nearby asks after all.
//
// Copilot's next-edit suggestions ask within 10 s of the last change of the text, and once
// in 5 s on a line, where a change counts for the line that it leaves the cursor on
// (microsoft/vscode-copilot-chat,
// src/extension/inlineEdits/vscode-node/inlineEditTriggerer.ts, commit 7465c22, read
// 2026-11-30).
type Nearby struct {
	Within time.Duration // of the last change of the document; 0 for ever
	// Line is how long after a change left the cursor on a line, or a move since then was
	// asked for there, a move to it is asked for again; 0 at once.
	Line time.Duration
}

func (n *Nearby) validate() error {
	var errs []error
	for _, f := range []struct {
		name  string
		value time.Duration
	}{{"time after a change in which moves ask", n.Within}, {"rest of a line", n.Line}} {
		if f.value < 0 {
			errs = append(errs, fmt.Errorf("%s is %s, must not be negative", f.name, f.value))
		}
	}
	return errors.Join(errs...)
}

// Trail is what a Nearby has seen of one person so far. The zero Trail has seen nothing.
type Trail struct {
	changed time.Duration
	there   bool                  // the document was changed
	lines   map[int]time.Duration // since the last change, by where a line starts: the last that counts
}

// Changed is told that the document was.
func (t *Trail) Changed(n *Nearby, d *document.Document, at time.Duration) {
	if *n == (Nearby{}) {
		return
	}
	t.changed, t.there = at, true
	if t.lines == nil {
		t.lines = map[int]time.Duration{}
	}
	clear(t.lines)
	t.lines[lineStart(d)] = at
}

// Opened is told that another document is open.
func (t *Trail) Opened() { t.there = false }

// Moved is told of a move of the cursor, and returns the name of the rule by which a plugin
// does not ask: "late_move" or "same_line"; "" where it asks.
func (t *Trail) Moved(n *Nearby, d *document.Document, at time.Duration) string {
	if *n == (Nearby{}) {
		return ""
	}
	if n.Within > 0 && (!t.there || at-t.changed >= n.Within) {
		return "late_move"
	}
	line := lineStart(d)
	if last, asked := t.lines[line]; asked && at-last < n.Line {
		return "same_line"
	}
	if t.lines == nil {
		t.lines = map[int]time.Duration{}
	}
	t.lines[line] = at
	return ""
}

// lineStart returns where the cursor's line starts.
func lineStart(d *document.Document) int { return bytes.LastIndexByte(d.Before(), '\n') + 1 }
