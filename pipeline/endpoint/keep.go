package endpoint

import (
	"net/http"
	"net/url"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/exchange"
)

// newExchange returns what is to be kept of a call, nil when nobody keeps it.
func (c *Client) newExchange(call *pipeline.Call, body []byte) *exchange.Exchange {
	if c.config.Keep == nil {
		return nil
	}
	x := &exchange.Exchange{
		Request: call.Record.ID, Protocol: string(c.dialect.Protocol), Model: c.config.Model, Method: http.MethodPost,
		Due: call.Record.Due, Ask: body, MaxBytes: c.config.MaxBytes, MaxOutputs: mostOutputs(call.MaxTokens),
	}
	if u, err := url.Parse(c.address.complete); err == nil {
		x.Path = u.Path
	}
	return x
}

// keep hands over what went over the wire, if it was sent at all, of a request that
// ended so.
func (c *Client) keep(x *exchange.Exchange, l *landing, sent time.Duration, o pipeline.Outcome) {
	if sent == pipeline.Unknown {
		return
	}
	x.Sent, x.Answered, x.End, x.Status, x.HTTP = sent, l.reply.Began, l.reply.End, l.reply.Status, l.proto
	x.SetHeaders(l.reply.Header)
	x.How, x.Stop = ended(l), stops[o]
	if f := l.reply.Failure; f != nil && f.Kind == reply.BadLink {
		x.Cause = c.tidy(f.String())
	}
	c.config.Key.Hide(x)
	c.config.Keep(x)
}

// stops are why a client gave up, by how its request ended.
var stops = map[pipeline.Outcome]string{pipeline.Cancelled: exchange.Cancelled, pipeline.Timeout: exchange.TimedOut}

// ended says how the body of a landing's reply ended.
func ended(l *landing) string {
	switch r := l.reply; {
	case r.Status == 0:
		return exchange.None
	case r.BodyBroken && l.cause == nil:
		return exchange.Reset
	case r.BodyEnded:
		return exchange.EOF
	}
	return exchange.Open
}
