package catalog

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// table describes one kind of row: its columns, and how a row is made of cells.
type table[T any] struct {
	kind    string
	columns []string
	parse   func(*record) T
}

// read parses an embedded CSV file, whose header must be exactly the columns. All
// problems are reported at once.
func (t table[T]) read(file, text string) ([]T, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = len(t.columns)
	header, err := r.Read()
	if err != nil || !slices.Equal(header, t.columns) {
		return nil, fmt.Errorf("read %s: the header is not %s", file, strings.Join(t.columns, ","))
	}
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	var rows []T
	var errs []error
	for i, cells := range lines {
		rec := &record{file: file, line: i + 2, header: header, cells: cells}
		rows = append(rows, t.parse(rec))
		errs = append(errs, rec.errs...)
	}
	return rows, errors.Join(errs...)
}

// mustRead is read for the embedded files, where a malformed cell is a mistake of
// ours.
func (t table[T]) mustRead(file, text string) []T {
	rows, err := t.read(file, text)
	if err != nil {
		panic(err)
	}
	return rows
}

// record is one line of a table; its methods collect what is wrong with it.
type record struct {
	file   string
	line   int
	user   bool // a user's row, which may leave out what only tells where figures come from
	header []string
	cells  []string
	errs   []error
}

// has reports whether the table has that column.
func (r *record) has(column string) bool { return slices.Contains(r.header, column) }

// text returns a cell that may be empty, as a column that is not there is.
func (r *record) text(column string) string {
	if i := slices.Index(r.header, column); i >= 0 {
		return r.cells[i]
	}
	return ""
}

// required returns a cell that must not be empty.
func (r *record) required(column string) string {
	s := r.text(column)
	if s == "" {
		r.bad(column, s, "must not be empty")
	}
	return s
}

// stated returns a cell that must not be empty, or may be in a user's row, where it
// is then the given text.
func (r *record) stated(column, otherwise string) string {
	if s := r.text(column); s != "" || !r.user {
		return r.required(column)
	}
	return otherwise
}

// oneOf returns a cell that must be one of the given words.
func (r *record) oneOf(column string, words ...string) string {
	s := r.text(column)
	if !slices.Contains(words, s) {
		r.bad(column, s, "want one of "+strings.Join(words, ", "))
	}
	return s
}

// oneOfOr returns a cell that must be one of the given words, or may be empty in a
// user's row, where it is then the first one.
func (r *record) oneOfOr(column, otherwise string, words ...string) string {
	if r.user && r.text(column) == "" {
		return otherwise
	}
	return r.oneOf(column, words...)
}

// MostRate is the largest rate of a device, in GB or in 10^12 operations a second:
// several times that of a whole wafer, and less than any device's in single ones.
const MostRate = 100_000_000

// number returns a cell that is empty, and then 0, or a positive number, of at most
// MostRate.
func (r *record) number(column string) float64 {
	s := r.text(column)
	if s == "" {
		return 0
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v > 0 && v <= MostRate) {
		r.bad(column, s, fmt.Sprintf("want a number above 0 and at most %d, in the unit that the column's name says", MostRate))
		return 0
	}
	return v
}

// mostCount is larger than any count of a device, a model or an engine.
const mostCount = 100_000_000

// count returns a cell that is empty, and then 0, or a positive whole number.
func (r *record) count(column string) int {
	s := r.text(column)
	if s == "" {
		return 0
	}
	v, err := strconv.Atoi(s)
	if err != nil || v <= 0 || v > mostCount {
		r.bad(column, s, fmt.Sprintf("want a whole number above 0 and at most %d", mostCount))
		return 0
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

// countOr returns a cell that must be a positive whole number, or may be empty in a
// user's row, where it is then the given one.
func (r *record) countOr(column string, otherwise int) int {
	if r.text(column) == "" && r.user {
		return otherwise
	}
	return r.requiredCount(column)
}

// flag returns a cell that is 0 or 1; in a user's row it may be empty, which is 0.
func (r *record) flag(column string) bool {
	if r.text(column) == "" && r.user {
		return false
	}
	return r.oneOf(column, "0", "1") == "1"
}

func (r *record) bad(column, value, want string) {
	r.fail("%s %q: %s", column, value, want)
}

func (r *record) fail(format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("%s:%d: %s", r.file, r.line, fmt.Sprintf(format, args...)))
}

// unverified reports whether a source note says that a figure was written from
// memory and still has to be found in a source.
func unverified(source string) bool {
	return strings.Contains(source, "verify") || strings.Contains(source, "from memory")
}
