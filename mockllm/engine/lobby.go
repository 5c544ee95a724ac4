package engine

import (
	"time"

	"halfsecond/pipeline"
)

// lobby holds requests that have not reached the engine behind it. Each may give
// up at any instant; their order is its user's business.
type lobby struct {
	loop      pipeline.Scheduler
	guests    map[*Request]*guest
	cancelled int
}

// guest is a request's stay in a lobby. The request is nil once it has left.
type guest struct {
	request *Request
	since   time.Duration // instant at which it came
}

func newLobby(loop pipeline.Scheduler) lobby {
	return lobby{loop: loop, guests: map[*Request]*guest{}}
}

// enter takes a new request in.
func (l *lobby) enter(r *Request) *guest {
	r.arrive()
	if l.guests[r] != nil {
		panic("engine: request submitted twice")
	}
	g := &guest{r, l.loop.Now()}
	l.guests[r] = g
	return g
}

// release lets the guest go on and returns its request, nil when it gave up.
func (l *lobby) release(g *guest) *Request {
	r := g.request
	g.request = nil
	delete(l.guests, r)
	return r
}

// cancel gives the request up and reports whether it was here.
func (l *lobby) cancel(r *Request) bool {
	g := l.guests[r]
	if g == nil {
		return false
	}
	l.release(g)
	l.cancelled++
	leave(l.loop, r, pipeline.Cancelled)
	return true
}

// with returns the engine's statistics with the lobby's requests among them.
func (l *lobby) with(s Stats) Stats {
	s.Submitted += len(l.guests) + l.cancelled
	s.Waiting += len(l.guests)
	s.Cancelled += l.cancelled
	return s
}
