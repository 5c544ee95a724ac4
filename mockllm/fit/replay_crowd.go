package fit

import (
	"cmp"
	"slices"
	"time"
)

// Crowd is how many requests a server had at once.
type Crowd struct {
	Running int // most that were between their first and their last token
	Waiting int // most that had come and had no token yet while Running were
}

// change is a request that comes, gets its first token or its last.
type change struct {
	at               time.Duration
	running, waiting int
}

// CrowdOf returns how many requests of a run were under way at once. At one instant those
// that end go before those that begin.
func CrowdOf(run []Timed) Crowd {
	var changes []change
	for _, t := range run {
		changes = append(changes, change{t.Arrival, 0, 1}, change{t.First, 1, -1}, change{t.Last, -1, 0})
	}
	slices.SortFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.running, b.running))
	})
	var now, most Crowd
	for _, c := range changes {
		now.Running, now.Waiting = now.Running+c.running, now.Waiting+c.waiting
		switch {
		case now.Running > most.Running:
			most = now
		case now.Running == most.Running:
			most.Waiting = max(most.Waiting, now.Waiting)
		}
	}
	return most
}

// crowded is the share of those under way from which on those who wait make a queue: a
// few always wait for the step at hand.
const crowded = .25

// HeldBack reports whether the server of a run seems to have had a limit of requests at
// once that its replay did not: many waited while it had most under way, and the replay
// had more.
func (c Crowd) HeldBack(replay Crowd) bool {
	return replay.Running > c.Running && float64(c.Waiting) >= crowded*float64(c.Running)
}
