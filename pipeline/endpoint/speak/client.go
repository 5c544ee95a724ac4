package speak

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire"
)

// Client is a service as a pipeline.TTS. Its methods run on the loop, as do the callbacks
// of a Saying. Each Saying has a connection of its own over a WebSocket; posts share those
// that are open. A Start without text, of what has More, opens the WebSocket ahead of it:
// the asker then sets Record.Due when it knows the text.
type Client struct {
	config   Config
	protocol *protocol
	talk     *talk.Client
	contexts atomic.Int64
}

// NewClient returns a Client of the service that config describes. The error names
// everything that is wrong with config.
func NewClient(config Config, loop talk.Loop) (*Client, error) {
	if err := config.Check(); err != nil {
		return nil, fmt.Errorf("text to speech: %w", err)
	}
	if config.Model == "" {
		return nil, fmt.Errorf("text to speech: the model has no name")
	}
	t, err := talk.New(config.Config, loop)
	if err != nil {
		return nil, fmt.Errorf("text to speech: %w", err)
	}
	config.Key = t.Key // which hides what the URL says
	c := &Client{config: config.WithDefaults(), talk: t}
	c.protocol, err = find(config.Protocol)
	return c, err
}

// Start implements pipeline.TTS.
func (c *Client) Start(s *pipeline.Saying) {
	f := &flight{client: c, saying: s, gather: newGatherer(&c.config, c.protocol), id: fmt.Sprintf("turn-%d", c.contexts.Add(1))}
	f.gather.notify = f.notify
	s.State = f
	f.start()
}

// Say implements pipeline.TTS.
func (c *Client) Say(s *pipeline.Saying, text string) {
	if f, ok := s.State.(*flight); ok && !f.ended && !f.finished {
		f.say(text)
	}
}

// Finish implements pipeline.TTS.
func (c *Client) Finish(s *pipeline.Saying) {
	if f, ok := s.State.(*flight); ok && !f.ended && !f.finished {
		f.finish()
	}
}

// Cancel implements pipeline.TTS: it closes the connection.
func (c *Client) Cancel(s *pipeline.Saying) {
	if f, ok := s.State.(*flight); ok && !f.ended {
		f.cancel()
	}
}

// Close ends all texts, waits for their goroutines and closes the connections. What is
// under way ends as Cancelled if the loop still runs. Start must not be called during or
// after Close.
func (c *Client) Close() { c.talk.Close() }

// ask returns how a conversation is opened.
func (c *Client) ask(s *pipeline.Saying) (talk.Ask, error) {
	p := c.protocol
	query := url.Values{}
	if p.query != nil {
		query = p.query(&c.config)
	}
	for name, values := range c.config.Query {
		query[name] = values
	}
	address, err := c.config.Address(strings.ReplaceAll(p.path, "VOICE", url.PathEscape(c.config.Voice)), query, p.socket)
	header := http.Header{"User-Agent": {"halfsecond"}}
	if !p.socket {
		header.Set("Content-Type", "application/json")
	}
	p.header(&c.config, header)
	if c.config.SendStream {
		header.Set(wire.StreamHeader, strconv.Itoa(s.Stream))
	}
	return talk.Ask{
		ID: s.Record.ID, Due: s.Record.Due, Protocol: string(p.name), Model: c.config.Model, URL: address, Header: header,
		Begins: s.Record.Due, Setting: c.config.setting(s.Text),
	}, err
}
