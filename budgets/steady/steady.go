// Package steady finds where a series of measurements stops depending on how it began:
// the end of a run's start-up. It computes, and knows nothing of what was measured.
//
// Two methods work together. MSER-5 (White, "An effective truncation heuristic for bias
// reduction in simulation output", Simulation 69, 1997, in batches of 5 as White, Cobb
// and Spratt compared it, "A comparison of five steady-state truncation heuristics for
// simulation", WSC 2000) says how much to leave out at the beginning, or that it finds
// nothing. It is a rule, and cannot say no, so what it leaves has to stand a test: that of
// Heidelberger and Welch, "Simulation run length control in the presence of an initial
// transient", Operations Research 31, 1983, as the R package coda has it (heidel.diag,
// search.r-project.org/CRAN/refmans/coda/html/heidel.diag.html, read 2026-11-29). While
// the test says no, more is left out, in tenths of the series up to half of it. If it
// says no even then, the series is not steady.
//
// Of 200 made series each, 1 in 200 of pure noise is called unsteady at 100 values and
// none at 300; of waits in a queue that is 80 % busy 3 at 1,000 values, since its
// neighbours resemble each other for long; and of waits in one that is asked 110 % of
// what it can do 160 at 1,000 (TestFindIsSeldomWrong).
//
// Read steady.go first, then mser.go and stationary.go.
package steady

// Finding is what Find says of a series.
type Finding struct {
	Verdict Verdict
	From    int // the first value that is kept; 0 unless Steady
}

// Verdict says whether a series is steady from some place on.
type Verdict uint8

const (
	Steady   Verdict = iota // from Finding.From on
	Unsteady                // still changing in its second half
	TooShort                // fewer than Least values
)

// String returns the verdict in a word or two.
func (v Verdict) String() string { return [...]string{"steady", "unsteady", "too short"}[v] }

// Least is how many values it takes: twenty batches, ten of which may go.
const Least = 20 * batch

// Find says where the series, in the order of time, becomes steady. It leaves out no
// more than the first half.
func Find(series []float64) Finding {
	n := len(series)
	if n < Least {
		return Finding{Verdict: TooShort}
	}
	from, inside := mser5(series)
	if !inside {
		from = 0 // it found nothing, which is chance where the test says yes
	}
	for {
		if stationary(series[from:]) {
			return Finding{Verdict: Steady, From: from}
		}
		next := (from*10/n + 1) * n / 10
		if next <= from {
			next = from + 1
		}
		if next > n/2 {
			return Finding{Verdict: Unsteady}
		}
		from = next
	}
}
