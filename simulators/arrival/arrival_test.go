package arrival

import (
	"fmt"
	"math"
	"testing"
	"time"

	"halfsecond/pipeline/dist"
)

func TestConstantIsExact(t *testing.T) {
	const every = 333333333 * time.Nanosecond
	due := Constant(every).Due(dist.Stream(1, "arrivals"))
	for i := range 100_000 {
		if got, want := due.Next(), time.Duration(i)*every; got != want {
			t.Fatalf("request %d is due at %d, want %d", i, got, want)
		}
	}
}

func TestPoissonGolden(t *testing.T) {
	due := Poisson(2).Due(dist.Stream(1, "arrivals"))
	for i, want := range []time.Duration{194012371, 949272469, 1750579294, 2201396882} {
		if got := due.Next(); got != want {
			t.Errorf("request %d is due at %d, want %d", i, got, want)
		}
	}
}

// A request waits one gap of the named distribution after the one before, and
// the first one gap after the start.
func TestPoissonAddsGaps(t *testing.T) {
	due, r := Poisson(3).Due(dist.Stream(7, "arrivals")), dist.Stream(7, "arrivals")
	var at time.Duration
	for i := range 1000 {
		at += dist.PoissonGap(3).Draw(&r)
		if got := due.Next(); got != at {
			t.Fatalf("request %d is due at %d, want %d", i, got, at)
		}
	}
}

// Arrivals a second must be Poisson: mean and variance both equal the rate, and
// neighbouring seconds are uncorrelated. The limits are 4.4 standard errors,
// which a right process passes for all but one seed in about 100,000.
func TestPoissonCounts(t *testing.T) {
	const rate, seconds = 20, 20_000
	due := Poisson(rate).Due(dist.Stream(1, "counts"))
	var counts [seconds]float64
	for at := due.Next(); at < seconds*time.Second; at = due.Next() {
		counts[at/time.Second]++
	}
	var sum, squares, product float64
	for i, c := range counts {
		sum += c
		squares += (c - rate) * (c - rate)
		if i > 0 {
			product += (c - rate) * (counts[i-1] - rate)
		}
	}
	check := func(what string, got, want, se float64) {
		if math.Abs(got-want) > 4.4*se {
			t.Errorf("%s of arrivals a second = %.3f, want %.3f within %.3f", what, got, want, 4.4*se)
		}
	}
	check("mean", sum/seconds, rate, math.Sqrt(rate/float64(seconds)))
	// The fourth central moment of a Poisson count is rate + 3*rate^2.
	check("variance", squares/seconds, rate, math.Sqrt((rate+2*rate*rate)/float64(seconds)))
	check("covariance", product/seconds, 0, rate/math.Sqrt(seconds))
}

func TestClosedIsADescription(t *testing.T) {
	think := dist.Constant(2 * time.Second)
	p := Closed(3, think)
	if p.Open() || p.Users != 3 || p.Think != think {
		t.Errorf("Closed(3, 2s) = %+v", p)
	}
	p.Joining = 10 * time.Second
	for user, want := range []time.Duration{0, 10 * time.Second / 3, 20 * time.Second / 3} {
		if got := p.Joins(user); got != want {
			t.Errorf("user %d comes at %s, want %s", user, got, want)
		}
	}
	if got, want := p.Settling(), 20*time.Second/3; got != want {
		t.Errorf("all users are there at %s, want %s", got, want)
	}
	if !Constant(time.Second).Open() || !Poisson(1).Open() {
		t.Error("constant and Poisson arrivals are open")
	}
}

func TestPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"constant every zero": func() { Constant(0) },
		"Poisson at no rate":  func() { Poisson(0) },
		"gamma of no shape":   func() { Gamma(1, 0) },
		"gamma at no rate":    func() { Gamma(0, 1) },
		"ramp to nothing":     func() { Ramp(Slope{From: 1, Over: 1}) },
		"ramp at once":        func() { Ramp(Slope{To: 1}) },
		"replay at no speed":  func() { _, _ = Replayed(Replay{Trace: four}) },
		"past a trace's end": func() {
			p, _ := Replayed(Replay{Trace: four, Speed: 1})
			due := p.Due(dist.Stream(1, ""))
			for range 5 {
				due.Next()
			}
		},
		"closed without users":   func() { Closed(0, dist.Dist{}) },
		"due instants of closed": func() { Closed(1, dist.Dist{}).Due(dist.Stream(1, "")) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			f()
		}()
	}
}

func ExamplePoisson() {
	due := Poisson(2).Due(dist.Stream(1, "arrivals"))
	for range 3 {
		fmt.Println(due.Next().Round(time.Millisecond))
	}
	// Output:
	// 194ms
	// 949ms
	// 1.751s
}

func BenchmarkPoisson(b *testing.B) {
	b.ReportAllocs()
	due := Poisson(20).Due(dist.Stream(1, "bench"))
	for b.Loop() {
		due.Next()
	}
}
