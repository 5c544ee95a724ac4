package catalog

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Catalog finds hardware, models and engines by name: the built-in ones, and those
// of a user's file. It does not change.
type Catalog struct {
	hardware *index[Hardware]
	models   *index[Model]
	engines  *index[Engine]
}

var builtin = sync.OnceValue(func() *Catalog {
	return &Catalog{
		hardware: newIndex("hardware", hardwareTable.mustRead("hardware.csv", hardwareCSV), hardwareNames),
		models:   newIndex("model", modelTable.mustRead("models.csv", modelsCSV), modelNames),
		engines:  newIndex("engine", enginesLike(Engine{}).mustRead("engines.csv", enginesCSV), engineNames),
	}
})

// Builtin returns the catalogue of the built-in tables.
func Builtin() *Catalog { return builtin() }

// Hardware returns the device with that name. Case and punctuation do not matter
// as long as only one device matches. The error is a *NotFoundError.
func (c *Catalog) Hardware(name string) (Hardware, error) { return c.hardware.find(name) }

// Model returns the model with that name, found like hardware.
func (c *Catalog) Model(name string) (Model, error) { return c.models.find(name) }

// Engine returns the engine family with that name or alias, found like hardware.
func (c *Catalog) Engine(name string) (Engine, error) { return c.engines.find(name) }

// Devices returns every device, the built-in ones first.
func (c *Catalog) Devices() []Hardware { return slices.Clone(c.hardware.rows) }

// Models returns every model, the built-in ones first.
func (c *Catalog) Models() []Model { return slices.Clone(c.models.rows) }

// Engines returns every engine family, the built-in ones first.
func (c *Catalog) Engines() []Engine { return slices.Clone(c.engines.rows) }

// Read returns the built-in catalogue with the rows of a user's file, whose name
// is for the errors. The file has a section for each kind of row, and a section is
// a header and its rows in CSV, one a line:
//
//	# A card of ours.
//	[hardware]
//	name,memory_GB,mem_bandwidth_GB_s,dense_fp16_bf16_TFLOPS
//	Our-Card,48,900,250
//
// Sections are hardware, models and engines; columns are those of the built-in
// tables in any order. Blank lines, and lines that begin with #, are skipped.
// Columns that are left out, and empty cells, mean that a figure is unknown or is
// the usual one: as many KV heads as heads, heads as wide as they share the hidden
// width, a gated MLP, an output head of its own, weights of 16 bits, parameters by the
// shape, which a number that is given must be near to. Of an engine, a column that is
// left out is that of vllm, but it runs on all hardware. A name must be new. The error
// reports everything that is wrong, each with its line.
func Read(name string, data []byte) (*Catalog, error) {
	sections, err := splitSections(name, string(data))
	if err != nil {
		return nil, err
	}
	b := Builtin()
	hardware, err1 := extend(b.hardware, hardwareTable, sections["hardware"], hardwareNames)
	models, err2 := extend(b.models, modelTable, sections["models"], modelNames)
	usual, err3 := b.Engine("vllm")
	engines, err4 := extend(b.engines, enginesLike(usual), sections["engines"], engineNames)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	return &Catalog{hardware: hardware, models: models, engines: engines}, nil
}

// line is a line of a user's file.
type line struct {
	file   string
	number int // from 1
	text   string
}

func (l line) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", l.file, l.number, fmt.Sprintf(format, args...))
}

var sectionNames = []string{"hardware", "models", "engines"}

// splitSections returns the lines of each section, header first.
func splitSections(file, text string) (map[string][]line, error) {
	sections := map[string][]line{}
	section := ""
	for i, s := range strings.Split(text, "\n") {
		l := line{file, i + 1, strings.TrimSpace(s)}
		switch {
		case l.text == "" || l.text[0] == '#':
		case l.text[0] == '[':
			section = strings.Trim(l.text, "[]")
			if !slices.Contains(sectionNames, section) {
				return nil, l.errorf("unknown section %s: want [%s]", l.text, strings.Join(sectionNames, "], ["))
			}
			if _, twice := sections[section]; twice {
				return nil, l.errorf("section %s is there twice", l.text)
			}
			sections[section] = nil
		case section == "":
			return nil, l.errorf("want a section such as [hardware] before %q", l.text)
		default:
			sections[section] = append(sections[section], l)
		}
	}
	return sections, nil
}

// extend returns an index with the rows of a user's section as well.
func extend[T any](x *index[T], t table[T], section []line, names func(T) []string) (*index[T], error) {
	if len(section) == 0 {
		return x, nil
	}
	header, err := t.header(section[0])
	if err != nil {
		return nil, err
	}
	rows, taken := slices.Clone(x.rows), map[string]bool{}
	for _, r := range rows {
		takeNames(taken, names(r))
	}
	var errs []error
	for _, l := range section[1:] {
		row, err := t.userRow(l, header)
		if twice := takeNames(taken, names(row)); err == nil && twice != "" {
			err = l.errorf("there is %s named %q already: give yours another name", t.kind, twice)
		}
		rows, errs = append(rows, row), append(errs, err)
	}
	return newIndex(x.kind, rows, names), errors.Join(errs...)
}

// takeNames notes the names of a row and returns the first that another row has, or "".
func takeNames(taken map[string]bool, names []string) (twice string) {
	for _, n := range names {
		if taken[fold(n)] && twice == "" {
			twice = n
		}
		taken[fold(n)] = true
	}
	return twice
}

// header returns the columns that a user's section has.
func (t table[T]) header(l line) ([]string, error) {
	header, err := cells(l)
	if err != nil {
		return nil, err
	}
	for i, column := range header {
		if !slices.Contains(t.columns, column) {
			return nil, l.errorf("unknown column %q: want some of %s", column, strings.Join(t.columns, ", "))
		}
		if slices.Contains(header[:i], column) {
			return nil, l.errorf("column %s is there twice", column)
		}
	}
	return header, nil
}

// userRow parses a row of a user's section.
func (t table[T]) userRow(l line, header []string) (T, error) {
	var none T
	values, err := cells(l)
	if err != nil {
		return none, err
	}
	if len(values) != len(header) {
		return none, l.errorf("%d cells under %d columns", len(values), len(header))
	}
	r := &record{file: l.file, line: l.number, user: true, header: header, cells: values}
	row := t.parse(r)
	return row, errors.Join(r.errs...)
}

// cells splits a line of CSV.
func cells(l line) ([]string, error) {
	r := csv.NewReader(strings.NewReader(l.text))
	r.TrimLeadingSpace = true
	values, err := r.Read()
	if err != nil {
		return nil, l.errorf("not a line of CSV: %v", errors.Unwrap(err))
	}
	for i := range values {
		values[i] = strings.TrimSpace(values[i])
	}
	return values, nil
}
