package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/pipeline/strict"
)

// Grid compares language models. Every model, served in every way, at every length
// of the prompt, is a cell of it: so many requests, each of its own prompt unless
// the variant repeats it. Every variant has the grid's engine, but for what it
// changes itself.
type Grid struct {
	Models       []string // of the catalogue, each once
	Prompts      []int    // tokens, ascending
	OutputTokens int      // of every answer
	Stream       bool     // measure a second time, with an answer streaming beside
	Engine       Engine   // without a model
	Variants     []Variant
}

// Variant is a way to serve a model. The first one of a grid is the baseline, which
// the others are compared with.
type Variant struct {
	Name       string
	SamePrompt bool   // every request of a cell sends the same prompt, so that a prefix cache holds it
	Engine     Engine // with the changes, and without a model
}

// Baseline is the name of the only variant of a grid that states none.
const Baseline = "baseline"

// Bounds of a grid, far beyond what a table can show.
const (
	mostModels   = 20
	mostPrompts  = 50
	mostVariants = 20
	// leastOutput leaves the answer that streams beside time to be in full flow.
	leastOutput   = 32
	longestAnswer = 100_000
)

var grid = object(settleGrid, slices.Concat(
	[]field[Grid]{
		need("models", func(g *Grid) *[]string { return &g.Models }, listOf(model), "the models to compare"),
		can("prompts", func(g *Grid) *[]int { return &g.Prompts }, []int{128, 512, 1024, 2048}, listOf(tokenNumber), "tokens of a prompt, ascending; of those beyond a model's context the longest that fits is measured; at an endpoint where it has a model of the scenario").fallback("128, 512, 1024, 2048"),
		can("output_tokens", func(g *Grid) *int { return &g.OutputTokens }, 128, whole(leastOutput, longestAnswer), "length of every answer"),
		can("stream_beside", func(g *Grid) *bool { return &g.Stream }, true, boolean, "measure again while another answer streams, and how long that one stops for the prompt"),
	},
	lifted(func(g *Grid) *Engine { return &g.Engine }, deployed),
	[]field[Grid]{variants},
)...)

// variants is the field of the ways to serve. They are read when the grid's own
// engine is known, since each is that engine with changes.
var variants = field[Grid]{
	Key: Key{
		Path: "variants", Want: "a list, each a name and changes", Default: "[{name: " + Baseline + "}]",
		Doc: "ways to serve: {name: NAME} with any of the keys of the engine above that differ, and same_prompt: true to send one prompt again and again; the first is what the others are compared with",
	},
	read:  func(*reader, ast.Node, *Grid) bool { return true },
	fill:  func(*Grid) {},
	write: func(g *Grid) tree { return listOf(variantOf(g.Engine)).write(g.Variants) },
}

// settleGrid reads the variants and refuses what can never run.
func settleGrid(r *reader, found map[string]entry, g *Grid) {
	if len(g.Models) < 1 || len(g.Models) > mostModels || repeated(g.Models) {
		r.failEntry(found, "models", "want 1 to %d models, each once", mostModels)
	}
	if len(g.Prompts) < 1 || len(g.Prompts) > mostPrompts || repeated(g.Prompts) || !slices.IsSorted(g.Prompts) {
		r.failEntry(found, "prompts", "want 1 to %d lengths, each once, in ascending order", mostPrompts)
	}
	if !g.readVariants(r, found) {
		return
	}
	for _, f := range g.faults() {
		r.failEntry(found, "models", "%s", f)
	}
}

// faults says what cannot run, each reason once, with the cells that it is of.
func (g *Grid) faults() (faults []string) {
	var reasons []string
	of := map[string][]string{}
	for _, v := range g.Variants {
		for _, m := range g.Models {
			if _, err := g.Serving(m, v).Replica(); err != nil {
				reason := inOne(err)
				if of[reason] == nil {
					reasons = append(reasons, reason)
				}
				of[reason] = append(of[reason], m+", "+v.Name)
			}
		}
	}
	for _, reason := range reasons {
		cells := strings.Join(of[reason], "; ")
		if n := len(of[reason]); n > 1 && n == len(g.Variants)*len(g.Models) {
			cells = "all models and variants"
		}
		faults = append(faults, cells+": "+reason)
	}
	return faults
}

// Serving returns the engine of one cell's model and variant.
func (g *Grid) Serving(model string, v Variant) *Engine {
	e := v.Engine
	e.Model = model
	return &e
}

// readVariants reports whether all variants are right.
func (g *Grid) readVariants(r *reader, found map[string]entry) (right bool) {
	e, given := found["variants"]
	if !given {
		g.Variants = []Variant{{Name: Baseline, Engine: g.Engine}}
		return true
	}
	r.Within("variants", e.key, func() {
		g.Variants, right = listOf(changed(found)).read(r, e.value)
		names := make([]string, len(g.Variants))
		for i, v := range g.Variants {
			names[i] = v.Name
		}
		if len(names) < 1 || len(names) > mostVariants || repeated(names) {
			r.Fail(e.value, "want 1 to %d variants, each of its own name", mostVariants)
			right = false
		}
	})
	return right
}

// variantKeys has the keys of a variant.
var variantKeys = mold[Variant]{fields: slices.Concat(
	[]field[Variant]{
		need("name", func(v *Variant) *string { return &v.Name }, oneLine, ""),
		can("same_prompt", func(v *Variant) *bool { return &v.SamePrompt }, false, boolean, ""),
	},
	lifted(func(v *Variant) *Engine { return &v.Engine }, deployed),
)}

// changed returns the form of a variant in a grid with these entries: a key that
// the variant does not state, but may have, is the grid's.
func changed(base map[string]entry) form[Variant] {
	return form[Variant]{
		want: "a name and changes",
		read: func(r *reader, n ast.Node) (v Variant, ok bool) {
			found, ok := r.entries(n, variantKeys.names())
			if !ok {
				return v, false
			}
			before, wrong := len(r.Problems), map[string]bool{}
			for _, f := range variantKeys.fields {
				inherited, given := base[f.Path]
				if _, own := found[f.Path]; !own && given && f.Path != "name" && variantKeys.applies(f, &v) {
					found[f.Path] = inherited
				}
				wrong[f.Path] = !variantKeys.readField(r, f, found, wrong, &v)
			}
			return v, len(r.Problems) == before
		},
	}
}

// variantOf returns the form that writes a variant of a grid with that engine: its
// name and what is not the grid's.
func variantOf(base Engine) form[Variant] {
	return form[Variant]{write: func(v Variant) tree {
		named := tree{lines: []line{{key: "name", tree: oneLine.write(v.Name)}}}
		named.lines = append(named.lines, v.differs(Variant{Engine: base}).lines...)
		return tree{text: named.flow()}
	}}
}

// Changes returns the keys, with their values, that a variant of the grid changes: of
// those that the first variant has, and of the first one of what its engine does by
// itself. What another engine or other hardware brings along is no change.
func (g *Grid) Changes(v Variant) string {
	own := Variant{Engine: v.Engine.bare()}
	if first := g.Variants[0]; v.Name != first.Name {
		changes := v.differs(first)
		if v.Engine.Software != first.Engine.Software || v.Engine.Hardware != first.Engine.Hardware {
			stated := v.differs(own)
			changes.lines = slices.DeleteFunc(changes.lines, func(l line) bool {
				return l.key != "engine" && l.key != "hardware" && !slices.ContainsFunc(stated.lines, func(o line) bool { return o.key == l.key })
			})
		}
		return changes.inner()
	}
	return v.differs(own).inner()
}

// bare returns the engine on its hardware, with all else as it is by itself.
func (e Engine) bare() Engine {
	b := Engine{Software: e.Software, Hardware: e.Hardware, Rows: e.Rows}
	keys := mold[Engine]{fields: deployed}
	for _, f := range deployed {
		if f.Path != "engine" && keys.applies(f, &b) {
			f.fill(&b)
		}
	}
	return b
}

// differs returns the keys of the variant, its name aside, that have other values in
// the base.
func (v Variant) differs(base Variant) tree {
	var kept tree
	for _, f := range variantKeys.fields {
		if w := f.write(&v); f.Path != "name" && variantKeys.applies(f, &v) && (!variantKeys.applies(f, &base) || w.flow() != f.write(&base).flow()) {
			kept.lines = append(kept.lines, line{key: f.Path, tree: w})
		}
	}
	return kept
}

// inner returns the lines of a mapping in one line.
func (t tree) inner() string {
	var parts []string
	for _, l := range t.lines {
		if !l.tree.empty() {
			parts = append(parts, l.key+": "+l.tree.flow())
		}
	}
	return strings.Join(parts, ", ")
}

// flow returns the tree in one line.
func (t tree) flow() string {
	switch {
	case t.lines != nil:
		return "{" + t.inner() + "}"
	case t.items != nil:
		return "[" + strings.Join(t.items, ", ") + "]"
	}
	return t.text
}

// lifted returns the fields of a T as fields of an S that has one.
func lifted[S, T any](at func(*S) *T, fields []field[T]) []field[S] {
	out := make([]field[S], len(fields))
	for i, f := range fields {
		out[i] = field[S]{
			Key: f.Key, on: f.on, is: f.is, keys: f.keys, holds: lift(at, f.holds), depends: f.depends,
			read:  func(r *reader, n ast.Node, s *S) bool { return f.read(r, n, at(s)) },
			fill:  func(s *S) { f.fill(at(s)) },
			write: func(s *S) tree { return f.write(at(s)) },
		}
	}
	return out
}

// lift returns a condition on a T as one on an S that has a T; nil stays nil.
func lift[S, T any](at func(*S) *T, holds func(*T) bool) func(*S) bool {
	if holds == nil {
		return nil
	}
	return func(s *S) bool { return holds(at(s)) }
}

func repeated[T comparable](values []T) bool {
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return true
		}
	}
	return false
}

// Cell is an endpoint's own address or name for some cells of a grid.
type Cell struct {
	Model   string // whose; empty for every model
	Variant string // which; empty for every variant
	URL     string // empty for that of the endpoint
	Name    string // what the service calls the model; empty for the endpoint's
}

// cell is the form of a Cell, in one line.
var cell = inOneLine(object(
	func(r *reader, found map[string]entry, c *Cell) {
		if c.Model == "" && c.Variant == "" || c.URL == "" && c.Name == "" {
			r.FailHere("want model, variant or both, to say which cells, and url, name or both, to say what is theirs")
		}
	},
	can("model", func(c *Cell) *string { return &c.Model }, "", oneLine, "the model that it serves; leave it out for every model"),
	can("variant", func(c *Cell) *string { return &c.Variant }, "", oneLine, "the variant that it serves; leave it out for every variant"),
	can("url", func(c *Cell) *string { return &c.URL }, "", address, "where it answers, with the key of llm; leave it out for llm.url"),
	can("name", func(c *Cell) *string { return &c.Name }, "", oneLine, "its name for the model; leave it out for llm.model"),
))

// settle checks what no section can see alone.
func settle(r *reader, found map[string]entry, s *Scenario) {
	if s.Grid != nil {
		s.Grid.warmed(r, found, s)
	}
	if s.Voice != nil {
		s.Voice.called(r, found, s)
	}
	for i, c := range s.Endpoints.Cells {
		if fault := s.Grid.unknown(c); fault != "" {
			r.failEntry(found, "endpoints", "cells[%d]: %s", i, fault)
		}
	}
}

// warmed refuses prompts that are sent again and meet a cold cache all the same.
func (g *Grid) warmed(r *reader, found map[string]entry, s *Scenario) {
	need := max(1, s.Arrivals.Users)
	cold := slices.IndexFunc(g.Variants, func(v Variant) bool { return v.SamePrompt })
	if cold < 0 || s.WarmUp >= need {
		return
	}
	why := fmt.Sprintf("variant %q has same_prompt: want at least %d, so that every request of the report finds its prompt in the cache", g.Variants[cold].Name, need)
	if _, given := found["warm_up"]; given {
		r.failEntry(found, "warm_up", "%d is too few: %s", s.WarmUp, why)
		return
	}
	r.FailHere("warm_up is missing: %s", why)
}

// unknown says which cells are not in the grid, nil being none; it is empty when all are.
func (g *Grid) unknown(c Cell) string {
	if g == nil {
		return "goes with kind: grid"
	}
	names := make([]string, len(g.Variants))
	for i, v := range g.Variants {
		names[i] = v.Name
	}
	switch {
	case c.Model != "" && !slices.Contains(g.Models, c.Model):
		return fmt.Sprintf("no model %q in the grid; %s", c.Model, strict.Suggest(c.Model, g.Models))
	case c.Variant != "" && !slices.Contains(names, c.Variant):
		return fmt.Sprintf("no variant %q in the grid; %s", c.Variant, strict.Suggest(c.Variant, names))
	}
	return ""
}
