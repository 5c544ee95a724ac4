package ide

import (
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/typing"
)

// watch tells whoever watches the editor of a step.
func (e *Editor) watch(s *typing.Step) {
	w := e.sim.config.Watch
	switch {
	case w == nil:
	case s.Kind == typing.Open:
		w.Open(e.user, "", s.Text, s.Cursor)
	case s.Kind == typing.Move:
		w.Move(e.user, s.Cursor)
	case s.Kind == typing.Key || s.Kind == typing.Change:
		w.Apply(e.user, s.Edit)
	}
}

// edit makes an edit that no step has, and tells whoever watches.
func (e *Editor) edit(x document.Edit) {
	e.document.Apply(x)
	if w := e.sim.config.Watch; w != nil {
		w.Apply(e.user, x)
	}
}
