// Package ledger keeps what a mock server was asked, what came of it, and how late
// its own writes were.
//
// Read entry.go for what is known of one request, ledger.go for the latest of them,
// running.go for those under way and for when one of them has ended, writes.go for the
// server's own timing error and whether it is fit to be measured against, and metrics.go
// for what GET /metrics shows.
package ledger

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/fault"
)

// Kept is the number of entries that a ledger keeps unless its configuration says
// otherwise.
const Kept = 10_000

// Config sets up a Ledger.
type Config struct {
	// Kept is the most entries held; older ones are dropped. 0 means Kept.
	Kept int
	// Limit is the p99 of the write error above which the server is not fit; 0
	// means DefaultLimit.
	Limit time.Duration
	// State returns the state of each engine by the name of its model. It may be
	// called from any goroutine; nil has none.
	State func() map[string]engine.Stats
	// Began is the wall-clock time of instant zero.
	Began time.Time
}

// Ledger keeps the latest entries. Its methods may be called from any goroutine.
type Ledger struct {
	Writes  *Writes
	metrics *metrics
	config  Config

	mu      sync.Mutex // guards what follows
	entries []Entry    // a ring once it is full
	next    int        // where the next one goes when it is
	dropped int
	running map[*Running]bool
	came    int           // requests that were under way so far
	ends    chan struct{} // closed when the next one ends; nil while nobody waits
}

// New returns an empty ledger.
func New(c Config) *Ledger {
	if c.Kept == 0 {
		c.Kept = Kept
	}
	l := &Ledger{config: c, Writes: newWrites(c.Limit), running: map[*Running]bool{}}
	l.metrics = newMetrics(l)
	return l
}

// Add keeps the entry of a request that has ended and counts it in the metrics. Of what
// a client wrote, only so much is kept.
func (l *Ledger) Add(e Entry) { l.add(e.kept(nil), nil) }

// add keeps the entry of a request, which was under way as r; nil for one that was not.
func (l *Ledger) add(e Entry, r *Running) {
	l.metrics.count(e)
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, r)
	if l.ends != nil {
		close(l.ends)
		l.ends = nil
	}
	if len(l.entries) < l.config.Kept {
		l.entries = append(l.entries, e)
		return
	}
	l.entries[l.next] = e
	l.next = (l.next + 1) % len(l.entries)
	l.dropped++
}

// Latest returns the newest entries, at most n, oldest first, and how many older
// ones have been dropped in all.
func (l *Ledger) Latest(n int) (entries []Entry, dropped int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.latest(n), l.dropped
}

// latest is Latest for a caller that holds the lock.
func (l *Ledger) latest(n int) (entries []Entry) {
	n = min(n, len(l.entries))
	for i := len(l.entries) - n; i < len(l.entries); i++ {
		entries = append(entries, l.entries[(l.next+i)%len(l.entries)])
	}
	return entries
}

// Clear forgets all entries; requests under way are kept when they end.
func (l *Ledger) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries, l.next, l.dropped = nil, 0, 0
}

// Metrics answers GET /metrics.
func (l *Ledger) Metrics() http.Handler { return l.metrics.handler() }

// Late counts how long after its due instant the server's loop handled work.
func (l *Ledger) Late(d time.Duration) { l.metrics.lateness.Observe(d) }

// Show answers GET /v1/halfsecond/requests with the latest requests that have
// ended, oldest first, and behind them with ?running those under way: at most ?limit=N, of
// ?model=NAME.
func (l *Ledger) Show(w http.ResponseWriter, r *http.Request) {
	limit := l.config.Kept
	if text := r.FormValue("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			fault.Deny(w, r.URL.Path, http.StatusBadRequest, fmt.Sprintf("limit %q: want a whole number of at least 1", text))
			return
		}
		limit = n
	}
	page := page{Requests: []record{}}
	entries, running := l.Arrived()
	if r.URL.Query().Has("running") {
		entries = append(entries, running...)
	}
	if model := r.FormValue("model"); model != "" {
		entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.Model != model })
	}
	for _, e := range entries[max(0, len(entries)-limit):] {
		page.Requests = append(page.Requests, e.record(l.config.Began))
	}
	_, page.Dropped = l.Latest(0)
	page.Writes = l.Writes.Report().record()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(page) // the client may be gone
}

// page is the JSON form of a ledger.
type page struct {
	Requests []record     `json:"requests"`
	Dropped  int          `json:"dropped"` // older requests that are no longer here
	Writes   writesRecord `json:"writes"`
}
