package fault

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// reader collects every problem of one file while keys read its values.
type reader struct {
	file     string
	path     []step // the keys from the top to the value in hand
	problems []Problem
}

// step is a key or an index on the way to a value.
type step struct {
	name string
	at   *token.Position
}

// key is one key of a mapping, bound to the place that its value is read into.
type key struct {
	name string
	want string // what its value is, to end "want ..."
	need bool   // it must be there
	main string // of a mapping that may be written as one word: the key that the word is for
	flag bool   // it is true or false
	read func(r *reader, n ast.Node)
	show func() json.RawMessage // the value as JSON; nil for one that says nothing
}

// required returns the key as one that must be there.
func (k key) required() key {
	k.need = true
	return k
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

// where returns the path in words: "rules[0].stall.at".
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

// object reads a mapping with these keys, or the one word that stands for the main
// key. It reports keys that are unknown, given twice or missing, and returns whether
// all is well.
func (r *reader) object(n ast.Node, main string, keys []key) bool {
	before := len(r.problems)
	given := map[string]bool{}
	values, isMapping := mapping(n)
	switch {
	case !isMapping && main != "" && isWord(n):
		given[main] = true
		find(keys, main).read(r, n)
	case !isMapping:
		r.fail(n, "want a mapping with the keys %s; found %s", strings.Join(names(keys), ", "), describe(n))
		return false
	}
	for _, v := range values {
		r.entry(v, keys, given)
	}
	for _, k := range keys {
		if k.need && !given[k.name] {
			r.fail(n, "%s is missing: want %s", k.name, k.want)
		}
	}
	return len(r.problems) == before
}

// entry reads one key of a mapping.
func (r *reader) entry(v *ast.MappingValueNode, keys []key, given map[string]bool) {
	name, isName := v.Key.(*ast.StringNode)
	if !isName {
		r.fail(v.Key, "want a plain name as a key; found %s", describe(v.Key))
		return
	}
	r.within(name.Value, name.Token.Position, func() {
		k := find(keys, name.Value)
		switch {
		case k == nil:
			r.failHere("unknown key; %s", suggest(name.Value, names(keys)))
		case given[name.Value]:
			r.failHere("given twice")
		default:
			k.read(r, v.Value)
		}
		given[name.Value] = true
	})
}

func find(keys []key, name string) *key {
	i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	return &keys[i]
}

func names(keys []key) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.name
	}
	return out
}

// show returns a mapping as JSON, its keys in the order of the table.
func show(keys []key) json.RawMessage {
	b := []byte{'{'}
	for _, k := range keys {
		v := k.show()
		if v == nil {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(strconv.AppendQuote(b, k.name), ':')
		b = append(b, v...)
	}
	return append(b, '}')
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
		return shown(v.Value)
	}
	return n.GetToken().Value
}

// mostShown is how much of a text a problem shows, in bytes.
const mostShown = 100

// shown returns a text in quotes, or its beginning.
func shown(s string) string {
	if len(s) > mostShown {
		s = strings.ToValidUTF8(s[:mostShown], "") + "..."
	}
	return strconv.Quote(s)
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
