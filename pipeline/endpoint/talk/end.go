package talk

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/exchange"
)

// End is how a conversation ended.
type End struct {
	At     time.Duration
	Sent   Sent
	Part   Sent // what of that went out since the last Part
	Status int  // of HTTP; 0 without a response
	Header http.Header
	// Enough is true when the listener wanted no more.
	Enough bool
	// HungUp is true when the client had closed it.
	HungUp bool
	// Unopened is true when the server agreed to open a WebSocket, and opened none.
	Unopened bool
	// Whole is true when the body of a post ended cleanly.
	Whole bool
	// Code and Words are those of the server's close frame; 0 and "" without one.
	Code  int
	Words string
	// Failure is what the server or the connection did wrong; nil is nothing.
	Failure *reply.Failure
	// Cause is why the client itself ended it: ErrCancelled, ErrClosed, a time limit, or
	// too much; nil when it did not.
	Cause error

	Transport pipeline.Transport
}

// Close codes that say that all is well, and that the server has no room (RFC 6455,
// 7.4.1, and the IANA registry of close codes, read 2026-11-29).
const (
	closeNormal   = 1000
	closeNoStatus = 1005
	closeTryLater = 1013
)

// Clean reports whether the server closed as one does that has said everything.
func (e *End) Clean() bool {
	return e.Whole || e.Code == closeNormal || e.Code == closeNoStatus
}

// Wrong says how a conversation ended that did not end as it should, and why; for one that
// did it is OK. A conversation that the listener had enough of did.
func (e *End) Wrong() (pipeline.Outcome, string) {
	var limit *limitError
	var before *ended
	switch {
	case e.Enough:
		return pipeline.OK, ""
	case errors.As(e.Cause, &before):
		return before.outcome, before.words
	case errors.As(e.Cause, &limit):
		return pipeline.Timeout, limit.Error()
	case errors.Is(e.Cause, ErrCancelled), errors.Is(e.Cause, ErrClosed):
		return pipeline.Cancelled, e.Cause.Error()
	case e.Cause != nil:
		return pipeline.Error, e.Cause.Error()
	case e.Failure != nil && e.Failure.Refusal():
		return pipeline.Refused, e.Failure.String()
	case e.Failure != nil && e.Failure.Kind == reply.BadLink && e.Status > 0 && !e.Unopened:
		return pipeline.Truncated, "it broke off: " + e.Failure.String()
	case e.Failure != nil:
		return pipeline.Error, e.Failure.String()
	case e.Code == closeTryLater:
		return pipeline.Refused, e.Closed()
	case e.Code != 0 && !e.Clean():
		return pipeline.Error, e.Closed()
	}
	return pipeline.OK, ""
}

// ServerClosed begins what Closed says.
const ServerClosed = "the server closed with code"

// Closed says how the server closed; "" when it did not.
func (e *End) Closed() string {
	if e.Code == 0 {
		return ""
	}
	if e.Words == "" {
		return fmt.Sprintf("%s %d", ServerClosed, e.Code)
	}
	return fmt.Sprintf("%s %d: %s", ServerClosed, e.Code, e.Words)
}

// Ended says how a session ended before a turn that was to follow in it; enough says what the
// listener had enough of.
func (e *End) Ended(enough string) string {
	if outcome, reason := e.Wrong(); outcome != pipeline.OK {
		return reason
	}
	if e.Enough {
		return enough
	}
	if how := e.Closed(); how != "" {
		return how
	}
	return fmt.Sprintf("it lasted until %s", e.At)
}

// Open returns what is known of a connection for a turn that finds it open.
func Open(t pipeline.Transport) pipeline.Transport {
	t.Reused, t.DNS, t.Connect, t.TLS = true, pipeline.Unknown, pipeline.Unknown, pipeline.Unknown
	return t
}

// end completes what is known of how the conversation ended.
func (l *Line) end(e End) End {
	l.watch.stop()
	l.mu.Lock()
	l.over = true
	e.Sent, e.Part, e.HungUp = l.sent, l.latest, l.hungUp
	l.mu.Unlock()
	l.know(&e.Transport, e.Status, e.Header)
	return e
}

// know notes what is known of the connection once it was answered.
func (l *Line) know(t *pipeline.Transport, status int, h http.Header) {
	link := l.connection.Known()
	t.Status, t.Reused, t.DNS, t.Connect, t.TLS = status, link.Reused, link.DNS, link.Connect, link.TLS
	t.Headers = l.client.Key.Headers(h)
}

// response is the end that a response is which does not accept.
func (l *Line) response(resp *http.Response) End {
	e := End{Status: resp.StatusCode, Header: resp.Header, Transport: pipeline.NewTransport()}
	e.Transport.HTTP = version(resp)
	e.Failure, e.Transport.RetryAfter = refused(resp, resp.Body, l.client.Loop.Elapsed, l.log.read)
	e.At = l.client.Loop.Elapsed()
	return e
}

// NoUpgrade ends the reason of a WebSocket that was not opened though the response says that all
// is well.
const NoUpgrade = "the server did not open a WebSocket"

// refused says why a response does not accept, and how long it asks to wait. Read is told
// of the reads of its body.
func refused(resp *http.Response, body io.Reader, clock func() time.Duration, read func(time.Duration, []byte)) (*reply.Failure, time.Duration) {
	if resp.StatusCode >= 200 && resp.StatusCode <= 299 {
		return &reply.Failure{Kind: reply.HTTPStatus, Code: resp.StatusCode, Message: NoUpgrade}, pipeline.Unknown
	}
	r := reply.Read(reply.Response{Status: resp.StatusCode, Header: resp.Header, Body: body, Clock: clock, Read: read}, nil)
	if to := resp.Header.Get("Location"); to != "" && resp.StatusCode < 400 {
		r.Failure.Message = "redirect to " + exchange.Place(to) + " is not followed"
	}
	r.Failure.Message = exchange.Led(resp.Header).Words(r.Failure.Message) // a page that leads elsewhere repeats where
	return r.Failure, r.RetryAfter
}

// broken is the end of a conversation whose connection broke, or was never there.
func (l *Line) broken(status int, err error) End {
	return End{
		At: l.client.Loop.Elapsed(), Status: status, Transport: pipeline.NewTransport(),
		Failure: &reply.Failure{Kind: reply.BadLink, Cause: err},
	}
}

// version returns the version of HTTP, such as "1.1" or "2".
func version(resp *http.Response) string {
	if resp.ProtoMajor >= 2 {
		return "2"
	}
	return fmt.Sprintf("%d.%d", resp.ProtoMajor, resp.ProtoMinor)
}
