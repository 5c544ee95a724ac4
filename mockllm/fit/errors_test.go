package fit

import (
	"math"
	"testing"
)

// off returns rows with these errors.
func off(errs ...float64) []Judged {
	var rows []Judged
	for i, e := range errs {
		rows = append(rows, Judged{Row: Row{Line: i + 2, Value: 100}, Predicted: 100 * (1 + e)})
	}
	return rows
}

func TestSummarise(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 || math.IsNaN(a) && math.IsNaN(b) }
	none := math.NaN()
	for _, test := range []struct {
		name string
		rows []Judged
		want Summary
	}{
		{"none", nil, Summary{0, none, none, none, none, 0}},
		{"one", off(-.5), Summary{1, .5, none, none, -.5, 0}},
		{"two", off(.5, -.25), Summary{2, .375, .25, none, .125, 0}},
		{"nine", off(.1, .1, .1, .1, .1, .1, .1, .1, .1), Summary{9, .1, .1, none, .1, 0}},
		{"ten", off(.1, -.2, .3, -.4, .5, -.6, .7, -.8, .9, 1), Summary{10, .55, .5, .9, .15, 0}},
	} {
		got := Summarise(test.rows)
		if got.N != test.want.N || !near(got.MeanAPE, test.want.MeanAPE) || !near(got.MedianAPE, test.want.MedianAPE) ||
			!near(got.P90APE, test.want.P90APE) || !near(got.Bias, test.want.Bias) {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
	rows := off(.1, .2)
	rows[1].Pooled = true
	if got := Summarise(rows).Pooled; got != 1 {
		t.Errorf("%d pooled, want 1", got)
	}
}

func TestBy(t *testing.T) {
	rows := off(.1, .2, .3)
	rows[0].Row.GPU, rows[1].Row.GPU, rows[2].Row.GPU = "a", "b", "a"
	got := By(rows, func(j Judged) string { return j.Row.GPU })
	if len(got) != 2 || got["a"].N != 2 || math.Abs(got["a"].MeanAPE-.2) > 1e-12 || got["b"].N != 1 {
		t.Errorf("%+v", got)
	}
}

func TestWithin(t *testing.T) {
	rows := off(.0625, -.25, .5, -.75)
	for share, want := range map[float64]float64{.05: 0, .0625: .25, .25: .5, .3: .5, .75: 1} {
		if got := Within(rows, share); got != want {
			t.Errorf("within %g: %g, want %g", share, got, want)
		}
	}
	if got := Within(nil, .1); !math.IsNaN(got) {
		t.Errorf("of no rows: %g, want NaN", got)
	}
}

func TestWorst(t *testing.T) {
	rows := off(.1, -.5, .5, .2)
	for n, want := range map[int][]int{0: {}, 1: {3}, 3: {3, 4, 5}, 9: {3, 4, 5, 2}} {
		got := Worst(rows, n)
		if len(got) != len(want) {
			t.Errorf("%d worst: %d rows, want %d", n, len(got), len(want))
			continue
		}
		for i := range want {
			if got[i].Row.Line != want[i] {
				t.Errorf("%d worst: line %d at %d, want %d", n, got[i].Row.Line, i, want[i])
			}
		}
	}
}
