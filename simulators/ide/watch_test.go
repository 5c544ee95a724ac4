package ide

import (
	"testing"

	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/typing"
)

// watcher keeps a document as it is told of it.
type watcher struct {
	document.Document
	opened, edits, moves int
}

func (w *watcher) Open(_ int, _, text string, cursor int) {
	w.opened++
	w.Document.Open(text, cursor)
}

func (w *watcher) Apply(_ int, e document.Edit) {
	w.edits++
	w.Document.Apply(e)
}

func (w *watcher) Move(_, cursor int) {
	w.moves++
	w.Document.Move(cursor)
}

// Whoever watches an editor has its document after each step.
func TestWatch(t *testing.T) {
	w := &watcher{}
	e := &Editor{sim: &Simulator{config: Config{Watch: w}}}
	steps := 0
	for source := recorded(t, 22); ; steps++ {
		s, ok := source.Next()
		if !ok {
			break
		}
		s.Do(&e.document)
		e.watch(&s)
		if e.document.Text() != w.Text() || e.document.Cursor() != w.Cursor() {
			t.Fatalf("step %d: it has %q with its cursor at %d, want %q and %d", steps, w.Text(), w.Cursor(), e.document.Text(), e.document.Cursor())
		}
	}
	if w.opened == 0 || w.edits == 0 || w.moves == 0 || w.opened+w.edits+w.moves != steps {
		t.Errorf("it was told of %d documents, %d edits and %d moves in %d steps", w.opened, w.edits, w.moves, steps)
	}
	(&Editor{sim: &Simulator{}}).watch(&typing.Step{}) // nobody watches
}
