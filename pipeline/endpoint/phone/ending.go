package phone

import (
	"fmt"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
)

// judge says how a turn ended that is over.
func (s *story) judge(t *turn, at time.Duration) (pipeline.Outcome, string) {
	quiet := t.quiet()
	switch {
	case !t.answered():
		return s.unanswered(t, quiet)
	case t.doubtful():
		return pipeline.Truncated, fmt.Sprintf("no answer was heard within %s of the end of speech but one that may be to the turn before, which had none", s.Patience)
	case s.through(t) > at:
		return pipeline.Timeout, s.endless(t)
	case t.goesOn():
		return pipeline.Truncated, fmt.Sprintf("the bot spoke from %s before the end of speech until after it, without a silence of %s: where in that the answer begins is not known", t.end-t.voiced(), s.Hush)
	case t.lost && t.interrupted == pipeline.Unknown:
		return pipeline.Truncated, "the bot cleared its own answer, which nobody had interrupted"
	}
	return pipeline.OK, ""
}

func (s *story) unanswered(t *turn, quiet time.Duration) (pipeline.Outcome, string) {
	switch {
	case !t.speaks:
		return pipeline.OK, "" // it may be that nobody greets
	case quiet != pipeline.Unknown || t.cutIns > 0:
		return pipeline.Truncated, fmt.Sprintf("the bot spoke before the end of speech, and not within %s of it%s", s.Patience, silenced(t.faults))
	}
	return pipeline.Truncated, fmt.Sprintf("no answer was heard within %s of the end of speech%s", s.Patience, silenced(t.faults))
}

func (s *story) endless(t *turn) string {
	switch {
	case !t.speaks:
		return fmt.Sprintf("the greeting was not over within %s", s.Longest)
	case t.interrupted != pipeline.Unknown:
		return fmt.Sprintf("the answer did not stop within %s of the end of speech, though the caller had cut in", s.Longest)
	}
	return fmt.Sprintf("the answer was not over within %s of the end of speech", s.Longest)
}

// left is a turn that the end of the stream ended.
type left struct {
	turn   *turn
	record *Record
}

// land ends what is under way when the stream has ended.
func (s *story) land(e *talk.End) (all []left) {
	if !s.begun {
		return nil
	}
	cut := s.queue.clear(e.At) + s.Downlink
	for _, t := range []*turn{s.now, s.barging} {
		if t == nil {
			continue
		}
		lost := t.cut(cut)
		if !t.speaks {
			s.drop(t)
			continue
		}
		r := s.close(t, e.At)
		r.Outcome, r.Reason = s.leftIn(t, e, lost)
		all = append(all, left{t, r})
	}
	s.now, s.barging = newTurn(e.At), nil
	return all
}

// leftIn says how a turn ended that the end of the stream ended.
func (s *story) leftIn(t *turn, e *talk.End, lost bool) (pipeline.Outcome, string) {
	outcome, reason := s.ending(e)
	switch {
	case outcome != pipeline.OK:
		return outcome, reason
	case e.HungUp || s.hungUp:
		return pipeline.Cancelled, "the caller hung up"
	case !t.answered():
		return pipeline.Truncated, "the bot closed the stream before it answered" + silenced(t.faults)
	case lost:
		return pipeline.Truncated, "the bot closed the stream before all of its answer was played"
	}
	return s.judge(t, max(e.At, s.through(t)))
}

// ending says how the stream ended.
func (s *story) ending(e *talk.End) (pipeline.Outcome, string) {
	outcome, reason := e.Wrong()
	if outcome != pipeline.OK && outcome != pipeline.Cancelled && !s.begun {
		return outcome, "the bot does not accept the stream: " + reason
	}
	return outcome, reason
}

// unspoken says why something was not said.
func (s *story) unspoken(e *talk.End) (pipeline.Outcome, string) {
	outcome, reason := s.ending(e)
	switch {
	case outcome != pipeline.OK:
		return outcome, reason
	case s.greeting != nil && s.greeting.Outcome != pipeline.OK:
		return s.greeting.Outcome, s.greeting.Reason
	case e.HungUp || s.hungUp:
		return pipeline.Cancelled, "the caller hung up"
	}
	return pipeline.Truncated, "the bot closed the stream before the caller spoke" + silenced(s.faults)
}
