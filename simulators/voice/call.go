package voice

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// call is what the turns of one session leave to each other.
type call struct {
	number      int // of the call among the session's
	history     int // tokens that were said in it before
	asked       time.Duration
	spoke       time.Duration // when the connections to the model and to the voice were last used; Unknown for never
	interrupted bool          // the user spoke into the last reply
}

// of returns the call that a turn belongs to.
func (s *Simulator) call(session, index int) *call {
	number := 0
	if n := s.config.Stack.Context.Turns; n > 0 {
		number = index / n
	}
	c := s.calls[session]
	if c == nil || c.number != number {
		c = &call{number: number, asked: pipeline.Unknown, spoke: pipeline.Unknown}
		s.calls[session] = c
	}
	return c
}

// wasInterrupted reports whether the user did not hear the last reply out.
func (c *call) wasInterrupted() bool { return c != nil && c.interrupted }

// due reports whether a connection that was last used at an instant has to be opened.
func (k Socket) due(last, now time.Duration) bool {
	return k.Each || k.Idle > 0 && (last == pipeline.Unknown || now-last >= k.Idle)
}

// desk is where texts wait for one of so many voices, in the order of their coming.
type desk struct {
	places int             // 0 is any number
	free   []time.Duration // when each is free
}

// take returns when a text that comes now begins to be spoken, and holds the place for as
// long as it takes.
func (d *desk) take(now, takes time.Duration) time.Duration {
	if d.places == 0 {
		return now
	}
	if len(d.free) < d.places {
		d.free = append(d.free, now+takes)
		return now
	}
	first := 0
	for i, at := range d.free {
		if at < d.free[first] {
			first = i
		}
	}
	start := max(now, d.free[first])
	d.free[first] = start + takes
	return start
}

// luck is whether something with a share happens.
func luck(r *dist.Rand, share float64) bool { return r.Float64() < share }
