package ghost

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// bursts returns a person's single keys two seconds apart, none of them served, each with a
// request and a suggestion of another person at its time.
func bursts(keys int) *Run {
	var all []*pipeline.Trace
	for i := range keys {
		other := asks(traced(pipeline.KindIDE, 1, 2000*i), int64(i+1), 2000*i, nil)
		all = append(all, key(2000*i), mark(mark(other, pipeline.MarkShown, 2000*i+10), pipeline.MarkHiddenByKey, 2000*i+20))
	}
	return Of(all, Options{})
}

// Last keys are looked through in a time that grows as the run does: a key of a long run takes
// about what a key of a short one takes.
func BenchmarkEdges(b *testing.B) {
	for _, keys := range []int{500, 8_000} {
		b.Run(fmt.Sprintf("%d-keys", keys), func(b *testing.B) {
			r := bursts(keys)
			for b.Loop() {
				if e := r.Edges(); e.N != keys-1 || e.Of != 2*keys-2 {
					b.Fatalf("%d of %d edges are lost, want %d of %d", e.N, e.Of, keys-1, 2*keys-2)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*keys), "ns/key")
		})
	}
}

// Whatever was asked and shown, an edge is lost where a look at all of it finds nothing.
func TestEdgesOfAnyRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	lost := 0
	for range 300 {
		var all []*pipeline.Trace
		for i := range 1 + rng.IntN(8) {
			k := traced(pipeline.KindIDE, rng.IntN(2), 500*rng.IntN(12))
			if rng.IntN(3) == 0 {
				asks(k, int64(i+1), int(k.Due/ms)+500*rng.IntN(4), nil)
			}
			if rng.IntN(3) == 0 {
				from := int(k.Due/ms) + 500*rng.IntN(6)
				mark(mark(k, pipeline.MarkShown, from), pipeline.MarkHiddenByKey, from+500*(1+rng.IntN(6)))
			}
			all = append(all, k)
		}
		r := Of(all, Options{})
		served := r.services()
		for _, x := range r.events() {
			want := !anything(r, x)
			if got := served.none(x); got != want {
				t.Fatalf("session %d at %v until %v: lost %v, want %v", x.trace.Session, x.trace.Due, x.next, got, want)
			}
			if want {
				lost++
			}
		}
	}
	if lost < 100 {
		t.Errorf("only %d edges were lost", lost)
	}
}

// anything reports whether anything was asked or shown from a step to the next, by a look at all.
func anything(r *Run, x event) bool {
	before := func(at time.Duration) bool { return x.next == pipeline.Unknown || at < x.next }
	asked := slices.ContainsFunc(r.Requests, func(q Request) bool {
		return q.Trace.Session == x.trace.Session && q.Due >= x.trace.Due && before(q.Due)
	})
	return asked || slices.ContainsFunc(r.Sights(), func(s Sight) bool {
		return s.Session == x.trace.Session && s.Until(r.Options.End+1) > x.trace.Due && before(s.From)
	})
}
