package meter

import (
	"math"
	"runtime/metrics"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
	"halfsecond/pipeline/trace"
)

// What the runtime counts, by the names of package runtime/metrics. Times of the collector
// are estimates that it makes at the end of each cycle; idle ones took cores that had
// nothing else to do.
const (
	gcCycles = "/gc/cycles/total:gc-cycles"
	gcTime   = "/cpu/classes/gc/total:cpu-seconds"
	gcIdle   = "/cpu/classes/gc/mark/idle:cpu-seconds"
	gcPauses = "/sched/pauses/total/gc:seconds"
	ready    = "/sched/latencies:seconds"
)

// counters are the runtime's, at one instant.
type counters struct {
	cycles        uint64
	gcTime        float64 // s
	pauses, ready *metrics.Float64Histogram
}

func readRuntime() counters {
	s := []metrics.Sample{{Name: gcCycles}, {Name: gcTime}, {Name: gcIdle}, {Name: gcPauses}, {Name: ready}}
	metrics.Read(s)
	return counters{
		cycles: s[0].Value.Uint64(), gcTime: s[1].Value.Float64() - s[2].Value.Float64(),
		pauses: s[3].Value.Float64Histogram(), ready: s[4].Value.Float64Histogram(),
	}
}

// since fills in what the runtime counted from an instant on.
func (c *counters) since(began *counters, e *trace.Effort) {
	e.GCCycles = int(c.cycles - began.cycles)
	e.GCCPU = max(0, seconds(c.gcTime-began.gcTime))
	pauses, waits := between(began.pauses, c.pauses), between(began.ready, c.ready)
	e.GCPause, e.ReadyP99 = pauses.at(pauses.n), pipeline.Unknown
	if waits.n >= quantile.P99.Needs() {
		e.ReadyP99 = waits.at(quantile.P99.Rank(waits.n))
	}
}

// classes are the counts of a histogram of the runtime.
type classes struct {
	n      int
	counts []uint64
	edges  []float64 // one more than counts
}

// between returns what a histogram counted from one reading to a later one.
func between(from, to *metrics.Float64Histogram) classes {
	c := classes{counts: make([]uint64, len(to.Counts)), edges: to.Buckets}
	for i := range to.Counts {
		c.counts[i] = to.Counts[i] - from.Counts[i]
		c.n += int(c.counts[i])
	}
	return c
}

// at returns the end of the class of the sample of a rank, from 1; 0 for rank 0. The last
// class has no end: its beginning stands for it.
func (c *classes) at(rank int) time.Duration {
	seen := 0
	for i, n := range c.counts {
		if seen += int(n); n == 0 || seen < rank {
			continue
		}
		if end := c.edges[i+1]; !math.IsInf(end, 1) {
			return seconds(end)
		}
		return seconds(c.edges[i])
	}
	return 0
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }
