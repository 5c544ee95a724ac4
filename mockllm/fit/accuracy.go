package fit

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Accuracy is how far predictions are off for published measurements of one kind: the
// mean absolute errors as shares.
type Accuracy struct {
	Rows     int
	InSample float64 // by the built-in constants, which were fitted on these rows among others
	LeftOut  float64 // by constants that were fitted without any row of the same GPU
}

// accuraciesCSV is made by TestAccuracyTable from what Validate and Cross give, which
// would take too long to be done again for each prediction.
//
//go:embed accuracy.csv
var accuraciesCSV string

var accuracyColumns = []string{"engine", "hardware", "rows", "in_sample", "gpu_left_out"}

// accuracyRow is the accuracy of the rows of a family of engines on a family of
// hardware.
type accuracyRow struct {
	engine, hardware string
	accuracy         Accuracy
}

var accuracies = sync.OnceValue(func() []accuracyRow {
	table, err := readAccuracies(accuraciesCSV)
	if err != nil {
		panic("fit: accuracy.csv: " + err.Error())
	}
	return table
})

func readAccuracies(text string) ([]accuracyRow, error) {
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 || !slices.Equal(lines[0], accuracyColumns) {
		return nil, fmt.Errorf("the header is not %s", strings.Join(accuracyColumns, ","))
	}
	var table []accuracyRow
	for i, cells := range lines[1:] {
		rows, err1 := strconv.Atoi(cells[2])
		in, err2 := strconv.ParseFloat(cells[3], 64)
		out, err3 := strconv.ParseFloat(cells[4], 64)
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		table = append(table, accuracyRow{cells[0], cells[1], Accuracy{rows, in, out}})
	}
	return table, nil
}

// AccuracyOf returns the accuracy for the published measurements of a family of engines
// on a family of hardware, as the catalogue names them; "" stands for all of them.
// Rows is 0 when there is none.
func AccuracyOf(engine, hardware string) Accuracy {
	var all Accuracy
	for _, r := range accuracies() {
		if engine != "" && r.engine != engine || hardware != "" && r.hardware != hardware {
			continue
		}
		n := float64(r.accuracy.Rows)
		all.Rows += r.accuracy.Rows
		all.InSample += n * r.accuracy.InSample
		all.LeftOut += n * r.accuracy.LeftOut
	}
	if all.Rows > 0 {
		all.InSample /= float64(all.Rows)
		all.LeftOut /= float64(all.Rows)
	}
	return all
}
