package recording_test

import (
	"slices"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// figures are those that the session and a replay of it have in common. A call is one of
// the completion provider, be it answered by its cache or by a server.
type figures struct {
	typed     int // edits that a key made
	asked     int // of these, with a call
	calls     int
	network   int // calls that a server was asked for, where that is known
	cancelled int // given up at the next step
	texts     []time.Duration
}

// figure is one of them.
type figure struct {
	name      string
	of        func(f *figures) float64
	want, off float64 // what has to come out, and by how much it may differ
	form      string  // as it is printed
}

func share(part, whole int) float64 { return float64(part) / float64(whole) }

// text returns a quantile of the times from an edit to the text that is there for it, in ms.
func (f *figures) text(q quantile.Q) float64 {
	slices.Sort(f.texts)
	v, _ := quantile.OfSorted(f.texts, q)
	return float64(v) / float64(ms)
}

func (f *figures) inside(budget time.Duration) float64 {
	n := 0
	for _, t := range f.texts {
		if t <= budget {
			n++
		}
	}
	return share(n, len(f.texts))
}

// judged are the figures that a replay has to have.
var judged = []figure{
	{"typing edits with a call", func(f *figures) float64 { return share(f.asked, f.typed) }, .87, .05, "%.3f"},
	{"calls a typing edit", func(f *figures) float64 { return share(f.calls, f.typed) }, 1.31, .15, "%.2f"},
	{"cancelled", func(f *figures) float64 { return share(f.cancelled, f.calls) }, .57, .08, "%.3f"},
	{"edit to text, p50, ms", func(f *figures) float64 { return f.text(quantile.P50) }, 63, 20, "%.0f"},
	{"inside 150 ms", func(f *figures) float64 { return f.inside(150 * ms) }, .73, .08, "%.3f"},
}

// told are figures beside them.
var told = []figure{
	{name: "requests to a server a typing edit", of: func(f *figures) float64 { return share(f.network, f.typed) }, form: "%.2f"},
	{name: "edit to text, p90, ms", of: func(f *figures) float64 { return f.text(quantile.P90) }, form: "%.0f"},
}

// measured returns the figures of the session itself. Which cancelled calls would have come
// out of the cache is not known: all count as requests to a server.
func measured(all []event, calls []call) *figures {
	type version struct{ document, version int }
	typed := map[version]time.Duration{}
	for i := range all {
		if e := &all[i]; e.typing() {
			typed[version{e.Doc, e.V}] = e.at()
		}
	}
	f := &figures{typed: len(typed), calls: len(calls)}
	asked := map[version]bool{}
	for i := range calls {
		c := &calls[i]
		edit, byKey := typed[version{c.document, c.version}]
		if byKey {
			asked[version{c.document, c.version}] = true
		}
		if !c.cached() {
			f.network++
		}
		if c.cancelled {
			f.cancelled++
		} else if byKey && c.items > 0 {
			f.texts = append(f.texts, c.at+c.took-edit)
		}
	}
	f.asked = len(asked)
	return f
}

// replayed returns the figures of a replay. A text counts from the last edit, if a key made
// that: as in the session, where a move of the cursor asks again for the same text.
func replayed(traces []*pipeline.Trace) *figures {
	f := &figures{}
	var edit time.Duration
	byKey := false
	for _, t := range traces {
		key := t.Kind == pipeline.KindIDE
		if key {
			f.typed++
		}
		if key || t.Fact(pipeline.FactClass) == pipeline.ClassChange {
			edit, byKey = t.Due, key
		}
		f.count(t, key, edit, byKey)
	}
	return f
}

// count counts the calls of a step.
func (f *figures) count(t *pipeline.Trace, key bool, edit time.Duration, byKey bool) {
	calls := len(t.Requests)
	for _, u := range t.Uses {
		if u.How == "cached" {
			calls++
		}
	}
	if calls == 0 {
		return
	}
	f.calls += calls
	f.network += len(t.Requests)
	if key {
		f.asked++
	}
	if t.Fact(pipeline.FactGivenUp) != "" {
		f.cancelled++
	} else if at := t.Mark(pipeline.MarkFirstCharacter); at != pipeline.Unknown && byKey {
		f.texts = append(f.texts, at-edit)
	}
}
