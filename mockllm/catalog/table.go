package catalog

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// readTable parses an embedded CSV file whose header must be exactly the given
// columns and turns each line into a row. All problems are reported at once.
func readTable[T any](name, text string, columns []string, parse func(*record) T) ([]T, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = len(columns)
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(lines) == 0 || !slices.Equal(lines[0], columns) {
		return nil, fmt.Errorf("read %s: the header is not %s", name, strings.Join(columns, ","))
	}
	var rows []T
	var errs []error
	for i, line := range lines[1:] {
		rec := record{columns: columns, cells: line}
		rows = append(rows, parse(&rec))
		for _, err := range rec.errs {
			errs = append(errs, fmt.Errorf("read %s: row %d: %w", name, i+1, err))
		}
	}
	return rows, errors.Join(errs...)
}

// mustRead is readTable for the embedded files, where a malformed cell is a
// mistake of ours.
func mustRead[T any](name, text string, columns []string, parse func(*record) T) []T {
	rows, err := readTable(name, text, columns, parse)
	if err != nil {
		panic(err)
	}
	return rows
}

// record is one line of a table; its methods collect what is wrong with it.
type record struct {
	columns []string
	cells   []string
	errs    []error
}

// text returns a cell that may be empty.
func (r *record) text(column string) string {
	return r.cells[slices.Index(r.columns, column)]
}

// required returns a cell that must not be empty.
func (r *record) required(column string) string {
	s := r.text(column)
	if s == "" {
		r.bad(column, s, "must not be empty")
	}
	return s
}

// oneOf returns a cell that must be one of the given words.
func (r *record) oneOf(column string, words ...string) string {
	s := r.text(column)
	if !slices.Contains(words, s) {
		r.bad(column, s, "want one of "+strings.Join(words, ", "))
	}
	return s
}

// number returns a cell that is empty, and then 0, or a positive number.
func (r *record) number(column string) float64 {
	s := r.text(column)
	if s == "" {
		return 0
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || v <= 0 {
		r.bad(column, s, "want a number above 0")
	}
	return v
}

// count returns a cell that is empty, and then 0, or a positive whole number.
func (r *record) count(column string) int {
	s := r.text(column)
	if s == "" {
		return 0
	}
	v, err := strconv.Atoi(s)
	if err != nil || v <= 0 {
		r.bad(column, s, "want a whole number above 0")
	}
	return v
}

// requiredNumber returns a cell that must be a positive number.
func (r *record) requiredNumber(column string) float64 {
	r.required(column)
	return r.number(column)
}

// requiredCount returns a cell that must be a positive whole number.
func (r *record) requiredCount(column string) int {
	r.required(column)
	return r.count(column)
}

// flag returns a cell that is 0 or 1.
func (r *record) flag(column string) bool { return r.oneOf(column, "0", "1") == "1" }

func (r *record) bad(column, value, want string) {
	r.errs = append(r.errs, fmt.Errorf("%s %q: %s", column, value, want))
}

// unverified reports whether a source note says that a figure was written from
// memory and still has to be found in a source.
func unverified(source string) bool {
	return strings.Contains(source, "verify") || strings.Contains(source, "from memory")
}
