package talk

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/exchange"
)

// recorder gathers what goes over the wire. Of a WebSocket, the body is the bytes after the
// handshake, in the frames of RFC 6455, and the ask is a line of JSON for each frame that
// the client sent. A nil recorder gathers nothing.
type recorder struct {
	client *Client
	socket bool
	x      exchange.Exchange
	over   bool // it was handed over
}

// frameLine is a frame that the client sent. Of audio only the size is kept.
type frameLine struct {
	At    int64  `json:"at_ns"`
	Text  string `json:"text,omitempty"`
	Bytes int    `json:"bytes,omitempty"`
}

func (c *Client) newRecorder(ask Ask) *recorder {
	if c.Keep == nil {
		return nil
	}
	g := &recorder{client: c, socket: ask.Body == nil}
	g.x = exchange.Exchange{
		Request: ask.ID, Protocol: ask.Protocol, Model: ask.Model, Method: http.MethodPost, Due: ask.Due, Ask: ask.Body,
		Answered: pipeline.Unknown, MaxBytes: c.MaxBytes,
	}
	if g.socket {
		g.x.Method = http.MethodGet
	}
	if u, err := url.Parse(ask.URL); err == nil {
		g.x.Path = u.Path
	}
	return g
}

// sent notes a frame. It is called under the lock of the line.
func (g *recorder) sent(f Frame, at time.Duration) {
	if g == nil || !g.socket {
		return
	}
	line := frameLine{At: int64(at), Bytes: len(f.Data)}
	if !f.Binary {
		line = frameLine{At: int64(at), Text: string(f.Data)}
	}
	b, err := json.Marshal(line)
	if err == nil {
		g.x.Ask = append(append(g.x.Ask, b...), '\n')
	}
}

// read, response and done are called from the goroutine that reads.
func (g *recorder) read(at time.Duration, p []byte) {
	if g != nil && !g.over {
		g.x.Add(at, p)
	}
}

func (g *recorder) response(status int, version string, h http.Header) {
	if g != nil {
		g.x.Answered = g.client.Loop.Elapsed()
		g.x.Status, g.x.HTTP = status, version
		g.x.SetHeaders(h)
	}
}

// done hands over what was gathered of a conversation that went out.
func (g *recorder) done(e *End, sent time.Duration) {
	if g == nil || sent == pipeline.Unknown {
		return
	}
	g.over = true
	g.x.Sent, g.x.End, g.x.Status = sent, e.At, e.Status
	switch {
	case e.Status == 0:
		g.x.How = exchange.None
	case e.Enough || e.Cause != nil:
		g.x.How = exchange.Open
	case e.Failure != nil && e.Failure.Kind == reply.BadLink:
		g.x.How = exchange.Reset
	default:
		g.x.How = exchange.EOF
	}
	switch o, _ := e.Wrong(); o {
	case pipeline.Cancelled:
		g.x.Stop = exchange.Cancelled
	case pipeline.Timeout:
		g.x.Stop = exchange.TimedOut
	}
	if e.Failure != nil && e.Failure.Kind == reply.BadLink {
		g.x.Cause = g.client.Key.Tidy(e.Failure.String())
	}
	g.client.Key.Hide(&g.x)
	g.client.Keep(&g.x)
}
