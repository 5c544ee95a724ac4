package recording

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// columns are those of a table, in the order in which they are written; the first so
// many must be there.
var columns = []string{"t_ms", "doc", "offset", "delete", "insert", "cursor", "kind", "truth"}

const needed = 6

// readTable reads a table in CSV.
func readTable(r *reading, data []byte) error {
	file := csv.NewReader(bytes.NewReader(data))
	header, err := file.Read()
	if err != nil {
		return cellError(err)
	}
	if !slices.Contains(header, columns[0]) {
		return &placed{1, 1, fmt.Errorf("this is no recording: want JSON, or a table with the header line %s; found %.80q", strings.Join(columns[:needed], ","), strings.Join(header, ","))}
	}
	t := table{reading: r, file: file, column: map[string]int{}, documents: map[string]int{}}
	if err := t.readHeader(header); err != nil {
		return err
	}
	for {
		row, err := file.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return cellError(err)
		}
		if err := t.take(row); err != nil {
			return err
		}
	}
}

// cellError places what the CSV reader says.
func cellError(err error) error {
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		return &placed{wrong.Line, wrong.Column, wrong.Err}
	}
	return err
}

// table is a table while it is read.
type table struct {
	*reading
	file      *csv.Reader
	column    map[string]int
	documents map[string]int // their numbers by what stands in doc
	row       []string
}

// readHeader finds the columns.
func (t *table) readHeader(header []string) error {
	for i, name := range header {
		line, column := t.file.FieldPos(i)
		_, twice := t.column[name]
		switch {
		case !slices.Contains(columns, name):
			return &placed{line, column, fmt.Errorf("unknown column %q, want %s", name, strings.Join(columns, ", "))}
		case twice:
			return &placed{line, column, fmt.Errorf("column %s is given twice", name)}
		}
		t.column[name] = i
	}
	for _, name := range columns[:needed] {
		if _, ok := t.column[name]; !ok {
			return &placed{1, 1, fmt.Errorf("column %s is missing: want the header line %s", name, strings.Join(columns[:needed], ","))}
		}
	}
	return nil
}

// cell returns what stands in a column of the row in hand, "" where there is none.
func (t *table) cell(name string) string {
	if i, ok := t.column[name]; ok {
		return t.row[i]
	}
	return ""
}

// wrong places an error at a cell of the row in hand.
func (t *table) wrong(name string, err error) error {
	line, column := t.file.FieldPos(t.column[name])
	return &placed{line, column, fmt.Errorf("%s: %w", name, err)}
}

// number returns the whole number of a cell, 0 where it is empty.
func (t *table) number(name string) (int, error) {
	text := t.cell(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 2*MaxBytes {
		return 0, t.wrong(name, fmt.Errorf("found %q, want a whole number from 0 on", text))
	}
	return n, nil
}

// take takes a row.
func (t *table) take(row []string) error {
	t.row = row
	at, err := parseInstant(t.cell("t_ms"))
	if err != nil {
		return t.wrong("t_ms", err)
	}
	from, err := t.number("offset")
	if err != nil {
		return err
	}
	deleted, err := t.number("delete")
	if err != nil {
		return err
	}
	id, err := t.document()
	if err != nil {
		return err
	}
	l := &line{T: &at, Doc: &id, K: t.cell("kind"), Edit: []part{{from, from + deleted, t.cell("insert")}}}
	if t.cell("cursor") != "" {
		cursor, err := t.number("cursor")
		if err != nil {
			return err
		}
		l.Cursor = &cursor
	}
	if err := t.complete(l); err != nil {
		return err
	}
	if err := t.do(l); err != nil {
		line, column := t.file.FieldPos(0)
		return &placed{line, column, err}
	}
	return nil
}

// document returns the number of the document of the row: the one that stands there, or
// one more than there are of those that are named.
func (t *table) document() (int, error) {
	name := t.cell("doc")
	if id, ok := t.documents[name]; ok {
		return id, nil
	}
	id, err := strconv.Atoi(name)
	if err != nil || id < 0 {
		id = len(t.documents) + 1
	}
	if t.byID[id] != nil {
		return 0, t.wrong("doc", fmt.Errorf("%q would be document %d, which is another one here: want names, or numbers", name, id))
	}
	t.documents[name] = id
	return id, nil
}

// complete says what the row does.
func (t *table) complete(l *line) error {
	d, p := t.byID[*l.Doc], l.Edit[0]
	switch {
	case d == nil || l.K == "open":
		if p.end > 0 || l.K != "open" && l.K != "" {
			return t.wrong("offset", errors.New("the first row of a document is its text: want offset and delete 0"))
		}
		*l = line{Ev: "content", T: l.T, Doc: l.Doc, Path: t.cell("doc"), Text: &p.text, Cursor: l.Cursor}
	case p.start == p.end && p.text == "" && l.K == "":
		if l.Cursor == nil {
			return t.wrong("cursor", errors.New("a row that neither deletes nor inserts moves the cursor: want where to"))
		}
		*l = line{Ev: "sel", T: l.T, Doc: l.Doc, Sel: [][2]int{{*l.Cursor, *l.Cursor}}}
		d.edited = false // the cursor of an edit stands in its own row
		t.follow(l)
	default:
		return t.edit(l, d)
	}
	return nil
}

// edit completes a row that edits.
func (t *table) edit(l *line, d *recording) (err error) {
	if l.Ev = "edit"; l.K == "" {
		if l.K, err = d.kindOf(l.Edit); err != nil {
			return t.wrong("offset", err)
		}
	}
	t.follow(l)
	return nil
}

// follow takes what really follows the row, where the table says it.
func (t *table) follow(l *line) {
	if _, ok := t.column["truth"]; ok {
		truth := t.cell("truth")
		l.Truth = &truth
	}
}
