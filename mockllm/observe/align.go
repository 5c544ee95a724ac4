package observe

import (
	"strings"
	"unicode/utf8"

	"halfsecond/pipeline/document"
)

// match is how a prompt's text lies in what is known of a document: one edit turns the
// known text into one that holds the prompt's.
type match struct {
	edit document.Edit // in the known text; its Cursor is that of the prompt
	// left and right are the texts that the prompt shows beyond the known ones.
	left, right string
	start       int // where the prompt's text begins in the known one; negative for before it
	same        int // bytes of the prompt that were known
	cost        int // bytes that were edited or are new, and those that the cursor passed
}

// probe is how many bytes of a text are looked for to find its place. It is more than most
// lines that occur twice have in common; assumed.
const probe = 48

// short is a text or an edit of a few words, in bytes: texts as short as that are one
// document whatever they say, if little was done to them; assumed.
const short = 16

// mostSuggested is the longest text that comes in at once in a text that is short itself, in
// bytes: a suggestion of 256 tokens; assumed.
const mostSuggested = 1024

// find returns how a prompt lies in a known text, of which the latest prompt began at start
// and had its cursor at cursor. It reports false when too little of it is known.
func find(known string, start, cursor int, p *Prompt) (match, bool) {
	w := p.Before + p.After
	best, found := match{}, false
	for _, from := range starts(known, start, w) {
		for _, to := range ends(known, cursor, p, w, from) {
			m, ok := between(known, from, to, cursor, p, w)
			if ok && (!found || m.cost < best.cost) {
				best, found = m, true
			}
		}
	}
	return best, found && best.enough(known, cursor, len(w))
}

// enough reports whether so much of a prompt of n bytes was known that it is of the same
// document: half of it, or all that was known with no more than a suggestion put in at the
// cursor.
func (m *match) enough(known string, cursor, n int) bool {
	switch {
	case len(known) <= short:
		return m.cost <= short || m.same > 0 && 2*m.same >= n
	case m.edit.Delete == 0 && m.edit.Offset == cursor && m.same == len(known) && len(m.edit.Insert) <= mostSuggested:
		return true
	}
	return 2*m.same >= n
}

// starts returns where in the known text the text w may begin.
func starts(known string, start int, w string) []int {
	from := []int{start}
	head := w[:min(probe, len(w))]
	if at, ok := nearest(known, head, start); ok && at != start {
		from = append(from, at)
	}
	if len(known) > 0 {
		if at := strings.Index(w, known[:min(probe, len(known))]); at > 0 {
			from = append(from, -at)
		}
	}
	return from
}

// ends returns where in the known text the text w may end, of which it begins at from.
func ends(known string, cursor int, p *Prompt, w string, from int) []int {
	to := []int{len(known)}
	if p.After == "" {
		return to
	}
	add := func(at int) {
		if at >= max(0, from) && at <= len(known)+len(w) && at != to[len(to)-1] {
			to = append(to, at)
		}
	}
	add(cursor + len(p.After)) // nothing was done to what follows the cursor
	add(from + len(w))         // nor to anything
	tail := w[max(len(p.Before), len(w)-probe):]
	if at, ok := nearest(known, tail, cursor+len(p.After)-len(tail)); ok {
		add(at + len(tail))
	}
	if end := known[max(0, len(known)-probe):]; end != "" {
		if at := strings.LastIndex(w, end); at >= 0 {
			add(len(known) + len(w) - at - len(end))
		}
	}
	return to
}

// nearest returns the place of a text that is closest to at.
func nearest(known, text string, at int) (int, bool) {
	if text == "" {
		return 0, false
	}
	at = min(max(at, 0), len(known))
	right := strings.Index(known[at:], text)
	left := strings.LastIndex(known[:min(len(known), at+len(text)-1)], text)
	switch {
	case right < 0 && left < 0:
		return 0, false
	case right < 0 || left >= 0 && at-left < right:
		return left, true
	}
	return at + right, true
}

// between returns the least edit that makes the known text from one place to another the
// text w, as far as both reach.
func between(known string, from, to, cursor int, p *Prompt, w string) (m match, ok bool) {
	lo, hi := max(from, 0), min(to, len(known))
	left, right := max(-from, 0), len(w)-max(to-len(known), 0)
	if lo > hi || left > right || cuts(known, lo) || cuts(known, hi) || cuts(w, left) || cuts(w, right) {
		return m, false
	}
	old, now := known[lo:hi], w[left:right]
	head, tail := common(old, now, len(old))
	// The edit begins at the cursor where it can: of "hel|" and "hell|" the new letter is
	// the last.
	at := min(cursor-lo, len(p.Before)-left)
	if h, t := common(old, now, max(at, 0)); at >= 0 && h+t == head+tail {
		head, tail = h, t
	}
	m = match{
		left: w[:left], right: w[right:], start: from, same: head + tail,
		edit: document.Edit{Offset: lo + head, Delete: len(old) - head - tail, Insert: now[head : len(now)-tail], Cursor: lo - left + len(p.Before)},
	}
	m.cost = m.edit.Delete + len(m.edit.Insert) + left + len(m.right) + m.way(cursor)
	inside := m.edit.Cursor >= 0 && m.edit.Cursor <= len(known)-m.edit.Delete+len(m.edit.Insert)
	return m, inside || left > 0 || m.right != ""
}

// cuts reports whether a place in a text is inside of a character.
func cuts(text string, at int) bool { return at < len(text) && !utf8.RuneStart(text[at]) }

// large reports an edit of more than what is typed between two requests: a line or so;
// assumed.
func (m *match) large() bool { return m.edit.Delete+len(m.edit.Insert) > 64 }

// way returns how far the cursor went beside what was edited.
func (m *match) way(cursor int) int {
	e := &m.edit
	if e.Delete == 0 && e.Insert == "" {
		return distance(cursor, e.Cursor)
	}
	return distance(cursor, e.Offset+e.Delete) + distance(e.Offset+len(e.Insert), e.Cursor)
}

func distance(a, b int) int { return max(a-b, b-a) }

// common returns how many bytes two texts have in common at their beginning, at most so
// many, and how many of the rest at their end. Both fall between characters.
func common(a, b string, most int) (head, tail int) {
	head = prefixed(a[:min(most, len(a))], b)
	a, b = a[head:], b[head:]
	for tail < min(len(a), len(b)) && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for tail > 0 && cuts(a, len(a)-tail) {
		tail--
	}
	return head, tail
}

// prefixed returns how many bytes two texts have in common at their beginning, up to the
// start of a character.
func prefixed(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && (cuts(a, n) || cuts(b, n)) {
		n--
	}
	return n
}
