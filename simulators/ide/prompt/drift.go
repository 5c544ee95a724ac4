package prompt

import (
	"bytes"
	"slices"

	"halfsecond/mockllm/token"
)

// Cause is why a prompt shares no more with the one before it.
type Cause string

const (
	Same            Cause = "same"             // they are the same
	KeyAtCursor     Cause = "key_at_cursor"    // the text before the cursor goes on, ends earlier or has another end
	CursorMoved     Cause = "cursor_moved"     // the text is the same, and the cursor elsewhere in it
	WindowMoved     Cause = "window_moved"     // the text is the same, and the part of it begins elsewhere
	SuffixMoved     Cause = "suffix_moved"     // what follows the cursor is another text
	SnippetChanged  Cause = "snippet_changed"  // another file's text
	HeaderChanged   Cause = "header_changed"   // the lines that name the document
	DocumentChanged Cause = "document_changed" // the text before the cursor, elsewhere than at its end
)

// Drifts tells of the prompts of one shape that an editor sends, one after the other, where
// each begins to differ from the one before, and why. It costs what they are long in bytes,
// and cuts into tokens only what is new. The zero Drifts has seen none; it is for one goroutine.
type Drifts struct {
	previous *Prompt
	overlap  token.Overlap
}

// Next returns how many tokens a prompt shares with the one before it, which is the index of the
// first that differs, from 0, and why it shares no more. It is false of the first prompt. The
// prompt is kept, and must not change, until the next has come.
func (d *Drifts) Next(next *Prompt) (shared int, cause Cause, ok bool) {
	previous, b := d.previous, next.mark()
	d.previous = next
	if previous == nil {
		d.overlap.Shared(b.texts)
		return 0, "", false
	}
	a := previous.mark()
	if a.String() == b.String() && slices.Equal(a.spans, b.spans) {
		return next.tokens, Same, true
	}
	return d.overlap.Shared(b.texts), why(previous, next, a, b), true
}

// why tells the cause by the first section that differs.
func why(previous, next *Prompt, a, b *written) Cause {
	first := b.spans[len(b.spans)-1].section
	for i := range min(len(a.spans), len(b.spans)) {
		x, y := a.spans[i], b.spans[i]
		if x.section != y.section || a.String()[x.from:x.to] != b.String()[y.from:y.to] {
			first = y.section
			break
		}
	}
	switch {
	case first == inHeader:
		return HeaderChanged
	case first == inSnippet:
		return SnippetChanged
	case sameText(previous, next) && len(previous.asked.Before()) != len(next.asked.Before()):
		return CursorMoved
	case first == inSuffix:
		return SuffixMoved
	}
	return whyBefore(previous, next)
}

// whyBefore tells why what stands before the cursor differs.
func whyBefore(previous, next *Prompt) Cause {
	a, b := previous.asked.Before(), next.asked.Before()
	n := commonLen(a, b)
	switch {
	case n < max(previous.from, next.from) && !slid(a[previous.from:], b[next.from:]) && !slid(b[next.from:], a[previous.from:]):
		return DocumentChanged
	case previous.from != next.from:
		return WindowMoved
	case bytes.IndexByte(a[n:], '\n') < 0 || bytes.IndexByte(b[n:], '\n') < 0:
		return KeyAtCursor
	}
	return DocumentChanged
}

// slid reports whether a text goes on as another begins, for at least half of the shorter.
func slid(text, next []byte) bool {
	for k := 1; k < len(text); k++ {
		n := min(len(text)-k, len(next))
		if 2*n < min(len(text), len(next)) {
			return false
		}
		if bytes.Equal(text[k:k+n], next[:n]) {
			return true
		}
	}
	return false
}

// sameText reports whether two prompts are of the same text.
func sameText(p, q *Prompt) bool {
	a, b := p.asked.Before(), q.asked.Before()
	x, y := p.asked.After(), q.asked.After()
	if len(a) > len(b) {
		a, b, x, y = b, a, y, x
	}
	more := b[len(a):]
	return len(more) <= len(x) && bytes.HasPrefix(b, a) && x[:len(more)] == string(more) && x[len(more):] == y
}

// commonLen returns how many bytes two texts have in common at their start.
func commonLen(a, b []byte) (n int) {
	const step = 256
	for most := min(len(a), len(b)); n+step <= most && bytes.Equal(a[n:n+step], b[n:n+step]); {
		n += step
	}
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
