package dist

import (
	"fmt"
	"math"
	"testing"
	"time"
)

const ms = time.Millisecond

func must(d Dist, err error) Dist {
	if err != nil {
		panic(err)
	}
	return d
}

func TestFromQuantilesIsExact(t *testing.T) {
	for _, c := range []struct{ p50, p95 time.Duration }{
		{247 * ms, 298 * ms},
		{553 * ms, 1947 * ms},
		{1, 2},
		{1, time.Hour},
		{2400 * ms, 6 * time.Second},
		{123456789, 123456790},
		{time.Hour - 1, time.Hour},
	} {
		d := must(FromQuantiles(c.p50, c.p95))
		if got := d.Quantile(.5); got != c.p50 {
			t.Errorf("FromQuantiles(%s, %s): p50 = %s", c.p50, c.p95, got)
		}
		if got := d.Quantile(.95); got != c.p95 {
			t.Errorf("FromQuantiles(%s, %s): p95 = %s", c.p50, c.p95, got)
		}
		if !d.Spread() {
			t.Errorf("FromQuantiles(%s, %s) has no spread", c.p50, c.p95)
		}
	}
}

func TestFromQuantilesIsExactUpToAnHour(t *testing.T) {
	r := Stream(1, "quantiles")
	for range 100_000 {
		p50 := 1 + r.IntN(int(time.Hour))>>r.IntN(41)
		p95 := p50 + r.IntN(int(time.Hour)-p50+1)
		d := must(FromQuantiles(time.Duration(p50), time.Duration(p95)))
		if got50, got95 := d.Quantile(.5), d.Quantile(.95); got50 != time.Duration(p50) || got95 != time.Duration(p95) {
			t.Fatalf("FromQuantiles(%d, %d): quantiles %d and %d", p50, p95, got50, got95)
		}
	}
}

func TestFromQuantilesOfEqualsIsConstant(t *testing.T) {
	if got, want := must(FromQuantiles(5*ms, 5*ms)), Constant(5*ms); got != want {
		t.Errorf("FromQuantiles(5ms, 5ms) = %v, want %v", got, want)
	}
}

func TestFromQuantilesRefuses(t *testing.T) {
	for _, c := range []struct {
		p50, p95 time.Duration
		want     string
	}{
		{0, ms, "p50 is 0s: it must be above zero"},
		{-ms, ms, "p50 is -1ms: it must be above zero"},
		{2 * ms, ms, "p95 1ms is below p50 2ms"},
		{ms, Longest + 1, "p95 2501h59m59.254740993s is beyond the longest duration 2501h59m59.254740992s"},
	} {
		if _, err := FromQuantiles(c.p50, c.p95); err == nil || err.Error() != c.want {
			t.Errorf("FromQuantiles(%s, %s): error %v, want %q", c.p50, c.p95, err, c.want)
		}
	}
}

func TestQuantiles(t *testing.T) {
	ln := LogNormal(math.Log(89), .62) // median 89 ms
	for _, c := range []struct {
		name string
		dist Dist
		q    float64
		want time.Duration
	}{
		{"zero value", Dist{}, .5, 0},
		{"constant", Constant(3 * ms), .99, 3 * ms},
		{"log-normal median", ln, .5, 89 * ms},
		{"log-normal one sigma up", ln, .8413447460685429, 165444596}, // 89 ms * e^.62
		{"log-normal bottom", ln, 0, 0},
		{"log-normal top", ln, 1, Longest},
		{"uniform of two, first half", Uniform(1, 2), .5, 1},
		{"uniform of two, second half", Uniform(1, 2), .51, 2},
		{"uniform bottom", Uniform(8, 12), -1, 8},
		{"uniform top", Uniform(8, 12), 2, 12},
		{"exponential median", Exponential(time.Second), .5, 693147181}, // ln 2
		{"exponential p95", Exponential(time.Second), .95, 2995732274},  // ln 20
		{"exponential of zero", Exponential(0), .95, 0},
		{"gaps at 3/s, median", PoissonGap(3), .5, 231049060}, // ln 2 / 3
		{"truncated bottom", must(ln.Truncate(12*ms, time.Second)), 0, 12 * ms},
		{"truncated top", must(ln.Truncate(12*ms, time.Second)), 1, time.Second},
		{"symmetric truncation keeps the median", must(LogNormal(0, 1).Truncate(ms/4, 4*ms)), .5, ms},
		{"no memory", must(Exponential(time.Second).Truncate(2*time.Second, Longest)), .5, 2693147181},
	} {
		if got := c.dist.Quantile(c.q); got != c.want {
			t.Errorf("%s: Quantile(%v) = %d, want %d", c.name, c.q, got, c.want)
		}
	}
}

func TestMeans(t *testing.T) {
	for _, c := range []struct {
		name string
		dist Dist
		want time.Duration
	}{
		{"zero value", Dist{}, 0},
		{"constant", Constant(3 * ms), 3 * ms},
		{"log-normal", LogNormal(0, 2), 7389056}, // e^2 ms
		{"uniform", Uniform(10*ms, 20*ms), 15 * ms},
		{"exponential", Exponential(7 * ms), 7 * ms},
		{"exponential, all but the first second", must(Exponential(time.Second).Truncate(time.Second, Longest)), 2 * time.Second},
		// (1 - 2/e) / (1 - 1/e) seconds
		{"exponential, the first second", must(Exponential(time.Second).Truncate(0, time.Second)), 418023293},
		{"uniform, cut", must(Uniform(10*ms, 20*ms).Truncate(0, 14*ms)), 12 * ms},
	} {
		if got := c.dist.Mean(); got != c.want {
			t.Errorf("%s: mean = %d, want %d", c.name, got, c.want)
		}
	}
}

// Each distribution's draws are compared with its own mean and quantiles. The
// limits are 4.4 standard errors: a right generator fails one of them for one
// seed in about 100,000.
func TestDrawsFollowTheDistribution(t *testing.T) {
	const n = 200_000
	for name, d := range map[string]Dist{
		"log-normal":            must(FromQuantiles(247*ms, 298*ms)),
		"wide log-normal":       LogNormal(4.44, .62),
		"uniform":               Uniform(10*ms, 30*ms),
		"exponential":           Exponential(20 * ms),
		"poisson gaps":          PoissonGap(3),
		"truncated log-normal":  must(LogNormal(4.44, .62).Truncate(60*ms, 200*ms)),
		"truncated exponential": must(Exponential(20*ms).Truncate(5*ms, 40*ms)),
	} {
		r := Stream(1, name)
		qs := []float64{.01, .05, .25, .5, .75, .95, .99}
		below := make([]float64, len(qs))
		sum, squares := 0.0, 0.0
		for range n {
			v := d.Draw(&r)
			for i, q := range qs {
				if v <= d.Quantile(q) {
					below[i]++
				}
			}
			x := float64(v - d.Mean())
			sum, squares = sum+x, squares+x*x
		}
		if sd := math.Sqrt(squares / n / n); math.Abs(sum/n) > 4.4*sd {
			t.Errorf("%s: mean is off by %.0f ns, want 0 within %.0f", name, sum/n, 4.4*sd)
		}
		for i, q := range qs {
			if sd := math.Sqrt(n * q * (1 - q)); math.Abs(below[i]-n*q) > 4.4*sd {
				t.Errorf("%s: %v draws at or below p%v, want %v within %.0f", name, below[i], 100*q, n*q, 4.4*sd)
			}
		}
	}
}

func TestTruncate(t *testing.T) {
	ln := LogNormal(math.Log(100), 1)
	for _, c := range []struct {
		name     string
		dist     Dist
		from, to time.Duration
		want     string // the distribution, or the error
	}{
		{"constant inside", Constant(5 * ms), ms, 5 * ms, "5ms"},
		{"constant outside", Constant(5 * ms), ms, 4 * ms, "nothing of 5ms lies between 1ms and 4ms"},
		{"uniform", Uniform(ms, 9*ms), 2 * ms, 20 * ms, "{uniform: [2ms, 9ms]}"},
		{"uniform outside", Uniform(ms, 9*ms), 10 * ms, 20 * ms, "nothing of {uniform: [1ms, 9ms]} lies between 10ms and 20ms"},
		{"log-normal", LogNormal(0, 1), ms, 2 * ms, "{p50: 1ms, p95: 5.180252ms} between 1ms and 2ms"},
		{"twice", must(LogNormal(0, 1).Truncate(ms, 9*ms)), 2 * ms, 20 * ms, "{p50: 1ms, p95: 5.180252ms} between 2ms and 9ms"},
		{"too far out", ln, 200 * time.Hour, 201 * time.Hour, "nothing of {p50: 100ms, p95: 518.02516ms} lies between 200h0m0s and 201h0m0s"},
		{"a point", ln, ms, ms, "nothing of {p50: 100ms, p95: 518.02516ms} lies between 1ms and 1ms"},
	} {
		d, err := c.dist.Truncate(c.from, c.to)
		got := d.String()
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestTruncatedDrawsStayInside(t *testing.T) {
	d := must(LogNormal(4.44, .62).Truncate(80*ms, 90*ms))
	r := Stream(1, "inside")
	for range 10_000 {
		if v := d.Draw(&r); v < 80*ms || v > 90*ms {
			t.Fatalf("Draw() = %s, want 80ms to 90ms", v)
		}
	}
}

// Every distribution takes one number a draw, and a larger one gives a longer
// duration: exchanging a stage's distribution shifts no other stage.
func TestDrawTakesOneNumberAndKeepsOrder(t *testing.T) {
	all := []Dist{{}, Constant(ms), LogNormal(1, 1), Uniform(1, 1000), Exponential(ms), must(LogNormal(1, 1).Truncate(ms, 9*ms))}
	for _, d := range all {
		r, plain := Stream(1, "order"), Stream(1, "order")
		lastU, last := plain.Float64(), d.Draw(&r)
		for range 1000 {
			u, v := plain.Float64(), d.Draw(&r)
			if (u < lastU && v > last) || (u > lastU && v < last) {
				t.Fatalf("%s: %v gave %s and %v gave %s", d, lastU, last, u, v)
			}
			lastU, last = u, v
		}
		if got, want := r.Uint64(), plain.Uint64(); got != want {
			t.Errorf("%s: after 1001 draws the stream gives %#x, want %#x", d, got, want)
		}
	}
}

// Recorded runs depend on these draws.
func TestDrawGolden(t *testing.T) {
	for _, c := range []struct {
		dist Dist
		want [3]time.Duration
	}{
		{must(FromQuantiles(247*ms, 298*ms)), [3]time.Duration{245798428, 241731463, 222941163}},
		{Uniform(10*ms, 30*ms), [3]time.Duration{19659144, 18501420, 13691682}},
		{Exponential(20 * ms), [3]time.Duration{13192593, 11070174, 4081140}},
		{must(LogNormal(4.44, .62).Truncate(60*ms, 200*ms)), [3]time.Duration{97935822, 92460401, 72983646}},
	} {
		r := Stream(1, "golden")
		if got := [3]time.Duration{c.dist.Draw(&r), c.dist.Draw(&r), c.dist.Draw(&r)}; got != c.want {
			t.Errorf("%s draws %d, want %d", c.dist, got, c.want)
		}
	}
}

func TestLongestBoundsADraw(t *testing.T) {
	wide := must(FromQuantiles(1, Longest))
	if got := wide.Quantile(1 - 0x1p-53); got != Longest {
		t.Errorf("far quantile of a very wide log-normal = %s, want %s", got, Longest)
	}
	if got := wide.Mean(); got != Longest {
		t.Errorf("mean of a very wide log-normal = %s, want %s", got, Longest)
	}
}

func TestConstructorsPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"negative constant":       func() { Constant(-1) },
		"constant too long":       func() { Constant(Longest + 1) },
		"log-normal NaN":          func() { LogNormal(0, math.NaN()) },
		"log-normal negative":     func() { LogNormal(0, -1) },
		"log-normal too long":     func() { LogNormal(100, 1) },
		"uniform down":            func() { Uniform(2, 1) },
		"exponential negative":    func() { Exponential(-1) },
		"gaps at no rate":         func() { PoissonGap(0) },
		"gaps at a negative rate": func() { PoissonGap(-1) },
		"gaps too long":           func() { PoissonGap(1e-9) },
		"truncate down":           func() { Constant(1).Truncate(2, 1) },
		"count of zero":           func() { ConstantCount(0) },
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

func ExampleFromQuantiles() {
	stt, err := FromQuantiles(247*time.Millisecond, 298*time.Millisecond)
	if err != nil {
		panic(err)
	}
	fmt.Println(stt, "p99", stt.Quantile(.99).Round(time.Millisecond))
	// Output: {p50: 247ms, p95: 298ms} p99 322ms
}

func BenchmarkDraw(b *testing.B) {
	for _, c := range []struct {
		name string
		dist Dist
	}{
		{"constant", Constant(ms)},
		{"lognormal", LogNormal(4.44, .62)},
		{"uniform", Uniform(ms, 9*ms)},
		{"exponential", Exponential(ms)},
		{"truncated", must(LogNormal(4.44, .62).Truncate(12*ms, time.Second))},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			r := Stream(1, "bench")
			var sum time.Duration
			for b.Loop() {
				sum += c.dist.Draw(&r)
			}
		})
	}
}
