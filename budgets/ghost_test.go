package budgets

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// at returns an interaction, or a step, of a person at an instant.
func at(kind string, session int, due time.Duration) pipeline.Trace {
	return pipeline.Trace{Kind: kind, Session: session, Due: due, End: due}
}

// A step is told of the last interaction of the same person before it or with it, else of the
// first, in whatever order the traces are.
func TestBefore(t *testing.T) {
	p := peopleOf([]pipeline.Trace{
		at("ide", 0, 30*ms), at("ide", 0, 10*ms), at("ide", 1, 15*ms), at("ide", 0, 30*ms), at("ide", 0, 10*ms),
	})
	for _, c := range []struct {
		session int
		due     time.Duration
		want    int
	}{
		{0, 5 * ms, 1}, {0, 10 * ms, 4}, {0, 29 * ms, 4}, {0, 30 * ms, 3}, {0, time.Hour, 3}, {1, 0, 2}, {1, time.Hour, 2}, {2, 20 * ms, -1},
	} {
		step := at(pipeline.KindStep, c.session, c.due)
		if got := p.before(&step); got != c.want {
			t.Errorf("before(session %d, %v) = %d, want %d", c.session, c.due, got, c.want)
		}
	}
}

// session returns one person's keys, each with a step behind it that asks.
func session(keys int) *Analysis {
	a := &Analysis{}
	for i := range keys {
		step := at(pipeline.KindStep, 0, time.Duration(i)*200*ms+ms)
		step.Requests = []pipeline.Request{pipeline.NewRequest(int64(100*i+50), step.Due)}
		step.Requests[0].Sent = step.Due
		a.Run.Traces, a.Steps = append(a.Run.Traces, key(i, true, -1, pipeline.OK)), append(a.Steps, step)
	}
	return a
}

// cancelled is a metric of requests, whoever led to them.
func cancelled() Metric {
	all := Metrics(pipeline.KindIDE)
	return all[slices.IndexFunc(all, func(m Metric) bool { return m.Name == "cancelled_share" })]
}

// What steps give is told of their keys in a time that grows as the session does: a key of a
// long session takes about what a key of a short one takes.
func BenchmarkSplit(b *testing.B) {
	for _, keys := range []int{1_000, 16_000} {
		b.Run(fmt.Sprintf("%d-keys", keys), func(b *testing.B) {
			a := session(keys)
			b.ReportAllocs()
			for b.Loop() {
				for i, p := range a.Split(cancelled()) {
					if len(p.Values) != 2 {
						b.Fatalf("key %d has %d requests, want its own and its step's", i, len(p.Values))
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*keys), "ns/key")
		})
	}
}
