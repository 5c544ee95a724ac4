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
	var since time.Duration
	follows, prev := false, typing.Word
	for {
		s, ok := y.Next()
		if !ok {
			return gaps
		}
		since += s.Gap
		switch {
		case s.Kind == typing.Move:
			continue
		case s.Kind == typing.Key && follows:
			gaps = append(gaps, Gap{prev, s.Class, since})
		}
		follows, prev, since = s.Kind == typing.Key, s.Class, 0
	}
}
