package quality

import (
	"time"

	"halfsecond/pipeline"
)

// Syntax is whether an answer left code that parses.
type Syntax uint8

const (
	Untold Syntax = iota // nobody could tell
	Parses
	Breaks
)

// Answer is one answer of a model that completes code.
type Answer struct {
	Session    int           // whose it is
	For        time.Duration // from asking to its last output, above 0
	Tokens     int           // pipeline.UnknownCount when nobody counted them
	Characters int           // that came
	Useful     int           // of them, those that the user took or went on to type
	Syntax     Syntax
}

// useful returns the share of an answer's characters that was useful.
func (a Answer) useful() float64 {
	if a.Characters == 0 {
		return 0
	}
	return float64(a.Useful) / float64(a.Characters)
}

// counted reports whether the tokens of an answer are known.
func (a Answer) counted() bool { return a.Tokens != pipeline.UnknownCount }
