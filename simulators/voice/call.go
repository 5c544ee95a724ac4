package voice

import (
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// call is what the turns of one session leave to each other.
type call struct {
	number int // of the call among the session's
	// Of a context that grows: the tokens that begin each prompt, what was said before, in
	// the order of a prompt, and how much of the call's first prompt the user said; 0 later.
	system, user int
	said         token.Passage
	heard        map[token.ID]string // what a recognizer heard, by the name of our words for it; nil before it did
	asked        time.Duration       // when the connection to the model was last in use; Unknown for never
	spoke        time.Duration       // the same of the one to the voice; it may lie ahead
}

// newCall returns a call before its first turn.
func newCall(number int) call {
	return call{number: number, asked: pipeline.Unknown, spoke: pipeline.Unknown}
}

// callOf returns the call that a turn belongs to, which begins with it if there is none.
func (s *Simulator) callOf(session, index int) *call {
	number := 0
	if n := s.config.Stack.Context.Turns; n > 0 {
		number = index / n
	}
	c := s.calls[session]
	if c == nil {
		c = &call{number: -1}
		s.calls[session] = c
	}
	if c.number != number {
		*c = newCall(number)
	}
	return c
}

// due reports whether a connection that was last used at an instant has to be opened.
func (k Socket) due(last, now time.Duration) bool {
	return k.Each || k.Idle > 0 && (last == pipeline.Unknown || now-last >= k.Idle)
}

// luck is whether something with a share happens.
func luck(r *dist.Rand, share float64) bool { return r.Float64() < share }
