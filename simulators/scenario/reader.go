package scenario

import (
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"halfsecond/mockllm/catalog"
	"halfsecond/pipeline/strict"
)

// reader collects every problem of one file while forms read its values.
type reader struct {
	strict.Reader
	open func(name string) ([]byte, error) // of files that the scenario names; nil: there are none
	rows *catalog.Catalog                  // of the user's file; nil: the built-in ones
	kind string                            // the scenario's, once it is known
	// traced is true when arrivals are a trace, once they are known.
	traced bool
}

// failEntry notes a problem at the value of a key of the mapping in hand.
func (r *reader) failEntry(found map[string]entry, key, format string, args ...any) {
	r.Within(key, found[key].key, func() { r.Fail(found[key].value, format, args...) })
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
	values, ok := strict.Mapping(n)
	if !ok {
		r.Fail(n, "want a mapping with the keys %s; found %s", strings.Join(names, ", "), strict.Describe(n))
		return nil, false
	}
	found := map[string]entry{}
	for _, v := range values {
		key, isName := v.Key.(*ast.StringNode)
		if !isName {
			r.Fail(v.Key, "want a plain name as a key; found %s", strict.Describe(v.Key))
			continue
		}
		r.Within(key.Value, key.Token.Position, func() {
			first, twice := found[key.Value]
			switch {
			case !slices.Contains(names, key.Value):
				r.FailHere("unknown key; %s", strict.Suggest(key.Value, names))
			case twice:
				r.FailHere("given twice: first in line %d", first.key.Line)
			default:
				found[key.Value] = entry{key.Token.Position, v.Value}
			}
		})
	}
	return found, true
}

// index is the step to an element of a list.
func index(i int) string { return "[" + strconv.Itoa(i) + "]" }
