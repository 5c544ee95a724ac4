// Package strict reads the YAML and JSON files that people write, and tells everything
// that is wrong with one at once: what, where, and what would be right.
//
// Such a file is one document of plain mappings, lists and words. What would let one part
// of it change another is refused, and what is too large to read in no time.
//
// A package reads its files with a Reader of its own: Document gives the value that the
// file holds, as a tree of the YAML library, and what is found in that is noted by Fail
// and its like. Read problem.go for what is noted, document.go for what a file may be, and
// node.go for values in words.
package strict

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Reader collects every problem of one file. The zero Reader is of a file without a name.
type Reader struct {
	File     string
	Problems []Problem

	path []step // the keys from the top to the value in hand
}

// step is a key or an index on the way to a value.
type step struct {
	name string
	at   *token.Position
}

// Within calls f with one more key on the path: a name, or "[3]" for an element.
func (r *Reader) Within(name string, at *token.Position, f func()) {
	r.path = append(r.path, step{name, at})
	f()
	r.path = r.path[:len(r.path)-1]
}

// Fail notes a problem at a value: at its key when there is no value, and not at
// all when Document has refused the value.
func (r *Reader) Fail(n ast.Node, format string, args ...any) {
	switch n.Type() {
	case ast.AnchorType, ast.AliasType, ast.MergeKeyType, ast.TagType:
	case ast.NullType:
		r.FailHere(format, args...)
	default:
		p := Position(n)
		r.FailAt(p.Line, p.Column, format, args...)
	}
}

// FailAt notes a problem at a place of the file.
func (r *Reader) FailAt(line, column int, format string, args ...any) {
	r.Problems = append(r.Problems, Problem{r.File, line, column, r.where(), fmt.Sprintf(format, args...), false})
}

// FailHere notes a problem at the key in hand, for a value that is not there.
func (r *Reader) FailHere(format string, args ...any) {
	line, column := 1, 1
	if len(r.path) > 0 {
		last := r.path[len(r.path)-1].at
		line, column = last.Line, last.Column
	}
	r.FailAt(line, column, format, args...)
}

// where returns the path in words: "voice.llm.model" or "budgets[0]".
func (r *Reader) where() string {
	var b strings.Builder
	for i, s := range r.path {
		if i > 0 && !strings.HasPrefix(s.name, "[") {
			b.WriteByte('.')
		}
		b.WriteString(s.name)
	}
	return b.String()
}
