package fim

import (
	"fmt"
	"slices"
)

// Template is how a prompt asks models of a family to fill a hole, as who writes the
// prompt needs it.
type Template struct {
	Name   string // as scenario files have it
	Models string // of the family
	// Prefix, Suffix and Middle stand before the two texts and before the answer; Middle
	// is "" for a family whose answer follows the prefix.
	Prefix, Suffix, Middle string
	// File begins a line that names a file whose text follows, "" for a family that
	// names none.
	File string
	// Spaced has a space after the prefix token and one before each of the others.
	Spaced bool
}

// Templates returns those of all known families.
func Templates() (all []Template) {
	for _, f := range families {
		all = append(all, Template{f.called, f.models, f.prefix, f.suffix, f.middle, f.file, f.spaced})
	}
	return all
}

// TemplateNamed returns the template of a family.
func TemplateNamed(name string) (Template, error) {
	all := Templates()
	i := slices.IndexFunc(all, func(t Template) bool { return t.Name == name })
	if i < 0 {
		var names []string
		for _, t := range all {
			names = append(names, t.Name)
		}
		return Template{}, fmt.Errorf("no family of models is called %q; there are %q", name, names)
	}
	return all[i], nil
}
