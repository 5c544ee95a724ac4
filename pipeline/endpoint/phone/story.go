package phone

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/twilio"
)

// story is a call as it goes. It is a function of what the bot says, when that came, and what
// the caller does; what it says of the future holds if nothing else comes.
type story struct {
	setting
	queue queue
	begun bool
	now   *turn // whose audio comes
	// barging is the caller's turn that cuts into now; its audio comes next. Nil for none.
	barging  *turn
	greeting *Record // nil before it is over
	turns    []*Record
	most     time.Duration // that was queued at once
	faults   []Fault       // of turns that are over
	owes     int           // answers to turns that are over, which had none
	taken    int           // messages
	hungUp   bool
}

// begin begins the stream.
func (s *story) begin(at time.Duration) {
	s.begun = true
	s.queue = queue{origin: at, end: at}
	s.now = newTurn(at)
	s.now.greets = s.Greeting > 0
}

// take takes a message.
func (s *story) take(m *message, at time.Duration) (samples int, to *turn) {
	s.taken++
	t := s.now
	if m.event == twilio.EventMedia {
		p := piece{at: at, codes: m.codes, kept: len(m.codes)}
		p.listen()
		p.loud = p.end > 0
		if t = s.owner(&p); s.hear(p, t) {
			samples = len(m.codes)
		}
	}
	t.see(m.event, at)
	if m.fault != "" {
		t.fault(m.fault, m.why, at)
	}
	if m.event == twilio.EventClear {
		s.clear(at)
	}
	return samples, t
}

// owner returns whose a piece is. While the caller cuts into an answer, what comes is the rest
// of that, until it is cleared, or until something comes that may answer the caller.
func (s *story) owner(p *piece) *turn {
	b := s.barging
	switch {
	case b == nil:
		return s.now
	case b.opening() >= 0, p.at >= b.end && p.at-s.now.came() >= s.Hush:
		return b
	}
	return s.now
}

// hear queues audio of a turn. It reports false when that is full.
func (s *story) hear(p piece, t *turn) bool {
	if s.queue.left(p.at)+last(p.kept) > mostQueued {
		t.fault(FaultOverflow, "audio of more than "+mostQueued.String()+" is queued: what comes is dropped", p.at)
		return false
	}
	p.start, p.queued = s.queue.add(p.at, p.kept)
	p.start += s.Downlink
	s.most = max(s.most, p.queued)
	t.take(p, s.Hush, s.Pause)
	s.back(p.at)
	return true
}

// back notes what is queued when the caller cuts in, as far as that is known at an instant.
func (s *story) back(at time.Duration) {
	if t := s.now; t.interrupted != pipeline.Unknown && at <= t.interrupted {
		t.backlog = s.queue.left(t.interrupted)
	}
}

// clear drops what is queued.
func (s *story) clear(at time.Duration) {
	cut := s.queue.clear(at) + s.Downlink
	s.now.clear(at, cut, s.Hush)
	if s.barging != nil && s.barging.opening() >= 0 {
		s.barging.clear(at, cut, s.Hush)
	}
	s.back(at)
}

// said has the caller say something in turn, or cut into an answer.
func (s *story) said(t *turn) {
	t.speaks, t.from = true, t.start
	if s.now.speaks {
		s.now.interrupted, s.now.cleared = t.onset, pipeline.Unknown
		s.barging = t
		s.back(t.start)
		return
	}
	if s.now.opening() >= 0 && !s.now.greets {
		s.owes = max(0, s.owes-1)
	}
	s.drop(s.now)
	t.owes = s.owes
	s.now = t
}

// drop keeps the faults of a turn that is over.
func (s *story) drop(t *turn) {
	for _, f := range t.faults {
		s.faults = addFault(s.faults, f)
	}
}

// settled returns when the turn is over, if nothing else comes.
func (s *story) settled() time.Duration {
	end := s.through(s.now)
	if s.now.answered() {
		return min(end, s.bound(s.now))
	}
	return end
}

// through returns when the bot is through in a turn, however long that takes.
func (s *story) through(t *turn) time.Duration {
	quiet := t.quiet()
	switch {
	case t.interrupted != pipeline.Unknown && t.cleared != pipeline.Unknown:
		return max(t.cleared, t.interrupted)
	case t.interrupted != pipeline.Unknown && s.barging.opening() >= 0:
		return quiet
	case t.interrupted != pipeline.Unknown:
		return max(quiet, t.interrupted) + s.Hush
	case t.answered() && t.doubtful(): // another one may come in time
		return max(quiet+s.Pause, t.end+s.Patience)
	case t.answered():
		return quiet + s.Pause
	case t.speaks:
		return t.end + s.Patience
	case t.greets:
		return t.from + s.Greeting
	}
	return t.from
}

// bound returns until when something that the bot says may go on.
func (s *story) bound(t *turn) time.Duration {
	if t.speaks {
		return t.end + s.Longest
	}
	return t.from + s.Longest
}

// voiced returns when the answer to the turn is first heard, as far as that is known.
func (s *story) voiced() time.Duration {
	if !s.now.answered() || s.now.doubtful() {
		return pipeline.Unknown
	}
	return s.now.voiced()
}

// over ends the turn.
func (s *story) over(at time.Duration) (*turn, *Record) {
	t := s.now
	outcome, reason := s.judge(t, at)
	r := s.close(t, at)
	r.Outcome, r.Reason = outcome, reason
	if s.now = s.barging; s.now == nil {
		s.now = newTurn(at)
	}
	s.barging = nil
	return t, r
}

// owe notes what may still come of answers once a turn is over. What could not be played has come,
// and of one that is doubtful another is owed.
func (s *story) owe(t *turn) {
	if !t.speaks {
		return
	}
	s.owes = t.owes
	if t.interrupted == pipeline.Unknown && !t.answered() && silenced(t.faults) == "" {
		s.owes++
	}
}

// close makes the record of a turn.
func (s *story) close(t *turn, at time.Duration) *Record {
	s.drop(t)
	s.owe(t)
	if t.speaks && t.interrupted == pipeline.Unknown && t.opening() >= 0 && (!t.answered() || t.doubtful()) {
		t.givenUp()
	}
	r := s.measure(t, at)
	if t.speaks {
		s.turns = append(s.turns, r)
	} else {
		s.greeting = r
	}
	return r
}
