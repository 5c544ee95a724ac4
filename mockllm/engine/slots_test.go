package engine

import (
	"fmt"
	"math"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// TestSlots: first come first served in the lowest free slot, and a cancel frees
// the slot at that very instant.
func TestSlots(t *testing.T) {
	var loop pipeline.Virtual
	e := NewSlots(&loop, SlotsConfig{Service: Fixed{TTFT: 50 * ms, TPOT: 10 * ms}, Slots: 1, MaxContext: 100})
	var log []string
	a := ask(&loop, e, &log, "a", 0, 10, 5)
	ask(&loop, e, &log, "b", 10*ms, 10, 2)
	c := ask(&loop, e, &log, "c", 20*ms, 10, 2)
	loop.At(65*ms, pipeline.RankInput, func() { e.Cancel(a) })
	loop.At(66*ms, pipeline.RankInput, func() { e.Cancel(c) })
	expect(t, &loop, &log, "a1@50 a2@60 a:cancelled@65 c:cancelled@66 b1@115 b2@125 b:ok@125")
}

// TestPinnedSlots: a slot serves its own kind only, whoever came first.
func TestPinnedSlots(t *testing.T) {
	var loop pipeline.Virtual
	e := NewSlots(&loop, SlotsConfig{Service: Fixed{TTFT: 50 * ms, TPOT: 10 * ms}, Slots: 2, MaxContext: 100, Kinds: []string{"completion", "chat"}})
	var log []string
	for i, kind := range []string{"chat", "chat", "completion", "edit"} {
		name := string(rune('a' + i))
		r := &Request{Prompt: 10, Output: 1, Kind: kind}
		r.Done = func(o pipeline.Outcome) { log = append(log, fmt.Sprintf("%s:%s@%d", name, o, loop.Now()/ms)) }
		loop.At(time.Duration(i)*ms, pipeline.RankTimer, func() { e.Submit(r) })
	}
	expect(t, &loop, &log, "d:refused@3 a:ok@50 c:ok@52 b:ok@100")
}

// prompts is a Service whose time is the prompt's, in microseconds.
type prompts struct{}

func (prompts) First(r *Request, _ int) time.Duration {
	return time.Duration(r.Prompt) * time.Microsecond
}
func (prompts) Next(*Request, int) time.Duration { return 0 }

// waits runs n one-token requests with Poisson arrivals through one slot and
// returns their arrivals, services and waits.
func waits(t testing.TB, n int, gap dist.Dist, service func(r *dist.Rand) int) (arrivals, services, waited []time.Duration) {
	var loop pipeline.Virtual
	e := NewSlots(&loop, SlotsConfig{Service: prompts{}, Slots: 1, MaxContext: math.MaxInt32})
	arrive, serve := dist.Stream(1, "arrivals"), dist.Stream(1, "services")
	at := time.Duration(0)
	for range n {
		at += gap.Draw(&arrive)
		r := &Request{Prompt: service(&serve), Output: 1}
		arrived := at
		r.Done = func(pipeline.Outcome) { waited = append(waited, r.Scheduled-arrived) }
		arrivals, services = append(arrivals, at), append(services, prompts{}.First(r, 0))
		loop.At(at, pipeline.RankTimer, func() { e.Submit(r) })
	}
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return arrivals, services, waited
}

// TestLindley compares every wait with W(i+1) = max(0, W(i) + S(i) - A(i)), to
// the nanosecond (D. V. Lindley, "The theory of queues with a single server",
// 1952).
func TestLindley(t *testing.T) {
	gap := dist.Exponential(10 * ms)
	arrivals, services, got := waits(t, 20_000, gap, func(r *dist.Rand) int { return 1 + r.IntN(17_000) })
	want := time.Duration(0)
	for i := range got {
		if got[i] != want {
			t.Fatalf("request %d waited %s, want %s", i, got[i], want)
		}
		if i+1 < len(arrivals) {
			want = max(0, want+services[i]-(arrivals[i+1]-arrivals[i]))
		}
	}
}

// md1 simulates an M/D/1 queue and returns the mean wait, the half width of its
// 99 % interval by batch means, and the closed form rho S / (2 (1 - rho)).
func md1(t testing.TB, n int, load float64) (mean, half, closed float64) {
	const service, batches = 10_000, 40 // microseconds
	gap := dist.Exponential(time.Duration(service * 1000 / load))
	_, _, got := waits(t, n, gap, func(*dist.Rand) int { return service })
	got = got[n/10:] // start-up
	size := len(got) / batches
	means := make([]float64, batches)
	for b := range means {
		for _, w := range got[b*size : (b+1)*size] {
			means[b] += w.Seconds() / float64(size)
		}
		mean += means[b] / batches
	}
	variance := 0.0
	for _, m := range means {
		variance += (m - mean) * (m - mean) / (batches - 1)
	}
	const t39 = 2.7079 // Student's t, 39 degrees of freedom, two-sided 99 %
	return mean, t39 * math.Sqrt(variance/batches), load * service * 1e-6 / (2 * (1 - load))
}

func TestMD1(t *testing.T) {
	for _, load := range []float64{0.70, 0.85} {
		mean, half, closed := md1(t, 400_000, load)
		if math.Abs(mean-closed) > half {
			t.Errorf("load %.0f %%: mean wait %.4f ms ± %.4f, closed form %.4f ms", 100*load, 1e3*mean, 1e3*half, 1e3*closed)
		}
	}
}

// BenchmarkMD1At95 reports the mean wait at 95 % load beside the closed form.
func BenchmarkMD1At95(b *testing.B) {
	var mean, half, closed float64
	for b.Loop() {
		mean, half, closed = md1(b, 2_000_000, 0.95)
	}
	b.ReportMetric(1e3*mean, "wait-ms")
	b.ReportMetric(1e3*half, "±99%-ms")
	b.ReportMetric(1e3*closed, "closed-form-ms")
}
