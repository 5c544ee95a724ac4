package fit

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
)

// Accuracy is how far off predictions are for published measurements of one phase, by
// the same kernels on the same family of hardware: the mean absolute errors as shares.
type Accuracy struct {
	Rows     int
	Own      int      // of them on the same GPU
	InSample float64  // by the built-in constants, which were fitted on these rows among others
	LeftOut  float64  // by constants that were fitted without any row of the same GPU
	Engines  []string // families that were measured, sorted
	Unlike   []string // what is asked for and none of the measurements has, in words: "a mixture of experts"
}

// accuraciesCSV has the errors of every published row. It is made by TestAccuracyTable
// from what Validate and Cross give, which would take too long to be done again for each
// prediction.
//
//go:embed accuracy.csv
var accuraciesCSV string

var accuracyColumns = []string{"id", "in_sample", "gpu_left_out"}

// known is a published measurement with the errors of its predictions.
type known struct {
	row           Row
	deployment    roofline.Deployment
	uses          []string // names of the constants behind its prediction
	inSample, out float64  // predicted over measured, less one
}

var allKnown = sync.OnceValue(func() []known {
	errs, err := readAccuracies(accuraciesCSV)
	if err != nil {
		panic("fit: accuracy.csv: " + err.Error())
	}
	var all []known
	for _, r := range Published() {
		d, err := r.Deployment(catalog.Builtin())
		if err != nil {
			panic(err)
		}
		all = append(all, known{r, d, roofline.Uses(d), errs[r.ID][0], errs[r.ID][1]})
	}
	return all
})

// readAccuracies returns both errors of each row, by its id.
func readAccuracies(text string) (map[string][2]float64, error) {
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 || !slices.Equal(lines[0], accuracyColumns) {
		return nil, fmt.Errorf("the header is not %s", strings.Join(accuracyColumns, ","))
	}
	table := map[string][2]float64{}
	for i, cells := range lines[1:] {
		in, err1 := strconv.ParseFloat(cells[1], 64)
		out, err2 := strconv.ParseFloat(cells[2], 64)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		table[cells[0]] = [2]float64{in, out}
	}
	return table, nil
}

// Asked is what is predicted: a prompt of so many tokens, or a step of so many sequences
// that decode with so many tokens before them.
type Asked struct{ Prompt, Sequences, Context int }

// AccuracyOf returns the accuracy for the published measurements that come nearest to a
// prediction: of the same phase, the same kernels and the same family of hardware. Rows is
// 0 when there is no such measurement.
func AccuracyOf(phase Phase, d roofline.Deployment, asked Asked) Accuracy {
	near := slices.DeleteFunc(slices.Clone(allKnown()), func(k known) bool {
		return k.row.Phase() != phase || k.deployment.Engine.Kernels != d.Engine.Kernels || k.deployment.Hardware.Family != d.Hardware.Family
	})
	a := accuracyOf(near)
	for _, k := range near {
		if k.deployment.Hardware.Name == d.Hardware.Name {
			a.Own++
		}
	}
	if a.Rows > 0 {
		a.Unlike = append(unlike(near, d), beyond(near, phase, asked)...)
	}
	return a
}

// Figure returns the mean absolute error that holds for what was asked, as a share: over
// measurements of the same GPU by the built-in constants, and where there are none, by
// constants that have not seen the GPU that they are judged by. ok is false where no
// measurement is like it.
func (a Accuracy) Figure() (mean float64, ok bool) {
	switch {
	case a.Rows == 0 || len(a.Unlike) > 0:
		return 0, false
	case a.Own == 0:
		return a.LeftOut, true
	}
	return a.InSample, true
}

// AccuracyOfAll returns the accuracy for all published measurements of a phase.
func AccuracyOfAll(phase Phase) Accuracy {
	return accuracyOf(slices.DeleteFunc(slices.Clone(allKnown()), func(k known) bool { return k.row.Phase() != phase }))
}

func accuracyOf(rows []known) Accuracy {
	a := Accuracy{Rows: len(rows)}
	for _, k := range rows {
		a.InSample += math.Abs(k.inSample) / float64(len(rows))
		a.LeftOut += math.Abs(k.out) / float64(len(rows))
		a.Engines = append(a.Engines, k.deployment.Engine.Name)
	}
	a.Engines = distinct(a.Engines)
	return a
}

// unlike says what a deployment has and none of some measurements.
func unlike(near []known, d roofline.Deployment) (out []string) {
	lacks := func(what string, has func(k known) bool) {
		if !slices.ContainsFunc(near, has) {
			out = append(out, what)
		}
	}
	uses, experts, several := roofline.Uses(d), d.Model.Experts > 0, d.Devices() > 1
	lacks("weights that are multiplied like "+d.Weights.String(), func(k known) bool { return slices.Equal(k.uses, uses) })
	lacks(map[bool]string{true: "a mixture of experts", false: "a dense model"}[experts], func(k known) bool { return k.deployment.Model.Experts > 0 == experts })
	lacks(map[bool]string{true: "several devices", false: "a single device"}[several], func(k known) bool { return k.deployment.GPUs > 1 == several })
	return out
}

// beyond says in what a prediction is of more than any of some measurements.
func beyond(near []known, phase Phase, asked Asked) (out []string) {
	more := func(asked int, of func(Row) int, format string) {
		most := 0
		for _, k := range near {
			most = max(most, of(k.row))
		}
		if asked > most {
			out = append(out, fmt.Sprintf(format, most))
		}
	}
	if phase == Prefill {
		more(asked.Prompt, func(r Row) int { return r.Prompt }, "a prompt of more than %d tokens")
		return out
	}
	more(asked.Sequences, Row.sequences, "a batch of more than %d")
	more(asked.Context, Row.context, "a context of more than %d tokens")
	return out
}
