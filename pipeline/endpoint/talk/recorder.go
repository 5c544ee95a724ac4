package talk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/exchange"
)

// Names of notes in a raw log. Others are those of the packages that know a protocol.
const (
	noteDNS     = "dns" // N is how long it took in nanoseconds, as of the two below
	noteConnect = "connect"
	noteTLS     = "tls"
	noteReused  = "reused"
	noteBye     = "bye"  // the client closed the WebSocket
	notePart    = "part" // a turn of several began or was over; N is the frames of payload until then

	noteUnopened = "unopened" // the response of status 101 opened no WebSocket
)

// recorder gathers what goes over the wire: of a WebSocket its messages, of a post the
// reads of its response. A nil recorder gathers nothing.
type recorder struct {
	client *Client
	socket bool

	mu   sync.Mutex // guards what follows
	x    exchange.Exchange
	over bool  // it was handed over
	left int64 // bytes that messages may still have in the file
}

// errKept is the cause of a conversation that was ended since all of it must be kept.
var errKept = fmt.Errorf("the session is as long as one can be in the raw log: %d MiB; who keeps none has no such limit", int64(exchange.MostMessages)>>20)

func (c *Client) newRecorder(ask Ask) *recorder {
	if c.Keep == nil {
		return nil
	}
	g := &recorder{client: c, socket: ask.Body == nil, left: c.mostKept}
	g.x = exchange.Exchange{
		Request: ask.ID, Protocol: ask.Protocol, Model: ask.Model, Method: http.MethodPost, Due: ask.Due, Ask: ask.Body,
		Answered: pipeline.Unknown, MaxBytes: c.MaxBytes, Setting: setting(ask.Setting),
	}
	if g.socket {
		g.x.Method = http.MethodGet
	}
	if u, err := url.Parse(ask.URL); err == nil {
		g.x.Path = u.Path
	}
	return g
}

func setting(v any) string {
	if v == nil {
		return ""
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic("talk: " + err.Error()) // our own types always encode
	}
	return string(b)
}

// gather has something gathered, unless it is too late.
func (g *recorder) gather(what func(x *exchange.Exchange)) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.over {
		what(&g.x)
	}
}

// sent notes a frame. It reports false when there is no room for it: nobody could read it again.
func (g *recorder) sent(f Frame, at time.Duration) bool {
	if g == nil || !g.socket {
		return true
	}
	due := pipeline.Unknown
	if f.Payload {
		due = f.Due
	}
	return g.say(exchange.Message{From: exchange.Client, Kind: kind(f.Binary), At: at, Due: due, Data: f.Data})
}

// heard notes a message of the server, as sent does, and closed that it closes. The library
// reads each into half a kB at least, which is not kept.
func (g *recorder) heard(m Message) bool {
	if g != nil && cap(m.Data) > 2*len(m.Data) {
		m.Data = bytes.Clone(m.Data)
	}
	return g.say(exchange.Message{From: exchange.Server, Kind: kind(m.Binary), At: m.At, Due: pipeline.Unknown, Data: m.Data})
}

func (g *recorder) closed(e *End) {
	g.say(exchange.Message{From: exchange.Server, Kind: exchange.Close, At: e.At, Due: pipeline.Unknown, Code: e.Code, Data: []byte(e.Words)})
}

// say notes a message, if there is room for it. What it would have been of is then over.
func (g *recorder) say(m exchange.Message) bool {
	fits := true
	m.Bytes = len(m.Data)
	g.gather(func(x *exchange.Exchange) {
		if m.Kind != exchange.Close {
			g.left -= m.Written()
			fits = g.left >= 0
		}
		if fits {
			x.Messages = append(x.Messages, m)
		}
	})
	return fits
}

func kind(binary bool) string {
	if binary {
		return exchange.Binary
	}
	return exchange.Text
}

// read notes a read of a response over HTTP.
func (g *recorder) read(at time.Duration, p []byte) {
	g.gather(func(x *exchange.Exchange) { x.Add(at, p) })
}

func (g *recorder) note(name string, at time.Duration, n int64) {
	g.gather(func(x *exchange.Exchange) { x.Notes = append(x.Notes, exchange.Note{Name: name, At: at, N: n}) })
}

// bye notes that the client closes.
func (g *recorder) bye() {
	if g != nil {
		g.note(noteBye, g.client.Loop.Elapsed(), 0)
	}
}

func (g *recorder) response(at time.Duration, resp *http.Response) {
	g.gather(func(x *exchange.Exchange) {
		x.Answered, x.Status, x.HTTP = at, resp.StatusCode, version(resp)
		x.SetHeaders(resp.Header)
	})
}

// done hands over what was gathered.
func (g *recorder) done(e *End, link endpoint.Phases) {
	if g == nil {
		return
	}
	g.phases(link)
	g.mu.Lock()
	g.over = true
	g.mu.Unlock()
	x := &g.x
	x.Sent, x.End, x.Status, x.How = link.Sent, e.At, e.Status, how(e)
	switch o, _ := e.Wrong(); o {
	case pipeline.Cancelled:
		x.Stop = exchange.Cancelled
	case pipeline.Timeout:
		x.Stop = exchange.TimedOut
	}
	switch {
	case e.Cause != nil:
		_, reason := e.Wrong()
		x.Cause = g.client.Key.Tidy(reason)
	case e.Failure != nil && e.Failure.Kind == reply.BadLink:
		x.Cause = g.client.Key.Tidy(e.Failure.String())
	}
	g.client.Key.Hide(x)
	g.client.Keep(x)
}

// phases notes what opening the connection took.
func (g *recorder) phases(link endpoint.Phases) {
	for _, p := range []struct {
		name string
		took time.Duration
	}{{noteDNS, link.DNS}, {noteConnect, link.Connect}, {noteTLS, link.TLS}} {
		if p.took != pipeline.Unknown {
			g.note(p.name, link.Sent, int64(p.took))
		}
	}
	if link.Reused {
		g.note(noteReused, link.Sent, 0)
	}
}

// how says how a conversation ended.
func how(e *End) string {
	switch {
	case e.Status == 0:
		return exchange.None
	case e.Enough || e.Cause != nil:
		return exchange.Open
	case e.Failure != nil && e.Failure.Kind == reply.BadLink:
		return exchange.Reset
	}
	return exchange.EOF
}
