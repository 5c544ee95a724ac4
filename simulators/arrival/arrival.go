// Package arrival says when each request of a run is due. Read arrival.go first: a
// Process describes the arrivals, and Due yields the instants of one that is open.
// gamma.go and ramp.go hold the mathematics of two of them. trace.go replays requests
// that somebody recorded, csv.go reads them from a file, and azure.go holds two that
// come with the program. load.go is how much a process asks, and the same under another
// load.
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
	GammaKind                // independent gaps, burstier or calmer than those of Poisson
	RampKind                 // a rate that changes
	TraceKind                // when they came once
)

var kindNames = [...]string{"constant", "poisson", "closed", "gamma", "ramp", "trace"}

// String returns the kind's name in scenario files, such as "constant" or "closed".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Process describes how the requests of a run arrive. Make one with Constant,
// Poisson, Gamma, Ramp, Replayed or Closed. It is a value; two that are made alike, of
// one Trace if of any, are equal under ==.
type Process struct {
	Kind       Kind
	Every      time.Duration // Constant: the period
	Rate       float64       // Poisson, Gamma: requests a second
	Burstiness float64       // Gamma: the shape of the gaps
	Slope      Slope         // Ramp
	Replay     Replay        // Trace
	Users      int           // Closed: how many ask at the same time, from 1
	Think      dist.Dist     // Closed: from the end of an interaction to the user's next
	Joining    time.Duration // Closed: over how long the users come, evenly
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

// Gamma returns arrivals at a mean number a second whose gaps follow the gamma
// distribution of shape burstiness and scale 1/(rate*burstiness). Their coefficient of
// variation is 1/sqrt(burstiness): 1 is Poisson, less comes in bursts, more is more even.
// The name and the convention are those of vLLM's benchmark: get_request of
// vllm/benchmarks/serve.py in vllm-project/vllm, read 2026-11-29, which besides stretches
// the gaps so that the last request comes after the expected time; here their sum is as
// random as it is in a Poisson process. It panics where dist.PoissonGap does, and unless
// burstiness is above zero.
func Gamma(rate, burstiness float64) Process {
	dist.PoissonGap(rate)
	if !(burstiness > 0) {
		panic(fmt.Sprintf("arrival: Gamma of burstiness %g", burstiness))
	}
	return Process{Kind: GammaKind, Rate: rate, Burstiness: burstiness}
}

// Ramp returns arrivals at a rate that changes. It panics unless it ends above zero,
// begins at zero or above, and takes time.
func Ramp(s Slope) Process {
	if !(s.From >= 0) || !(s.To > 0) || s.Over <= 0 {
		panic(fmt.Sprintf("arrival: Ramp from %g/s to %g/s over %s", s.From, s.To, s.Over))
	}
	return Process{Kind: RampKind, Slope: s}
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
// schedules those of a closed process itself, from Users, Think and Joins.
func (p Process) Open() bool { return p.Kind != ClosedKind }

// Joins returns when a user of a closed process comes, from 0 on: the first at once,
// and so that the last one has the same wait before the end of Joining.
func (p Process) Joins(user int) time.Duration {
	return p.Joining * time.Duration(user) / time.Duration(p.Users)
}

// Requests returns how many arrivals there are; without an end it is false.
func (p Process) Requests() (n int, end bool) {
	if p.Kind != TraceKind || p.Replay.Loop {
		return 0, false
	}
	first, after := p.Replay.rows()
	return after - first, true
}

// Settling returns how long the load itself takes to be what it then stays.
func (p Process) Settling() time.Duration {
	switch p.Kind {
	case RampKind:
		return p.Slope.Over
	case ClosedKind:
		return p.Joins(p.Users - 1)
	}
	return 0
}

// Due yields the instants at which an open process's requests are due, from the
// start of the run. The zero Due is not valid: Process.Due makes one.
type Due struct {
	process Process
	gap     dist.Dist // of Poisson
	rand    dist.Rand
	last    time.Duration // of Poisson and Gamma
	passed  float64       // of Ramp: the sum of gaps of mean 1
	next    int
}

// Due returns the instants of p, drawn from rand where they are random. It
// panics when p is closed.
func (p Process) Due(rand dist.Rand) *Due {
	d := &Due{process: p, rand: rand}
	switch p.Kind {
	case ClosedKind:
		panic("arrival: a closed process has no due instants of its own")
	case PoissonKind:
		d.gap = dist.PoissonGap(p.Rate)
	}
	return d
}

// Next returns the next request's instant, never earlier than the one before.
// Request i of a constant process is due at exactly i periods, that of an even ramp
// where the integral of its rate is i, and that of a trace when row i came; those of
// Poisson and gamma processes are sums of gaps in whole nanoseconds. It panics past the
// last of a process that ends.
func (d *Due) Next() time.Duration {
	i := d.next
	d.next++
	switch p := &d.process; p.Kind {
	case ConstantKind:
		return time.Duration(i) * p.Every
	case PoissonKind:
		d.last += d.gap.Draw(&d.rand)
	case GammaKind:
		d.last += seconds(gamma(p.Burstiness, &d.rand) / (p.Rate * p.Burstiness))
	case RampKind:
		return d.ramped(i)
	case TraceKind:
		return p.Replay.At(i)
	}
	return d.last
}

// ramped returns the instant of request i of a ramp.
func (d *Due) ramped(i int) time.Duration {
	s := d.process.Slope
	if s.Even {
		return s.at(float64(i))
	}
	d.passed += exponential(&d.rand)
	return s.at(d.passed)
}
