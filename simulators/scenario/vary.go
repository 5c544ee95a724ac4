package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/pipeline/strict"
)

// Change gives a key of a scenario another value before the scenario is read.
type Change struct {
	Key   string // from the top, such as "ide.plugin.debounce"
	Value string // as a file has it in one line; "" leaves the key out
}

// String returns the change as a file would have it.
func (c Change) String() string {
	if c.Value == "" {
		return c.Key + ": left out"
	}
	return c.Key + ": " + c.Value
}

// fixed are the keys of a file that say what it is, or how it is carried out, and not what the
// experiment is.
var fixedKeys = []string{"halfsecond", "kind", "name", "run", "endpoints", "budgets"}

// NewChange returns a change, whose key may be one of a file's own, or below it.
func NewChange(key, value string) (Change, error) {
	top, _, _ := strings.Cut(key, ".")
	switch {
	case key == "" || slices.Contains(strings.Split(key, "."), ""):
		return Change{}, fmt.Errorf("key %q: want names with points between them, such as ide.plugin.debounce", key)
	case slices.Contains(fixedKeys, top):
		return Change{}, fmt.Errorf("key %s: %s is no setting of the experiment", key, top)
	}
	return Change{key, value}, nil
}

// Values returns the values of a list as a file has them, such as "0ms, {capacity: 250}". A
// value of null, or ~, leaves its key out and is "".
func Values(list string) (values []string, err error) {
	n, err := valueOf("[" + list + "]")
	if err != nil {
		return nil, fmt.Errorf("values %q: %w", list, err)
	}
	sequence, ok := n.(*ast.SequenceNode)
	if !ok || len(sequence.Values) == 0 {
		return nil, fmt.Errorf("values %q: want them with commas between, such as 0ms,75ms", list)
	}
	for _, v := range sequence.Values {
		text := v.String()
		if v.Type() == ast.NullType {
			text = ""
		}
		if slices.Contains(values, text) {
			return nil, fmt.Errorf("values %q: %s is there twice", list, text)
		}
		values = append(values, text)
	}
	return values, nil
}

// valueOf reads a value in one line.
func valueOf(text string) (ast.Node, error) {
	r := strict.Reader{File: "value"}
	root := r.Document([]byte("value: "+text), "")
	values, ok := []*ast.MappingValueNode(nil), false
	if root != nil {
		values, ok = strict.Mapping(root)
	}
	if len(r.Problems) > 0 || !ok || len(values) != 1 {
		why := "want one value"
		if len(r.Problems) > 0 {
			why = r.Problems[0].Message
		}
		return nil, errors.New(why)
	}
	return values[0].Value, nil
}

// altered returns a document with changes made, in their order.
func altered(root ast.Node, changes []Change) (ast.Node, error) {
	for _, c := range changes {
		path := strings.Split(c.Key, ".")
		node, err := set(root, path, c.Value)
		if err != nil {
			return nil, fmt.Errorf("change of %s: %w", c, err)
		}
		root = node
	}
	return root, nil
}

// set returns a mapping in which the value at a path is another one, or left out.
func set(n ast.Node, path []string, value string) (ast.Node, error) {
	values, ok := strict.Mapping(n)
	if !ok {
		return nil, fmt.Errorf("there is no mapping above %s, which has %s", path[0], strict.Describe(n))
	}
	i := slices.IndexFunc(values, func(v *ast.MappingValueNode) bool { return v.Key.String() == path[0] })
	switch {
	case i < 0 && value == "":
		return n, nil
	case i < 0:
		added, err := entryOf(path, value)
		if err != nil {
			return nil, err
		}
		values = append(slices.Clone(values), added)
	case len(path) > 1:
		inner, err := set(values[i].Value, path[1:], value)
		if err != nil {
			return nil, err
		}
		values[i].Value = inner
		return n, nil
	case value == "":
		values = slices.Delete(slices.Clone(values), i, i+1)
	default:
		v, err := valueOf(value)
		if err != nil {
			return nil, err
		}
		values[i].Value = v
		return n, nil
	}
	m := ast.Mapping(n.GetToken(), true, values...)
	m.BaseNode = &ast.BaseNode{Path: n.GetPath()}
	return m, nil
}

// entryOf returns a key with a value, which has the keys of the rest of a path above it.
func entryOf(path []string, value string) (*ast.MappingValueNode, error) {
	for _, key := range slices.Backward(path[1:]) {
		value = "{" + key + ": " + value + "}"
	}
	r := strict.Reader{File: "value"}
	root := r.Document([]byte(path[0]+": "+value), "")
	if root == nil || len(r.Problems) > 0 {
		return nil, fmt.Errorf("%s is not valid YAML", value)
	}
	values, ok := strict.Mapping(root)
	if !ok || len(values) != 1 {
		return nil, fmt.Errorf("want one value, found %s", value)
	}
	return values[0], nil
}
