package counters

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// errRestarted is the error of counters that are lower than before.
var errRestarted = errors.New("its counters began anew meanwhile: it was restarted, or another server answers at the same address")

// Difference returns what a server counted of the endpoint's model between two pages of its
// metrics: the Software, Label, Times and Counts of Counters. Figures of several engines or
// ranks are added up. The error says why nothing can be told.
func (s *Source) Difference(before, after []byte) (trace.Counters, error) {
	c, err := difference(before, after, s.config.Model)
	if err != nil {
		return trace.Counters{}, errors.New(s.config.Key.Tidy(err.Error()))
	}
	c.Label = s.config.Key.TidyName(c.Label)
	return c, nil
}

func difference(before, after []byte, model string) (trace.Counters, error) {
	first, err := read(before)
	if err != nil {
		return trace.Counters{}, fmt.Errorf("the page before the run cannot be read: %w", err)
	}
	second, err := read(after)
	if err != nil {
		return trace.Counters{}, fmt.Errorf("the page after the run cannot be read: %w", err)
	}
	s := softwareOf(first, second)
	if s == nil {
		return trace.Counters{}, fmt.Errorf("the page has none of the metrics of %s", servers())
	}
	labels := append(first.labels(s.prefix), second.labels(s.prefix)...)
	slices.Sort(labels)
	label, err := labelOf(slices.Compact(labels), model)
	if err != nil {
		return trace.Counters{}, err
	}
	p := pair{before: first, after: second, label: label}
	c := p.counters(s)
	if p.wentBack || p.restarted() {
		return trace.Counters{}, errRestarted
	}
	return c, nil
}

// softwareOf returns the server whose metrics two pages have, nil for none that is known.
func softwareOf(first, second page) *software {
	for i := range known {
		has := func(name string) bool { return strings.HasPrefix(name, known[i].prefix) }
		if slices.ContainsFunc(slices.Collect(maps.Keys(second)), has) || slices.ContainsFunc(slices.Collect(maps.Keys(first)), has) {
			return &known[i]
		}
	}
	return nil
}

// labelOf returns the label of a model among those that are there, "" where there are none.
// The only one is that of the model, which vLLM serves under other names too.
func labelOf(labels []string, model string) (string, error) {
	switch {
	case len(labels) == 0:
		return "", nil
	case slices.Contains(labels, model):
		return model, nil
	case len(labels) == 1:
		return labels[0], nil
	}
	return "", fmt.Errorf("its metrics are of the models %s, and of none that is called %s", strings.Join(labels, ", "), model)
}

// pair is the pages before and after, and the label of the model that counts.
type pair struct {
	before, after page
	label         string
	wentBack      bool // a counter did
}

// restarted reports whether the two pages are of processes that began at other times.
func (p *pair) restarted() bool {
	const began = "process_start_time_seconds"
	first, was := p.before.of(began, "")
	second, is := p.after.of(began, "")
	return was == there && is == there && !maps.EqualFunc(first, second, func(a, b total) bool { return a.sum == b.sum })
}

func (p *pair) counters(s *software) trace.Counters {
	c := trace.Counters{Software: s.name, Label: p.label}
	for _, t := range s.times {
		if one, ok := p.time(t); ok {
			c.Times = append(c.Times, one)
		}
	}
	for _, n := range s.counts {
		if v, ok := p.count(n); ok {
			c.Counts = append(c.Counts, trace.Count{Name: n.name, N: v})
		}
	}
	return c
}

// since returns by how much a metric went up, in all of its label sets together. ok is false
// when it cannot be told.
func (p *pair) since(name string) (t total, ok bool) {
	before, was := p.before.of(name, p.label)
	after, is := p.after.of(name, p.label)
	if is != there || was == unsound {
		p.wentBack = p.wentBack || is == absent && was == there
		return total{}, false
	}
	grown, back := after.since(before)
	p.wentBack = p.wentBack || back
	return grown.sum()
}

// time returns a kind of time, if any of it passed.
func (p *pair) time(t timed) (trace.CountedTime, bool) {
	for _, name := range t.from {
		d, ok := p.since(name)
		if !ok {
			continue
		}
		if t.over != "" {
			of, counted := p.since(t.over)
			d.n, d.counted = of.sum, counted
		}
		return d.time(t.name)
	}
	return trace.CountedTime{}, false
}

// time returns a total as a time of that name; ok is false when none passed.
func (t total) time(name string) (c trace.CountedTime, ok bool) {
	sum, fits := seconds(t.sum)
	c = trace.CountedTime{Name: name, N: pipeline.UnknownCount, Sum: sum}
	if t.counted {
		c.N = int(t.n)
	}
	for _, bound := range slices.Sorted(maps.Keys(t.buckets)) {
		most, ok := seconds(bound)
		if ok {
			c.Buckets = append(c.Buckets, trace.Bucket{Most: most, N: int(t.buckets[bound])})
		}
		if t.buckets[bound] == t.n {
			break // larger bounds say nothing more
		}
	}
	return c, fits && (c.N > 0 || c.N == pipeline.UnknownCount && c.Sum > 0)
}

// seconds returns seconds as a duration, if they are one.
func seconds(s float64) (time.Duration, bool) {
	ns := math.Round(s * float64(time.Second))
	if !(ns >= 0 && ns < math.MaxInt64) {
		return 0, false
	}
	return time.Duration(ns), true
}

// count returns a number of things.
func (p *pair) count(c counted) (n int, ok bool) {
	for _, names := range c.from {
		sum, all := 0.0, true
		for _, name := range names {
			one, ok := p.figure(name, c.seen)
			sum, all = sum+one, all && ok
		}
		if all {
			return int(sum), true
		}
	}
	return 0, false
}

// figure returns a metric as it was before, or by how much it went up.
func (p *pair) figure(name string, seen bool) (float64, bool) {
	if seen {
		all, _ := p.before.of(name, p.label)
		t, ok := all.sum()
		return t.sum, ok
	}
	t, ok := p.since(name)
	return t.sum, ok
}
