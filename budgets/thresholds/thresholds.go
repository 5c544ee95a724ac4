// Package thresholds reads what a run has to keep from a file apart from the run's scenario,
// so that a CI job can demand other figures than who wrote the scenario did:
//
//	budgets:                          # as in a scenario, in place of the scenario's
//	  - share(ttfc < 150ms) >= 90%
//	  - mean(requests_per_key) <= 1.2
//	matters: 5%                       # of a comparison: differences of durations below this share do not matter
//
// The file is read strictly: an unknown key, one given twice, a budget that is no valid
// expression or is there twice, all at once, each with its place and with what would be right.
package thresholds

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"halfsecond/budgets"
	"halfsecond/pipeline/strict"
)

// File is what a run has to keep. The zero File asks for nothing.
type File struct {
	Budgets []string // expressions in one spelling, in the order of the file
	Matters float64  // share of a duration below which a difference between two runs does not matter; 0 where the file does not say
}

// keys are those of the file.
var keys = []string{"budgets", "matters"}

// Parse reads a file for runs with the given metrics; name is the file's, for errors. The
// error holds a strict.Problem for each thing that is wrong.
func Parse(name string, data []byte, known []budgets.Metric) (*File, error) {
	r := &reader{Reader: strict.Reader{File: name}, known: known, lines: map[string]int{}}
	if root := r.Document(data, "budgets:"); root != nil && len(r.Problems) == 0 {
		r.file(root)
	}
	if len(r.Problems) > 0 {
		return nil, strict.Join(r.Problems)
	}
	return &r.read, nil
}

// reader is a file under way.
type reader struct {
	strict.Reader
	known []budgets.Metric
	lines map[string]int // of the keys and budgets that were read
	read  File
}

// file reads the keys at the top.
func (r *reader) file(root ast.Node) {
	values, ok := strict.Mapping(root)
	if !ok {
		r.Fail(root, "want a mapping with the keys %s; found %s", strings.Join(keys, ", "), strict.Describe(root))
		return
	}
	for _, v := range values {
		name, isName := v.Key.(*ast.StringNode)
		if !isName {
			r.Fail(v.Key, "want a plain name as a key; found %s", strict.Describe(v.Key))
			continue
		}
		r.Within(name.Value, name.Token.Position, func() { r.key(name, v.Value) })
	}
	if len(r.read.Budgets) == 0 && len(r.Problems) == 0 {
		r.FailAt(1, 1, "budgets is missing: want a list such as [p95(%s) < 500ms]", r.landing())
	}
}

// key reads the value of one of them.
func (r *reader) key(name *ast.StringNode, value ast.Node) {
	if line, twice := r.lines[name.Value]; twice {
		r.FailHere("given twice: first in line %d", line)
		return
	}
	r.lines[name.Value] = name.Token.Position.Line
	switch name.Value {
	case "budgets":
		r.budgets(value)
	case "matters":
		r.matters(value)
	default:
		r.FailHere("unknown key; %s", strict.Suggest(name.Value, keys))
	}
}

func (r *reader) budgets(n ast.Node) {
	list, ok := n.(*ast.SequenceNode)
	if !ok || len(list.Values) == 0 {
		r.Fail(n, "want a list of budgets such as [p95(%s) < 500ms]; found %s", r.landing(), orEmpty(n))
		return
	}
	for i, v := range list.Values {
		r.Within("["+strconv.Itoa(i)+"]", strict.Position(v), func() { r.budget(v) })
	}
}

// orEmpty says what a value is, of a list that there is nothing in it.
func orEmpty(n ast.Node) string {
	if _, ok := n.(*ast.SequenceNode); ok {
		return "an empty one"
	}
	return strict.Describe(n)
}

func (r *reader) budget(n ast.Node) {
	text, ok := n.(*ast.StringNode)
	if !ok {
		r.Fail(n, "want a budget such as p95(%s) < 500ms; found %s", r.landing(), strict.Describe(n))
		return
	}
	b, err := budgets.Parse(text.Value, r.known)
	var wrong *budgets.ParseError
	if errors.As(err, &wrong) {
		at := text.Token.Position
		r.FailAt(at.Line, at.Column+quotes(text)+wrong.Column-1, "%s", wordsOf(wrong))
		return
	}
	line := b.String()
	if first, twice := r.lines[line]; twice {
		r.Fail(n, "%s is given twice: first in line %d", line, first)
		return
	}
	r.lines[line] = text.Token.Position.Line
	r.read.Budgets = append(r.read.Budgets, line)
}

// quotes returns how many characters stand before a text in the file.
func quotes(n *ast.StringNode) int {
	if n.Token.Type == token.SingleQuoteType || n.Token.Type == token.DoubleQuoteType {
		return 1
	}
	return 0
}

func wordsOf(wrong *budgets.ParseError) string {
	words := fmt.Sprintf("found %s, want %s", wrong.Found, wrong.Want)
	if wrong.Nearest != "" {
		words += "; nearest: " + wrong.Nearest
	}
	return words
}

func (r *reader) matters(n ast.Node) {
	if text, ok := n.(*ast.StringNode); ok {
		if number, isShare := strings.CutSuffix(text.Value, "%"); isShare {
			v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err == nil && v > 0 && v <= 100 {
				r.read.Matters = v / 100
				return
			}
		}
	}
	r.Fail(n, "want a share above 0%% and up to 100%%, such as 5%%; found %s", strict.Describe(n))
}

// landing names the metric that interactions land with, for examples.
func (r *reader) landing() string {
	if len(r.known) == 0 {
		return "ttft"
	}
	return r.known[0].Name
}
