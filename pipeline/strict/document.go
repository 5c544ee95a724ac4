package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxBytes is the size of the largest file that is read.
const MaxBytes = 1 << 20

// The YAML parser recurses for every bracket and for every dash of a line, and takes time
// that grows with the square of the number of words, so all are bounded before it starts.
const (
	maxTokens = 20_000
	maxDepth  = 32
)

// Document returns the one value that a file holds, or nil when it is not YAML of the
// kind that files may be here: the reader then has a problem. A file begins with a key, in
// words such as "rules:", which one that is empty is told.
func (r *Reader) Document(data []byte, begins string) ast.Node {
	if len(data) > MaxBytes {
		r.FailAt(1, 1, "the file is larger than %d bytes", MaxBytes)
		return nil
	}
	if !utf8.Valid(data) {
		line, column := firstInvalid(data)
		r.FailAt(line, column, "this is not UTF-8 text")
		return nil
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if json.Valid(data) { // in which a tab can only be between words
		data = bytes.ReplaceAll(data, []byte("\t"), []byte(" "))
	}
	tokens := lexer.Tokenize(string(data))
	if !r.bounded(tokens) {
		return nil
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		r.failSyntax(err)
		return nil
	}
	return r.single(file.Docs, begins)
}

// firstInvalid returns where the text stops being UTF-8.
func firstInvalid(data []byte) (line, column int) {
	line, column = 1, 1
	for len(data) > 0 {
		c, size := utf8.DecodeRune(data)
		switch {
		case c == utf8.RuneError && size == 1:
			return line, column
		case c == '\n':
			line, column = line+1, 1
		default:
			column++
		}
		data = data[size:]
	}
	return line, column
}

func (r *Reader) bounded(tokens token.Tokens) bool {
	depth, line, dashes := 0, 0, 0
	for i, t := range tokens {
		if t.Position.Line != line {
			line, dashes = t.Position.Line, 0
		}
		switch t.Type {
		case token.SequenceEntryType:
			dashes++
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		}
		if i >= maxTokens {
			r.FailAt(t.Position.Line, t.Position.Column, "the file is too long: it may have at most %d words and signs", maxTokens)
			return false
		}
		if depth > maxDepth || dashes > maxDepth {
			r.FailAt(t.Position.Line, t.Position.Column, "brackets or lists are nested more than %d deep", maxDepth)
			return false
		}
	}
	return true
}

func (r *Reader) failSyntax(err error) {
	line, column, message := 1, 1, err.Error()
	var at yaml.Error
	if errors.As(err, &at) {
		message = strings.ReplaceAll(at.GetMessage(), "'\t' that cannot start any token", "tab: indent with spaces")
		if t := at.GetToken(); t != nil && t.Position != nil {
			if t.Prev != nil && t.Prev.Type == token.AliasType {
				t, message = t.Prev, "quote a text that begins with a star"
			}
			line, column = t.Position.Line, t.Position.Column
		}
	}
	r.FailAt(line, column, "not valid YAML: %s", message)
}

// single returns the body of the only document, after refusing what would let one
// part of a file change another.
func (r *Reader) single(docs []*ast.DocumentNode, begins string) ast.Node {
	for i, d := range docs {
		switch {
		case d.Body != nil && d.Body.Type() == ast.DirectiveType:
			r.Fail(d.Body, "directives such as %%YAML are not used here: remove the line")
			return nil
		case i > 0:
			at := beginning(d)
			r.FailAt(at.Line, at.Column, "a second document begins here: a file holds one")
			return nil
		}
	}
	if len(docs) == 0 || docs[0].Body == nil {
		r.FailAt(1, 1, "the file is empty: it begins with %q", begins)
		return nil
	}
	ast.Walk(refusals{r}, docs[0].Body)
	return docs[0].Body
}

// beginning returns where a document begins: at its "---", if it has one.
func beginning(d *ast.DocumentNode) *token.Position {
	switch {
	case d.Start != nil:
		return d.Start.Position
	case d.Body != nil:
		return Position(d.Body)
	}
	return &token.Position{Line: 1, Column: 1}
}

// refusals is a visitor that reports the YAML features which are not used. What it
// reports, Reader.Fail passes over.
type refusals struct{ *Reader }

func (v refusals) Visit(n ast.Node) ast.Visitor {
	message, used := map[ast.NodeType]string{
		ast.AnchorType:   "anchors (&name) are not used here: write the value out",
		ast.AliasType:    "aliases (*name) are not used here: write the value out, or quote a text that begins with a star",
		ast.MergeKeyType: "merge keys (<<) are not used here: write the keys out",
		ast.TagType:      "tags (!name) are not used here: remove it",
	}[n.Type()]
	if !used {
		return v
	}
	at, path := n.GetToken().Position, strings.TrimPrefix(n.GetPath(), "$.")
	v.Problems = append(v.Problems, Problem{v.File, at.Line, at.Column, path, message, false})
	return nil
}
