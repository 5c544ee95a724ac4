package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
)

// NotFoundError says that no row, or more than one, has a name.
type NotFoundError struct {
	Kind      string   // "hardware", "model", "engine", "component", "price" or "quality"
	Name      string   // what was asked for
	Ambiguous bool     // several rows match, and Nearest holds them
	Nearest   []string // names to try instead, the best first; none when none is near
}

func (e *NotFoundError) Error() string {
	if e.Ambiguous {
		return fmt.Sprintf("%s %q is ambiguous: %s", e.Kind, e.Name, strings.Join(e.Nearest, ", "))
	}
	if len(e.Nearest) == 0 {
		return fmt.Sprintf("unknown %s %q: 'halfsecond catalog %s' lists them", e.Kind, e.Name, listed[e.Kind])
	}
	return fmt.Sprintf("unknown %s %q; nearest: %s", e.Kind, e.Name, strings.Join(e.Nearest, ", "))
}

// listed is the command's word for all rows of a kind.
var listed = map[string]string{"hardware": "hardware", "model": "models", "engine": "engines", "component": "components", "price": "prices", "quality": "quality"}

// index finds the rows of one table by name.
type index[T any] struct {
	kind  string
	rows  []T
	names [][]string // of each row, the first one being unique
}

func newIndex[T any](kind string, rows []T, names func(T) []string) *index[T] {
	x := &index[T]{kind: kind, rows: rows}
	for _, r := range rows {
		x.names = append(x.names, names(r))
	}
	return x
}

// find returns the row whose unique name is the given one, or else the only row
// that has the name when case and punctuation are ignored.
func (x *index[T]) find(name string) (T, error) {
	var none T
	var loose []int
	for i, names := range x.names {
		if names[0] == name {
			return x.rows[i], nil
		}
		if slices.ContainsFunc(names, func(n string) bool { return fold(n) == fold(name) }) {
			loose = append(loose, i)
		}
	}
	switch len(loose) {
	case 0:
		return none, &NotFoundError{Kind: x.kind, Name: name, Nearest: x.nearest(name)}
	case 1:
		return x.rows[loose[0]], nil
	}
	err := &NotFoundError{Kind: x.kind, Name: name, Ambiguous: true}
	for _, i := range loose {
		err.Nearest = append(err.Nearest, x.names[i][0])
	}
	return none, err
}

// How many names to suggest: more when they contain what was asked for, few
// when they only look like it.
const (
	manyNames = 6
	fewNames  = 3
)

// nearest returns the unique names of the rows closest to a name: those that begin
// with it, then those that contain it, then those with few edits to it or to one of
// their words; none when there are none of these.
func (x *index[T]) nearest(name string) []string {
	type candidate struct {
		name string
		far  distance
	}
	all := make([]candidate, len(x.names))
	for i, names := range x.names {
		all[i] = candidate{names[0], farFrom(fold(name), names)}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return a.far.compare(b.far) })
	var out []string
	for _, c := range all {
		worse := c.far.class == similar || c.far.class == resembling && all[0].far.class < resembling
		if c.far.class == distant || len(out) == manyNames || len(out) >= fewNames && worse {
			break
		}
		out = append(out, c.name)
	}
	return out
}

const (
	beginning = iota
	containing
	resembling // in one of its words
	similar    // as a whole: at most half of the letters of what was asked for are wrong
	distant
)

// distance orders names by how far they are from what was asked for.
type distance struct{ class, edits int }

func (d distance) compare(e distance) int {
	return cmp.Or(cmp.Compare(d.class, e.class), cmp.Compare(d.edits, e.edits))
}

// farFrom returns the smallest distance of any of the names from the folded name
// that was asked for.
func farFrom(asked string, names []string) distance {
	best := distance{class: distant + 1}
	for _, name := range names {
		n := fold(name)
		d := distance{distant, levenshtein.ComputeDistance(asked, n)}
		switch {
		case asked == "":
		case strings.HasPrefix(n, asked):
			d.class = beginning
		case strings.Contains(n, asked):
			d.class = containing
		case wordEdits(asked, name) <= len(asked)/4:
			d = distance{resembling, wordEdits(asked, name)}
		case d.edits <= (len(asked)+1)/2:
			d.class = similar
		}
		if d.compare(best) < 0 {
			best = d
		}
	}
	return best
}

// fold returns the letters and digits of a name in lower case.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// wordEdits returns the fewest edits from the folded name that was asked for to a
// word of a name.
func wordEdits(asked, name string) int {
	least := len(asked)
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		least = min(least, levenshtein.ComputeDistance(asked, fold(word)))
	}
	return least
}
