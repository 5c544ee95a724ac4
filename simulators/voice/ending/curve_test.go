package ending

import (
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline/dist"
)

func TestCurve(t *testing.T) {
	turns := read(t, "1,plain,a {300}b {1000}c", "2,digits,1 {600}2", "3,plain,d {50}e")
	points, err := fixed(Fixed{}).Curve(turns, Run{Repeats: 20}, []float64{0, 100, 250, 600, 1000})
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		wait      float64
		p95       time.Duration
		cut       int // of 3
		efficient bool
	}
	// A wait below the final text at 250 ms changes nothing, so the first three are equal.
	for i, want := range []row{{0, 250, 2, true}, {100, 250, 2, true}, {250, 250, 2, true}, {600, 600, 1, true}, {1000, 1000, 0, true}} {
		p := points[i]
		if p.Setting.Value != want.wait || p.Rate.P95 != want.p95*ms || int(p.Rate.CutIn.Value*3+.5) != want.cut || p.Efficient != want.efficient {
			t.Errorf("point %d: %+v %+v, want %+v", i, p.Setting, p.Rate, want)
		}
	}
	if p, ok := Quickest(points, .4); !ok || p.Setting.Value != 600 {
		t.Errorf("quickest at 40 %%: %+v, %t", p.Setting, ok)
	}
	if _, ok := Quickest(points[:2], .4); ok {
		t.Error("something cuts in on 40 % at most")
	}
	if _, err := fixed(Fixed{}).Curve(turns, Run{}, []float64{-1}); err == nil {
		t.Error("no error for a wait of -1")
	}
}

// Over the turns that come with the program, more of the main setting never cuts in more,
// since every point meets the same scores.
func TestCurvesFall(t *testing.T) {
	for _, p := range Presets() {
		points, err := p.Setup(dist.Constant(247*ms), dist.Constant(600*ms)).Curve(Turns(), Run{Seed: 5, Repeats: 10}, Grid(p.Policy.Settings()[0]))
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		if !slices.ContainsFunc(points, func(q Point) bool { return q.Efficient }) {
			t.Errorf("%s: no efficient point", p.Name)
		}
		for i := range points {
			r := points[i].Rate
			if r.Audible.Value > r.CutIn.Value || r.CutIn.Low > r.CutIn.Value || r.CutIn.High < r.CutIn.Value || r.P50 > r.P95 {
				t.Errorf("%s at %v: %+v", p.Name, points[i].Setting, r)
			}
			if i == 0 {
				continue
			}
			if before := points[i-1].Rate; r.CutIn.Value > before.CutIn.Value || r.Cut.Value > before.Cut.Value || r.Mean < before.Mean || r.P95 < before.P95 {
				t.Errorf("%s: %v is quicker or cuts in more than %v", p.Name, points[i].Setting, points[i-1].Setting)
			}
		}
	}
}

func TestGrid(t *testing.T) {
	for _, c := range []struct {
		setting Setting
		n       int
	}{
		{Setting{Value: 600, Unit: "ms"}, 15}, {Setting{Value: 550, Unit: "ms"}, 16}, {Setting{Value: 4000, Unit: "ms"}, 16}, {Setting{Value: .56}, 12}, {Setting{Value: 0}, 12}, {Setting{Value: 1}, 12},
	} {
		got := Grid(c.setting)
		if len(got) != c.n || !slices.IsSorted(got) || !slices.Contains(got, c.setting.Value) {
			t.Errorf("Grid(%v) = %v", c.setting, got)
		}
	}
}

func BenchmarkCurve(b *testing.B) {
	p, err := Find("model-300-or-2500")
	if err != nil {
		b.Fatal(err)
	}
	s, turns := p.Setup(dist.Constant(247*ms), dist.Constant(600*ms)), Turns()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Curve(turns, Run{Repeats: 50}, Grid(p.Policy.Settings()[0])); err != nil {
			b.Fatal(err)
		}
	}
}
