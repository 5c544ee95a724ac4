package observe

import (
	"cmp"
	"slices"
	"time"

	"halfsecond/pipeline/document"
)

// text is a document that prompts showed parts of.
type text struct {
	id     int
	from   *text  // that it may be the same as, after a large edit
	known  string // what is known of it now
	cursor int
	start  int // where the latest prompt began
	// shift is how many bytes of the beginning were first seen after others were: a
	// position in known is that of the first prompt plus shift.
	shift   int
	opening string // what the first prompt showed, with what around it was first seen later
	visits  []visit
}

// visit is one request of a document, and what was done before it.
type visit struct {
	*Request
	edit  document.Edit // counted from the start of the first prompt
	start int           // of the prompt, counted likewise
	step  step

	// What the answer was worth when its first token came, and beside the first request after
	// that; see judge.go.
	onArrival, afterwards document.Verdict
	kept                  int // bytes of the answer that stood in the text later, or were typed by hand
}

// open begins a document with its first prompt.
func open(r *Request) *text {
	known := r.Prompt.Before + r.Prompt.After
	t := &text{known: known, cursor: len(r.Prompt.Before), opening: known}
	t.visits = append(t.visits, visit{Request: r, edit: document.Edit{Offset: t.cursor, Cursor: t.cursor}})
	return t
}

// take adds a request whose prompt lies so.
func (t *text) take(r *Request, m match) {
	e := m.edit
	t.known = m.left + t.known[:e.Offset] + e.Insert + t.known[e.Offset+e.Delete:] + m.right
	t.opening = m.left + t.opening + m.right
	v := visit{Request: r, edit: e, start: m.start - t.shift}
	v.edit.Offset -= t.shift
	v.edit.Cursor -= t.shift
	t.shift += len(m.left)
	t.cursor, t.start = e.Cursor+len(m.left), max(0, m.start)
	t.visits = append(t.visits, v)
}

// settle counts positions from the beginning of what is known.
func (t *text) settle() {
	for i := range t.visits {
		v := &t.visits[i]
		v.start += t.shift
		v.edit.Offset += t.shift
		v.edit.Cursor += t.shift
	}
}

// mostOpen is how many documents a prompt is compared with, the latest: as many as a
// person has under way at once; assumed.
const mostOpen = 16

// group puts requests together by document.
func group(requests []*Request) []*text {
	all := unite(part(requests))
	for i, t := range all {
		t.id = i + 1
		t.settle()
		t.play()
	}
	return all
}

// part gives each request to the document that it is closest to. Where it takes a large
// edit to get there, it begins another for now: two people at one file look like that, and
// so does one person who pastes.
func part(requests []*Request) (all []*text) {
	var latest []*text
	for _, r := range requests {
		at, m := closest(latest, &r.Prompt)
		if at >= 0 && !m.large() {
			t := latest[at]
			t.take(r, m)
			latest = slices.Insert(slices.Delete(latest, at, at+1), 0, t)
			continue
		}
		t := open(r)
		if at >= 0 {
			t.from = latest[at]
		}
		all = append(all, t)
		latest = slices.Insert(latest, 0, t)
		latest = latest[:min(len(latest), mostOpen)]
	}
	return all
}

// unite puts documents together that large edits set apart, unless several people went on
// at them beside each other.
func unite(parts []*text) (all []*text) {
	families := map[*text][]*text{}
	for _, t := range parts {
		families[t.first()] = append(families[t.first()], t)
	}
	for _, t := range parts {
		family := families[t.first()]
		if t == t.first() {
			all = append(all, merged(family)...)
		}
	}
	return all
}

// first returns the document that this one may be the same as, and that is set apart from
// none itself.
func (t *text) first() *text {
	for t.from != nil {
		t = t.from
	}
	return t
}

// turnsOfMany is the share of requests that are of another part of a family than the one
// before, from which on several people are at work; one person goes over from part to part
// with a large edit each time. Assumed, as is that fewer than leastTurns tell nothing.
const (
	turnsOfMany = 0.2
	leastTurns  = 6
)

// merged makes one document of a family, unless it is the work of several people.
func merged(family []*text) []*text {
	if len(family) == 1 {
		return family
	}
	type owned struct {
		*Request
		of *text
	}
	var all []owned
	for _, t := range family {
		for _, v := range t.visits {
			all = append(all, owned{v.Request, t})
		}
	}
	slices.SortFunc(all, func(a, b owned) int { return cmp.Compare(a.Number, b.Number) })
	turns := 0
	whole := open(all[0].Request)
	for i, r := range all[1:] {
		if r.of != all[i].of {
			turns++
		}
		m, ok := find(whole.known, whole.start, whole.cursor, &r.Prompt)
		if !ok {
			return family
		}
		whole.take(r.Request, m)
	}
	if turns >= leastTurns && share(turns, len(all)) >= turnsOfMany {
		return family
	}
	return []*text{whole}
}

// closest returns which of some texts a prompt is of, the latest first, or -1.
func closest(texts []*text, p *Prompt) (best int, lies match) {
	best = -1
	for i, t := range texts {
		if m, ok := find(t.known, t.start, t.cursor, p); ok && (best < 0 || m.cost < lies.cost) {
			best, lies = i, m
		}
	}
	return best, lies
}

// since returns when the visit before came; the instant of the first one itself.
func (t *text) since(i int) time.Duration { return t.visits[max(0, i-1)].Arrived }
