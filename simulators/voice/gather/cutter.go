package gather

import (
	"unicode"
	"unicode/utf8"
)

// Cutter cuts a text that comes part by part into its pieces, one after the other. A part
// is not cut: it belongs to the piece that it ends, or to the next one where it only shows
// that the piece before it was whole. The zero Cutter cuts sentences.
type Cutter struct {
	Rule     Rule
	gatherer Gatherer
}

// Cut says what a part of a text does to the piece in hand.
type Cut struct {
	Whole bool // the piece is whole now
	Next  bool // and the part belongs to the next one
	// Ended is set when the sign that ends the piece has come, and what follows is waited for.
	Ended bool
}

// Add takes the next part of the text.
func (c *Cutter) Add(part string) Cut {
	before := c.gatherer
	if !c.gatherer.Add(c.Rule, part) {
		return Cut{Ended: c.gatherer.ended && !before.ended}
	}
	first, _ := utf8.DecodeRuneInString(part)
	next := before.ended || c.Rule.By == Characters && before.n >= c.Rule.Characters && unicode.IsSpace(first)
	c.gatherer = Gatherer{}
	if next {
		c.gatherer.Add(c.Rule, part)
	}
	return Cut{Whole: true, Next: next, Ended: next && c.gatherer.ended}
}
