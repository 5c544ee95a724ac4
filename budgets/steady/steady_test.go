package steady

import (
	"fmt"
	"math"
	"testing"

	"halfsecond/pipeline/dist"
)

// noise returns n draws from the exponential distribution of mean 1.
func noise(seed uint64, n int) []float64 {
	r, x := dist.Stream(seed, "noise"), make([]float64, n)
	for i := range x {
		x[i] = -math.Log(r.Float64())
	}
	return x
}

// added returns the series with so much more at each place.
func added(series []float64, at func(i int) float64) []float64 {
	x := make([]float64, len(series))
	for i := range x {
		x[i] = series[i] + at(i)
	}
	return x
}

func until(end int, v float64) func(int) float64 {
	return func(i int) float64 {
		if i < end {
			return v
		}
		return 0
	}
}

func TestFindExactly(t *testing.T) {
	ramp := func(i int) float64 { return float64(i) / 100 }
	for _, c := range []struct {
		name   string
		series []float64
		want   Finding
	}{
		{"nothing", nil, Finding{TooShort, 0}},
		{"one too few", noise(1, 99), Finding{TooShort, 0}},
		{"a constant", make([]float64, 100), Finding{Steady, 0}},
		{"steady from the start", noise(1, 400), Finding{Steady, 0}},
		{"slow for 60", added(noise(1, 400), until(60, 10)), Finding{Steady, 60}},
		{"slow for 62, in batches of 5", added(noise(1, 400), until(62, 10)), Finding{Steady, 65}},
		{"fast for 150", added(noise(1, 400), until(150, -3)), Finding{Steady, 150}},
		{"slow for just less than half", added(noise(1, 400), until(195, 10)), Finding{Steady, 195}},
		{"slow for just half", added(noise(1, 400), until(200, 10)), Finding{Steady, 200}},
		{"slow for more than half", added(noise(1, 400), until(300, 10)), Finding{Unsteady, 0}},
		{"ever slower", added(noise(1, 400), ramp), Finding{Unsteady, 0}},
		{"ever faster", added(noise(1, 400), func(i int) float64 { return -ramp(i) }), Finding{Unsteady, 0}},
		{"ever slower without any noise", added(make([]float64, 400), ramp), Finding{Unsteady, 0}},
		{"slower towards the end", added(noise(1, 400), func(i int) float64 { return -until(280, 1)(i) }), Finding{Unsteady, 0}},
	} {
		if got := Find(c.series); got != c.want {
			t.Errorf("%s: %v from %d, want %v from %d", c.name, got.Verdict, got.From, c.want.Verdict, c.want.From)
		}
	}
}

// queue returns n waits of a queue M/M/1 that was empty, in units of a mean service.
func queue(seed uint64, n int, rho float64) []float64 {
	service, gap := noise(2*seed, n), noise(2*seed+1, n)
	x, wait := make([]float64, n), 0.
	for i := range x {
		x[i] = wait
		wait = max(0, wait+service[i]-gap[i]/rho)
	}
	return x
}

// How often series are called unsteady: seldom where they are steady, the more seldom
// the longer they are, and nearly always where they are not. The numbers are those of
// 200 series each, exact for these seeds.
func TestFindIsSeldomWrong(t *testing.T) {
	for _, c := range []struct {
		name     string
		n        int
		make     func(seed uint64, n int) []float64
		unsteady int
	}{
		{"noise", 100, noise, 1},
		{"noise", 300, noise, 0},
		{"noise", 1000, noise, 0},
		{"queue at 50 %", 300, func(s uint64, n int) []float64 { return queue(s, n, .5) }, 1},
		{"queue at 50 %", 1000, func(s uint64, n int) []float64 { return queue(s, n, .5) }, 0},
		{"queue at 80 %", 1000, func(s uint64, n int) []float64 { return queue(s, n, .8) }, 3},
		{"queue at 80 %", 5000, func(s uint64, n int) []float64 { return queue(s, n, .8) }, 0},
		{"queue at 110 %", 1000, func(s uint64, n int) []float64 { return queue(s, n, 1.1) }, 160},
		{"queue at 150 %", 300, func(s uint64, n int) []float64 { return queue(s, n, 1.5) }, 199},
	} {
		got := 0
		for seed := range uint64(200) {
			if Find(c.make(seed, c.n)).Verdict == Unsteady {
				got++
			}
		}
		if got != c.unsteady {
			t.Errorf("%s, %d values: %d of 200 are unsteady, want %d", c.name, c.n, got, c.unsteady)
		}
	}
}

// The density of an autoregressive process x' = a x + noise of variance 1 is
// 1/(1-a)^2, and that of noise its variance.
func TestDensity(t *testing.T) {
	const n = 40_000
	for _, a := range []float64{0, .5, .9, -.5} {
		e, x := noise(3, n), make([]float64, n)
		for i := 1; i < n; i++ {
			x[i] = a*x[i-1] + e[i] - 1
		}
		want := 1 / ((1 - a) * (1 - a))
		if got := density(x); math.Abs(got/want-1) > .1 {
			t.Errorf("density at coefficient %g = %g, want %g within a tenth", a, got, want)
		}
	}
}

// The statistic of iid series exceeds the critical value in 1 % of them: 10 of 1000,
// within 4.4 standard errors.
func TestCritical(t *testing.T) {
	wrong := 0
	for seed := range uint64(1000) {
		if !stationary(noise(seed, 500)) {
			wrong++
		}
	}
	if limit := 4.4 * math.Sqrt(10*.99); math.Abs(float64(wrong)-10) > limit {
		t.Errorf("%d of 1000 series of noise fail the test, want 10 within %.0f", wrong, limit)
	}
}

func ExampleFind() {
	warm := []float64{90, 70, 55, 48, 44}
	var latencies []float64
	for i := range 200 {
		v := 40 + float64(i*7%5)
		if i < len(warm) {
			v = warm[i]
		}
		latencies = append(latencies, v)
	}
	f := Find(latencies)
	fmt.Println(f.Verdict, "from", f.From)
	// Output: steady from 5
}
