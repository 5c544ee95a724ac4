package talk

import (
	"net/http"
	"time"

	"halfsecond/mockllm/fault"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/pipeline"
)

// Piece is a stretch of an answer that is due so long after the request was whole.
type Piece struct {
	After time.Duration
	Data  []byte
}

// Answer sends the pieces of an answer to a request that is not empty, and tells the
// ledger what became of it.
func (h *Host) Answer(w http.ResponseWriter, r *http.Request, contentType string, e ledger.Entry, pieces ...Piece) {
	h.Respond(w, r, contentType, e.Arrived, func(out *Outlet) func() {
		a := &answering{Outlet: out, entry: e, left: pieces}
		a.next()
		return func() {
			a.stop()
			h.Ledger.AddFor(fault.From(r.Context()), a.entry)
		}
	})
}

// answering is an answer under way.
type answering struct {
	*Outlet
	entry ledger.Entry
	left  []Piece
	timer pipeline.Timer
}

func (a *answering) next() {
	due := max(a.Loop.Now(), a.entry.Arrived+a.left[0].After)
	a.timer = a.Loop.At(due, pipeline.RankOutput, a.send)
}

func (a *answering) send() {
	if a.entry.First == pipeline.Unknown {
		a.entry.First = a.Loop.Now()
	}
	a.Send(a.left[0].Data)
	if a.left = a.left[1:]; len(a.left) > 0 {
		a.next()
		return
	}
	a.entry.Ended = a.Loop.Now()
	a.End()
}

// stop says that the request is over: an answer that was not is given up.
func (a *answering) stop() {
	if a.timer.Stop(); len(a.left) > 0 {
		Abandon(&a.entry, a.Loop.Now())
	}
}
