package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/pipeline/strict"
)

// part returns the field of a mapping whose keys are fields of the S that it stands in. It
// is not written where each of them is what it is when it is left out.
func part[S any](key, doc string, fields ...field[S]) field[S] {
	o := mold[S]{nil, fields}
	return field[S]{
		Key:  Key{Path: key, Want: "a mapping", Doc: doc},
		read: o.readInto,
		fill: o.fill,
		write: func(s *S) tree {
			t := o.write(*s)
			if t.usual() {
				return tree{}
			}
			return t
		},
		keys: o.keys(),
	}
}

// fill sets the defaults of the fields that apply.
func (o mold[S]) fill(s *S) {
	for _, f := range o.fields {
		if o.applies(f, s) {
			f.fill(s)
		}
	}
}

// usual reports whether each key of a block is left out, or has the value that it has then.
func (t tree) usual() bool {
	return !slices.ContainsFunc(t.lines, func(l line) bool { return !l.tree.empty() && (l.usual == nil || !l.usual()) })
}

// under returns the entries of a mapping that was read, by key.
func under(e entry) map[string]entry {
	below := map[string]entry{}
	values, _ := strict.Mapping(e.value)
	for _, v := range values {
		if key, ok := v.Key.(*ast.StringNode); ok {
			below[key.Value] = entry{key.Token.Position, v.Value}
		}
	}
	return below
}

// failInside notes a problem at a key within a mapping, or at the nearest above it that the
// file has, where a preset has the key.
func (r *reader) failInside(found map[string]entry, path []string, format string, args ...any) {
	e, given := found[path[0]]
	if !given {
		r.FailHere("%s %s", strings.Join(path, "."), fmt.Sprintf(format, args...))
		return
	}
	r.Within(path[0], e.key, func() {
		if len(path) > 1 {
			r.failInside(under(e), path[1:], format, args...)
			return
		}
		r.Fail(e.value, format, args...)
	})
}
