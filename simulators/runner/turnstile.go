package runner

import "halfsecond/pipeline"

// turnstile lets a few calls of each user through at a time, one unless the user
// of the program allows more, so that a run is no burden that nobody meant it to
// be. When that many are under way the newest other call waits; an older one that
// waits is dropped, since the user has moved on.
type turnstile struct {
	loop  pipeline.Scheduler
	model pipeline.LLM
	width int // calls of one user that may be under way
	users map[int]*passage
}

// passage is the place of one user.
type passage struct {
	passing int            // calls under way
	waiting *pipeline.Call // the newest other one, nil for none
}

func newTurnstile(loop pipeline.Scheduler, m pipeline.LLM, width int) *turnstile {
	return &turnstile{loop: loop, model: m, width: width, users: map[int]*passage{}}
}

// Start implements pipeline.LLM.
func (s *turnstile) Start(c *pipeline.Call) {
	p := s.users[c.Session]
	if p == nil {
		p = &passage{}
		s.users[c.Session] = p
	}
	if p.passing < s.width {
		s.pass(p, c)
		return
	}
	if old := p.waiting; old != nil {
		s.turnAway(old, pipeline.Dropped, "too many requests of one user in flight: a newer one took its place")
	}
	p.waiting = c
}

// pass starts a call and lets the one that waits follow it.
func (s *turnstile) pass(p *passage, c *pipeline.Call) {
	done := c.Done
	c.Done = func() {
		p.passing--
		if next := p.waiting; next != nil {
			p.waiting = nil
			s.pass(p, next)
		}
		done()
	}
	p.passing++
	s.model.Start(c)
}

// Cancel implements pipeline.LLM.
func (s *turnstile) Cancel(c *pipeline.Call) {
	if p := s.users[c.Session]; p != nil && p.waiting == c {
		p.waiting = nil
		s.turnAway(c, pipeline.Cancelled, "")
		return
	}
	s.model.Cancel(c)
}

// turnAway ends a call that was never sent.
func (s *turnstile) turnAway(c *pipeline.Call, o pipeline.Outcome, reason string) {
	s.loop.After(0, pipeline.RankOutput, func() {
		c.Record.End, c.Record.Outcome, c.Record.Reason = s.loop.Now(), o, reason
		c.Done()
	})
}
