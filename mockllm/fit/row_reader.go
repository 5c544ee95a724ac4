package fit

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// columns of a file of measurements, and whether it has to have them.
var columns = []column{
	{"id", false}, {"source", false}, {"engine", true}, {"model", true}, {"params_b", false}, {"weight_format", true}, {"bits_per_weight", false},
	{"gpu", true}, {"n_gpu", false}, {"prompt_tokens", false}, {"gen_tokens_or_context", false}, {"batch", false}, {"metric", true}, {"value", true},
	{"unit", false}, {"note", false}, {"parallelism", false},
}

// Columns lists the columns that a file of measurements can have, in the order of the
// built-in one.
func Columns() []string { return names(columns) }

// ReadRows reads a file of measurements in CSV, whose name is for the errors. The
// first line names the columns, in any order: engine, model, weight_format, gpu,
// metric and value, and as many of the others as are known. Of params_b, which only
// helps people, nothing is used. The error reports the cells that cannot be what their
// columns say, each with its line.
//
// A row that can be read but not predicted, such as one of an unknown engine or
// metric, is none of its business: Validate skips it and says why.
func ReadRows(name string, file io.Reader) ([]Row, error) {
	return readTable(name, file, "measurements", columns, (*rowParser).row)
}

// rowParser collects what is wrong with one line.
type rowParser struct {
	file          string
	line          int
	header, cells []string
	errs          []error
}

func (p *rowParser) row() Row {
	if len(p.cells) != len(p.header) {
		p.fail("%s under %s", counted(len(p.cells), "cell"), counted(len(p.header), "column"))
		return Row{}
	}
	r := Row{
		Line: p.line, ID: p.text("id"), Source: p.text("source"), Note: p.text("note"),
		Engine: p.engine(), Model: p.required("model"), GPU: p.required("gpu"), WeightFormat: p.required("weight_format"),
		Bits: p.number("bits_per_weight", mostBits), GPUs: p.count("n_gpu", 1, 1), Parallelism: p.parallelism(),
		Prompt: p.count("prompt_tokens", 0, Unstated), Generated: p.count("gen_tokens_or_context", 0, Unstated), Batch: p.count("batch", 1, Unstated),
		Metric: Metric(p.required("metric")), Value: p.number("value", mostValue),
	}
	if r.ID == "" {
		r.ID = fmt.Sprintf("line %d", p.line)
	}
	if p.text("value") == "" {
		p.fail("value is empty")
	}
	p.unit(r.Metric)
	return r
}

// engine returns the software, without the dash before a version that is not stated.
func (p *rowParser) engine() string { return strings.TrimRight(p.required("engine"), "-_") }

// unit checks that a row with a unit has that of its metric.
func (p *rowParser) unit(m Metric) {
	u := p.text("unit")
	if u == "" || !slices.Contains(Metrics(), m) || u == m.Unit() || m.Unit() == "tok/s" && u == "tokens/s" {
		return
	}
	p.fail("unit %q: %s is in %s", u, m, m.Unit())
}

func (p *rowParser) text(column string) string {
	if i := slices.Index(p.header, column); i >= 0 {
		return strings.TrimSpace(p.cells[i])
	}
	return ""
}

func (p *rowParser) required(column string) string {
	s := p.text(column)
	if s == "" {
		p.fail("%s is empty", column)
	}
	return s
}

// Bounds of the numbers of a row: beyond what anyone measures, and small enough for
// every figure that follows to be finite.
const (
	mostTokens           = 100_000_000
	leastValue, mostBits = 1e-9, 64
	mostValue            = 1e12
)

// number returns a cell that is empty, and then 0, or a number above 0 and up to most.
func (p *rowParser) number(column string, most float64) float64 {
	s := p.text(column)
	if s == "" {
		return 0
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= leastValue && v <= most) {
		p.fail("%s %q: want a number above 0 and up to %g", column, s, most)
	}
	return v
}

// count returns a cell that is empty, and then otherwise, or a whole number from least on.
func (p *rowParser) count(column string, least, otherwise int) int {
	s := p.text(column)
	if s == "" {
		return otherwise
	}
	v, err := strconv.Atoi(s)
	if err != nil || v < least || v > mostTokens {
		p.fail("%s %q: want a whole number from %d to %d", column, s, least, mostTokens)
		return otherwise
	}
	return v
}

var parallelisms = []string{parallelNone, parallelTensor, parallelLayer, parallelReplicas}

func (p *rowParser) parallelism() string {
	s := p.text("parallelism")
	if s != "" && !slices.Contains(parallelisms, s) {
		p.fail("parallelism %q: want one of %s", s, strings.Join(parallelisms, ", "))
	}
	return s
}

func (p *rowParser) fail(format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%s:%d: %s", p.file, p.line, fmt.Sprintf(format, args...)))
}
