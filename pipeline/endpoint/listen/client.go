package listen

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire"
)

// Client is a service as a pipeline.STT. Start and Cancel run on the loop, as do the
// callbacks of a Hearing. A Hearing has a session of its own, which is opened once, unless
// others of its Session follow: over a WebSocket, at the pace of speech, they go on there. One
// whose session has ended meanwhile ends as Dropped, and says how that ended.
type Client struct {
	config   Config
	protocol *protocol
	talk     *talk.Client
	calls    talk.Sessions[*call] // by Hearing.Session
}

// NewClient returns a Client of the service that config describes. The error names
// everything that is wrong with config.
func NewClient(config Config, loop talk.Loop) (*Client, error) {
	if err := config.Check(); err != nil {
		return nil, fmt.Errorf("speech to text: %w", err)
	}
	if config.Model == "" {
		return nil, fmt.Errorf("speech to text: the model has no name")
	}
	t, err := talk.New(config.Config, loop)
	if err != nil {
		return nil, fmt.Errorf("speech to text: %w", err)
	}
	config.Key = t.Key // which hides what the URL says
	c := &Client{config: config.withDefaults(), talk: t}
	c.protocol, err = find(config.Protocol)
	return c, err
}

// Start implements pipeline.STT. What the service cannot take ends as Dropped, and nothing
// is sent.
func (c *Client) Start(h *pipeline.Hearing) {
	f := newFlight(c, h)
	h.State = f
	err := c.protocol.check(h.Voice)
	switch {
	case err != nil:
	case c.protocol.socket:
		err = c.begin(f)
	default:
		f.record()
	}
	if err != nil {
		c.talk.Loop.Post(c.talk.Loop.Now(), func() { f.Unspoken(err) })
	}
}

// begin has an utterance said in the session of the one before, or in one that is opened for it.
func (c *Client) begin(f *flight) error {
	h := f.hearing
	if c.config.Pace != 1 {
		h.More = false
	}
	follow := func(on *call) error { return on.follow(f) }
	return c.calls.Begin(h.Session, h.More, errBusy, follow, func() (*call, error) {
		on := newCall(c)
		return on, on.open(f)
	})
}

// Cancel implements pipeline.STT: it closes the connection.
func (c *Client) Cancel(h *pipeline.Hearing) {
	if f, ok := h.State.(*flight); ok && !f.ended {
		f.cancel()
	}
}

// Close ends all sessions, waits for their goroutines and closes the connections. What is
// under way ends as Cancelled if the loop still runs. Start must not be called during or
// after Close.
func (c *Client) Close() { c.talk.Close() }

// ask returns how a session for a recording is opened.
func (c *Client) ask(h *pipeline.Hearing) (talk.Ask, error) {
	p := c.protocol
	query := url.Values{}
	if p.query != nil {
		query = p.query(&c.config, h.Voice.Rate)
	}
	if p.socket {
		for name, values := range c.config.Query {
			query[name] = values
		}
	}
	address, err := c.config.Address(p.path, query, p.socket)
	header := http.Header{"User-Agent": {"halfsecond"}}
	p.header(&c.config, header)
	if c.config.SendStream {
		header.Set(wire.StreamHeader, strconv.Itoa(h.Stream))
	}
	return talk.Ask{
		ID: h.Record.ID, Due: h.Record.Due, Protocol: string(p.name), Model: c.config.Model, URL: address, Header: header,
		Awaits: p.awaits, Begins: h.Begin, Plays: time.Duration(float64(h.Voice.Length())/c.config.Pace) + c.config.Trail, Setting: c.config.setting(h),
	}, err
}

// sorted returns the names of values in order.
func sorted(v url.Values) []string {
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
