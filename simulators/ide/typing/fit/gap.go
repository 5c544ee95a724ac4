package fit

import (
	"time"

	"halfsecond/simulators/ide/typing"
)

// Gap is the time between two keys that follow each other.
type Gap struct {
	Prev, Cur typing.Class
	For       time.Duration
}

// Gaps returns the gaps between the keys of a source that follow each other in one
// document, with nothing but moves of the cursor between them. The source must end.
func Gaps(y typing.Source) []Gap {
	var gaps []Gap
	var f follower
	for {
		s, ok := y.Next()
		if !ok {
			return gaps
		}
		if g, ok := f.gap(&s); ok {
			gaps = append(gaps, g)
		}
	}
}

// follower finds the gaps of a source, step by step.
type follower struct {
	since   time.Duration
	follows bool // the last thing done, moves aside, was a key
	prev    typing.Class
}

// gap returns the gap before a step that is a key, if it follows another.
func (f *follower) gap(s *typing.Step) (g Gap, ok bool) {
	f.since += s.Gap
	if s.Kind == typing.Move {
		return Gap{}, false
	}
	g, ok = Gap{f.prev, s.Class, f.since}, s.Kind == typing.Key && f.follows
	f.follows, f.prev, f.since = s.Kind == typing.Key, s.Class, 0
	return g, ok
}
