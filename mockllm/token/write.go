package token

import (
	"math/rand/v2"
	"strings"
)

// vocabulary holds words that are one token each, space included.
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

// Words writes exactly n tokens of words, the first without a space before it.
// The same source gives the same text.
func Words(r *rand.Rand, n int) string {
	var b strings.Builder
	b.Grow(6 * n)
	writeWords(&b, r, n)
	return b.String()
}

// Reply writes a spoken answer of exactly n tokens whose first sentence ends
// with token first; the last token ends a sentence too. A first of n or more
// makes it one sentence.
func Reply(r *rand.Rand, n, first int) string {
	var b strings.Builder
	b.Grow(6 * n)
	if first < n {
		writeSentence(&b, r, first)
		n -= first
	}
	writeSentence(&b, r, n)
	return b.String()
}

func writeSentence(b *strings.Builder, r *rand.Rand, n int) {
	if n < 1 {
		return
	}
	writeWords(b, r, n-1)
	b.WriteByte('.')
}

func writeWords(b *strings.Builder, r *rand.Rand, n int) {
	for range n {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(vocabulary[r.IntN(len(vocabulary))])
	}
}
