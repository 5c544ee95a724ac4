package converse

import (
	"fmt"
	"net/http"
	"net/url"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/sound"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire/realtime"
)

// Name is the name of the protocol.
const Name = "openai-realtime"

// Client is a model as a pipeline.Converser. Start and Cancel run on the loop, as do the
// callbacks of a Turn. A Turn has a session of its own, which is opened once, unless others of
// its Session follow: they go on there. One whose session has ended meanwhile ends as Dropped,
// and says how that ended.
type Client struct {
	config Config
	talk   *talk.Client
	calls  talk.Sessions[*call] // by Turn.Session
}

// NewClient returns a Client of the model that config describes. The error names everything
// that is wrong with config.
func NewClient(config Config, loop talk.Loop) (*Client, error) {
	if err := config.Check(); err != nil {
		return nil, fmt.Errorf("speech to speech: %w", err)
	}
	if config.Model == "" {
		return nil, fmt.Errorf("speech to speech: the model has no name")
	}
	t, err := talk.New(config.Config, loop)
	if err != nil {
		return nil, fmt.Errorf("speech to speech: %w", err)
	}
	config.Key = t.Key // which hides what the URL says
	return &Client{config: config.withDefaults(), talk: t}, nil
}

// Start implements pipeline.Converser. What cannot be sent ends as Dropped.
func (c *Client) Start(t *pipeline.Turn) {
	f := newFlight(c, t)
	t.State = f
	err := check(t)
	if err == nil {
		err = c.begin(f)
	}
	if err != nil {
		c.talk.Loop.Post(c.talk.Loop.Now(), func() { f.Unspoken(err) })
	}
}

// begin has a turn spoken in the session of the one before, or in one that is opened for it.
func (c *Client) begin(f *flight) error {
	follow := func(on *call) error { return on.follow(f) }
	return c.calls.Begin(f.turn.Session, f.turn.More, errBusy, follow, func() (*call, error) {
		on := newCall(c)
		return on, on.open(f)
	})
}

// Cancel implements pipeline.Converser: it closes the connection.
func (c *Client) Cancel(t *pipeline.Turn) {
	if f, ok := t.State.(*flight); ok && !f.ended && f.call != nil && f.call.line != nil { // else it is dropped
		f.cancelled = true
		f.call.line.Cancel()
	}
}

// Close ends all sessions, waits for their goroutines and closes the connections. What is
// under way ends as Cancelled if the loop still runs. Start must not be called during or
// after Close.
func (c *Client) Close() { c.talk.Close() }

// samples are what both sides send.
var samples = sound.Format{Encoding: sound.S16, Rate: realtime.PCMRate, Channels: 1}

// check says why a turn cannot be sent.
func check(t *pipeline.Turn) error {
	voices := []*pipeline.Voice{&t.Voice}
	if t.Interruption != nil {
		voices = append(voices, t.Interruption)
	}
	for _, v := range voices {
		switch {
		case v.Rate != realtime.PCMRate:
			return fmt.Errorf("the recording has %d samples a second: %s takes %d", v.Rate, Name, realtime.PCMRate)
		case len(v.Samples) == 0:
			return fmt.Errorf("the recording is empty")
		case v.SpeechEnd == pipeline.Unknown || v.SpeechEnd < 0 || v.SpeechEnd > v.Length():
			return fmt.Errorf("where speech ends in a recording of %s is not known: nothing is answered without it", v.Length())
		}
	}
	if t.InterruptAfter < 0 {
		return fmt.Errorf("an interruption %s before the answer is heard", -t.InterruptAfter)
	}
	return nil
}

// ask returns how a session is opened.
func (c *Client) ask(t *pipeline.Turn) (talk.Ask, error) {
	query := url.Values{"model": {c.config.Model}}
	for name, values := range c.config.Query {
		query[name] = values
	}
	address, err := c.config.Address("/v1/realtime", query, true)
	header := http.Header{"User-Agent": {"halfsecond"}}
	c.config.Key.Sign(header, "Authorization", "Bearer ")
	if c.config.Beta {
		header.Set("OpenAI-Beta", "realtime=v1")
	}
	return talk.Ask{
		ID: t.Record.ID, Due: t.Record.Due, Protocol: Name, Model: c.config.Model, URL: address, Header: header,
		Awaits: realtime.EventSessionUpdated, Begins: t.Begin, Plays: t.Voice.Length() + c.config.Trail, Setting: c.config.setting(t),
	}, err
}
