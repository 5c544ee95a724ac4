package fit

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
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
	text, err := plainText(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c := csv.NewReader(bytes.NewReader(text))
	c.FieldsPerRecord = -1
	header, err := readHeader(c, name, columns)
	if err != nil {
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
			return nil, errors.Join(append(few(name, errs), fmt.Errorf("%s: %w", name, err))...)
		}
		line, _ := c.FieldPos(0)
		p := &rowParser{file: name, line: line, header: header, cells: cells}
		out = append(out, parse(p))
		errs = append(errs, p.errs...)
	}
	if len(out) == 0 {
		errs = append(errs, fmt.Errorf("%s: no %s below the header", name, what))
	}
	if len(errs) > 0 {
		return nil, errors.Join(few(name, errs)...)
	}
	return out, nil
}

// plainText returns what a file holds, without the mark of its encoding, if that is text
// in lines.
func plainText(file io.Reader) ([]byte, error) {
	text, err := io.ReadAll(file)
	switch text = bytes.TrimPrefix(text, []byte("\ufeff")); {
	case err != nil:
		return nil, err
	case !utf8.Valid(text):
		return nil, errors.New("not text in UTF-8: want CSV in that")
	case bytes.ContainsRune(text, '\r') && !bytes.ContainsRune(text, '\n'):
		return nil, errors.New("lines end in carriage returns alone: want line feeds")
	}
	return text, nil
}

// mostErrors is how many errors of a file are listed.
const mostErrors = 10

// few returns the first errors of a file, and how many there are beside.
func few(name string, errs []error) []error {
	if more := len(errs) - mostErrors; more > 0 {
		return append(errs[:mostErrors:mostErrors], fmt.Errorf("%s: and %s more", name, counted(more, "error")))
	}
	return errs
}

// readHeader reads the names of the columns.
func readHeader(c *csv.Reader, name string, columns []column) ([]string, error) {
	header, err := c.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: no header: want a first line with %s", name, strings.Join(names(columns), ","))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
	}
	return header, checkHeader(name, header, columns)
}

func checkHeader(name string, header []string, columns []column) error {
	if len(header) == 1 && strings.ContainsAny(header[0], ";\t") {
		return fmt.Errorf("%s:1: the columns are not divided by commas", name)
	}
	var missing, unknown, twice []string
	for _, c := range columns {
		if c.required && !slices.Contains(header, c.name) {
			missing = append(missing, c.name)
		}
	}
	for i, h := range header {
		switch {
		case slices.Contains(header[:i], h):
			twice = append(twice, fmt.Sprintf("%q", h))
		case !slices.Contains(names(columns), h):
			unknown = append(unknown, fmt.Sprintf("%q", h))
		}
	}
	var errs []error
	fail := func(what string, list []string, want string) {
		if len(list) > 0 {
			errs = append(errs, fmt.Errorf("%s:1: %s: %s%s", name, what, strings.Join(list, ", "), want))
		}
	}
	fail("missing columns", missing, "")
	fail("unknown columns", unknown, "; want some of "+strings.Join(names(columns), ", "))
	fail("twice there", twice, "")
	return errors.Join(errs...)
}
