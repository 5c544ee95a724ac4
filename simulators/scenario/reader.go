package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"halfsecond/mockllm/catalog"
)

// reader collects every problem of one file while forms read its values.
type reader struct {
	file     string
	open     func(name string) ([]byte, error) // of files that the scenario names; nil: there are none
	rows     *catalog.Catalog                  // of the user's file; nil: the built-in ones
	kind     string                            // the scenario's, once it is known
	path     []step                            // the keys from the top to the value in hand
	problems []Problem
}

// step is a key or an index on the way to a value.
type step struct {
	name string
	at   *token.Position
}

// within calls f with one more key on the path.
func (r *reader) within(name string, at *token.Position, f func()) {
	r.path = append(r.path, step{name, at})
	f()
	r.path = r.path[:len(r.path)-1]
}

// fail notes a problem at a value: at its key when there is no value, and not at
// all when the value was refused before.
func (r *reader) fail(n ast.Node, format string, args ...any) {
	switch n.Type() {
	case ast.AnchorType, ast.AliasType, ast.MergeKeyType, ast.TagType:
	case ast.NullType:
		r.failHere(format, args...)
	default:
		p := position(n)
		r.failAt(p.Line, p.Column, format, args...)
	}
}

func (r *reader) failAt(line, column int, format string, args ...any) {
	r.problems = append(r.problems, Problem{r.file, line, column, r.where(), fmt.Sprintf(format, args...)})
}

// failHere notes a problem at the key in hand, for a value that is not there.
func (r *reader) failHere(format string, args ...any) {
	line, column := 1, 1
	if len(r.path) > 0 {
		last := r.path[len(r.path)-1].at
		line, column = last.Line, last.Column
	}
	r.failAt(line, column, format, args...)
}

// failEntry notes a problem at the value of a key of the mapping in hand.
func (r *reader) failEntry(found map[string]entry, key, format string, args ...any) {
	r.within(key, found[key].key, func() { r.fail(found[key].value, format, args...) })
}

// where returns the path in words: "voice.llm.model" or "budgets[0]".
func (r *reader) where() string {
	var b strings.Builder
	for i, s := range r.path {
		if i > 0 && !strings.HasPrefix(s.name, "[") {
			b.WriteByte('.')
		}
		b.WriteString(s.name)
	}
	return b.String()
}

// position returns where a value begins. That of a block mapping is its first
// key's, since its own token is the colon behind it.
func position(n ast.Node) *token.Position {
	switch m := n.(type) {
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return m.Values[0].Key.GetToken().Position
		}
	case *ast.MappingValueNode:
		return m.Key.GetToken().Position
	}
	return n.GetToken().Position
}

// describe says what a node is, to end "found ...".
func describe(n ast.Node) string {
	switch v := n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "nothing"
	case *ast.LiteralNode:
		return "a block of text"
	case *ast.StringNode:
		return fmt.Sprintf("%q", v.Value)
	}
	return n.GetToken().Value
}

// plain returns the text of an unquoted scalar.
func plain(n ast.Node) (string, bool) {
	switch n.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode:
		t := n.GetToken()
		return t.Value, t.Type != token.SingleQuoteType && t.Type != token.DoubleQuoteType
	}
	return "", false
}

// entry is one key of a mapping with its value.
type entry struct {
	key   *token.Position
	value ast.Node
}

// entries returns a mapping's values by key. It reports keys that are not among
// the names and keys that are given twice, of which the first one counts.
func (r *reader) entries(n ast.Node, names []string) (map[string]entry, bool) {
	values, ok := mapping(n)
	if !ok {
		r.fail(n, "want a mapping with the keys %s; found %s", strings.Join(names, ", "), describe(n))
		return nil, false
	}
	found := map[string]entry{}
	for _, v := range values {
		key, isName := v.Key.(*ast.StringNode)
		if !isName {
			r.fail(v.Key, "want a plain name as a key; found %s", describe(v.Key))
			continue
		}
		r.within(key.Value, key.Token.Position, func() {
			first, twice := found[key.Value]
			switch {
			case !slices.Contains(names, key.Value):
				r.failHere("unknown key; %s", suggest(key.Value, names))
			case twice:
				r.failHere("given twice: first in line %d", first.key.Line)
			default:
				found[key.Value] = entry{key.Token.Position, v.Value}
			}
		})
	}
	return found, true
}

func mapping(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}

// suggest names what may have been meant: the names that are spelled most
// nearly so, or else all of them.
func suggest(name string, names []string) string {
	var best []string
	least := min(len(name)/3+1, len(name)-1) // edits; a name is not replaced as a whole
	for _, n := range names {
		switch d := levenshtein.ComputeDistance(fold(name), fold(n)); {
		case d < least:
			best, least = []string{n}, d
		case d == least:
			best = append(best, n)
		}
	}
	if best == nil {
		return "want one of " + strings.Join(names, ", ")
	}
	return "nearest: " + strings.Join(best, ", ")
}

func fold(name string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
}

// index is the step to an element of a list.
func index(i int) string { return "[" + strconv.Itoa(i) + "]" }
