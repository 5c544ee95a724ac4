package meter

import (
	"math"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// TestSince: an effort is the difference of two readings, and what either does not know
// stays unknown.
func TestSince(t *testing.T) {
	at := time.Now()
	histogram := func(counts ...uint64) *metrics.Float64Histogram {
		return &metrics.Float64Histogram{Counts: counts, Buckets: []float64{0, 1e-6, 2e-6, 5e-3, math.Inf(1)}}
	}
	from := reading{
		at: at, cpu: 10 * time.Millisecond, machine: machine{100, 50, 7, 3, pipeline.Unknown},
		runtime: counters{cycles: 4, gcTime: 1, pauses: histogram(9, 0, 0, 2), ready: histogram(5, 5, 5, 5)},
	}
	to := reading{
		at: at.Add(time.Second), cpu: 260 * time.Millisecond, machine: machine{300, 150, 9, pipeline.Unknown, 8},
		runtime: counters{cycles: 6, gcTime: 1.25, pauses: histogram(10, 1, 0, 2), ready: histogram(5+98, 5, 5+1, 5+1)},
	}
	want := trace.Effort{
		For: time.Second, Cores: runtime.GOMAXPROCS(0), CPU: 250 * time.Millisecond,
		GCCycles: 2, GCCPU: 250 * time.Millisecond, GCPause: 2 * time.Microsecond, ReadyP99: 5 * time.Millisecond,
		Machine: 200, Busy: 100, Stolen: 2, Waited: pipeline.Unknown, Held: pipeline.Unknown,
	}
	if got := to.since(&from); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	// One sample fewer is too few for a p99; the last class has no end, so its beginning counts.
	to.runtime.ready, to.runtime.pauses = histogram(5+98, 5, 5+1, 5), histogram(9, 0, 0, 3)
	want.ReadyP99, want.GCPause = pipeline.Unknown, 5*time.Millisecond
	if got := to.since(&from); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	// Without a collection nothing was stopped.
	to.runtime.pauses, to.runtime.cycles, to.runtime.gcTime = from.runtime.pauses, 4, 1
	want.GCPause, want.GCCycles, want.GCCPU = 0, 0, 0
	if got := to.since(&from); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestEffort: a process that works and collects garbage is seen to.
func TestEffort(t *testing.T) {
	m := Start()
	began := time.Now()
	for time.Since(began) < 50*time.Millisecond { // at work, not asleep
	}
	runtime.GC()
	e := m.Effort()
	if e.For < 50*time.Millisecond || e.Cores < 1 || e.GCCycles < 1 || e.GCPause <= 0 || e.GCPause > e.For || e.GCCPU < 0 {
		t.Errorf("%+v: want the time, a collection and its pause", e)
	}
	if e.CPU != pipeline.Unknown && e.CPU <= 0 {
		t.Errorf("%+v: no processor time", e)
	}
	if e.Machine != pipeline.Unknown && (e.Busy < 0 || e.Busy > e.Machine) {
		t.Errorf("%+v: more was busy than there is", e)
	}
}
