// Package meter watches what a run takes of the machine: processor, garbage collector,
// scheduler; and what else the machine does meanwhile. All of it is read before and after
// and costs nothing between.
//
// Read meter.go first, then runtime.go for what Go tells, cpu_*.go for the process and
// machine_linux.go for the rest of the machine.
package meter

import (
	"runtime"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// Meter is a run being watched.
type Meter struct{ began reading }

// reading is all that counts up, at one instant.
type reading struct {
	at      time.Time
	cpu     time.Duration // of the process; Unknown where nobody says
	runtime counters
	machine machine
}

// Start begins to watch.
func Start() *Meter { return &Meter{read()} }

// Effort returns what was seen since the start.
func (m *Meter) Effort() trace.Effort {
	return read().since(&m.began)
}

func read() reading {
	return reading{at: time.Now(), cpu: processCPU(), runtime: readRuntime(), machine: readMachine()}
}

func (r reading) since(began *reading) trace.Effort {
	from, to := &began.machine, &r.machine
	e := trace.Effort{
		For: r.at.Sub(began.at), Cores: runtime.GOMAXPROCS(0), CPU: pipeline.Since(began.cpu, r.cpu),
		Machine: pipeline.Since(from.all, to.all), Busy: pipeline.Since(from.busy, to.busy), Stolen: pipeline.Since(from.stolen, to.stolen),
		Waited: pipeline.Since(from.waited, to.waited), Held: pipeline.Since(from.held, to.held),
	}
	r.runtime.since(&began.runtime, &e)
	return e
}

// machine is what the operating system counts beside the process; Unknown where it does not.
type machine struct {
	all, busy, stolen time.Duration // of all cores together
	waited            time.Duration
	held              time.Duration
}

// unknownMachine is a machine of which nothing is told.
func unknownMachine() machine {
	return machine{pipeline.Unknown, pipeline.Unknown, pipeline.Unknown, pipeline.Unknown, pipeline.Unknown}
}
