package observe

import (
	"time"

	"halfsecond/pipeline/document"
)

// text is a document that prompts showed parts of.
type text struct {
	id     int
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
func open(id int, r *Request) *text {
	known := r.Prompt.Before + r.Prompt.After
	t := &text{id: id, known: known, cursor: len(r.Prompt.Before), opening: known}
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

// MostOpen is how many documents a prompt is compared with, the latest: as many as a
// person has under way at once; assumed.
const MostOpen = 16

// group puts requests together by document.
func group(requests []*Request) []*text {
	var all, latest []*text
	for _, r := range requests {
		at, m := closest(latest, &r.Prompt)
		if at < 0 {
			t := open(len(all)+1, r)
			all = append(all, t)
			latest = append([]*text{t}, latest[:min(len(latest), MostOpen-1)]...)
			continue
		}
		t := latest[at]
		t.take(r, m)
		copy(latest[1:at+1], latest[:at])
		latest[0] = t
	}
	for _, t := range all {
		t.settle()
		t.play()
	}
	return all
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
