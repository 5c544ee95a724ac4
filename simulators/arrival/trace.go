package arrival

import (
	"fmt"
	"math"
	"sort"
	"time"
)

// Request is one of a Trace.
type Request struct {
	At           time.Duration // since the first
	PromptTokens int           // at least 1
	OutputTokens int           // at least 1
}

// Trace is requests that somebody recorded, in the order in which they came.
type Trace struct {
	Name     string
	Digest   string    // identifies the content of a file; empty for one that comes with the program
	Requests []Request // two or more, not all at one instant
}

// Rate returns the mean number of requests a second.
func (t *Trace) Rate() float64 {
	return float64(len(t.Requests)-1) / t.Requests[len(t.Requests)-1].At.Seconds()
}

// Replay is how a Trace is played again.
type Replay struct {
	Trace  *Trace
	Speed  float64       // how many times as fast, above 0
	Skip   time.Duration // of the trace's own time, at its beginning
	Window time.Duration // how much of its own time after that; 0 is the rest
	Loop   bool          // begin again at the end, where otherwise it ends
}

// Replayed returns arrivals as they came once. The error says that nothing came in what
// is to be played.
func Replayed(r Replay) (Process, error) {
	if !(r.Speed > 0) || math.IsInf(r.Speed, 1) || r.Skip < 0 || r.Window < 0 {
		panic(fmt.Sprintf("arrival: Replayed at speed %g from %s for %s", r.Speed, r.Skip, r.Window))
	}
	if first, after := r.rows(); first == after {
		last := r.Trace.Requests[len(r.Trace.Requests)-1].At
		return Process{}, fmt.Errorf("no request of %s is there: it has %d from 0s to %s", r.Trace.Name, len(r.Trace.Requests), last)
	}
	return Process{Kind: TraceKind, Replay: r}, nil
}

// rows returns which requests are played.
func (r *Replay) rows() (first, after int) {
	all := r.Trace.Requests
	from := func(at time.Duration) int { return sort.Search(len(all), func(i int) bool { return all[i].At >= at }) }
	first, after = from(r.Skip), len(all)
	if r.Window > 0 {
		after = from(r.Skip + r.Window)
	}
	return first, after
}

// Row returns what request i of the arrivals was, At being on the clock of the trace.
func (r *Replay) Row(i int) Request {
	first, after := r.rows()
	return r.Trace.Requests[first+r.within(i, after-first)]
}

// within returns the place of request i among n that are played.
func (r *Replay) within(i, n int) int {
	if i >= n && !r.Loop {
		panic(fmt.Sprintf("arrival: request %d of %d of the trace %s", i, n, r.Trace.Name))
	}
	return i % n
}

// At returns when request i is due: its instant after Skip, divided by the speed. Each
// further round of a loop is later by the window or, where that is the rest, by the time
// from Skip to the last request and a mean gap of the whole trace.
func (r *Replay) At(i int) time.Duration {
	first, after := r.rows()
	n := after - first
	at := r.Trace.Requests[first+r.within(i, n)].At - r.Skip
	at += time.Duration(i/n) * r.round(after)
	return time.Duration(math.Round(float64(at) / r.Speed))
}

// round returns how long all that is played took.
func (r *Replay) round(after int) time.Duration {
	if r.Window > 0 {
		return r.Window
	}
	return r.Trace.Requests[after-1].At - r.Skip + seconds(1/r.Trace.Rate())
}

// Rate returns the mean number of requests a second of what is played.
func (r *Replay) Rate() float64 {
	first, after := r.rows()
	return float64(after-first) / r.round(after).Seconds() * r.Speed
}
