package token

// Overlap compares rows of texts that come one after the other and mostly begin alike, such as
// the prompts of somebody who types. It cuts into tokens only what it has not seen before the
// place where a row differs from the last one, and keeps that row. The zero Overlap has seen
// none; it is for one goroutine.
type Overlap struct {
	row  []string
	ends [][]int32 // of the tokens of each text, from its start, as far as they are known
}

// Shared returns how many tokens a row of texts and the last row have in common at their start,
// as Blocks compares them: 0 for the first row. The row must not change afterwards.
func (o *Overlap) Shared(row []string) (n int) {
	for len(o.ends) < len(row) {
		o.ends = append(o.ends, nil)
	}
	last, alike := o.row, true
	for i, text := range row {
		same, whole := 0, false
		if i < len(last) {
			same = sameBytes(last[i], text)
			whole = same == len(text) && same == len(last[i])
		}
		o.keep(i, same, whole)
		if alike {
			n += o.settle(i, text, same, whole)
			if alike = whole; !alike {
				n += together(last[min(i, len(last)):], row[i:], o.known(i))
			}
		}
	}
	for i := len(row); i < len(o.ends); i++ {
		o.ends[i] = o.ends[i][:0]
	}
	o.row = row
	return n
}

// keep forgets the tokens of a text that may be others now, since it is the same for so many
// bytes only: a token depends on what comes shortly behind it.
func (o *Overlap) keep(i, same int, whole bool) {
	n := len(o.ends[i])
	for !whole && n > 0 && int(o.ends[i][n-1])+Lookahead > same {
		n--
	}
	o.ends[i] = o.ends[i][:n]
}

// settle finds the tokens of a text that both rows have for certain, and counts them.
func (o *Overlap) settle(i int, text string, same int, whole bool) int {
	for at := o.known(i); at < same; {
		if at += Next(text[at:]); !whole && at+Lookahead > same {
			break
		}
		o.ends[i] = append(o.ends[i], int32(at))
	}
	return len(o.ends[i])
}

// known returns how far the tokens of a text are known.
func (o *Overlap) known(i int) int {
	if n := len(o.ends[i]); n > 0 {
		return int(o.ends[i][n-1])
	}
	return 0
}

// together counts the tokens that two rows have in common from a byte of their first texts on.
func together(a, b []string, at int) (n int) {
	if len(a) == 0 {
		return 0
	}
	x, y := reader{texts: a, at: at}, reader{texts: b, at: at}
	for x.next() && y.next() && x.token == y.token && x.blank == y.blank {
		n++
	}
	return n
}
