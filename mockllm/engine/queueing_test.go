package engine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// drawn is a Service of times drawn beforehand: a prompt of i+1 tokens takes
// drawn[i].
type drawn []time.Duration

func (d drawn) First(r *Request, _ int) time.Duration { return d[r.Prompt-1] }
func (d drawn) Next(*Request, int) time.Duration      { return 0 }

// meanService is the mean service time of the queues in this file.
const meanService = 10 * ms

// markovian draws n exponential service times and the gaps before each arrival
// that load so many servers to that share.
func markovian(seed uint64, n, servers int, load float64) (gaps []time.Duration, services drawn) {
	arrive, serve := dist.Stream(seed, "arrivals"), dist.Stream(seed, "services")
	gap, service := dist.PoissonGap(load*float64(servers)/meanService.Seconds()), dist.Exponential(meanService)
	for range n {
		gaps, services = append(gaps, gap.Draw(&arrive)), append(services, service.Draw(&serve))
	}
	return gaps, services
}

// serve runs the arrivals through an engine of slots and returns how long each
// waited for its start.
func serve(t testing.TB, gaps []time.Duration, services drawn, slots int) []time.Duration {
	var loop pipeline.Virtual
	e := NewSlots(&loop, SlotsConfig{Service: services, Slots: slots, MaxContext: math.MaxInt32})
	waits := make([]time.Duration, len(gaps))
	next := 0
	var arrive func()
	arrive = func() {
		i, at := next, loop.Now()
		r := &Request{Prompt: i + 1, Output: 1}
		r.Done = func(pipeline.Outcome) { waits[i] = r.Scheduled - at }
		e.Submit(r)
		if next++; next < len(gaps) {
			loop.After(gaps[next], pipeline.RankTimer, arrive)
		}
	}
	loop.At(gaps[0], pipeline.RankTimer, arrive)
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return waits
}

// recursion returns the wait of each arrival at servers that take the next one of
// the queue when they are free (J. Kiefer and J. Wolfowitz, "On the theory of
// queues with many servers", 1955): work is the time until each server is free,
// shortest first; an arrival waits for the shortest and adds its service to it;
// until the next arrival all of them lose the gap. With one server it is
// Lindley's. sorted false leaves the sorting out, which gives each server every
// k-th arrival.
func recursion(gaps []time.Duration, services drawn, servers int, sorted bool) []time.Duration {
	work := make([]time.Duration, servers)
	waits := make([]time.Duration, len(gaps))
	for i, gap := range gaps {
		for s := range work {
			work[s] = max(0, work[s]-gap)
		}
		if sorted {
			slices.Sort(work)
		} else {
			work = append(work[1:], work[0])
		}
		waits[i] = work[0]
		work[0] += services[i]
	}
	return waits
}

// TestKieferWolfowitz compares every wait of M/M/1 and M/M/k with the recursion, to
// the nanosecond.
func TestKieferWolfowitz(t *testing.T) {
	const n = 20_000
	for _, servers := range []int{1, 2, 4, 8} {
		for _, load := range []float64{.5, .7, .85} {
			for seed := range uint64(4) {
				gaps, services := markovian(seed, n, servers, load)
				got, want := serve(t, gaps, services, servers), recursion(gaps, services, servers, true)
				for i := range got {
					if got[i] != want[i] {
						t.Fatalf("%d servers, load %g, seed %d: arrival %d waited %s, want %s", servers, load, seed, i, got[i], want[i])
					}
				}
				if servers > 1 && slices.Equal(got, recursion(gaps, services, servers, false)) {
					t.Errorf("%d servers, load %g, seed %d: servers in turn wait alike: the test cannot tell", servers, load, seed)
				}
			}
		}
	}
}

// TestLindley compares every wait at one server, whose services are not exponential,
// with W(i+1) = max(0, W(i) + S(i) - A(i)), to the nanosecond (D. V. Lindley, "The
// theory of queues with a single server", 1952).
func TestLindley(t *testing.T) {
	const n = 20_000
	gaps, _ := markovian(1, n, 1, 1)
	serveFor := dist.Stream(1, "services")
	var services drawn
	for range n {
		services = append(services, time.Duration(1+serveFor.IntN(17_000))*us)
	}
	want := time.Duration(0)
	for i, got := range serve(t, gaps, services, 1) {
		if got != want {
			t.Fatalf("request %d waited %s, want %s", i, got, want)
		}
		if i+1 < n {
			want = max(0, want+services[i]-gaps[i+1])
		}
	}
}

// erlangC returns the probability that an arrival at M/M/k waits:
//
//	C = B / (1 - rho (1 - B))
//
// where B is Erlang's loss formula by its recursion B(0) = 1,
// B(j) = a B(j-1) / (j + a B(j-1)), a = k rho the load in erlangs.
func erlangC(servers int, rho float64) float64 {
	a, b := float64(servers)*rho, 1.0
	for j := 1; j <= servers; j++ {
		b = a * b / (float64(j) + a*b)
	}
	return b / (1 - rho*(1-b))
}

// closedWait returns the mean wait of M/M/k: C S / (k (1 - rho)). With one server
// C is rho and it is rho S / (1 - rho).
func closedWait(servers int, rho float64) float64 {
	return erlangC(servers, rho) * meanService.Seconds() / (float64(servers) * (1 - rho))
}

func TestErlangC(t *testing.T) {
	for _, c := range []struct {
		servers int
		rho     float64
		want    float64
	}{
		{1, .7, .7},
		{2, .5, 1. / 3}, // 2 rho^2 / (1 + rho)
		{2, .75, 2 * .75 * .75 / 1.75},
		{3, 2. / 3, 4. / 9}, // a = 2: (8/6)(3) over 1 + 2 + 2 + 4
	} {
		if got := erlangC(c.servers, c.rho); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("erlangC(%d, %g) = %v, want %v", c.servers, c.rho, got, c.want)
		}
	}
}

// interval returns the mean of the waits and the half width of its 99 % interval.
// Waits that follow each other are much alike, so the mean is taken as that of 40
// batches of consecutive waits, each long beside the time that the queue needs to
// forget: 4,500 arrivals against some 140 at a load of .85 (the relaxation time of
// M/M/k is 1/(k mu (1-sqrt(rho))^2)). The means of batches are then nearly independent and normal, and
// Student's t with 39 degrees of freedom gives the interval. The first tenth is
// left out, since the queue starts empty.
func interval(waits []time.Duration) (mean, half float64) {
	const batches, t39 = 40, 2.7079 // Student's t, two-sided 99 %
	waits = waits[len(waits)/10:]
	size := len(waits) / batches
	means := make([]float64, batches)
	for b := range means {
		for _, w := range waits[b*size : (b+1)*size] {
			means[b] += w.Seconds() / float64(size)
		}
		mean += means[b] / batches
	}
	variance := 0.0
	for _, m := range means {
		variance += (m - mean) * (m - mean) / (batches - 1)
	}
	return mean, t39 * math.Sqrt(variance/batches)
}

// TestClosedForms: the mean wait of M/M/1 and M/M/4 lies where the closed forms say,
// and not where wrong ones do: constant service, Erlang's loss formula instead of
// his delay formula, one server more.
func TestClosedForms(t *testing.T) {
	for _, servers := range []int{1, 4} {
		for _, rho := range []float64{.5, .7, .85} {
			gaps, services := markovian(1, 200_000, servers, rho)
			mean, half := interval(serve(t, gaps, services, servers))
			want := closedWait(servers, rho)
			if math.Abs(mean-want) > half {
				t.Errorf("M/M/%d at %g: mean wait %.4f ms ± %.4f, closed form %.4f", servers, rho, 1e3*mean, 1e3*half, 1e3*want)
			}
			t.Logf("M/M/%d at %g: mean wait %.4f ms ± %.4f, closed form %.4f", servers, rho, 1e3*mean, 1e3*half, 1e3*want)
			for _, wrong := range wrongWaits(servers, rho) {
				if math.Abs(mean-wrong.wait) <= half {
					t.Errorf("M/M/%d at %g: %s, %.4f ms, is inside %.4f ± %.4f: the test cannot tell", servers, rho, wrong.name, 1e3*wrong.wait, 1e3*mean, 1e3*half)
				}
			}
		}
	}
}

// md1 simulates an M/D/1 queue and returns the mean wait, the half width of its
// interval, and the closed form rho S / (2 (1 - rho)).
func md1(t testing.TB, n int, rho float64) (mean, half, closed float64) {
	gaps, _ := markovian(1, n, 1, rho)
	mean, half = interval(serve(t, gaps, slices.Repeat(drawn{meanService}, n), 1))
	return mean, half, rho * meanService.Seconds() / (2 * (1 - rho))
}

func TestMD1(t *testing.T) {
	for _, rho := range []float64{.7, .85} {
		mean, half, closed := md1(t, 400_000, rho)
		if math.Abs(mean-closed) > half {
			t.Errorf("load %.0f %%: mean wait %.4f ms ± %.4f, closed form %.4f ms", 100*rho, 1e3*mean, 1e3*half, 1e3*closed)
		}
	}
}

// BenchmarkMD1At95 reports the mean wait at 95 % load beside the closed form.
func BenchmarkMD1At95(b *testing.B) {
	var mean, half, closed float64
	for b.Loop() {
		mean, half, closed = md1(b, 2_000_000, .95)
	}
	b.ReportMetric(1e3*mean, "wait-ms")
	b.ReportMetric(1e3*half, "±99%-ms")
	b.ReportMetric(1e3*closed, "closed-form-ms")
}

// wrongWait is a mean wait in seconds that an error would lead to.
type wrongWait struct {
	name string
	wait float64
}

func wrongWaits(servers int, rho float64) []wrongWait {
	right, c := closedWait(servers, rho), erlangC(servers, rho)
	loss := c * (1 - rho) / (1 - c*rho)
	return []wrongWait{
		{"constant service", right / 2},
		{"the loss formula", right * loss / c},
		{"one server more", closedWait(servers+1, rho*float64(servers)/float64(servers+1))},
	}
}

// busyTime is a Stepper that adds up its steps.
type busyTime struct {
	Stepper
	sum time.Duration
}

func (s *busyTime) Step(b roofline.Batch) time.Duration {
	d := s.Stepper.Step(b)
	s.sum += d
	return d
}

// TestMoreBandwidth: with one sequence at a time, first come first served, more
// memory bandwidth never lengthens the engine's busy time nor delays any request.
func TestMoreBandwidth(t *testing.T) {
	models, hardware := catalog.AllModels(), catalog.AllHardware()
	random := rand.New(rand.NewPCG(3, 1))
	compared := 0
	for range 60 {
		m, h := models[random.IntN(len(models))], hardware[random.IntN(len(hardware))]
		seed, faster := random.Uint64(), 1+4*random.Float64()
		slowBusy, slow, ok := bandwidthRun(t, m, h, seed)
		h.Bandwidth *= faster
		fastBusy, fast, fits := bandwidthRun(t, m, h, seed)
		if !ok || !fits {
			continue
		}
		compared++
		if fastBusy > slowBusy {
			t.Errorf("%s on %s, bandwidth x %.2f: busy for %s, before %s", m.Name, h.Name, faster, fastBusy, slowBusy)
		}
		for i := range fast {
			if fast[i] > slow[i] {
				t.Errorf("%s on %s, bandwidth x %.2f: request %d ends at %s, before at %s", m.Name, h.Name, faster, i, fast[i], slow[i])
			}
		}
	}
	if compared < 40 {
		t.Errorf("compared %d deployments of 60: too few have a plan", compared)
	}
}

// bandwidthRun serves 30 random requests and returns the engine's busy time and the
// end of each; false when there is no plan for the deployment.
func bandwidthRun(t *testing.T, m catalog.Model, h catalog.Hardware, seed uint64) (time.Duration, []time.Duration, bool) {
	plan, err := roofline.New(roofline.Deployment{Model: m, Hardware: h})
	if err != nil {
		return 0, nil, false
	}
	var loop pipeline.Virtual
	steps := &busyTime{Stepper: plan}
	e := NewBatched(&loop, BatchedConfig{Steps: steps, MaxSequences: 1, TokenBudget: 512, KVBlocks: 10_000})
	random := rand.New(rand.NewPCG(seed, 2))
	ends := make([]time.Duration, 30)
	for i := range ends {
		r := &Request{Prompt: 1 + random.IntN(3000), Output: 1 + random.IntN(40)}
		r.Done = func(pipeline.Outcome) { ends[i] = loop.Now() }
		loop.At(time.Duration(random.IntN(10_000))*ms, pipeline.RankTimer, func() { e.Submit(r) })
	}
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return steps.sum, ends, true
}
