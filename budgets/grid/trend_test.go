package grid

import (
	"math"
	"strconv"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// along returns a grid of one model whose TTFT is of(prompt) in ms, with as much
// noise in six repeats, up and down.
func along(t *testing.T, of func(n float64) float64, noise float64, prompts ...int) *Grid {
	var m made
	for _, n := range prompts {
		for i := range 6 {
			wave := noise * []float64{-1, -.6, -.2, .2, .6, 1}[i]
			m.ask("m", "v", n, time.Duration((of(float64(n))+wave)*float64(ms)), ms)
		}
	}
	return m.grid(t)
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		name    string
		of      func(n float64) float64
		noise   float64
		prompts []int
		shape   Shape
		shows   float64 // tokens at which the quadratic term is a tenth of the linear one
		varies  bool
	}{
		{"linear", func(n float64) float64 { return 10 + .08*n }, 0, []int{128, 512, 1024, 2048}, Linear, math.Inf(1), false},
		{"quadratic within the range", func(n float64) float64 { return 10 + .08*n + 8e-6*n*n }, 0, []int{128, 512, 1024, 2048}, Faster, 1000, false},
		{"quadratic beyond the range", func(n float64) float64 { return 10 + .08*n + 8e-7*n*n }, 0, []int{128, 512, 1024, 2048}, Linear, 10_000, false},
		{"quadratic at long prompts", func(n float64) float64 { return 10 + .08*n + 8e-7*n*n }, 0, []int{2048, 32768, 100_000}, Faster, 10_000, false},
		{"slower than linear", func(n float64) float64 { return 10 + .08*n - 8e-6*n*n }, 0, []int{128, 512, 1024, 2048}, Slower, math.Inf(1), false},
		{"flat", func(n float64) float64 { return 50 + .0005*n }, 0, []int{128, 512, 1024, 2048}, Flat, math.Inf(1), false},
		{"reversed", func(n float64) float64 { return 200 - .05*n }, 0, []int{128, 512, 1024, 2048}, Falls, math.Inf(1), false},
		{"steps", func(n float64) float64 { return 10 + 100*math.Floor(n/1000) }, 0, []int{900, 1100, 1900, 2100, 2900, 3100}, Irregular, 0, false},
		{"two lengths", func(n float64) float64 { return 10 + .08*n }, 0, []int{128, 2048}, Rises, math.Inf(1), false},
		{"linear with some noise", func(n float64) float64 { return 10 + .08*n }, 1, []int{128, 512, 1024, 2048}, Linear, 0, true},
		{"too much noise", func(n float64) float64 { return 10 + .008*n }, 9, []int{128, 512, 1024, 2048}, Unclear, 0, true},
	} {
		tr, ok := along(t, c.of, c.noise, c.prompts...).Trend(Key{"m", "v"}, TTFT)
		if !ok || tr.Shape != c.shape {
			t.Errorf("%s: %v (rise %+v, curve %+v, R2 %v), want %v", c.name, tr.Shape, tr.Rise, tr.Curve, tr.Line.R2, c.shape)
		}
		if tr.PerThousand.Varies != c.varies {
			t.Errorf("%s: slope %+v, want varies %v", c.name, tr.PerThousand, c.varies)
		}
		exact := !c.varies && c.shape != Irregular
		if same := math.IsInf(c.shows, 1) && tr.ShowsAt > 1e6 || math.Abs(tr.ShowsAt/c.shows-1) < 1e-3; exact && !same {
			t.Errorf("%s: the quadratic term shows at %v tokens, want %v", c.name, tr.ShowsAt, c.shows)
		}
	}
}

// Slope, constant and rise of a line are those that made it.
func TestTrendFigures(t *testing.T) {
	tr, _ := along(t, func(n float64) float64 { return 20 + .1*n }, 0, 100, 200, 600).Trend(Key{"m", "v"}, TTFT)
	if !near(tr.PerThousand.Value, 100e6) || !near(tr.Line.Constant, 20e6) || !near(tr.Line.R2, 1) {
		t.Errorf("line %+v, want 20 ms and 100 ms for 1,000 tokens", tr.Line)
	}
	if !near(tr.Rise.Value, 50.0/30) || tr.Curve.Value > 1e-9 {
		t.Errorf("rise %v and curve %v, want 50 ms over 30 and none", tr.Rise.Value, tr.Curve.Value)
	}
	// 10 + .08 n + 8e-6 n^2: at 2,000 tokens 32 ms over 160.
	tr, _ = along(t, func(n float64) float64 { return 10 + .08*n + 8e-6*n*n }, 0, 500, 1000, 2000).Trend(Key{"m", "v"}, TTFT)
	if math.Abs(tr.Curve.Value-.2) > 1e-6 {
		t.Errorf("curve %v, want .2", tr.Curve.Value)
	}
}

// A server counts tokens of its own, and the line is along those.
func TestTrendAlongCountedTokens(t *testing.T) {
	var m made
	for _, n := range []int{100, 200, 600} {
		for range 2 {
			r := &m.ask("m", "v", n, time.Duration(20+n/10)*ms, ms).Requests[0]
			r.PromptTokens = 2*n + 10
		}
	}
	tr, _ := m.grid(t).Trend(Key{"m", "v"}, TTFT)
	if !near(tr.PerThousand.Value, 50e6) || !near(tr.Line.Constant, 19.5e6) || tr.Prompts[2] != 600 {
		t.Errorf("line %+v along %v, want 19.5 ms and 50 ms for 1,000 counted tokens", tr.Line, tr.Prompts)
	}
}

// Counts that do not rise with the prompt are no lengths of it: the line is along
// what was asked for.
func TestTrendAlongAskedTokens(t *testing.T) {
	for _, counts := range [][]int{{16, 16, 16}, {100, 200, 150}} {
		var m made
		for i, n := range []int{100, 200, 600} {
			for range 2 {
				m.ask("m", "v", n, time.Duration(20+n/10)*ms, ms).Requests[0].PromptTokens = counts[i]
			}
		}
		tr, ok := m.grid(t).Trend(Key{"m", "v"}, TTFT)
		if !ok || tr.Shape != Linear || !near(tr.PerThousand.Value, 100e6) || !near(tr.Line.Constant, 20e6) {
			t.Errorf("counts %d: %v, line %+v, want linear, 20 ms and 100 ms for 1,000 tokens", counts, tr.Shape, tr.Line)
		}
	}
}

func TestNoTrend(t *testing.T) {
	g := along(t, func(float64) float64 { return 1 }, 0, 128)
	if _, ok := g.Trend(Key{"m", "v"}, TTFT); ok {
		t.Error("one length has a trend")
	}
	if _, ok := g.Trend(Key{"m", "w"}, TTFT); ok {
		t.Error("a row that is not there has a trend")
	}
}

// chunked is a row whose prompts are cut at 512 tokens: each chunk costs 3 ms, which bends
// the line there, and a token .02 ms and 2e-6 times those before it.
func chunked(t *testing.T, chunk int, prompts ...int) Trend {
	t.Helper()
	var m made
	for _, n := range prompts {
		x := float64(n)
		takes := 10 + .02*x + 2e-6*x*x + 3*x/512
		if n < 512 {
			takes = 13 + .02*x + 2e-6*x*x
		}
		for range 2 {
			tr := m.ask("m", "v", n, time.Duration(takes*float64(ms)), ms)
			if chunk > 0 {
				tr.Facts = append(tr.Facts, pipeline.Fact{Name: FactChunk, Value: strconv.Itoa(chunk)})
			}
		}
	}
	tr, ok := m.grid(t).Trend(Key{"m", "v"}, TTFT)
	if !ok {
		t.Fatal("no trend")
	}
	return tr
}

// Where prompts are cut into chunks, the parabola is that of the prompts that are: the
// quadratic term is a tenth of .02 + 3/512 ms a token at 1,293 of them. Along all lengths
// the bend at the first chunk would pass for a part of it.
func TestQuadraticOfChunks(t *testing.T) {
	tr := chunked(t, 512, 128, 256, 512, 1024, 2048)
	if !tr.Bends || tr.From != 2 || tr.To != 5 || math.Abs(tr.ShowsAt/1293-1) > .01 || tr.Shape != Faster {
		t.Errorf("%v, from %d to %d, shows at %.0f; want faster than linear, fitted from 512 tokens on, at 1,293", tr.Shape, tr.From, tr.To, tr.ShowsAt)
	}
	if all := chunked(t, 0, 128, 256, 512, 1024, 2048); all.From != 0 || all.To != 5 || math.Abs(all.ShowsAt/1293-1) < .2 {
		t.Errorf("from %d to %d, shows at %.0f: the test's bend does not show", all.From, all.To, all.ShowsAt)
	}
	if whole := chunked(t, 4096, 128, 512, 1024, 2048); whole.From != 0 || whole.To != 4 {
		t.Errorf("no prompt is cut: from %d to %d, want all", whole.From, whole.To)
	}
	if few := chunked(t, 512, 128, 1024, 2048); few.Bends || !few.Fits || few.Shape != Linear && few.Shape != Irregular {
		t.Errorf("two lengths are cut: %v, bends %t, want no parabola", few.Shape, few.Bends)
	}
}

// Where no line fits, what is told is the slope at either end, and the rise between the
// ends.
func TestSlopesAtTheEnds(t *testing.T) {
	tr, _ := along(t, func(n float64) float64 { return 10 + .08*n + 8e-6*n*n }, 0, 500, 1000, 2000).Trend(Key{"m", "v"}, TTFT)
	if tr.Straight() || !near(tr.First.Value, 92e6) || !near(tr.Last.Value, 104e6) || !near(tr.Rise.Value, 202/52.-1) {
		t.Errorf("slopes %v and %v, rise %v; want 92 and 104 ms for 1,000 tokens, and from 52 to 202 ms", tr.First.Value, tr.Last.Value, tr.Rise.Value)
	}
	line, _ := along(t, func(n float64) float64 { return 10 + .08*n }, 0, 500, 1000, 2000).Trend(Key{"m", "v"}, TTFT)
	if !line.Straight() || !near(line.First.Value, 80e6) || !near(line.Last.Value, 80e6) {
		t.Errorf("a line has the slopes %v and %v", line.First.Value, line.Last.Value)
	}
}

// What takes no time at any length is flat; from none to some is a rise without bound.
func TestTrendOfZeros(t *testing.T) {
	var m made
	for _, n := range []int{128, 512, 1024} {
		for range 2 {
			m.ask("at once", "v", n, 0, ms)
			m.ask("later", "v", n, time.Duration(n-128)*time.Microsecond, ms)
		}
	}
	g := m.grid(t)
	if tr, ok := g.Trend(Key{"at once", "v"}, TTFT); !ok || tr.Shape != Flat || tr.Rise.Value != 0 {
		t.Errorf("zeros are %v, rise %v; want flat", tr.Shape, tr.Rise.Value)
	}
	if tr, ok := g.Trend(Key{"later", "v"}, TTFT); !ok || tr.Shape != Linear || !math.IsInf(tr.Rise.Value, 1) {
		t.Errorf("from none on: %v, rise %v; want linear, without bound", tr.Shape, tr.Rise.Value)
	}
}
