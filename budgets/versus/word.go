package versus

import "time"

// Word is what is said of one row. It never follows from the two values alone: only
// from the interval of their difference.
type Word uint8

const (
	CannotTell   Word = iota // the interval holds both no difference and one that matters, or there is none
	NoDifference             // the interval lies within what does not matter
	Better                   // it lies on the better side of no difference, and reaches beyond what does not matter
	Worse                    // it lies on the worse side, likewise
)

var wordNames = [...]string{"cannot tell", "no difference that matters", "better", "worse"}

// String returns the word as reports have it.
func (w Word) String() string { return wordNames[w] }

// MarshalText returns String.
func (w Word) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// wordFor says what an interval of b - a means.
func wordFor(low, high, matters float64, more bool) Word {
	switch {
	case low >= -matters && high <= matters:
		return NoDifference
	case low > 0 && more, high < 0 && !more:
		return Better
	case low > 0, high < 0:
		return Worse
	}
	return CannotTell
}

// Verdict is what is said of the whole comparison. Only rows that are judged have a say.
type Verdict uint8

const (
	Undecided   Verdict = iota // nothing could be told
	NotWorse                   // some rows differ by nothing that matters, of the others nothing can be told
	Unchanged                  // no row differs by anything that matters
	Improvement                // some are better, none is worse
	Regression                 // some are worse
)

var verdictNames = [...]string{"cannot tell", "not worse", "no difference that matters", "better", "worse"}

// String returns the verdict as reports have it.
func (v Verdict) String() string { return verdictNames[v] }

// MarshalText returns String.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// overall returns the verdict of the rows that are judged.
func overall(rows []Row) Verdict {
	var counts [len(wordNames)]int
	for i := range rows {
		if rows[i].Role == Judged {
			counts[rows[i].Word]++
		}
	}
	switch {
	case counts[Worse] > 0:
		return Regression
	case counts[Better] > 0:
		return Improvement
	case counts[NoDifference] == 0:
		return Undecided
	case counts[CannotTell] > 0:
		return NotWorse
	}
	return Unchanged
}

// What a difference has to be to matter.
const (
	// DefaultMatters is the share of the first run's value that a difference of
	// durations has to reach, by convention: of a budget of 500 ms it is 25 ms, less than
	// two frames of a screen at 60 Hz, and of one of 150 ms it is half a frame.
	DefaultMatters = .05
	// LeastMatters is what a difference of durations other than a pace has to reach in any
	// case, by convention: it is a sixteenth of such a frame.
	LeastMatters = time.Millisecond
	// ShareMatters is what a difference of shares has to reach. A budget asks for 99 %
	// where it asks for anything, so one point is the whole room it leaves.
	ShareMatters = .01
)
