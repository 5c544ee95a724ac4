package typing

import "time"

// Bursts numbers the bursts of typing of a source, step by step.
type Bursts struct {
	number int
	since  time.Duration // since the key before
	over   bool
}

// Of returns the burst of a key, from 1 on, and 0 of any other step. A burst ends with
// a gap of more than ShortestPause between two keys, and where another document is
// opened.
func (b *Bursts) Of(s *Step) int {
	b.since += s.Gap
	if s.Kind == Open {
		b.over = true
	}
	if s.Kind != Key {
		return 0
	}
	if b.number == 0 || b.over || b.since > ShortestPause {
		b.number++
	}
	b.since, b.over = 0, false
	return b.number
}
