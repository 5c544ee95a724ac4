package voice

import (
	"slices"
	"time"

	"halfsecond/pipeline"
)

// desk is where texts wait for one of so many voices, in the order of their coming.
type desk struct {
	loop    pipeline.Scheduler
	places  int
	taken   int
	waiting []*seat
}

// seat is a text at the desk.
type seat struct {
	desk   *desk
	served func() // its place is free
	takes  time.Duration
	over   pipeline.Timer
	begun  bool
	left   bool
}

// come has a text come now that holds a place for so long, once it has one. served is
// called when it has.
func (d *desk) come(takes time.Duration, served func()) *seat {
	s := &seat{desk: d, served: served, takes: takes}
	if d.taken == d.places {
		d.waiting = append(d.waiting, s)
		return s
	}
	s.begin()
	return s
}

func (s *seat) begin() {
	s.begun = true
	s.desk.taken++
	s.over = s.desk.loop.After(s.takes, pipeline.RankOutput, s.leave)
	s.served()
}

// leave frees the place, or gives up waiting for one. A seat is left once.
func (s *seat) leave() {
	d := s.desk
	switch {
	case s.left:
		return
	case s.begun:
		s.over.Stop()
		d.taken--
	default:
		d.waiting = slices.DeleteFunc(d.waiting, func(w *seat) bool { return w == s })
	}
	s.left = true
	if d.taken < d.places && len(d.waiting) > 0 {
		next := d.waiting[0]
		d.waiting = append(d.waiting[:0], d.waiting[1:]...)
		next.begin()
	}
}
