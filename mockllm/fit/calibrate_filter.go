package fit

import (
	"errors"
	"fmt"
	"strings"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
)

// Filter chooses rows by names of the catalogue; empty fields choose all.
type Filter struct{ Engine, Hardware, Model, Weights string }

// Choose returns the rows that a filter chooses. The error says which name is unknown,
// or that no row is of what is wanted.
func (f Filter) Choose(c *catalog.Catalog, rows []Row) ([]Row, error) {
	if f == (Filter{}) {
		return rows, nil
	}
	want, err := f.resolved(c)
	if err != nil {
		return nil, err
	}
	var out []Row
	for _, r := range rows {
		if d, err := r.Deployment(c); err == nil && want.matches(d) {
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("of %s none is of %s", counted(len(rows), "measurement"), want)
	}
	return out, nil
}

// resolved returns the filter with the names as the catalogue spells them.
func (f Filter) resolved(c *catalog.Catalog) (Filter, error) {
	var errs [4]error
	if f.Engine != "" {
		var e catalog.Engine
		e, errs[0] = c.Engine(f.Engine)
		f.Engine = e.Name
	}
	if f.Hardware != "" {
		var h catalog.Hardware
		h, errs[1] = c.Hardware(f.Hardware)
		f.Hardware = h.Name
	}
	if f.Model != "" {
		var m catalog.Model
		m, errs[2] = c.Model(f.Model)
		f.Model = m.Name
	}
	if f.Weights != "" {
		var w roofline.Format
		w, errs[3] = roofline.ParseFormat(f.Weights)
		f.Weights = w.String()
	}
	return f, errors.Join(errs[:]...)
}

func (f Filter) matches(d roofline.Deployment) bool {
	is := func(want, name string) bool { return want == "" || want == name }
	return is(f.Engine, d.Engine.Name) && is(f.Hardware, d.Hardware.Name) && is(f.Model, d.Model.Name) && is(f.Weights, d.Weights.String())
}

// String lists what is wanted.
func (f Filter) String() string {
	var words []string
	for _, w := range []string{f.Model, f.Weights, f.Engine, f.Hardware} {
		if w != "" {
			words = append(words, w)
		}
	}
	return strings.Join(words, ", ")
}
