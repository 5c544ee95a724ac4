package fault

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/pipeline/strict"
)

// reader collects every problem of one file while keys read its values.
type reader struct{ strict.Reader }

// key is one key of a mapping, bound to the place that its value is read into.
type key struct {
	name string
	want string   // what its value is, to end "want ..."
	need bool     // it must be there
	main string   // of a mapping that may be written as one word: the key that the word is for
	flag bool     // it is true or false
	has  []string // of a mapping: the names of its keys
	read func(r *reader, n ast.Node)
	show func() json.RawMessage // the value as JSON; nil for one that says nothing
}

// required returns the key as one that must be there.
func (k key) required() key {
	k.need = true
	return k
}

// object reads a mapping with these keys, or the one word that stands for the main
// key. It reports keys that are unknown, given twice or missing, and returns whether
// all is well.
func (r *reader) object(n ast.Node, main string, keys []key) bool {
	before := len(r.Problems)
	given := map[string]bool{}
	values, isMapping := strict.Mapping(n)
	switch {
	case !isMapping && main != "" && isWord(n):
		given[main] = true
		find(keys, main).read(r, n)
	case !isMapping:
		r.Fail(n, "want a mapping with the keys %s; found %s", strings.Join(names(keys), ", "), strict.Describe(n))
		return false
	}
	for _, v := range values {
		r.entry(v, keys, given)
	}
	for _, k := range keys {
		if k.need && !given[k.name] {
			r.Fail(n, "%s is missing: want %s", k.name, k.want)
		}
	}
	return len(r.Problems) == before
}

// entry reads one key of a mapping.
func (r *reader) entry(v *ast.MappingValueNode, keys []key, given map[string]bool) {
	name, isName := v.Key.(*ast.StringNode)
	if !isName {
		r.Fail(v.Key, "want a plain name as a key; found %s", strict.Describe(v.Key))
		return
	}
	r.Within(name.Value, name.Token.Position, func() {
		k := find(keys, name.Value)
		switch {
		case k == nil:
			r.FailHere("unknown key; %s", strict.Suggest(name.Value, names(keys)))
		case given[name.Value]:
			r.FailHere("given twice")
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
