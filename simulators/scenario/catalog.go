package scenario

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/mockllm/catalog"
	"halfsecond/pipeline/strict"
)

// Catalog is a file of the user's own hardware, models and engines. The zero Catalog
// is none.
type Catalog struct {
	Name   string
	Digest string // identifies the content
}

// rows is the form of the name of such a file. What it holds can be named by what
// follows.
var rows = form[Catalog]{
	want: oneLine.want,
	read: func(r *reader, n ast.Node) (Catalog, bool) {
		name, ok := oneLine.read(r, n)
		if !ok {
			return Catalog{}, false
		}
		data, digest, err := r.load(name)
		if err == nil {
			r.rows, err = catalog.Read(name, data)
		}
		if err != nil {
			r.Fail(n, "%s", inOne(err))
		}
		return Catalog{name, digest}, err == nil
	},
	write: func(c Catalog) tree {
		if c.Name == "" {
			return tree{}
		}
		return tree{text: quoted(c.Name), note: c.Digest}
	},
}

// load returns the content of a file that the scenario names, and what identifies
// the content.
func (r *reader) load(name string) (data []byte, sum string, err error) {
	return r.loadUpTo(name, strict.MaxBytes)
}

// loadUpTo is load for a file of at most so many bytes.
func (r *reader) loadUpTo(name string, most int) (data []byte, sum string, err error) {
	if r.open == nil {
		return nil, "", fmt.Errorf("no file %q: a built-in scenario has none beside it", name)
	}
	if data, err = r.open(name); err != nil {
		return nil, "", err
	}
	if len(data) > most {
		return nil, "", fmt.Errorf("file %s is larger than %d bytes", name, most)
	}
	return data, digest(data), nil
}
