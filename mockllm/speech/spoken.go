package speech

import "time"

// stretch is speech without a pause, as positions in the audio.
type stretch struct {
	start, end time.Duration
	before     time.Duration // speech of the stream before it
}

// spoken is where in the audio there was speech. The last stretch goes on until shut.
type spoken struct {
	stretches []stretch
	open      bool
}

// begin says that speech starts there.
func (s *spoken) begin(position time.Duration) {
	s.stretches = append(s.stretches, stretch{position, position, s.total(position)})
	s.open = true
}

// shut says that speech has ended there.
func (s *spoken) shut(position time.Duration) {
	s.stretches[len(s.stretches)-1].end = position
	s.open = false
}

// total returns how much speech there was before a position that is not before the
// last stretch.
func (s *spoken) total(position time.Duration) time.Duration {
	n := len(s.stretches)
	if n == 0 {
		return 0
	}
	last := s.stretches[n-1]
	if s.open {
		return last.before + position - last.start
	}
	return last.before + last.end - last.start
}

// start returns the position at which the speech after so much of it begins, and end
// the one at which so much of it has ended: they differ when a pause lies between.
func (s *spoken) start(after time.Duration) time.Duration {
	for i, t := range s.stretches {
		if after < t.before+t.end-t.start || i == len(s.stretches)-1 {
			return t.start + after - t.before
		}
	}
	return 0
}

func (s *spoken) end(of time.Duration) time.Duration {
	for i, t := range s.stretches {
		if of <= t.before+t.end-t.start || i == len(s.stretches)-1 {
			return t.start + of - t.before
		}
	}
	return 0
}

// forget drops the stretches that lie before so much speech.
func (s *spoken) forget(before time.Duration) {
	n := 0
	for n < len(s.stretches)-1 && s.stretches[n].before+s.stretches[n].end-s.stretches[n].start <= before {
		n++
	}
	s.stretches = append(s.stretches[:0], s.stretches[n:]...)
}
