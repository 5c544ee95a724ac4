package token

import (
	"strings"

	"halfsecond/pipeline/dist"
)

// ID names a stream of words. What a stream says follows from its ID alone.
type ID uint64

const (
	letters = 26
	// streams is how many streams there are: as many as the names that begin them,
	// a capital and five letters of either case.
	streams = letters * (2 * letters) * (2 * letters) * (2 * letters) * (2 * letters) * (2 * letters)
	// stop is the stream whose every token is a full stop, comma that of commas.
	stop  ID = streams
	comma ID = streams + 1
)

// Name returns the ID of the stream for one purpose; the arguments are those of
// dist.Stream. Of ten billion pairs of names one has the same ID, and is then one
// stream for whoever counts it, writes it or looks for it in a cache.
func Name(seed uint64, name string, index ...int) ID {
	r := dist.Stream(seed, name, index...)
	return ID(r.IntN(streams))
}

// Segment is the first N tokens of a stream, N at least 0. A longer segment of the
// same stream begins with the shorter one.
type Segment struct {
	ID ID
	N  int
}

// Passage is a text made of segments. It can be counted and compared by blocks
// without ever being written.
//
// The first token of a stream is its name, which no other stream has and which is
// no word of the vocabulary. So where two passages differ first as segments, one
// of them at least begins a stream there, and they differ there as texts: passages
// that share their first tokens as segments share them as texts, and the reverse,
// with no room for words that happen to be equal.
type Passage []Segment

// Sentences returns an answer of n tokens that is spoken: its first sentence, of
// the words of head, ends with token first, and the rest is a sentence of the
// words of tail. Both numbers are at least 1; a first of n or more makes it one
// sentence.
func Sentences(head, tail ID, n, first int) [4]Segment {
	first = min(first, n)
	s := [4]Segment{{head, first - 1}, {stop, 1}}
	if rest := n - first; rest > 0 {
		s[2], s[3] = Segment{tail, rest - 1}, Segment{stop, 1}
	}
	return s
}

// Spoken returns an answer of n tokens in sentences of so many each, the last of which may
// be shorter. Sentence i is of the words of words(i). A clause of fewer tokens than the
// first sentence ends with a comma there, and the words after it are those of words(-1); 0
// has none. n and each are at least 1.
func Spoken(words func(i int) ID, n, each, clause int) Passage {
	p := make(Passage, 0, 2*(n+each-1)/each+2)
	for i, from := 0, 0; from < n; i++ {
		long := min(each, n-from)
		from += long
		name := words(i)
		if i == 0 && clause > 0 && clause < long {
			p = append(p, Segment{name, clause - 1}, Segment{comma, 1})
			name, long = words(-1), long-clause
		}
		p = append(p, Segment{name, long - 1}, Segment{stop, 1})
	}
	return p
}

// First returns the first n tokens of the passage, or all of it when it has fewer.
func (p Passage) First(n int) Passage {
	for i, s := range p {
		if s.N >= n {
			return append(p[:i:i], Segment{s.ID, n})
		}
		n -= s.N
	}
	return p
}

// Tokens returns the number of tokens.
func (p Passage) Tokens() int {
	n := 0
	for _, s := range p {
		n += s.N
	}
	return n
}

// Text writes the passage: Count of it is Tokens.
func (p Passage) Text() string {
	var b strings.Builder
	b.Grow(6 * p.Tokens())
	for _, s := range p {
		s.write(&b)
	}
	return b.String()
}

func (s Segment) write(b *strings.Builder) {
	switch s.ID {
	case stop:
		b.WriteString(strings.Repeat(".", s.N))
		return
	case comma:
		b.WriteString(strings.Repeat(",", s.N))
		return
	}
	words := dist.Stream(uint64(s.ID), "token/words")
	for i := range s.N {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if i == 0 {
			s.ID.write(b)
			continue
		}
		b.WriteString(vocabulary[words.IntN(len(vocabulary))])
	}
}

// write writes the name of the stream.
func (id ID) write(b *strings.Builder) {
	b.WriteByte(byte('A' + id%letters))
	id /= letters
	for range maxLetters - 1 {
		b.WriteByte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[id%(2*letters)])
		id /= 2 * letters
	}
}

// vocabulary holds words that are one token each, space included. None has a
// capital.
var vocabulary = strings.Fields(`
	about after again all also and any are back been before best both bring build
	call can change check clear close could day done door down each early end even
	every far few find first five for four from full get give good great group half
	hand have help here high home hour house idea into just keep kind know large
	last late later learn leave left less light line list little local long look
	made main make many may mean might more most move much must name near need
	never new next night nine north not note now number often old once one only
	open order other our out over own part people place plan point power put quick
	rather read real right room round run same say second see seem seven short
	show side six small some soon south stand start state still stop such sure
	take talk tell ten than that their them then there these they thing think this
	three time today too town train turn two under until use very visit wait walk
	want water way week well west what when where which while white who will with
	word work world would year yes yet you your`)
