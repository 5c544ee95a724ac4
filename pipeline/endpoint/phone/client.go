package phone

import (
	"errors"
	"fmt"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
)

// Name is the name of the protocol.
const Name = "twilio-media-streams"

// Rate is the samples a second of a telephone.
const Rate = rate

// Client calls one bot. Its methods run on the loop, as do the callbacks of what it is asked
// for. It is a pipeline.Converser, to which a Turn is a call of its own; Open is a call of
// several turns.
type Client struct {
	config Config
	talk   *talk.Client
}

// NewClient returns a Client of the bot that config describes. The error names everything
// that is wrong with config.
func NewClient(config Config, loop talk.Loop) (*Client, error) {
	if err := config.Check(); err != nil {
		return nil, fmt.Errorf("phone: %w", err)
	}
	t, err := talk.New(config.Config, loop)
	if err != nil {
		return nil, fmt.Errorf("phone: %w", err)
	}
	return &Client{config: config.withDefaults(), talk: t}, nil
}

// Close ends all calls, waits for their goroutines and closes the connections. What is under
// way ends as Cancelled if the loop still runs. Nothing must be begun during or after it.
func (c *Client) Close() { c.talk.Close() }

// single is a Turn that is a call of its own.
type single struct {
	client *Client
	turn   *pipeline.Turn
	call   *Call
	said   *Utterance
	ended  bool
}

// Start implements pipeline.Converser: it calls the bot, hears its greeting out, says the
// turn and hangs up when the answer has been played. Begin is the earliest instant at which
// the caller speaks. What cannot be sent ends as Dropped.
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
	t := s.turn
	s.call, err = s.client.open(t.Record.ID, t.Record.Due, t.Begin)
	if err != nil {
		return err
	}
	s.call.Ended = s.end
	s.said = &Utterance{Voice: t.Voice, Begin: t.Begin, Notify: t.Notify, Done: s.done, Record: NewRecord(t.Record.ID, t.Record.Due)}
	err = s.call.Say(s.said)
	if t.Interruption != nil {
		over := &Utterance{Voice: *t.Interruption, Done: func() {}, Record: NewRecord(t.Record.ID, t.Record.Due)}
		err = errors.Join(err, s.call.Interrupt(over, t.InterruptAfter))
	}
	return err
}

// done hears that the answer is over.
func (s *single) done() { s.call.HangUp() }

// end hears that the call is.
func (s *single) end() {
	s.ended = true
	s.turn.Record = answered(&s.said.Record, &s.call.Record)
	s.turn.Done()
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

// Cancel implements pipeline.Converser: it breaks the call off.
func (c *Client) Cancel(t *pipeline.Turn) {
	if s, ok := t.State.(*single); ok && !s.ended && s.call != nil { // else it is dropped
		s.call.Cancel()
	}
}

// Details returns the records of a Turn that is done, and of its call; nil for one that was
// dropped.
func Details(t *pipeline.Turn) (*Record, *CallRecord) {
	s, ok := t.State.(*single)
	if !ok || !s.ended || s.call == nil {
		return nil, nil
	}
	return &s.said.Record, &s.call.Record
}

// CallRecord is the record of a call. Instants that were not observed are pipeline.Unknown.
type CallRecord struct {
	ID  int64
	Due time.Duration

	Ready    time.Duration // the stream began
	Greeting Record        // what the bot said first; unknown when that was not waited for, or not over
	Turns    []Record      // what the caller said, in the order in which its answers were over
	End      time.Duration

	MaxQueued  time.Duration // the most audio that waited to be played
	FirstFrame time.Duration // of those that the caller's microphone sent, silent or not
	LastFrame  time.Duration
	Late       time.Duration // how much later than due the latest of them went out
	Frames     int
	Faults     []Fault // of the whole call

	Outcome   pipeline.Outcome // how the stream ended; OK when either side closed it
	Reason    string
	Close     int // code of the bot's close frame, 0 for none
	Transport pipeline.Transport
}

// callRecord returns the record of a call that has ended.
func (s *story) callRecord(id int64, due time.Duration, e *talk.End) CallRecord {
	r := CallRecord{
		ID: id, Due: due, Ready: pipeline.Unknown, Greeting: NewRecord(0, pipeline.Unknown), End: e.At, MaxQueued: s.most, Faults: s.faults,
		FirstFrame: e.Sent.First, LastFrame: e.Sent.Last, Late: e.Sent.Late, Frames: e.Sent.Frames,
		Close: e.Code, Transport: e.Transport,
	}
	if s.begun {
		r.Ready = s.queue.origin
	}
	if s.greeting != nil {
		r.Greeting = *s.greeting
	}
	for _, t := range s.turns {
		r.Turns = append(r.Turns, *t)
	}
	r.Outcome, r.Reason = s.ending(e)
	return r
}
