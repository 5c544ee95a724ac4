package fit

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// column is a column that a file can have, and whether it must.
type column struct {
	name     string
	required bool
}

func names(columns []column) []string {
	var out []string
	for _, c := range columns {
		out = append(out, c.name)
	}
	return out
}

// readTable reads a file in CSV whose first line names its columns, in any order, and
// each further line is one of what the file holds. The error reports what is wrong, each
// with its line: the first mostErrors, and how many there are beside.
func readTable[T any](name string, file io.Reader, what string, columns []column, parse func(*rowParser) T) ([]T, error) {
	c := csv.NewReader(file)
	c.FieldsPerRecord = -1
	header, err := c.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: no header: want a first line with %s", name, strings.Join(names(columns), ","))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := checkHeader(name, header, columns); err != nil {
		return nil, err
	}
	var out []T
	var errs []error
	for {
		cells, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errors.Join(append(errs, fmt.Errorf("%s: %w", name, err))...)
		}
		line, _ := c.FieldPos(0)
		p := &rowParser{file: name, line: line, header: header, cells: cells}
		out = append(out, parse(p))
		errs = append(errs, p.errs...)
	}
	if len(out) == 0 {
		errs = append(errs, fmt.Errorf("%s: no %s below the header", name, what))
	}
	if more := len(errs) - mostErrors; more > 0 {
		errs = append(errs[:mostErrors], fmt.Errorf("%s: and %s more", name, counted(more, "error")))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return out, nil
}

// mostErrors is how many errors of a file are listed.
const mostErrors = 10

func checkHeader(name string, header []string, columns []column) error {
	var errs []error
	fail := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s:1: %s", name, fmt.Sprintf(format, args...)))
	}
	known := names(columns)
	for i, h := range header {
		header[i] = strings.TrimSpace(strings.TrimPrefix(h, "\ufeff"))
		if !slices.Contains(known, header[i]) {
			fail("unknown column %q: want some of %s", header[i], strings.Join(known, ", "))
		}
		if slices.Contains(header[:i], header[i]) {
			fail("column %s is there twice", header[i])
		}
	}
	for _, c := range columns {
		if c.required && !slices.Contains(header, c.name) {
			fail("column %s is missing", c.name)
		}
	}
	return errors.Join(errs...)
}
