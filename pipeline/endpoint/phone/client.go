package phone

import (
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
// for. It is a pipeline.Converser, to which a Turn is a call of its own unless others of its
// Session follow; Open is a call that the asker leads.
type Client struct {
	config Config
	talk   *talk.Client
	calls  map[int]*Call // in which other turns are to follow, by Turn.Session
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
	config.Key = t.Key // which hides what the URL says
	return &Client{config: config.withDefaults(), talk: t, calls: map[int]*Call{}}, nil
}

// Close ends all calls, waits for their goroutines and closes the connections. What is under
// way ends as Cancelled if the loop still runs. Nothing must be begun during or after it.
func (c *Client) Close() { c.talk.Close() }

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
