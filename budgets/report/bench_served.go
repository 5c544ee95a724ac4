package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"halfsecond/budgets/grid"
	"halfsecond/pipeline/trace"
)

// servedBy says what answers as the baseline: a modelled engine for each model, or the
// services of the run.
func servedBy(g *grid.Grid, services []trace.Endpoint) []string {
	by := []string{}
	for _, m := range g.Models {
		if c := cellOf(g, g.Baseline(m)); c != nil && c.Engine != "" {
			by = append(by, c.Engine)
		}
	}
	for _, e := range services {
		by = append(by, fmt.Sprintf("%s at %s (%s)", e.Model, e.URL, e.Protocol))
	}
	return by
}

// served says of each variant how it is served.
func served(g *grid.Grid) []BenchServed {
	out := []BenchServed{}
	for _, v := range g.Variants {
		s := BenchServed{Variant: v}
		at := slices.IndexFunc(g.Cells, func(c grid.Cell) bool { return c.Variant == v })
		if c := &g.Cells[at]; c.Engine != "" {
			s.Changes, s.Assumed = &c.Changes, text(c.Assumed)
		}
		out = append(out, s)
	}
	return out
}

// cellOf returns a cell of a row, nil when it has none.
func cellOf(g *grid.Grid, k grid.Key) *grid.Cell {
	at := slices.IndexFunc(g.Cells, func(c grid.Cell) bool { return c.Key == k })
	if at < 0 {
		return nil
	}
	return &g.Cells[at]
}

// servedSection says how the variants differ, where that is known.
func (b *Bench) servedSection(p *page) {
	known := func(s BenchServed) bool { return s.Changes != nil }
	if !slices.ContainsFunc(b.Served, known) {
		return
	}
	p.heading("What is compared")
	column := 0
	for _, v := range b.Variants {
		column = max(column, utf8.RuneCountInString(v)+2)
	}
	for _, s := range b.Served {
		p.explain(2, column, s.Variant, s.words(b.Variants[0]))
	}
}

// words says how the variant is served beside the baseline.
func (s BenchServed) words(baseline string) string {
	like := "as " + baseline
	if s.Variant == baseline {
		like = "as the engine does by itself"
	}
	switch {
	case s.Changes == nil:
		return "not known"
	case *s.Changes != "":
		like += ", but " + *s.Changes
	}
	return like + s.assumption()
}

// assumption says what nobody measured, after what is changed.
func (s BenchServed) assumption() string {
	if s.Assumed == nil {
		return ""
	}
	return "; " + *s.Assumed + " is assumed, not measured"
}

// inBrackets says, behind a variant's name, what it changes and assumes.
func (b *Bench) inBrackets(variant string) string {
	s := b.served(variant)
	if s.Changes == nil || *s.Changes == "" {
		return ""
	}
	return " (" + *s.Changes + s.assumption() + ")"
}

// baseline names the first variant, with what its engine would not do by itself.
func (b *Bench) baseline() string {
	s := b.served(b.Variants[0])
	if s.Changes == nil || *s.Changes == "" {
		return s.Variant
	}
	return s.Variant + " with " + *s.Changes + s.assumption()
}

func (b *Bench) served(variant string) BenchServed {
	return b.Served[slices.Index(b.Variants, variant)]
}

// Subtitle says what the figures are of, for a picture: the scenario and its target,
// how the baseline is served, and by what.
func (b *Bench) Subtitle() string {
	words := append([]string{fmt.Sprintf("%s, on %s", b.Scenario, b.Target)}, b.ServedBy...)
	if len(b.Variants) > 0 && b.baseline() != b.Variants[0] {
		words = append(words, b.baseline())
	}
	return strings.Join(words, "; ")
}

// Legend returns the variant's name as a reader needs it beside a curve: with what
// nobody measured of it.
func (b *Bench) Legend(variant string) string {
	s := b.served(variant)
	if s.Assumed == nil {
		return variant
	}
	return fmt.Sprintf("%s (%s assumed)", variant, *s.Assumed)
}
