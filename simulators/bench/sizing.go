package bench

import "math"

// Sizing learns how many tokens a server counts in a prompt of so many of ours: a line,
//
//	server's = PerWord * ours + Extra,
//
// Extra being what a template puts around a prompt, by least squares through the
// prompts of the first requests that ended ok with a count of the server. It goes on
// learning for LearnFrom of them and then stays, so that later prompts are all made
// alike. The zero Sizing is ready to use, nil never learns. It is used on the loop.
type Sizing struct {
	PerWord, Extra float64 // meaningless before the first
	Learned        int     // requests that it learned from
	Blind          int     // prompts that were made before it knew anything

	ours, theirs, squares, products float64 // sums
	least, most                     float64 // prompts of ours
}

// LearnFrom is how many requests a Sizing learns from.
const LearnFrom = 8

// leastSpread is how far apart prompts have to be, as a share of the longest, for a slope
// to be told from an offset: nearer, a token more or less would decide. Lengths that
// are all the same need no slope: what is right for one is right for all.
const leastSpread = .04

// fewest is the least that a server counts of a word of ours, which are common ones of
// English: a tokenizer makes about one token of each. One that counts less leaves out what it
// found in its cache, or does not count, and no prompt is made longer for that.
const fewest = .25

// Words returns how many of our tokens make a prompt of so many of the server's, at
// least 1; as long as it knows nothing they are as many.
func (s *Sizing) Words(tokens int) int {
	if s == nil {
		return tokens
	}
	if s.Learned == 0 {
		s.Blind++
		return tokens
	}
	return max(1, int(math.Round((float64(tokens)-s.Extra)/s.PerWord)))
}

// Learn takes what the server counted in a prompt of so many of our tokens; too small a count
// is none.
func (s *Sizing) Learn(words, counted int) {
	if s == nil || s.Learned == LearnFrom || counted < 1 || words < 1 {
		return
	}
	x, y := float64(words), float64(counted)
	if y < fewest*x {
		return
	}
	if s.Learned == 0 {
		s.least, s.most = x, x
	}
	s.least, s.most = min(s.least, x), max(s.most, x)
	s.Learned++
	s.ours, s.theirs, s.squares, s.products = s.ours+x, s.theirs+y, s.squares+x*x, s.products+x*y
	s.PerWord, s.Extra = s.line()
}

// line returns the line through what is known. One that would make longer prompts of
// fewer tokens, or of hardly more, or an empty one of less than none, is no tokenizer's: then
// it is the one through nothing.
func (s *Sizing) line() (slope, offset float64) {
	n := float64(s.Learned)
	if s.most-s.least >= leastSpread*s.most {
		slope = (n*s.products - s.ours*s.theirs) / (n*s.squares - s.ours*s.ours)
		if offset = (s.theirs - slope*s.ours) / n; slope >= fewest && offset >= 0 {
			return slope, offset
		}
	}
	return s.theirs / s.ours, 0
}
