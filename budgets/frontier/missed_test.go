package frontier

import "testing"

// What is missed in one run of three is not said of all of them, and of several runs it is the
// one that misses it the most.
func TestLacks(t *testing.T) {
	by := func(value, gap string, by float64) Missed {
		return Missed{Budget: "share(ttfc < 150ms) >= 90%", Value: value, Gap: gap, By: by}
	}
	unmeasured := Missed{Budget: "share(ttfc < 150ms) >= 90%", Unmeasured: "too few"}
	for _, c := range []struct {
		name string
		runs [][]Missed
		want string
	}{
		{"one run", [][]Missed{{by("82 %", "8 points", .08)}}, "share(ttfc < 150ms) >= 90% is missed by 8 points (82 %)"},
		{"one of three", [][]Missed{nil, {by("89.2 %", "0.8 points", .008)}, nil}, "share(ttfc < 150ms) >= 90% is missed in 1 of 3 runs, by 0.8 points (89.2 %)"},
		{"two of three", [][]Missed{{by("89.2 %", "0.8 points", .008)}, {by("82 %", "8 points", .08)}, nil}, "share(ttfc < 150ms) >= 90% is missed in 2 of 3 runs, by up to 8 points (82 %)"},
		{"the first the most", [][]Missed{{by("82 %", "8 points", .08)}, {by("89.2 %", "0.8 points", .008)}}, "share(ttfc < 150ms) >= 90% is missed in 2 of 2 runs, by up to 8 points (82 %)"},
		{"one cannot tell", [][]Missed{{unmeasured}, nil}, "share(ttfc < 150ms) >= 90% cannot be told in 1 of 2 runs: too few"},
		{"one misses, others cannot tell", [][]Missed{{unmeasured}, {by("82 %", "8 points", .08)}, {unmeasured}}, "share(ttfc < 150ms) >= 90% is missed in 1 of 3 runs, by 8 points (82 %)"},
		{"two budgets", [][]Missed{{by("82 %", "8 points", .08), {Budget: "mean(requests_per_key) <= 0.1", Value: "0.139", Gap: "0.039", By: .039}}},
			"share(ttfc < 150ms) >= 90% is missed by 8 points (82 %); mean(requests_per_key) <= 0.1 is missed by 0.039 (0.139)"},
	} {
		var cell Cell
		for _, m := range c.runs {
			cell.Runs = append(cell.Runs, Figures{Missed: m})
		}
		if got := Lacks(cell.Missed()); got != c.want || cell.Holds() {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
