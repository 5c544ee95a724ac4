package fit

import (
	"math"
	"strings"
	"testing"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline/quantile"
)

// builtinSamples returns the samples of the built-in rows.
func builtinSamples(t *testing.T) []sample {
	t.Helper()
	s, skipped := samples(catalog.Builtin(), Published())
	if len(skipped) > 0 {
		t.Fatalf("%d of the built-in rows are skipped, such as %s: %v", len(skipped), skipped[0].Row.ID, skipped[0].Reason)
	}
	return s
}

// Rows that were made with other constants than the priors lead the search to those.
func TestSearchFindsConstants(t *testing.T) {
	for _, part := range parts(builtinSamples(t)) {
		names := newSearch(part).names
		made := roofline.Values{}
		for i, name := range names {
			off := []float64{.2, -.15}[i%2]
			if kind, _, _ := strings.Cut(name, "."); kind == "mfu" || kind == "mbu" {
				off /= 2
			}
			made[name] = roofline.PriorOf(name).Value * math.Exp(off)
		}
		for i := range part {
			part[i].row.Value = part[i].predicted(made)
		}
		before, after := meanLoss(part, roofline.Values{}), meanLoss(part, fitted(part))
		if !(after < .006 && after < before/5) {
			t.Errorf("%d rows with %s: the mean error falls from %.4f to %.4f only", len(part), strings.Join(names, ", "), before, after)
		}
	}
}

// meanLoss returns the mean absolute error of samples under some constants.
func meanLoss(samples []sample, v roofline.Values) float64 {
	var errs []float64
	for i := range samples {
		errs = append(errs, math.Abs(samples[i].predicted(v)/samples[i].row.Value-1))
	}
	mean, _ := quantile.Mean(errs)
	return mean
}

// decodeOf returns a row of one sequence that decodes, which says nothing of the
// compute rate.
func decodeOf(value float64) Row {
	r := simple()
	r.Metric, r.Value = DecodeRate, value
	return r
}

// A constant that the rows do not tell stays at its prior, and one that few tell
// between the prior and what they say.
func TestSearchKeepsPriors(t *testing.T) {
	s, err := newSample(catalog.Builtin(), decodeOf(1))
	if err != nil {
		t.Fatal(err)
	}
	const name = "mbu.serving"
	slow := roofline.Values{name: roofline.PriorOf(name).Value / 2}
	s.row.Value = s.predicted(slow)
	got := fitted([]sample{s})
	for _, untold := range []string{"mfu.serving.16"} {
		if p := roofline.PriorOf(untold).Value; math.Abs(got[untold]/p-1) > .01 {
			t.Errorf("%s = %g, want the prior %g", untold, got[untold], p)
		}
	}
	if got[name] < slow[name] || got[name] > .9*roofline.PriorOf(name).Value {
		t.Errorf("%s = %g, want between %g and the prior %g", name, got[name], slow[name], roofline.PriorOf(name).Value)
	}
	if n := len(got); n != len(s.uses) {
		t.Errorf("%d constants fitted, want the %d that the row uses", n, len(s.uses))
	}
}

// No constant belongs to two parts, and every sample to one, in order.
func TestParts(t *testing.T) {
	row := func(line int, uses ...string) sample { return sample{row: Row{Line: line}, uses: uses} }
	got := parts([]sample{row(1, "a", "b"), row(2, "c"), row(3, "d", "e"), row(4, "b", "f"), row(5, "e", "c"), row(6, "g"), row(7, "a")})
	want := [][]int{{1, 4, 7}, {2, 3, 5}, {6}}
	if len(got) != len(want) {
		t.Fatalf("%d parts, want %d", len(got), len(want))
	}
	for i := range want {
		for k := range want[i] {
			if len(got[i]) != len(want[i]) || got[i][k].row.Line != want[i][k] {
				t.Errorf("part %d: %+v, want lines %v", i, got[i], want[i])
				break
			}
		}
	}
}

// Fitting parts one after the other gives what fitting everything at once does.
func TestPartsAreIndependent(t *testing.T) {
	all := builtinSamples(t)
	apart, together := fitted(all), newSearch(all).run()
	if len(apart) != len(together) {
		t.Fatalf("%d constants apart, %d together", len(apart), len(together))
	}
	for name, v := range together {
		if apart[name] != rounded(v) {
			t.Errorf("%s: %v apart, %v together", name, apart[name], v)
		}
	}
}

func TestAgainst(t *testing.T) {
	const name = "mbu.serving"
	p := roofline.PriorOf(name)
	if got := against(name, p.Value); got != 0 {
		t.Errorf("the prior itself: %g, want 0", got)
	}
	for _, sign := range []float64{-1, 1} {
		if got := against(name, p.Value*math.Exp(sign*2*p.Spread)); math.Abs(got-errorScale*2) > 1e-12 {
			t.Errorf("two spreads off: %g, want %g", got, errorScale*2)
		}
	}
}

func BenchmarkRefit(b *testing.B) {
	rows := Published()
	b.ReportAllocs()
	for b.Loop() {
		Refit(catalog.Builtin(), rows)
	}
}
