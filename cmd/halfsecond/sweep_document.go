package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"halfsecond/budgets"
	"halfsecond/pipeline/quantile"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/study"
)

// sweepDocument is a sweep as JSON. Durations are in ms, shares 0 to 1, what is unknown
// is null.
type sweepDocument struct {
	SweepVersion int          `json:"sweep_version"` // of this document, 1
	Scenario     string       `json:"scenario"`
	ScenarioHash string       `json:"scenario_hash"`
	Target       string       `json:"target"`
	Seed         uint64       `json:"seed"`
	N            int          `json:"n"` // interactions of a run; more where users have to have five each
	Repeats      int          `json:"repeats"`
	Version      string       `json:"version"`
	Budgets      []string     `json:"budgets"`
	LoadUnit     string       `json:"load_unit"` // "/s" or "users"
	Metric       string       `json:"metric"`    // the one that the budgets limit
	MetricUnit   string       `json:"metric_unit"`
	Limit        *string      `json:"limit"` // what counts for goodput has to keep
	Knee         *kneeDoc     `json:"knee"`  // null unless it was looked for
	Levels       []sweepLevel `json:"levels"`
	Runs         int          `json:"runs"`
	Collapsed    *string      `json:"collapsed"`  // where and why no higher load was tried
	Unfinished   *string      `json:"unfinished"` // why the sweep ended early
	Summary      string       `json:"summary"`

	unit budgets.Unit
	edge study.Knee
	// near says that no load was left to try between them, and bounded that no lower one than
	// the first was to be tried.
	near, bounded bool
}

// kneeDoc is between which loads the highest one inside lies.
type kneeDoc struct {
	Low        *float64 `json:"low"`  // inside in every run, with all below; null for none
	High       *float64 `json:"high"` // outside in every run, with all above; null for none
	Resolution float64  `json:"resolution"`
}

// sweepLevel is one load, over its runs together.
type sweepLevel struct {
	Load     float64    `json:"load"`
	Standing string     `json:"standing"` // "inside", "outside" or "unsure"
	Reason   *string    `json:"reason"`   // why it is unsure
	Offered  *float64   `json:"offered"`  // interactions a second that were due, mean of the runs
	Achieved *float64   `json:"achieved"` // that ended ok
	P50      *float64   `json:"p50"`      // of the metric
	P95      *float64   `json:"p95"`
	P95Low   *float64   `json:"p95_low"` // that of the run with the smallest
	P95High  *float64   `json:"p95_high"`
	Good     *float64   `json:"good_share"`
	OK       *float64   `json:"ok_share"`
	Failed   int        `json:"failed"`      // interactions that did not end ok
	Why      *string    `json:"most_failed"` // the reason that most of them have
	Runs     []sweepRun `json:"runs"`

	Others []sweepBudget `json:"other_budgets,omitempty"`

	kept int  // interactions of all runs
	cut  bool // the last of the runs did not finish
}

type sweepRun struct {
	Seed     uint64          `json:"seed"`
	Verdict  budgets.Verdict `json:"verdict"`
	Kept     int             `json:"kept"`     // interactions of the report
	Start    *int            `json:"start_up"` // interactions cut at the beginning; null where none was looked for
	Tail     *int            `json:"tail"`     // and at the end
	Steady   *string         `json:"steady"`   // "steady", "unsteady" or "too short"; null as above
	Offered  *float64        `json:"offered"`
	Achieved *float64        `json:"achieved"`
	P50      *float64        `json:"p50"`
	P95      *float64        `json:"p95"`
	Good     *float64        `json:"good_share"`
	OK       *float64        `json:"ok_share"`
}

func newSweepDocument(s *scenario.Scenario, set study.SweepSettings, w *study.Swept) *sweepDocument {
	d := &sweepDocument{
		SweepVersion: 1, Scenario: s.Name, ScenarioHash: s.Hash(), Target: set.Target, Seed: set.Seed, N: set.N, Repeats: set.Repeats,
		Version: set.Version, Budgets: []string{}, LoadUnit: w.Unit, Levels: []sweepLevel{}, Runs: w.Runs,
		Collapsed: textOf(w.Collapsed), Unfinished: textOf(w.Ended), edge: w.Knee, near: w.Near, bounded: set.Bounded,
	}
	for _, b := range s.Budgets {
		d.Budgets = append(d.Budgets, b.Expression)
	}
	for i := range w.Levels {
		for j := range w.Levels[i].Points {
			d.measures(&w.Levels[i].Points[j])
		}
	}
	for i := range w.Levels {
		d.Levels = append(d.Levels, d.level(&w.Levels[i]))
	}
	if set.FindKnee {
		d.Knee = &kneeDoc{Low: above0(w.Knee.Low), High: above0(w.Knee.High), Resolution: set.Resolution}
	}
	d.Summary = d.sentence(w)
	return d
}

// measures takes from a run which metric is measured.
func (d *sweepDocument) measures(p *study.Point) {
	d.Metric, d.unit = p.Pool.Metric.Name, p.Pool.Metric.Unit
	d.MetricUnit = d.unit.String()
	if p.Limited {
		d.Limit = textOf(d.Metric + " " + p.Limit.String())
	}
}

func (d *sweepDocument) level(l *study.Level) sweepLevel {
	out := sweepLevel{Load: l.Load, Standing: l.Standing.String(), Runs: []sweepRun{}, Others: d.otherBudgets(l)}
	var values, offered, achieved, ok []float64
	good, of, lows := 0, 0, []float64{}
	for i := range l.Points {
		p := &l.Points[i]
		r := d.run(p)
		out.Runs = append(out.Runs, r)
		out.kept += p.Kept
		values = append(values, p.Pool.Values...)
		good, of = good+p.Good(), of+p.Pool.Population
		offered, achieved, ok = append(offered, p.Offered), append(achieved, p.Achieved), append(ok, p.OK)
		if r.P95 != nil {
			lows = append(lows, *r.P95)
		}
	}
	slices.Sort(values)
	pool := budgets.Pool{Metric: l.Points[0].Pool.Metric, Values: values}
	out.P50, out.P95 = d.percentile(&pool, quantile.P50), d.percentile(&pool, quantile.P95)
	if len(lows) > 0 {
		low, high := slices.Min(lows), slices.Max(lows)
		out.P95Low, out.P95High = &low, &high
	}
	out.Offered, out.Achieved, out.OK = meanOf(offered), meanOf(achieved), meanOf(ok)
	out.Good = goodShare(d.Limit != nil, good, of)
	out.fail(failuresOf(l))
	if l.Standing == study.Unsure {
		out.Reason = textOf(unsure(l))
	}
	out.cut = l.Cut
	return out
}

func (d *sweepDocument) run(p *study.Point) sweepRun {
	r := sweepRun{
		Seed: p.Seed, Verdict: p.Verdict, Kept: p.Kept, Offered: meanOf([]float64{p.Offered}), Achieved: meanOf([]float64{p.Achieved}),
		P50: d.percentile(&p.Pool, quantile.P50), P95: d.percentile(&p.Pool, quantile.P95),
		Good: goodShare(p.Limited, p.Good(), p.Pool.Population), OK: meanOf([]float64{p.OK}),
	}
	if s := p.StartUp; s != nil {
		r.Start, r.Tail, r.Steady = &s.Cut, &s.Tail, textOf(s.Verdict.String())
	}
	return r
}

func (d *sweepDocument) percentile(p *budgets.Pool, q quantile.Q) *float64 {
	v, ok := p.Quantile(q)
	if !ok {
		return nil
	}
	v = p.Metric.Unit.Reported(v)
	return &v
}

// meanOf returns the mean of the values; nil where one is not known.
func meanOf(values []float64) *float64 {
	m, ok := quantile.Mean(values)
	if !ok || math.IsNaN(m) {
		return nil
	}
	return &m
}

func goodShare(limited bool, good, of int) *float64 {
	if !limited || of == 0 {
		return nil
	}
	v := float64(good) / float64(of)
	return &v
}

func above0(v float64) *float64 {
	if v == 0 {
		return nil
	}
	return &v
}

// textOf returns nil for an empty text.
func textOf(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// unsure says why a load is neither inside nor outside.
func unsure(l *study.Level) string {
	counts, why := map[budgets.Verdict]int{}, ""
	for i := range l.Points {
		p := &l.Points[i]
		if counts[p.Verdict]++; p.Verdict == budgets.Unmeasured && why == "" {
			why = unjudged(p)
		}
	}
	text := fmt.Sprintf("of %s %d passed, %d failed", counted(len(l.Points), "run"), counts[budgets.Pass], counts[budgets.Fail])
	if n := counts[budgets.Unmeasured]; n > 0 {
		text += fmt.Sprintf(", %d cannot be judged: %s", n, why)
	}
	if l.Cut {
		text += "; the last of them did not finish"
	}
	return text
}

// unjudged says why a run cannot be judged.
func unjudged(p *study.Point) string {
	if p.Unfit != "" {
		return p.Unfit
	}
	for i := range p.Judgements {
		if j := &p.Judgements[i]; j.Verdict == budgets.Unmeasured {
			return j.Budget.Name() + " " + j.Reason
		}
	}
	return ""
}

// err turns a sweep that found nothing inside, or did not finish, into an exit code.
func (d *sweepDocument) err() error {
	inside := func(l sweepLevel) bool { return l.Standing == study.Inside.String() }
	outside := func(l sweepLevel) bool { return l.Standing == study.Outside.String() }
	switch {
	case d.Unfinished != nil:
		return &exitError{exitUnmeasured, fmt.Errorf("the sweep did not finish (%s): the report is of %s", *d.Unfinished, counted(d.Runs, "run"))}
	case slices.ContainsFunc(d.Levels, inside):
		return nil
	case slices.ContainsFunc(d.Levels, outside):
		return &exitError{code: exitFailed}
	}
	return &exitError{exitUnmeasured, errors.New("no load could be judged: the report says why")}
}

// csv writes a row for each run.
func (d *sweepDocument) csv(w io.Writer) error {
	c := csv.NewWriter(w)
	unit := d.unit.String()
	rows := [][]string{{
		"load", "load_unit", "standing", "run", "seed", "verdict", "offered_per_s", "achieved_per_s",
		"metric", "p50_" + unit, "p95_" + unit, "good_share", "ok_share", "kept", "start_up", "tail", "steady", "unfinished",
	}}
	for _, l := range d.Levels {
		for i, r := range l.Runs {
			unfinished := ""
			if l.cut && i == len(l.Runs)-1 {
				unfinished = orEmpty(d.Unfinished)
			}
			rows = append(rows, []string{
				digitsOf(&l.Load), d.LoadUnit, l.Standing, strconv.Itoa(i + 1), strconv.FormatUint(r.Seed, 10), r.Verdict.String(),
				digitsOf(r.Offered), digitsOf(r.Achieved), d.Metric, digitsOf(r.P50), digitsOf(r.P95), digitsOf(r.Good), digitsOf(r.OK),
				strconv.Itoa(r.Kept), wholeOf(r.Start), wholeOf(r.Tail), either(r.Steady != nil, orEmpty(r.Steady), ""), unfinished,
			})
		}
	}
	if err := c.WriteAll(rows); err != nil {
		return fmt.Errorf("write sweep: %w", err)
	}
	return nil
}

// digitsOf returns every digit of a number, nothing of an unknown one.
func digitsOf(v *float64) string {
	if v == nil {
		return ""
	}
	return budgets.Exact(*v)
}

func wholeOf(v *int) string {
	if v == nil {
		return ""
	}
	return strconv.Itoa(*v)
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
