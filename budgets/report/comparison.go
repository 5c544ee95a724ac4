package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"halfsecond/budgets"
)

// ComparisonVersion is the version of the JSON document of a Comparison.
const ComparisonVersion = 1

// Comparison puts one run beside another of the same kind, such as mock beside
// sim, by the medians of the metrics that both should share. Its JSON fields:
//
//	comparison_version  1
//	a, b                the runs: scenario, scenario_hash, target, seed, n, and lateness as in a Report
//	differences         list of metric, unit, n_a, n_b, a and b (the medians), difference (b - a), relative (of a);
//	                    the last four are null where there are too few samples
//	agreement           where it was asked for: metric, allowed_ms, late_ms (p50 of the tester), apart_ms, agree;
//	                    the last is null where it cannot be told
type Comparison struct {
	ComparisonVersion int          `json:"comparison_version"`
	A                 Side         `json:"a"`
	B                 Side         `json:"b"`
	Differences       []Difference `json:"differences"`
	Agreement         *Agreement   `json:"agreement,omitempty"`

	differences []budgets.Difference
}

// Side is one of the two runs.
type Side struct {
	Scenario     string    `json:"scenario"`
	ScenarioHash string    `json:"scenario_hash"`
	Target       string    `json:"target"`
	Seed         uint64    `json:"seed"`
	N            int       `json:"n"`
	Lateness     *Lateness `json:"lateness"`
}

// Difference is one metric of both runs.
type Difference struct {
	Metric     string   `json:"metric"`
	Unit       string   `json:"unit"`
	NA         int      `json:"n_a"`
	NB         int      `json:"n_b"`
	A          *float64 `json:"a"`
	B          *float64 `json:"b"`
	Difference *float64 `json:"difference"`
	Relative   *float64 `json:"relative"`
}

// Compare returns how far b is from a.
func Compare(a, b *Report) Comparison {
	c := Comparison{
		ComparisonVersion: ComparisonVersion, A: a.side(), B: b.side(), Differences: []Difference{},
		differences: budgets.Compare(a.analysis, b.analysis),
	}
	for _, d := range c.differences {
		u := d.Metric.Unit
		relative, ok := d.Relative()
		c.Differences = append(c.Differences, Difference{
			Metric: d.Metric.Name, Unit: u.String(), NA: d.NA, NB: d.NB,
			A: number(u, d.A, d.Known), B: number(u, d.B, d.Known), Difference: number(u, d.By(), d.Known),
			Relative: number(budgets.Share, relative, ok),
		})
	}
	return c
}

func (r *Report) side() Side {
	return Side{
		Scenario: r.Scenario, ScenarioHash: r.ScenarioHash, Target: r.Target, Seed: r.Seed, N: r.N, Lateness: r.Lateness,
	}
}

// Table writes the comparison as a few lines for a terminal.
func (c Comparison) Table(w io.Writer, o Options) error {
	p := newPage(o)
	p.line(p.paint(bold, fmt.Sprintf("%s on %s beside %s, medians", c.A.Scenario, c.B.Target, c.A.Target)))
	rows := [][]cell{{
		left("").in(dim), right(c.A.Target).in(dim), right(c.B.Target).in(dim), right("difference").in(dim), right("").in(dim),
	}}
	for _, d := range c.differences {
		rows = append(rows, differenceRow(d))
	}
	p.rows(rows)
	for _, s := range []Side{c.A, c.B} {
		if s.Lateness != nil {
			p.paragraph(2, dim, s.Target+": "+s.Lateness.words())
		}
	}
	if c.Agreement != nil {
		p.paragraph(2, "", c.Agreement.words())
	}
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

func differenceRow(d budgets.Difference) []cell {
	if !d.Known {
		return []cell{left(d.Metric.Name), right("-"), right("-"), right("-"), right("")}
	}
	u := d.Metric.Unit
	a, b, gap := u.FormatBeside(d.A, d.B)
	row := []cell{left(d.Metric.Name), right(a), right(b), right(signed(gap, d.By())), right("")}
	if relative, ok := d.Relative(); ok {
		row[4] = right(signed(budgets.Number(100*math.Abs(relative), 2)+" %", relative))
	}
	return row
}

// signed puts the sign of v before a text that has none, unless it reads zero.
func signed(text string, v float64) string {
	switch {
	case !strings.ContainsAny(text, "123456789"):
		return text
	case v > 0:
		return "+" + text
	case v < 0:
		return "-" + text
	default:
		return text
	}
}
