package prompt

import (
	"halfsecond/pipeline/document"
)

// Window finds what a plugin sends of one document. It remembers the tokens that
// it has counted. The zero Window has counted none.
type Window struct {
	tally tally
	ahead ahead
}

// Find returns the last prefix tokens before the cursor, which begin at byte from,
// and the first suffix tokens after it, which are so many bytes. It must be asked
// about the same document each time.
func (w *Window) Find(d *document.Document, prefix, suffix int) (tokens, from, bytes int) {
	w.tally.cut(d.Unchanged())
	tokens, from = w.tally.last(d.Before(), prefix)
	after, bytes := w.ahead.first(d.After(), suffix)
	return tokens + after, from, bytes
}
