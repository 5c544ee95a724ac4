package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"halfsecond/budgets"
	"halfsecond/budgets/versus"
)

// VersusVersion is the version of the JSON document of a Versus.
const VersusVersion = 1

// Versus says of two runs of one experiment whether the second is better or worse. Its
// JSON fields; what is unknown is null, durations are in ms, shares 0 to 1:
//
//	versus_version  1
//	verdict         "worse", "better", "no difference that matters", "not worse" or "cannot tell"
//	summary         the verdict in a sentence or two
//	a, b            the runs: scenario, scenario_hash, kind, target, model, protocol, seed, n, n_asked, version,
//	                unfinished, unfit and unsteady (why; null when not), limit (of goodput), outcomes, request_outcomes
//	matters         share of a duration, a count or a speed below which a difference does not matter
//	resamples, resample_seed  how often the runs were drawn again, and from which seed
//	drawn_a, drawn_b  what of each was drawn together, in words
//	pairs           interactions of which the same one of both runs was drawn together; 0 where each run was drawn for itself
//	unpaired        why they were; null for pairs
//	unjudged        why no row has a word; empty when rows have
//	warnings        what else a reader has to know
//	rows            list:
//	  metric, figure  such as "reply", "p95"; figure is "share" for a share, "mean" for a count, "rate" for effective_speed
//	  unit            "ms", "share", "count" or "tok/s"
//	  role            "judged" for those that decide, else "request" or "stage"
//	  more_is_better  otherwise less is
//	  n_a, n_b        values
//	  a, b            the figure in each run
//	  difference      b - a
//	  relative        difference / a
//	  low, high       interval of the difference; together with the others of its role at 95 %
//	  confidence      of that interval for itself
//	  low_95, high_95 interval of the difference at 95 % for this row alone
//	  matters         how large a difference has to be to matter
//	  word            "better", "worse", "no difference that matters" or "cannot tell"
//	  reason          why it cannot be told; null for other words
//	formulas        by metric, in words
type Versus struct {
	VersusVersion int               `json:"versus_version"`
	Verdict       versus.Verdict    `json:"verdict"`
	Summary       string            `json:"summary"`
	A             VersusRun         `json:"a"`
	B             VersusRun         `json:"b"`
	Matters       float64           `json:"matters"`
	Resamples     int               `json:"resamples"`
	ResampleSeed  uint64            `json:"resample_seed"`
	DrawnA        string            `json:"drawn_a"`
	DrawnB        string            `json:"drawn_b"`
	Pairs         int               `json:"pairs"`
	Unpaired      *string           `json:"unpaired"`
	Unjudged      []string          `json:"unjudged"`
	Warnings      []string          `json:"warnings"`
	Rows          []VersusRow       `json:"rows"`
	Formulas      map[string]string `json:"formulas"`

	comparison *versus.Comparison
}

// VersusRun is one of the two runs.
type VersusRun struct {
	Scenario     string         `json:"scenario"`
	ScenarioHash string         `json:"scenario_hash"`
	Kind         string         `json:"kind"`
	Target       string         `json:"target"`
	Model        *string        `json:"model"`
	Protocol     *string        `json:"protocol"`
	Seed         uint64         `json:"seed"`
	N            int            `json:"n"`
	NAsked       int            `json:"n_asked"`
	Version      string         `json:"version"`
	Unfinished   *string        `json:"unfinished"`
	Unfit        *string        `json:"unfit"`
	Unsteady     *string        `json:"unsteady"`
	Limit        *string        `json:"limit"`
	Outcomes     map[string]int `json:"outcomes"`
	Requests     map[string]int `json:"request_outcomes"`
}

// VersusRow is one figure of one metric in both runs.
type VersusRow struct {
	Metric     string      `json:"metric"`
	Figure     string      `json:"figure"`
	Unit       string      `json:"unit"`
	Role       string      `json:"role"`
	More       bool        `json:"more_is_better"`
	NA         int         `json:"n_a"`
	NB         int         `json:"n_b"`
	A          *float64    `json:"a"`
	B          *float64    `json:"b"`
	Difference *float64    `json:"difference"`
	Relative   *float64    `json:"relative"`
	Low        *float64    `json:"low"`
	High       *float64    `json:"high"`
	Confidence float64     `json:"confidence"`
	Low95      *float64    `json:"low_95"`
	High95     *float64    `json:"high_95"`
	Matters    float64     `json:"matters"`
	Word       versus.Word `json:"word"`
	Reason     *string     `json:"reason"`
}

// NewVersus returns the document of a comparison.
func NewVersus(c *versus.Comparison) *Versus {
	v := &Versus{
		VersusVersion: VersusVersion, Verdict: c.Verdict, A: versusRun(&c.A), B: versusRun(&c.B), Matters: c.Matters,
		Resamples: c.Resamples, ResampleSeed: c.Seed, DrawnA: c.DrawnA, DrawnB: c.DrawnB, Pairs: c.Pairs, Unpaired: text(c.Unpaired),
		Unjudged: append([]string{}, c.Unjudged...), Warnings: append([]string{}, c.Warnings...), Rows: []VersusRow{}, Formulas: c.Formulas,
		comparison: c,
	}
	for i := range c.Rows {
		v.Rows = append(v.Rows, versusRow(&c.Rows[i]))
	}
	v.Summary = v.sentence()
	return v
}

func versusRun(f *versus.Facts) VersusRun {
	return VersusRun{
		f.Scenario, f.ScenarioHash, f.Kind, f.Target, text(f.Model), text(f.Protocol), f.Seed, f.N, f.NAsked, f.Version,
		text(f.Unfinished), text(f.Unfit), text(f.Unsteady), text(f.Limit), f.Outcomes, f.Requests,
	}
}

func versusRow(r *versus.Row) VersusRow {
	relative, ok := r.Relative()
	return VersusRow{
		Metric: r.Metric, Figure: r.Figure, Unit: r.Unit.String(), Role: r.Role.String(), More: r.More, NA: r.NA, NB: r.NB,
		A: number(r.Unit, r.A, r.Known), B: number(r.Unit, r.B, r.Known), Difference: number(r.Unit, r.By(), r.Known),
		Relative: number(budgets.Share, relative, ok),
		Low:      number(r.Unit, r.Low, r.HasInterval), High: number(r.Unit, r.High, r.HasInterval), Confidence: r.Confidence,
		Low95: number(r.Unit, r.Low95, r.HasInterval), High95: number(r.Unit, r.High95, r.HasInterval),
		Matters: r.Unit.Reported(r.Matters), Word: r.Word, Reason: text(r.Reason),
	}
}

// JSON writes the document, indented, with a line feed at its end.
func (v *Versus) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

// sentence says the verdict, with the rows that it rests on.
func (v *Versus) sentence() string {
	words := strings.ToUpper(v.Verdict.String()) + ": "
	if len(v.Unjudged) > 0 {
		return words + strings.Join(v.Unjudged, "; ") + ", so nothing is judged."
	}
	counts := map[versus.Word]int{}
	var named []string
	for i := range v.comparison.Rows {
		r := &v.comparison.Rows[i]
		if r.Role != versus.Judged {
			continue
		}
		counts[r.Word]++
		if v.Verdict == versus.Regression && r.Word == versus.Worse || v.Verdict == versus.Improvement && r.Word == versus.Better {
			named = append(named, went(r))
		}
	}
	if len(named) > 0 {
		words += strings.Join(named, "; ") + ". "
	}
	return words + tally(counts) + v.longer() + v.effective()
}

// tally counts the figures that decide by their words.
func tally(counts map[versus.Word]int) string {
	var parts []string
	total := counts[versus.CannotTell]
	for _, of := range []struct {
		word  versus.Word
		words string
	}{{versus.Worse, "worse"}, {versus.Better, "better"}, {versus.NoDifference, "without a difference that matters"}} {
		if n := counts[of.word]; n > 0 {
			total += n
			parts = append(parts, fmt.Sprintf("%s %s %s", count(n), isOrAre(n), of.words))
		}
	}
	unknown := counts[versus.CannotTell]
	switch {
	case total == 0:
		return "There is no figure that decides in both."
	case len(parts) == 0:
		return fmt.Sprintf("Of none of the %s that decide can anything be told.", counted(total, "figure"))
	case unknown > 0:
		parts = append(parts, fmt.Sprintf("of %s nothing can be told", count(unknown)))
	}
	return fmt.Sprintf("Of %s that decide %s.", counted(total, "figure"), strings.Join(parts, ", "))
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// longer says what would tell more, where nothing could be told.
func (v *Versus) longer() string {
	if v.Verdict != versus.Undecided || len(v.Rows) == 0 {
		return ""
	}
	most := 0
	var short *versus.Row
	for i := range v.comparison.Rows {
		if r := &v.comparison.Rows[i]; r.Role == versus.Judged && r.Figure != "p99" && r.Takes > most {
			most, short = r.Takes, r
		}
	}
	if short != nil {
		return fmt.Sprintf(" Measure longer: an interval of %s takes %s values in each run, and there are %s and %s.", short.Of(), count(most), count(short.NA), count(short.NB))
	}
	if v.Pairs == 0 {
		return " Measure longer, or both with one seed, so that they are paired."
	}
	return " Measure longer."
}

// went says how a figure changed, such as "the p95 of reply went from 431 ms to 520 ms
// (+20.6 %, +12.1 % to +31 %)".
func went(r *versus.Row) string {
	name := fmt.Sprintf("the %s of %s", r.Figure, r.Metric)
	if r.Unit == budgets.Share || r.Unit == budgets.TokenRate {
		name = r.Metric
	}
	a, b, _ := r.Unit.FormatBeside(r.A, r.B)
	return fmt.Sprintf("%s went from %s to %s (%s)", name, a, b, strings.Join(slices.DeleteFunc([]string{byHow(r), reach(r)}, empty), ", "))
}

func empty(s string) bool { return s == "" }

// byHow is the difference of a row, of all but a share as a part of the first figure.
func byHow(r *versus.Row) string {
	relative, ok := r.Relative()
	switch {
	case r.Unit == budgets.Share:
		return points(r.By())
	case !ok:
		return signed(r.Unit.Format(math.Abs(r.By())), r.By())
	}
	return partly(relative)
}

// reach is the interval of a row, in the terms of byHow.
func reach(r *versus.Row) string {
	_, ok := r.Relative()
	show := func(v float64) string { return partly(v / r.A) }
	switch {
	case !r.HasInterval:
		return ""
	case r.Unit == budgets.Share:
		show = points
	case !ok:
		show = func(v float64) string { return signed(r.Unit.Format(math.Abs(v)), v) }
	}
	return show(r.Low) + " to " + show(r.High)
}

func partly(v float64) string { return signed(budgets.Number(100*math.Abs(v), 1)+" %", v) }
func points(v float64) string { return signed(budgets.Number(100*math.Abs(v), 1)+" points", v) }
