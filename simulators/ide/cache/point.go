package cache

import (
	"bytes"

	"halfsecond/pipeline/document"
)

// Point is a place in a text: what a plugin looks at before and after the cursor. Nobody
// may change Before for as long as a cache that stored the point is used; those of
// snapshots never change, and share their bytes.
type Point struct {
	Before []byte
	After  string
	// Document tells texts apart that belong to different documents; 0 for a plugin that
	// does not.
	Document int
}

// Of returns the place at which the document with a number was looked at, with all of its
// text.
func Of(s *document.Snapshot, number int) Point {
	return Point{Before: s.Before(), After: s.After(), Document: number}
}

// entry is an answer at a place: where it was asked for, or further along it.
type entry struct {
	Point
	Answer
	off int // bytes of the answer before the place
}

// length returns the number of bytes before the place.
func (e *entry) length() int { return len(e.Before) + e.off }

// rest returns what can be shown there.
func (e *entry) rest() string { return e.Text[e.off:] }

// ends reports whether the text before the place is b.
func (e *entry) ends(b []byte) bool {
	return len(b) == e.length() && bytes.HasPrefix(b, e.Before) && string(b[len(e.Before):]) == e.Text[:e.off]
}

// same reports whether two entries are at the same place.
func (e *entry) same(o *entry) bool {
	if len(e.Before) > len(o.Before) {
		e, o = o, e
	}
	more := o.Before[len(e.Before):]
	return e.length() == o.length() && e.Document == o.Document && e.After == o.After && bytes.HasPrefix(o.Before, e.Before) &&
		e.Text[:len(more)] == string(more) && e.Text[len(more):e.off] == o.Text[:o.off]
}

// before returns the text before the place as one.
func (e *entry) before() []byte {
	if e.off == 0 {
		return e.Before
	}
	return append(e.Before[:len(e.Before):len(e.Before)], e.Text[:e.off]...)
}

// window is how many characters of a line the sum of a place stands for.
const window = 16

// prime is that of FNV, and drop what a character weighs in a sum that has moved on by
// window.
const prime = 0x100000001b3

var drop = func() uint64 {
	p := uint64(1)
	for range window {
		p *= prime
	}
	return p
}()

// sum is a rolling number for the last characters before a place: those of its line, at
// most window bytes, without white space. Places with the same text before them have the
// same sum, and so have places that differ further away.
type sum struct {
	ring [window]byte
	n    int
	h    uint64
}

func (s *sum) add(b byte) {
	switch b {
	case '\n':
		*s = sum{}
	case ' ', '\t', '\r':
	default:
		at := &s.ring[s.n%window]
		s.h = s.h*prime + uint64(b) - uint64(*at)*drop
		*at = b
		s.n++
	}
}

// sumAt returns the sum at the end of a text.
func sumAt(text []byte) (s sum) {
	for _, b := range text[start(text):] {
		s.add(b)
	}
	return s
}

// start returns where the characters begin that the sum at the end of a text stands for.
func start(text []byte) int {
	seen, at := 0, len(text)
	for at > 0 && seen < window && text[at-1] != '\n' {
		at--
		switch text[at] {
		case ' ', '\t', '\r':
		default:
			seen++
		}
	}
	return at
}

// sums appends the sums at the last reach+1 places of a text, the last first.
func sums(dst []uint64, text []byte, reach int) []uint64 {
	first := max(0, len(text)-min(reach, len(text)))
	s := sumAt(text[:first])
	n := len(text) - first
	dst = append(dst, make([]uint64, n+1)...)
	dst[n] = s.h
	for i, b := range text[first:] {
		s.add(b)
		dst[n-1-i] = s.h
	}
	return dst
}
