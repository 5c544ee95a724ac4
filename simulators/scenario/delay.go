package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/mockllm/catalog"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/strict"
)

// Delay is how long a stage takes.
type Delay struct {
	dist.Dist
	Component string // the slug of the catalogue row that it is taken from; empty when the file states it
	// NoSpread is true when one typical figure is all that is known: the Dist is
	// then constant, and no percentile but the median can rest on it.
	NoSpread bool
	// File is where measured times were read from, and Digest identifies what it holds; empty
	// when they stand in the scenario.
	File, Digest string
}

// String returns the delay as scenario files write it.
func (d Delay) String() string {
	switch {
	case d.Component != "":
		return fmt.Sprintf("{component: %s}", d.Component)
	case d.NoSpread:
		return fmt.Sprintf("{p50: %s}", d.Dist)
	case d.File != "":
		return fmt.Sprintf("{waits: %s}", quoted(d.File))
	}
	return d.Dist.String()
}

// How distributions are written.
const (
	durations = "a duration: 180ms, {p50: 180ms, p95: 300ms}, {uniform: [100ms, 200ms]}, {exponential: 1s}, {waits: [180ms, 2.1s]} or {waits: FILE}"
	counts    = "a number of tokens: 1200, {p50: 60, p95: 140}, {uniform: [1, 20]} or {exponential: 60}"
)

// longestDelay bounds every duration that a file states.
const longestDelay = time.Hour

// spread is what the distributions of durations and of counts have in common: N
// is the number they are stated in, D the distribution.
type spread[N int | time.Duration, D any] struct {
	number      form[N]
	fit         func(p50, p95 N) (D, error)
	typical     func(p50 N) D // a median without a 95th percentile
	uniform     func(lo, hi N) D
	exponential func(mean N) D
}

// choices returns the mappings that a distribution may be written as.
func (p spread[N, D]) choices() []choice[D] {
	return []choice[D]{
		{key: "p50", form: form[D]{read: p.readQuantiles}},
		{key: "uniform", form: form[D]{read: p.readUniform}},
		{key: "exponential", form: form[D]{read: p.readExponential}},
	}
}

func (p spread[N, D]) readQuantiles(r *reader, n ast.Node) (d D, ok bool) {
	type quantiles struct{ p50, p95 N }
	f := object(func(r *reader, found map[string]entry, q *quantiles) {
		if _, given := found["p95"]; !given {
			d = p.typical(q.p50)
			return
		}
		var err error
		if d, err = p.fit(q.p50, q.p95); err != nil {
			r.failEntry(found, "p95", "%s", err)
		}
	},
		need("p50", func(q *quantiles) *N { return &q.p50 }, p.number, ""),
		can("p95", func(q *quantiles) *N { return &q.p95 }, 0, p.number, ""))
	_, ok = f.read(r, n)
	return d, ok
}

func (p spread[N, D]) readUniform(r *reader, n ast.Node) (d D, ok bool) {
	type bounds struct{ ends []N }
	f := object(func(r *reader, found map[string]entry, b *bounds) {
		if len(b.ends) != 2 || b.ends[0] > b.ends[1] {
			r.failEntry(found, "uniform", "want two values in order, [shortest, longest]")
			return
		}
		d = p.uniform(b.ends[0], b.ends[1])
	}, need("uniform", func(b *bounds) *[]N { return &b.ends }, listOf(p.number), ""))
	_, ok = f.read(r, n)
	return d, ok
}

func (p spread[N, D]) readExponential(r *reader, n ast.Node) (d D, ok bool) {
	f := object(nil, need("exponential", func(mean *N) *N { return mean }, p.number, ""))
	mean, ok := f.read(r, n)
	if ok {
		d = p.exponential(mean)
	}
	return d, ok
}

// either returns the form of a distribution that is one number or a mapping.
func either[N, D any](want string, number form[N], constant func(N) D, others form[D], write func(D) tree) form[D] {
	return form[D]{
		want: want,
		read: func(r *reader, n ast.Node) (d D, ok bool) {
			if _, isMapping := strict.Mapping(n); isMapping {
				return others.read(r, n)
			}
			if _, isPlain := plain(n); !isPlain {
				r.Fail(n, "want %s; found %s", want, strict.Describe(n))
				return d, false
			}
			v, ok := number.read(r, n)
			if ok {
				d = constant(v)
			}
			return d, ok
		},
		write: write,
	}
}

// delay returns the form of a Delay that may rest on a component of these kinds.
func delay(kinds ...string) form[Delay] {
	stated := func(d dist.Dist) Delay { return Delay{Dist: d} }
	number := duration(0, longestDelay)
	choices := spread[time.Duration, Delay]{
		number: number,
		fit: func(p50, p95 time.Duration) (Delay, error) {
			d, err := dist.FromQuantiles(p50, p95)
			return stated(d), err
		},
		typical:     func(p50 time.Duration) Delay { return Delay{Dist: dist.Constant(p50), NoSpread: true} },
		uniform:     func(lo, hi time.Duration) Delay { return stated(dist.Uniform(lo, hi)) },
		exponential: func(mean time.Duration) Delay { return stated(dist.Exponential(mean)) },
	}.choices()
	choices = append(choices, choice[Delay]{key: "waits", form: object(nil, need("waits", func(d *Delay) *Delay { return d }, waits, ""))})
	want := durations
	if len(kinds) > 0 {
		choices = append(choices, choice[Delay]{key: "component", form: object(nil,
			need("component", func(d *Delay) *Delay { return d }, component(kinds...), ""))})
		want += fmt.Sprintf(", or {component: NAME} of kind %s", strings.Join(kinds, " or "))
	}
	return either(want, number, func(d time.Duration) Delay { return stated(dist.Constant(d)) },
		oneOf("a duration", choices...), func(d Delay) tree { return tree{text: d.String(), note: d.note()} })
}

// tokens is the form of a number of tokens.
var tokens = either(counts, tokenNumber, dist.ConstantCount, oneOf("a number of tokens", spread[int, dist.Count]{
	number:      tokenNumber,
	fit:         dist.CountFromQuantiles,
	typical:     dist.ConstantCount,
	uniform:     dist.UniformCount,
	exponential: dist.ExponentialCount,
}.choices()...), func(c dist.Count) tree { return tree{text: c.String()} })

// maxTokensAsked is beyond the longest context of any model in the catalogue.
const maxTokensAsked = 20_000_000

// longestCompletion bounds a ghost-text answer, in tokens: far beyond what an
// editor shows.
const longestCompletion = 10_000

var tokenNumber = whole(1, maxTokensAsked)

// component returns the form of a catalogue row's name that stands for a delay:
// two quantiles make a log-normal, one a constant without a known spread, and a
// configured wait a constant.
func component(kinds ...string) form[Delay] {
	want := fmt.Sprintf("a name of kind %s from `halfsecond catalog components`", strings.Join(kinds, " or "))
	return form[Delay]{
		want: want,
		read: func(r *reader, n ast.Node) (Delay, bool) {
			s, ok := n.(*ast.StringNode)
			if !ok {
				r.Fail(n, "want %s; found %s", want, strict.Describe(n))
				return Delay{}, false
			}
			d, err := fromCatalog(s.Value, kinds)
			if err != nil {
				r.Fail(n, "%s", err)
			}
			return d, err == nil
		},
		write: func(d Delay) tree { return tree{text: quoted(d.Component), note: d.note()} },
	}
}

func fromCatalog(name string, kinds []string) (Delay, error) {
	c, err := catalog.FindComponent(name)
	switch {
	case err != nil:
		return Delay{}, err
	case !slices.Contains(kinds, c.Kind):
		return Delay{}, fmt.Errorf("component %s is of kind %s; want %s", c.Slug, c.Kind, strings.Join(kinds, " or "))
	case c.WholeTurn():
		return Delay{}, fmt.Errorf("component %s covers a whole turn; want one of this stage alone", c.Slug)
	case c.P50 == pipeline.Unknown:
		return Delay{}, fmt.Errorf("component %s has no published median: its source says %q", c.Slug, c.Condition)
	case c.Statistic == catalog.Default:
		// A configured wait is always paid in full.
		return Delay{Dist: dist.Constant(c.P50), Component: c.Slug}, nil
	case c.P95 == pipeline.Unknown:
		return Delay{Dist: dist.Constant(c.P50), Component: c.Slug, NoSpread: true}, nil
	}
	d, err := dist.FromQuantiles(c.P50, c.P95)
	if err != nil {
		return Delay{}, fmt.Errorf("component %s: %w", c.Slug, err)
	}
	return Delay{Dist: d, Component: c.Slug}, nil
}

// note says what a component stood for when the scenario was read, so that the
// canonical text, and with it the hash, follows the catalogue.
func (d Delay) note() string {
	if d.Component == "" {
		return d.Digest
	}
	note := d.Dist.String()
	if c, err := catalog.FindComponent(d.Component); err == nil && !d.Spread() {
		note += fmt.Sprintf(" (%s)", c.Statistic)
	}
	if d.NoSpread {
		note += ", no spread known"
	}
	return note
}
