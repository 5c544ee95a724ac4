package phone

import (
	"errors"
	"fmt"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
)

// single is a Turn that is a call of its own, or one of those in a call.
type single struct {
	client *Client
	turn   *pipeline.Turn
	call   *Call
	first  bool // of the call
	said   *Utterance
	ended  bool
}

// Start implements pipeline.Converser: it calls the bot, hears its greeting out, says the
// turn and hangs up when the answer has been played, or with More stays on the line for the
// next one. Begin is the earliest instant at which the caller speaks. What cannot be said ends
// as Dropped.
//
// In the record V2V counts to the instant at which the answer came; from the end of speech to
// Voiced is the time to the ear. Details has what a Turn has no place for.
func (c *Client) Start(t *pipeline.Turn) {
	s := &single{client: c, turn: t}
	t.State = s
	err := checkTurn(t)
	if err == nil {
		err = s.start()
	}
	if err != nil {
		c.talk.Loop.Post(c.talk.Loop.Now(), func() { s.drop(err) })
	}
}

func checkTurn(t *pipeline.Turn) error {
	errs := []error{check(&t.Voice)}
	if t.Interruption != nil {
		errs = append(errs, check(t.Interruption))
	}
	if t.InterruptAfter < 0 {
		errs = append(errs, fmt.Errorf("an interruption %s before the answer is heard", -t.InterruptAfter))
	}
	return errors.Join(errs...)
}

func (s *single) start() (err error) {
	t, c := s.turn, s.client
	if s.call = c.calls[t.Session]; s.call == nil {
		s.first = true
		if s.call, err = c.open(t.Record.ID, t.Record.Due, t.Begin); err != nil {
			return err
		}
	}
	if c.calls[t.Session] = s.call; !t.More {
		delete(c.calls, t.Session)
		s.call.Ended = s.end
	}
	s.said = &Utterance{Voice: t.Voice, Begin: t.Begin, Notify: t.Notify, Done: s.done, Record: NewRecord(t.Record.ID, t.Record.Due)}
	err = s.call.Say(s.said)
	if t.Interruption != nil && err == nil {
		over := &Utterance{Voice: *t.Interruption, Done: func() {}, Record: NewRecord(t.Record.ID, t.Record.Due)}
		err = s.call.Interrupt(over, t.InterruptAfter)
	}
	return err
}

// done hears that the answer is over.
func (s *single) done() {
	if !s.turn.More {
		s.call.HangUp()
		return
	}
	c := s.call
	if c.end != nil {
		s.left()
		return
	}
	part := c.line.Part(c.loop().Now())
	s.land(inCall(&s.said.Record, c.transport, part, s.first))
}

// left ends a turn with the stream.
func (s *single) left() {
	e := s.call.end
	r := inCall(&s.said.Record, e.Transport, e.Part, s.first)
	r.Close = e.Code
	s.land(r)
}

// end hears that the call is, with the turn.
func (s *single) end() {
	if s.first {
		s.land(answered(&s.said.Record, &s.call.Record))
		return
	}
	s.left()
}

func (s *single) land(r pipeline.Answered) {
	if !s.ended { // else it was dropped
		s.ended = true
		s.turn.Record = r
		s.turn.Done()
	}
}

func (s *single) drop(err error) {
	if !s.ended {
		s.ended = true
		s.turn.Record.Outcome, s.turn.Record.Reason = pipeline.Dropped, err.Error()
		s.turn.Done()
	}
}

// answered returns the record of a turn that was all of a call.
func answered(r *Record, c *CallRecord) pipeline.Answered {
	r.FirstFrame, r.LastFrame, r.Late, r.Frames = c.FirstFrame, c.LastFrame, c.Late, c.Frames
	r.Close, r.Transport, r.Ready = c.Close, c.Transport, c.Ready
	return r.Answered
}

// inCall returns the record of a turn in a call: a later one finds the connection open. The
// frames are those since the one before was over.
func inCall(r *Record, t pipeline.Transport, sent talk.Sent, first bool) pipeline.Answered {
	if !first {
		t = talk.Open(t)
	}
	r.FirstFrame, r.LastFrame, r.Late, r.Frames = sent.First, sent.Last, sent.Late, sent.Frames
	r.Transport = t
	return r.Answered
}

// Cancel implements pipeline.Converser: it breaks the call off.
func (c *Client) Cancel(t *pipeline.Turn) {
	if s, ok := t.State.(*single); ok && !s.ended && s.call != nil { // else it is dropped
		s.call.Cancel()
	}
}

// Details returns the records of a Turn that is done, and of its call as far as that has come;
// nil for one that was dropped.
func Details(t *pipeline.Turn) (*Record, *CallRecord) {
	s, ok := t.State.(*single)
	if !ok || !s.ended || s.call == nil {
		return nil, nil
	}
	return &s.said.Record, &s.call.Record
}
