package quality

import (
	"math"
	"time"
)

// DefaultRepair is what it costs to see that an answer is broken, to find the place and to
// put it right. It is assumed: no figure of it was found. Studies of compile errors state
// the time between two builds, which has the build and everything else in it.
const DefaultRepair = 10 * time.Second

// Speed is how fast a model was, and how fast that was worth. Sums are over answers; d is
// the time of one, s the share of its characters that was useful, and b whether it is
// broken: 1, 0, or where nobody could tell the share of Broken. A figure that rests on b is
// not known where nobody could tell of any answer.
type Speed struct {
	Answers     int
	Told        int           // those of which it could be told whether they parse
	Independent float64       // answers that those told are worth
	Repair      time.Duration // what a broken answer costs
	Drawn       string        // how answers were drawn again for the intervals, in words
	Broken      Estimate      // share: broken answers / answers of which it could be told
	Parsing     Estimate      // share: 1 - Broken
	Tokens      Estimate      // tokens a second: sum of tokens / sum of d, the wait for the first one included
	Useful      Estimate      // characters a second: sum of useful characters x (1-b) / sum of d
	Working     Estimate      // seconds to working code: mean of d + Broken x Repair
	Effective   Estimate      // tokens a second: sum of tokens x s x (1-b) / sum of (d + b x Repair)
}

// figure numbers the figures that samples drawn again give.
type figure int

const (
	broken figure = iota
	tokens
	useful
	working
	effective
	figures
)

// sums are what the figures are made of, over answers that count so many times.
type sums struct {
	answers, told, broken float64
	seconds               float64
	// Of what parses, what is broken and what is untold, in this order.
	useful [3]float64
	// The same of answers whose tokens are known.
	tokens, usefulTokens, count, counted [3]float64 // tokens; those that are useful; answers; their seconds
}

// of returns where in sums an answer is counted.
func (s Syntax) of() int {
	return [...]int{Untold: 2, Parses: 0, Breaks: 1}[s]
}

// add counts an answer n times.
func (s *sums) add(a *Answer, n float64) {
	i, d := a.Syntax.of(), n*a.For.Seconds()
	s.answers += n
	s.seconds += d
	s.useful[i] += n * float64(a.Useful)
	switch a.Syntax {
	case Breaks:
		s.broken += n
		s.told += n
	case Parses:
		s.told += n
	}
	if a.counted() {
		s.tokens[i] += n * float64(a.Tokens)
		s.usefulTokens[i] += n * float64(a.Tokens) * a.useful()
		s.count[i] += n
		s.counted[i] += d
	}
}

// values returns the figures; NaN for those that are not known.
func (s *sums) values(repair time.Duration) [figures]float64 {
	b := s.broken / s.told // NaN for 0/0
	return s.at([3]float64{0, 1, b}, b, repair)
}

// at returns the figures when answers that parse, that are broken and that are untold are
// broken with these probabilities, and of all answers that share is.
func (s *sums) at(b [3]float64, share float64, repair time.Duration) (v [figures]float64) {
	cost := repair.Seconds()
	var sound, soundTokens, all, counted, paid float64
	for i := range b {
		// What is not there does not matter, though its b be unknown.
		if s.useful[i] > 0 {
			sound += s.useful[i] * (1 - b[i])
		}
		if s.count[i] > 0 {
			soundTokens += s.usefulTokens[i] * (1 - b[i])
			paid += s.counted[i] + s.count[i]*b[i]*cost
		}
		all += s.tokens[i]
		counted += s.counted[i]
	}
	v[broken] = share
	v[tokens] = all / counted
	v[useful] = sound / s.seconds
	v[working] = s.seconds/s.answers + share*cost
	v[effective] = soundTokens / paid
	if math.IsNaN(share) {
		v[useful], v[effective] = math.NaN(), math.NaN()
	}
	return v
}
