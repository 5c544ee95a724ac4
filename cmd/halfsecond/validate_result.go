package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"halfsecond/mockllm/fit"
)

// validation is predictions beside measurements.
type validation struct {
	file    string
	builtIn bool   // the file holds the built-in rows
	cross   string // what was left out one at a time: "gpu", "model" or ""
	result  fit.Result
	// inSample is of the same rows predicted by constants that were fitted on all of
	// them, when something was left out.
	inSample *fit.Summary
}

// show prints a validation in the format that was asked for.
func (v *validation) show(p *program, worst int) error {
	switch p.Format {
	case "json":
		return writeJSON(p.out, v.document())
	case "csv":
		return v.writeCSV(p.out)
	default:
		return v.writeTable(p, worst)
	}
}

// keys are what rows are grouped by.
var keys = []struct {
	name string
	of   func(fit.Judged) string
}{
	{"engine", func(j fit.Judged) string { return j.Row.Engine }},
	{"engine_family", func(j fit.Judged) string { return j.Family }},
	{"gpu", func(j fit.Judged) string { return j.Row.GPU }},
	{"model", func(j fit.Judged) string { return j.Row.Model }},
	{"metric", func(j fit.Judged) string { return string(j.Row.Metric) }},
	{"source", func(j fit.Judged) string { return j.Row.Source }},
	{"constants", constantsOf},
}

// constantsOf says what the constants behind a prediction rest on.
func constantsOf(j fit.Judged) string { return either(j.Pooled, "pooled", "told") }

// validationJSON is a validation as a document. Errors are shares: predicted over
// measured, less one. What is unknown is null.
type validationJSON struct {
	File    string  `json:"file"`
	BuiltIn bool    `json:"built_in"`
	Cross   *string `json:"cross"`    // "gpu" or "model", left out one at a time
	LeftOut *int    `json:"left_out"` // how many were

	summaryJSON
	Seen          int          `json:"seen"`           // rows that the constants were fitted on
	FittedNumbers int          `json:"fitted_numbers"` // on the rows, or those built in
	InSample      *summaryJSON `json:"in_sample"`      // the same rows by constants fitted on all of them

	By          map[string]map[string]summaryJSON `json:"by"`
	Rows        []judgedJSON                      `json:"rows"`
	SkippedRows int                               `json:"skipped_rows"`
	Skipped     []skippedJSON                     `json:"skipped"`
}

type summaryJSON struct {
	N         int      `json:"n"`
	MeanAPE   *float64 `json:"mean_ape"`
	MedianAPE *float64 `json:"median_ape"`
	P90APE    *float64 `json:"p90_ape"`
	Bias      *float64 `json:"bias"`
	Pooled    int      `json:"pooled"`
}

func newSummaryJSON(s fit.Summary) summaryJSON {
	return summaryJSON{s.N, number(s.MeanAPE), number(s.MedianAPE), number(s.P90APE), number(s.Bias), s.Pooled}
}

// rowJSON is what a row says.
type rowJSON struct {
	ID           string   `json:"id"`
	Line         int      `json:"line"`
	Source       string   `json:"source"`
	Engine       string   `json:"engine"`
	Model        string   `json:"model"`
	WeightFormat string   `json:"weight_format"`
	Bits         *float64 `json:"bits_per_weight"`
	GPU          string   `json:"gpu"`
	GPUs         int      `json:"n_gpu"`
	Parallelism  string   `json:"parallelism"`
	Prompt       *int     `json:"prompt_tokens"`
	Generated    *int     `json:"gen_tokens_or_context"`
	Batch        *int     `json:"batch"`
	Metric       string   `json:"metric"`
	Unit         string   `json:"unit"`
	Measured     float64  `json:"measured"`
	Note         string   `json:"note"`
}

func newRowJSON(r fit.Row) rowJSON {
	stated := func(n int) *int { return known(n, fit.Unstated) }
	return rowJSON{
		r.ID, r.Line, r.Source, r.Engine, r.Model, r.WeightFormat, known(r.Bits, 0), r.GPU, r.GPUs, r.Parallelism,
		stated(r.Prompt), stated(r.Generated), stated(r.Batch), string(r.Metric), r.Metric.Unit(), r.Value, r.Note,
	}
}

type judgedJSON struct {
	rowJSON
	Family    string  `json:"engine_family"`
	Predicted float64 `json:"predicted"`
	Error     float64 `json:"error"`
	Seen      bool    `json:"seen"`
	Pooled    bool    `json:"pooled"`
}

type skippedJSON struct {
	rowJSON
	Reason string `json:"reason"`
}

func (v *validation) document() validationJSON {
	d := validationJSON{
		File: v.file, BuiltIn: v.builtIn, Cross: known(v.cross, ""), LeftOut: known(v.result.Groups, 0),
		summaryJSON: newSummaryJSON(fit.Summarise(v.result.Rows)), Seen: v.seen(), FittedNumbers: v.result.Fitted,
		By: map[string]map[string]summaryJSON{}, Rows: []judgedJSON{},
		SkippedRows: len(v.result.Skipped), Skipped: []skippedJSON{},
	}
	if v.inSample != nil {
		s := newSummaryJSON(*v.inSample)
		d.InSample = &s
	}
	for _, k := range keys {
		d.By[k.name] = map[string]summaryJSON{}
		for name, s := range fit.By(v.result.Rows, k.of) {
			d.By[k.name][name] = newSummaryJSON(s)
		}
	}
	for _, j := range v.result.Rows {
		d.Rows = append(d.Rows, judgedJSON{newRowJSON(j.Row), j.Family, j.Predicted, j.Error(), j.Seen, j.Pooled})
	}
	for _, s := range v.result.Skipped {
		d.Skipped = append(d.Skipped, skippedJSON{newRowJSON(s.Row), reason(s)})
	}
	return d
}

// seen returns how many rows are among those that the constants were fitted on.
func (v *validation) seen() int {
	n := 0
	for _, j := range v.result.Rows {
		if j.Seen {
			n++
		}
	}
	return n
}

// reason returns why a row was skipped, in one line.
func reason(s fit.Skipped) string { return strings.ReplaceAll(s.Reason.Error(), "\n", "; ") }

// csvColumns are those of a file of measurements with what was predicted beside them.
var csvColumns = []string{
	"id", "source", "engine", "engine_family", "model", "weight_format", "bits_per_weight", "gpu", "n_gpu", "parallelism", "prompt_tokens",
	"gen_tokens_or_context", "batch", "metric", "unit", "measured", "predicted", "error", "seen", "pooled", "skipped",
}

// writeCSV writes a line a row in the order of the file. Of a row that was skipped,
// the last column says why.
func (v *validation) writeCSV(w io.Writer) error {
	lines := map[int][]string{}
	for _, j := range v.result.Rows {
		lines[j.Row.Line] = record(j.Row, j.Family, exact(j.Predicted), exact(j.Error()), strconv.FormatBool(j.Seen), strconv.FormatBool(j.Pooled), "")
	}
	for _, s := range v.result.Skipped {
		lines[s.Row.Line] = record(s.Row, "", "", "", "", "", reason(s))
	}
	out := csv.NewWriter(w)
	rows := [][]string{csvColumns}
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		rows = append(rows, lines[line])
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("write validation: %w", err)
	}
	return nil
}

// record returns the cells of a row, with those of its prediction after them.
func record(r fit.Row, family string, prediction ...string) []string {
	stated := func(n int) string { return either(n == fit.Unstated, "", strconv.Itoa(n)) }
	return append([]string{
		r.ID, r.Source, r.Engine, family, r.Model, r.WeightFormat, either(r.Bits == 0, "", exact(r.Bits)), r.GPU, strconv.Itoa(r.GPUs), r.Parallelism,
		stated(r.Prompt), stated(r.Generated), stated(r.Batch), string(r.Metric), r.Metric.Unit(), exact(r.Value),
	}, prediction...)
}

// exact writes a number with as many digits as it takes to read it back.
func exact(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
