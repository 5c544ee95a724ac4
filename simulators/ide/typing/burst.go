package typing

import "time"

// bursts numbers the bursts of typing of a source, step by step.
type bursts struct {
	number int
	since  time.Duration // since the key before
	over   bool
}

// of returns the burst of a key, and 0 of any other step. A burst ends with a gap of
// more than ShortestPause between two keys, and where another document is opened.
func (b *bursts) of(s *Step) int {
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

// NumberBursts gives each key the number of its burst, from 1 on.
func NumberBursts(steps []Step) {
	var b bursts
	for i := range steps {
		steps[i].Burst = b.of(&steps[i])
	}
}
