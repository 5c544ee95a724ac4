package ide

import (
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/prompt"
)

// drift is how a prompt differs from the one before.
type drift struct {
	at int // tokens that they share
	by prompt.Cause
}

// drift has the trace of a request that is sent tell how its prompt differs from that of the
// request before, where somebody wants to know.
func (e *Editor) drift(r *request) {
	if !e.sim.config.Drift {
		return
	}
	if at, by, ok := e.drifts.Next(&r.sent); ok {
		r.key.differs = &drift{at, by}
	}
}

// erased stands for a key that takes text away.
const erased = "⌫"

// typedBy returns what a key types: its text without what the editor adds, or erased.
func typedBy(e *document.Edit) string {
	if n := e.Cursor - e.Offset; n > 0 && n <= len(e.Insert) {
		return e.Insert[:n]
	}
	return erased
}
