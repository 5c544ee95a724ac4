package ledger

import (
	"fmt"
	"net/http"
	"time"
)

// A client that sends the header Halfsecond-Timing is told the server's own write
// error in Halfsecond-Write-Error: with "header" that of all writes so far, with the
// answer's headers; with "trailer" that of the writes of this answer, in its trailer. What
// else it says is none of these, and it is told so.
const (
	askHeader  = "Halfsecond-Timing"
	tellHeader = "Halfsecond-Write-Error"
)

// Timing counts the writes of one answer, for the server and for a client that asks.
type Timing struct {
	all  *Writes
	mine *Writes // nil when the client did not ask
}

// Timing returns where the writes of an answer are counted, and sets the header when
// the client wants it there.
func (l *Ledger) Timing(w http.ResponseWriter, r *http.Request) Timing {
	t := Timing{all: l.Writes}
	switch r.Header.Get(askHeader) {
	case "header":
		w.Header().Set(tellHeader, l.Writes.Report().Header())
	case "trailer":
		t.mine = l.Writes.NewWrites()
	case "":
	default:
		w.Header().Set(tellHeader, fmt.Sprintf("want %s: header or trailer; found %q", askHeader, r.Header.Get(askHeader)))
	}
	return t
}

// Wrote counts one write.
func (t Timing) Wrote(late time.Duration) {
	t.all.Add(late)
	if t.mine != nil {
		t.mine.Add(late)
	}
}

// End sets the trailer when the client wants one; nothing is written after it.
func (t Timing) End(w http.ResponseWriter) {
	if t.mine != nil {
		w.Header().Set(http.TrailerPrefix+tellHeader, t.mine.Report().Header())
	}
}
