package talk

import (
	"time"

	"halfsecond/pipeline"
)

// Follower is a turn that is to follow in a session.
type Follower interface {
	// Begins is the earliest instant at which it may; Unknown is at once.
	Begins() time.Duration
	GoOn()              // it begins
	Unspoken(why error) // it does not, since the session is over
}

// Order has the turns of a session follow each other. Its methods run on the loop.
type Order struct {
	Loop  Loop
	Busy  error         // why nothing can follow while a turn is under way, or waits
	Quiet time.Duration // nobody speaks before it
	// Over is why nothing can be said any more; nil while it can.
	Over error

	waiting Follower
	timer   pipeline.Timer
}

// Follow has a turn begin when it may, where none is under way.
func (o *Order) Follow(f Follower, underWay bool) error {
	switch {
	case o.Over != nil:
		return o.Over
	case underWay || o.waiting != nil:
		return o.Busy
	}
	o.waiting = f
	o.next()
	return nil
}

func (o *Order) next() {
	if o.waiting == nil || o.Over != nil {
		return
	}
	if at := max(o.waiting.Begins(), o.Quiet); at > o.Loop.Now() {
		o.timer = o.Loop.At(at, pipeline.RankStart, o.next)
		return
	}
	f := o.waiting
	o.waiting = nil
	f.GoOn()
}

// Rest has nothing begin any more.
func (o *Order) Rest() { o.timer.Stop() }

// End says that the session is over, and why nothing can follow unless that is known. A turn that
// waits ends with it.
func (o *Order) End(why error) {
	o.Rest()
	if o.Over == nil {
		o.Over = why
	}
	if f := o.waiting; f != nil {
		o.waiting = nil
		f.Unspoken(o.Over)
	}
}

// Sessions are those in which other turns are to follow, by the number of who speaks. The zero
// Sessions has none.
type Sessions[S any] struct{ all map[int]S }

// Begin has a turn follow in the session of who speaks, or opens one for it. It stays if others
// follow, and busy is not why this one cannot.
func (s *Sessions[S]) Begin(who int, more bool, busy error, follow func(S) error, open func() (S, error)) error {
	on, there := s.all[who]
	var err error
	if there {
		err = follow(on)
	} else {
		on, err = open()
	}
	switch {
	case more && err == nil:
		if s.all == nil {
			s.all = map[int]S{}
		}
		s.all[who] = on
	case !more && err != busy:
		delete(s.all, who)
	}
	return err
}
