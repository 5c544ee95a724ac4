package strict

import (
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Position returns where a value begins. That of a block mapping is its first
// key's, since its own token is the colon behind it.
func Position(n ast.Node) *token.Position {
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

// Mapping returns the keys and values of a mapping; false for another value.
func Mapping(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}

// Describe says what a value is, to end "found ...".
func Describe(n ast.Node) string {
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
		return Quote(v.Value)
	}
	return n.GetToken().Value
}

// mostShown is how much of a text a problem shows, in bytes.
const mostShown = 100

// Quote returns a text in quotes, or its beginning.
func Quote(s string) string {
	if len(s) > mostShown {
		s = strings.ToValidUTF8(s[:mostShown], "") + "..."
	}
	return strconv.Quote(s)
}

// Suggest says what may have been meant by a name: the names that are spelled most nearly
// so, or else all of them.
func Suggest(name string, names []string) string {
	if len(name) > mostShown {
		return "want one of " + strings.Join(names, ", ")
	}
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
