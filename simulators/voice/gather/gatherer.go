package gather

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Gatherer watches a text for the end of its first piece. It looks at each part of the
// text once, so that a text without an end costs no more a part the longer it is. The
// zero Gatherer has seen nothing; it is for one text and one rule.
type Gatherer struct {
	begun bool // there was more than white space
	ended bool // the sign that ends it was seen, and what follows is waited for
	n     int  // characters since it has begun
}

// Add takes the next part of the text and reports whether the first piece is whole. White
// space before the first other character ends nothing.
func (g *Gatherer) Add(r Rule, part string) bool {
	if !g.begun {
		part = strings.TrimLeft(part, " \t\r\n")
		g.begun = part != ""
	}
	switch {
	case part == "":
		return false
	case r.By == Token:
		return true
	case r.By == Characters:
		return g.longEnough(r, part)
	}
	if g.ended {
		return true
	}
	at := strings.IndexFunc(part, r.ends)
	if at < 0 {
		return false
	}
	if !r.LookAhead {
		return true
	}
	_, size := utf8.DecodeRuneInString(part[at:])
	g.ended = true
	return len(part) > at+size
}

// longEnough counts characters. A word is not cut: the piece ends before the white space
// behind one, or with a sign that ends a sentence.
func (g *Gatherer) longEnough(r Rule, part string) bool {
	for _, c := range part {
		if g.n >= r.Characters && unicode.IsSpace(c) || g.n+1 >= r.Characters && r.ends(c) && c != '\n' {
			return true
		}
		g.n++
	}
	return false
}
