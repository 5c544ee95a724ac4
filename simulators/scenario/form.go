package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/pipeline/strict"
)

// form says how values of type T stand in a scenario file. The tables of
// schema.go are made of forms: they read a file, write the canonical text, and
// list the keys for the reference.
type form[T any] struct {
	want  string                                // what is right, to end "want ..."
	read  func(r *reader, n ast.Node) (T, bool) // false: the reader has a problem
	write func(v T) tree
	keys  []Key // inside it, with paths from here
}

// Key describes one key of a scenario file.
type Key struct {
	Path     string // from the top, such as "voice.llm.gpus"
	Want     string // what its value is
	Required bool   // within the mapping that it stands in
	Default  string // as it would be written; empty when there is none
	When     string // the setting that it goes with, such as "process: poisson"
	Doc      string
}

// explain returns the key's meaning, with the words it can be if there are few.
func (k Key) explain() string {
	if strings.Contains(k.Want, " | ") {
		return fmt.Sprintf("%s (%s)", k.Doc, k.Want)
	}
	return k.Doc
}

// field is a key of a mapping that is read into an S.
type field[S any] struct {
	Key
	on    string          // the earlier key that decides whether this one applies; empty: it always does
	is    []string        // the values of it with which it does
	holds func(s *S) bool // decides in place of is, where words do not
	read  func(r *reader, n ast.Node, s *S) bool
	fill  func(s *S) // sets the default
	// depends says that what it stands for when it is left out may be more than that.
	depends bool
	write   func(s *S) tree
	keys    []Key
}

// need returns the field of a key that must be there.
func need[S, T any](key string, at func(*S) *T, f form[T], doc string) field[S] {
	return field[S]{
		Key: Key{Path: key, Want: f.want, Required: true, Doc: doc},
		read: func(r *reader, n ast.Node, s *S) bool {
			v, ok := f.read(r, n)
			if ok {
				*at(s) = v
			}
			return ok
		},
		fill:  func(*S) {},
		write: func(s *S) tree { return f.write(*at(s)) },
		keys:  f.keys,
	}
}

// can returns the field of a key that may be left out.
func can[S, T any](key string, at func(*S) *T, fallback T, f form[T], doc string) field[S] {
	c := need(key, at, f, doc)
	c.Required, c.Default = false, f.write(fallback).text
	c.fill = func(s *S) { *at(s) = fallback }
	return c
}

// fallback says in words what the default is, where it depends on other keys.
func (f field[S]) fallback(words string) field[S] {
	f.Default, f.depends = words, true
	return f
}

// when limits a field to some values of an earlier key.
func (f field[S]) when(on string, is ...string) field[S] {
	f.on, f.is = on, is
	f.When = on + ": " + strings.Join(is, " or ")
	return f
}

// where limits a field to what an earlier key stands for; words say to what.
func (f field[S]) where(on, words string, holds func(s *S) bool) field[S] {
	f.on, f.holds, f.When = on, holds, words
	return f
}

// given limits a field to what keys stand for that were read before, elsewhere too; words say
// to what.
func (f field[S]) given(words string, holds func(s *S) bool) field[S] {
	f.holds, f.When = holds, words
	return f
}

// object returns the form of a mapping with these fields. settle, if there is
// one, sees the value when all of its fields are right, with the entries of the
// file for their positions.
func object[S any](settle func(r *reader, found map[string]entry, s *S), fields ...field[S]) form[S] {
	o := mold[S]{settle, fields}
	return form[S]{want: "a mapping", read: o.read, write: o.write, keys: o.keys()}
}

type mold[S any] struct {
	settle func(*reader, map[string]entry, *S)
	fields []field[S]
}

func (o mold[S]) names() []string {
	names := make([]string, len(o.fields))
	for i, f := range o.fields {
		names[i] = f.Path
	}
	return names
}

func (o mold[S]) keys() []Key {
	var keys []Key
	for _, f := range o.fields {
		keys = append(keys, f.Key)
		for _, k := range f.keys {
			k.Path = f.Path + "." + k.Path
			keys = append(keys, k)
		}
	}
	return keys
}

func (o mold[S]) read(r *reader, n ast.Node) (S, bool) {
	var s S
	ok := o.readInto(r, n, &s)
	return s, ok
}

// readInto reads the fields into an s.
func (o mold[S]) readInto(r *reader, n ast.Node, s *S) bool {
	before := len(r.Problems)
	found, ok := r.entries(n, o.names())
	if !ok {
		return false
	}
	wrong := map[string]bool{} // keys whose value could not be read
	for _, f := range o.fields {
		wrong[f.Path] = !o.readField(r, f, found, wrong, s)
		ok = ok && !wrong[f.Path]
	}
	if ok = ok && len(r.Problems) == before; ok && o.settle != nil {
		o.settle(r, found, s)
	}
	return ok && len(r.Problems) == before
}

// readField reads one field into s. When the key that decides over it is wrong
// itself, the field's value is still read but not asked for.
func (o mold[S]) readField(r *reader, f field[S], found map[string]entry, wrong map[string]bool, s *S) (ok bool) {
	e, given := found[f.Path]
	unsure := f.on != "" && wrong[f.on] || f.on == "" && f.holds != nil && len(r.Problems) > 0
	switch {
	case !unsure && !o.applies(f, s):
		switch {
		case given && f.on == "":
			r.Within(f.Path, e.key, func() { r.FailHere("has no effect here: it goes with %s", f.When) })
		case given:
			is := cmp.Or(o.value(f.on, s), "given") // what has keys of its own is not written in one line
			r.Within(f.Path, e.key, func() { r.FailHere("goes with %s, and %s is %s", f.When, f.on, is) })
		}
		return !given
	case given:
		r.Within(f.Path, e.key, func() { ok = f.read(r, e.value, s) })
		return ok
	case f.Required && !unsure:
		r.FailHere("%s is missing: want %s", f.Path, f.Want)
		return false
	}
	f.fill(s)
	return true
}

// applies reports whether a field's condition holds.
func (o mold[S]) applies(f field[S], s *S) bool {
	if f.holds != nil {
		return f.holds(s)
	}
	return f.on == "" || slices.Contains(f.is, o.value(f.on, s))
}

// value returns what a key of s is written as.
func (o mold[S]) value(key string, s *S) string {
	i := slices.IndexFunc(o.fields, func(f field[S]) bool { return f.Path == key })
	return o.fields[i].write(s).text
}

func (o mold[S]) write(s S) tree {
	var t tree
	for _, f := range o.fields {
		if o.applies(f, &s) {
			t.lines = append(t.lines, line{f.Path, f.explain(), f.write(&s), func() bool { return f.usual(&s) }})
		}
	}
	return t
}

// usual reports whether a field has the value that it has when its key is left out and the
// others have theirs.
func (f field[S]) usual(s *S) bool {
	if f.Required || f.depends {
		return false
	}
	left := *s
	f.fill(&left)
	return f.write(&left).flow() == f.write(s).flow()
}

// as returns the form of a value that is written as another.
func as[A, B any](f form[A], to func(A) B, from func(B) A) form[B] {
	return form[B]{
		want: f.want,
		read: func(r *reader, n ast.Node) (B, bool) {
			v, ok := f.read(r, n)
			return to(v), ok
		},
		write: func(v B) tree { return f.write(from(v)) },
		keys:  f.keys,
	}
}

// choice is one of several mappings that may stand for a T. The key that it must
// have, and the others must not, tells it from them.
type choice[T any] struct {
	key   string
	form  form[T]
	holds func(T) bool // whether this choice writes the value
}

// keys returns the choice's keys; names are those that tell the choices apart.
func (c choice[T]) keys(names []string) []Key {
	keys := slices.Clone(c.form.keys)
	for i, k := range keys {
		if k.Path == c.key {
			others := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == c.key })
			keys[i].Required, keys[i].When = false, "no "+strings.Join(others, ", ")
			continue
		}
		keys[i].When = strings.TrimSuffix(c.key+", "+k.When, ", ")
	}
	return keys
}

// oneOf returns the form of a mapping that is one of the choices.
func oneOf[T any](want string, choices ...choice[T]) form[T] {
	u := form[T]{want: want}
	names := make([]string, len(choices))
	for i, c := range choices {
		names[i] = c.key
	}
	for _, c := range choices {
		u.keys = append(u.keys, c.keys(names)...)
	}
	u.read = func(r *reader, n ast.Node) (T, bool) {
		var none T
		values, ok := strict.Mapping(n)
		if !ok {
			r.Fail(n, "want %s; found %s", want, strict.Describe(n))
			return none, false
		}
		picked := pick(values, names)
		switch len(picked) {
		case 0:
			r.Fail(n, "want %s: one of the keys %s is missing", want, strings.Join(names, ", "))
			r.unknown(values, u.keys)
			return none, false
		case 1:
			return choices[slices.Index(names, picked[0])].form.read(r, n)
		}
		r.Fail(n, "want %s: %s cannot stand together", want, strings.Join(picked, " and "))
		return none, false
	}
	u.write = func(v T) tree {
		for _, c := range choices {
			if c.holds(v) {
				return c.form.write(v)
			}
		}
		panic(fmt.Sprintf("scenario: %v is %s that no choice holds", v, want))
	}
	return u
}

// unknown reports the keys of a mapping that none of the choices has.
func (r *reader) unknown(values []*ast.MappingValueNode, known []Key) {
	var names []string
	for _, k := range known {
		if !strings.Contains(k.Path, ".") && !slices.Contains(names, k.Path) {
			names = append(names, k.Path)
		}
	}
	for _, v := range values {
		if key, ok := v.Key.(*ast.StringNode); ok && !slices.Contains(names, key.Value) {
			r.Within(key.Value, key.GetToken().Position, func() { r.FailHere("unknown key; %s", strict.Suggest(key.Value, names)) })
		}
	}
}

// pick returns the names that are keys of a mapping.
func pick(values []*ast.MappingValueNode, names []string) []string {
	var picked []string
	for _, name := range names {
		if slices.ContainsFunc(values, func(v *ast.MappingValueNode) bool {
			key, ok := v.Key.(*ast.StringNode)
			return ok && key.Value == name
		}) {
			picked = append(picked, name)
		}
	}
	return picked
}

// inOneLine returns the form of a mapping that is an element of a list.
func inOneLine[T any](f form[T]) form[T] {
	write := f.write
	f.write = func(v T) tree { return tree{text: write(v).flow()} }
	return f
}

// pointer returns the form of a value that may be absent as a whole.
func pointer[T any](f form[T]) form[*T] {
	p := as(f, func(v T) *T { return &v }, func(p *T) T { return *p })
	write := p.write
	p.write = func(v *T) tree {
		if v == nil {
			return tree{}
		}
		return write(v)
	}
	return p
}

// listOf returns the form of a list with elements of one form, each written in one line.
func listOf[T any](f form[T]) form[[]T] {
	return form[[]T]{
		want: "a list, each " + f.want,
		read: func(r *reader, n ast.Node) ([]T, bool) {
			list, isList := n.(*ast.SequenceNode)
			if !isList {
				r.Fail(n, "want a list, each %s; found %s", f.want, strict.Describe(n))
				return nil, false
			}
			var values []T
			all := true
			for i, e := range list.Values {
				r.Within(index(i), strict.Position(e), func() {
					v, ok := f.read(r, e)
					values, all = append(values, v), all && ok
				})
			}
			return values, all
		},
		write: func(values []T) tree {
			var t tree
			for _, v := range values {
				t.items = append(t.items, f.write(v).text)
			}
			return t
		},
		keys: f.keys,
	}
}
