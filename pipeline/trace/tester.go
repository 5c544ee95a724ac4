package trace

import (
	"time"

	"halfsecond/pipeline"
)

// SelfTest is what the tester made of a few streams of known timing, which it asked of
// itself before the run. The zero SelfTest is that of a run without.
type SelfTest struct {
	Streams int
	// Read is how late each chunk was read, from just before it was written. TTFT is how
	// much too long the time to the first token of each stream came out, and Gap how wrong
	// each gap between chunks, too long or too short.
	Read, TTFT, Gap Lateness
	Failed          string // why nothing is known of all that; empty when it is
}

// Effort is what a run took of the machine, and what else the machine did meanwhile. On
// the target mock the server is part of it. Spans are Unknown where the platform does not
// tell; the zero Effort is that of a run that nobody watched.
type Effort struct {
	For   time.Duration // how long it was watched
	Cores int           // that the process may use at once
	CPU   time.Duration // of the process, user and system

	GCCycles int           // ended meanwhile
	GCCPU    time.Duration // that they took of the process, but for cores that had nothing else to do
	GCPause  time.Duration // longest stop of everything, to the end of its class; 0 for none
	// ReadyP99 is how long work that was ready waited for a core, to the end of its class;
	// Unknown when there was too little of it.
	ReadyP99 time.Duration

	Machine time.Duration // of all the machine's cores together
	Busy    time.Duration // of that, at work for whoever
	Stolen  time.Duration // of that, taken by the host of a virtual machine
	Waited  time.Duration // while which some work on the machine, at least one piece, waited for a core
	Held    time.Duration // while which the limit of its container kept the process from running
}

// With returns the effort of two runs that followed each other.
func (e Effort) With(next Effort) Effort {
	if e == (Effort{}) {
		return next
	}
	return Effort{
		For: e.For + next.For, Cores: max(e.Cores, next.Cores), CPU: both(e.CPU, next.CPU),
		GCCycles: e.GCCycles + next.GCCycles, GCCPU: both(e.GCCPU, next.GCCPU), GCPause: max(e.GCPause, next.GCPause),
		ReadyP99: max(e.ReadyP99, next.ReadyP99), // no more can be told of both together
		Machine:  both(e.Machine, next.Machine), Busy: both(e.Busy, next.Busy), Stolen: both(e.Stolen, next.Stolen),
		Waited: both(e.Waited, next.Waited), Held: both(e.Held, next.Held),
	}
}

// both returns the sum, Unknown when either is.
func both(a, b time.Duration) time.Duration {
	if a == pipeline.Unknown || b == pipeline.Unknown {
		return pipeline.Unknown
	}
	return a + b
}

type wireSelfTest struct {
	Streams int          `json:"streams"`
	Read    wireLateness `json:"read"`
	TTFT    wireLateness `json:"ttft"`
	Gap     wireLateness `json:"gap"`
	Failed  string       `json:"failed,omitempty"`
}

func latenessToWire(l Lateness) wireLateness {
	return wireLateness{l.N, toNanos(l.P50), toNanos(l.P99), toNanos(l.Max)}
}

func (w wireLateness) lateness() Lateness {
	return Lateness{w.N, w.P50.duration(), w.P99.duration(), w.Max.duration()}
}

func selfTestToWire(t SelfTest) *wireSelfTest {
	if t == (SelfTest{}) {
		return nil
	}
	return &wireSelfTest{t.Streams, latenessToWire(t.Read), latenessToWire(t.TTFT), latenessToWire(t.Gap), t.Failed}
}

func (w *wireSelfTest) selfTest() SelfTest {
	if w == nil {
		return SelfTest{}
	}
	return SelfTest{w.Streams, w.Read.lateness(), w.TTFT.lateness(), w.Gap.lateness(), w.Failed}
}

type wireEffort struct {
	For      nanos `json:"for_ns"`
	Cores    int   `json:"cores"`
	CPU      nanos `json:"cpu_ns"`
	GCCycles int   `json:"gc_cycles"`
	GCCPU    nanos `json:"gc_cpu_ns"`
	GCPause  nanos `json:"gc_pause_ns"`
	ReadyP99 nanos `json:"ready_p99_ns"`
	Machine  nanos `json:"machine_ns"`
	Busy     nanos `json:"busy_ns"`
	Stolen   nanos `json:"stolen_ns"`
	Waited   nanos `json:"waited_ns"`
	Held     nanos `json:"held_ns"`
}

func effortToWire(e Effort) *wireEffort {
	if e == (Effort{}) {
		return nil
	}
	return &wireEffort{
		toNanos(e.For), e.Cores, toNanos(e.CPU), e.GCCycles, toNanos(e.GCCPU), toNanos(e.GCPause), toNanos(e.ReadyP99),
		toNanos(e.Machine), toNanos(e.Busy), toNanos(e.Stolen), toNanos(e.Waited), toNanos(e.Held),
	}
}

func (w *wireEffort) effort() Effort {
	if w == nil {
		return Effort{}
	}
	return Effort{
		w.For.duration(), w.Cores, w.CPU.duration(), w.GCCycles, w.GCCPU.duration(), w.GCPause.duration(), w.ReadyP99.duration(),
		w.Machine.duration(), w.Busy.duration(), w.Stolen.duration(), w.Waited.duration(), w.Held.duration(),
	}
}
