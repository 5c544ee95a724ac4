// Package arrival says when each request of a run is due. Everything is in
// arrival.go: a Process describes the arrivals, and Due yields the instants of
// one that is open.
package arrival

import (
	"fmt"
	"time"

	"halfsecond/pipeline/dist"
)

// Kind tells the arrival processes apart.
type Kind uint8

const (
	ConstantKind Kind = iota // one request every so often
	PoissonKind              // independent gaps, a mean number a second
	ClosedKind               // users who wait for one answer before they ask again
)

var kindNames = [...]string{"constant", "poisson", "closed"}

// String returns the kind's name in scenario files: "constant", "poisson" or
// "closed".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Process describes how the requests of a run arrive. Make one with Constant,
// Poisson or Closed. It is a value; two that are made alike are equal under ==.
type Process struct {
	Kind  Kind
	Every time.Duration // Constant: the period
	Rate  float64       // Poisson: requests a second
	Users int           // Closed: how many ask at the same time, from 1
	Think dist.Dist     // Closed: from the end of an interaction to the user's next
}

// Constant returns arrivals at 0, every, 2*every and so on. It panics unless
// every is above zero.
func Constant(every time.Duration) Process {
	if every <= 0 {
		panic(fmt.Sprintf("arrival: Constant every %s", every))
	}
	return Process{Kind: ConstantKind, Every: every}
}

// Poisson returns arrivals at that mean number a second: the first, like every
// other, follows an exponential gap. It panics where dist.PoissonGap does.
func Poisson(rate float64) Process {
	dist.PoissonGap(rate)
	return Process{Kind: PoissonKind, Rate: rate}
}

// Closed returns arrivals that answer to the system: so many users, each of whom
// starts the next interaction one think time after the last one ended. A slow
// system is asked less. It panics when users is below 1.
func Closed(users int, think dist.Dist) Process {
	if users < 1 {
		panic(fmt.Sprintf("arrival: Closed with %d users", users))
	}
	return Process{Kind: ClosedKind, Users: users, Think: think}
}

// Open reports whether arrivals come whatever the system does. The runner
// schedules those of a closed process itself, from Users and Think.
func (p Process) Open() bool { return p.Kind != ClosedKind }

// Due yields the instants at which an open process's requests are due, from the
// start of the run. The zero Due is not valid: Process.Due makes one.
type Due struct {
	every time.Duration
	gap   dist.Dist
	rand  dist.Rand
	last  time.Duration
	next  int64
}

// Due returns the instants of p, drawn from rand where they are random. It
// panics when p is closed.
func (p Process) Due(rand dist.Rand) *Due {
	switch p.Kind {
	case ConstantKind:
		return &Due{every: p.Every}
	case PoissonKind:
		return &Due{gap: dist.PoissonGap(p.Rate), rand: rand}
	}
	panic("arrival: a closed process has no due instants of its own")
}

// Next returns the next request's instant, never earlier than the one before.
// Request i of a constant process is due at exactly i periods; those of a
// Poisson process are sums of gaps in whole nanoseconds.
func (d *Due) Next() time.Duration {
	if d.every > 0 {
		d.next++
		return time.Duration(d.next-1) * d.every
	}
	d.last += d.gap.Draw(&d.rand)
	return d.last
}
