package ledger

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"halfsecond/mockllm/fault"
	"halfsecond/pipeline"
)

// Running is a request under way. End or Forget it once.
type Running struct {
	ledger *Ledger
	plan   *fault.Plan
	entry  Entry
	number int // in the order in which they came
}

// Begin takes note that a request has arrived, of which this much is known. Plan is what
// rules do to it; nil for nothing.
func (l *Ledger) Begin(plan *fault.Plan, e Entry) *Running {
	e.Started, e.First, e.Ended, e.Left = pipeline.Unknown, pipeline.Unknown, pipeline.Unknown, pipeline.Unknown
	r := &Running{ledger: l, plan: plan, entry: e.kept(plan)}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.came++
	r.number = l.came
	l.running[r] = true
	return r
}

// End keeps the entry of the request: at once, or where rules have a hand in it when its
// client has all of the answer or has left, and as that client saw it.
func (r *Running) End(e Entry) {
	r.ledger.settled(r.plan, e, func(e Entry) { r.ledger.add(e, r) })
}

// Forget keeps nothing of the request.
func (r *Running) Forget() {
	r.ledger.mu.Lock()
	defer r.ledger.mu.Unlock()
	delete(r.ledger.running, r)
}

// AddFor is Add for a request that rules may have a hand in, as End is.
func (l *Ledger) AddFor(plan *fault.Plan, e Entry) { l.settled(plan, e, l.Add) }

// settled hands an entry on when it is known what the client saw.
func (l *Ledger) settled(plan *fault.Plan, e Entry, add func(Entry)) {
	e = e.kept(plan)
	if plan == nil {
		add(e)
		return
	}
	plan.Delivered(func(d fault.Delivery) {
		e.see(d)
		add(e)
	})
}

// Arrived returns the entries that are kept, in the order in which they ended, and the
// requests under way, oldest first: each request in one of them.
func (l *Ledger) Arrived() (ended, running []Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.latest(len(l.entries)), l.underWay()
}

// underWay returns the requests under way; the caller holds the lock.
func (l *Ledger) underWay() []Entry {
	all := slices.SortedFunc(maps.Keys(l.running), func(a, b *Running) int { return cmp.Compare(a.number, b.number) })
	entries := make([]Entry, len(all))
	for i, r := range all {
		entries[i] = r.entry
	}
	return entries
}

// Wait waits until n requests that are kept or were have ended, and reports whether they
// did before ctx was over.
func (l *Ledger) Wait(ctx context.Context, n int) bool {
	for {
		l.mu.Lock()
		if len(l.entries)+l.dropped >= n {
			l.mu.Unlock()
			return true
		}
		if l.ends == nil {
			l.ends = make(chan struct{})
		}
		ends := l.ends
		l.mu.Unlock()
		select {
		case <-ends:
		case <-ctx.Done():
			return false
		}
	}
}
