package ghost

import (
	"cmp"
	"slices"
	"time"

	"halfsecond/pipeline"
)

// Who gave a request up.
const (
	ByPlugin      = "plugin"       // its rule at the next step, or since another answer was shown
	ByEditorToken = "editor_token" // the editor's own token
	ByServer      = "server"       // it refused the request, failed or broke off
	ByTester      = "tester"       // a limit of the client's
)

// Owners are those who give requests up, in the order of reports.
var Owners = []string{ByPlugin, ByEditorToken, ByServer, ByTester}

// Entry is what one of them gave up.
type Entry struct {
	Owner    string
	Requests int
	OnWire   int // closed on the wire; the others were dropped in the editor alone, or ended by the server
	// Before and After are the work of the server by the close, and from there on for nobody;
	// of Known of the closed requests that is known.
	Before, After pipeline.Work
	Known         int
}

// Ledger lists who gave requests up. Owners of none are left out.
func (r *Run) Ledger() (all []Entry) {
	entries := map[string]*Entry{}
	for i := range r.Requests {
		q := &r.Requests[i]
		owner := q.Owner()
		if owner == "" {
			continue
		}
		if entries[owner] == nil {
			entries[owner] = &Entry{Owner: owner}
		}
		entries[owner].add(q)
	}
	for _, owner := range Owners {
		if e := entries[owner]; e != nil {
			all = append(all, *e)
		}
	}
	return all
}

// Owner returns who gave a request up; "" where nobody did.
func (q *Request) Owner() string {
	if q.Final {
		switch q.Trace.Fact(pipeline.FactGivenUp) {
		case pipeline.ClosedByEditor:
			return ByEditorToken
		case pipeline.ClosedByRule, pipeline.ClosedByServed, pipeline.Discarded:
			return ByPlugin
		}
	}
	switch q.Outcome {
	case pipeline.Refused, pipeline.Error, pipeline.Truncated:
		return ByServer
	case pipeline.Timeout, pipeline.Dropped:
		return ByTester
	}
	return ""
}

func (e *Entry) add(q *Request) {
	e.Requests++
	if q.Closed == pipeline.Unknown {
		return
	}
	e.OnWire++
	if q.AtClose.Prompt < 0 || q.AtEnd.Prompt < 0 {
		return
	}
	e.Known++
	e.Before.Prompt += q.AtClose.Prompt
	e.Before.Output += max(0, q.AtClose.Output)
	e.After.Prompt += max(0, q.AtEnd.Prompt-q.AtClose.Prompt)
	e.After.Output += max(0, q.AtEnd.Output-q.AtClose.Output)
}

// Served returns when the server began to work on a request, and was done with it; Unknown
// where that is not told.
func (q *Request) Served() (from, to time.Duration) {
	if q.Scheduled == pipeline.Unknown {
		return pipeline.Unknown, pipeline.Unknown
	}
	to = q.End
	if to != pipeline.Unknown && q.Outcome == pipeline.OK {
		to -= q.Way.Back
	}
	return q.Scheduled + q.Way.Out, to
}

// MostInFlight returns the most requests that were sent, not answered and not closed at one
// time.
func (r *Run) MostInFlight() (most int) {
	for i := range r.Requests {
		at, n := r.Requests[i].Due, 0
		for j := range r.Requests {
			q := &r.Requests[j]
			end := q.End
			if q.Closed != pipeline.Unknown {
				end = q.Closed
			}
			if q.Asked() && q.Due <= at && (end == pipeline.Unknown || end > at) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// stretch is from one instant to another.
type stretch struct{ from, to time.Duration }

// dead returns when a server worked on requests that were closed by then.
func (r *Run) dead() (all []stretch) {
	for i := range r.Requests {
		q := &r.Requests[i]
		start, end := q.Served()
		if end == pipeline.Unknown {
			end = r.Options.End
		}
		if q.Closed != pipeline.Unknown && start != pipeline.Unknown {
			all = append(all, stretch{max(start, q.Closed+q.Way.Out), end})
		}
	}
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	return all
}

// BehindClosed returns for how long of a wait a server worked on requests that were closed.
func (r *Run) BehindClosed(from, to time.Duration) (sum time.Duration) {
	at := from
	for _, d := range r.dead() {
		if begin := max(at, d.from); min(to, d.to) > begin {
			sum += min(to, d.to) - begin
			at = min(to, d.to)
		}
	}
	return sum
}
