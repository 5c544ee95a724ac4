package endpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"halfsecond/pipeline"
)

// flight is one request under way.
type flight struct {
	client *Client
	call   *pipeline.Call

	// Owned by the loop.
	cancel    context.CancelCauseFunc // nil when nothing is sent
	reserved  int                     // tokens counted for it so far
	chunks    int                     // output chunks handled
	cancelled bool
	ended     bool

	// Set when the request has its connection and goes out, perhaps from a
	// goroutine of the transport; nil before.
	sent atomic.Pointer[sending]
}

// sending says when a request went out, and on what.
type sending struct {
	at     time.Duration
	reused bool // the connection was open before
}

// landing is what became of a flight.
type landing struct {
	reply *Reply
	proto string // "1.1" or "2"; empty without a response
	// cause is why the client itself ended the request; nil when it did not.
	cause error
}

// lingerFor is how long the end of a body is waited for after the end event. The
// connection can serve the next request only once the body has been read to its
// end, which nearly every server sends at once. The asker hears of the end after
// that, so a server that keeps the body open makes the next request of a closed
// loop late by as much.
const lingerFor = 2 * time.Millisecond

// fly runs the request; it has a goroutine of its own.
func (f *flight) fly(ctx context.Context, body []byte) {
	l := f.exchange(ctx, body)
	f.client.loop.Post(l.reply.End, func() { f.land(l) })
}

// exchange sends the request and reads the response to its end.
func (f *flight) exchange(ctx context.Context, body []byte) landing {
	defer f.cancel(nil)
	w := newWatch(f.client.config.Limits, f.cancel)
	defer w.stop()
	req, err := f.request(ctx, w, body)
	if err != nil {
		return f.noResponse(ctx, err)
	}
	resp, err := f.client.transport.RoundTrip(req)
	if err != nil {
		return f.noResponse(ctx, err)
	}
	defer resp.Body.Close()
	l := landing{proto: proto(resp), reply: ReadReply(Response{
		Protocol: f.client.config.Protocol,
		Status:   resp.StatusCode,
		Header:   resp.Header,
		Body:     &watchedBody{Reader: resp.Body, watch: w},
		Clock:    f.client.loop.Elapsed,
		MaxBytes: f.client.config.MaxBytes,
	}, f.output)}
	l.cause = context.Cause(ctx)
	w.stop()
	f.linger(resp)
	return l
}

func (f *flight) request(ctx context.Context, w *watch, body []byte) (*http.Request, error) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		f.sent.Store(&sending{f.client.loop.Elapsed(), info.Reused})
		w.sent()
	}})
	// A body that cannot be read twice, hence no GetBody, keeps the transport from
	// sending the request again on another connection.
	once := io.NopCloser(bytes.NewReader(body))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.client.address.complete, once)
	if err != nil {
		return nil, err
	}
	req.ContentLength = int64(len(body))
	req.Header.Set("Content-Type", "application/json")
	f.client.sign(req, "text/event-stream")
	return req, nil
}

// noResponse is the end of a request that got no response.
func (f *flight) noResponse(ctx context.Context, err error) landing {
	return landing{cause: context.Cause(ctx), reply: &Reply{
		Outcome:     pipeline.Error,
		Failure:     &Failure{Kind: BadLink, Cause: fmt.Errorf("no response: %w", err)},
		RetryAfter:  pipeline.Unknown,
		FirstByte:   pipeline.Unknown,
		End:         f.client.loop.Elapsed(),
		TokenSource: sourceNone,
	}}
}

// linger reads what follows the end of the answer, so that the connection can be
// used again. Over HTTP/2 it can be in any case.
func (f *flight) linger(resp *http.Response) {
	if resp.ProtoMajor >= 2 {
		return
	}
	t := time.AfterFunc(lingerFor, func() { f.cancel(nil) })
	defer t.Stop()
	// An error means that the connection is lost, which costs a new one.
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, readBytes))
}

func proto(resp *http.Response) string {
	if resp.ProtoMajor >= 2 {
		return "2"
	}
	return resp.Proto[len("HTTP/"):]
}

// output posts an output chunk to the asker.
func (f *flight) output(_ int, o Output) {
	if f.call.Notify != nil {
		f.client.loop.Post(o.At, func() { f.notify(o) })
	}
}

// notify tells the asker of an output chunk, on the loop.
func (f *flight) notify(o Output) {
	if f.cancelled {
		return
	}
	f.chunks++
	p := pipeline.Progress{Tokens: f.chunks}
	if o.Kind == Text {
		p.Text = o.Text
	}
	f.call.Notify(p)
}

// land completes the record, on the loop.
func (f *flight) land(l landing) {
	if l.reply.Whole && l.reply.Outcome == pipeline.OK && f.call.Notify != nil && !f.cancelled {
		f.call.Notify(pipeline.Progress{Tokens: max(1, l.reply.OutputTokens()), Text: l.reply.Answer().Text})
	}
	f.ended = true
	f.record(l)
	f.settle(l.reply)
	f.call.Done()
}

// drop ends a call that was not sent, on the loop.
func (f *flight) drop(reason error) {
	f.ended = true
	f.call.Record.Outcome = pipeline.Dropped
	f.call.Record.Reason = f.client.tidy(reason.Error())
	f.call.Done()
}

// settle replaces the tokens that were reserved by those that were used, as far
// as they are known.
func (f *flight) settle(r *Reply) {
	used := f.reserved
	if f.sent.Load() == nil {
		used = 0
	} else if r.Usage != nil && r.Outcome == pipeline.OK {
		used = max(0, r.PromptTokens()) + r.OutputTokens()
	}
	f.client.tokens += used - f.reserved
	f.reserved = used
}

// outcome says how the request ended for the asker, and why.
func (f *flight) outcome(l landing) (pipeline.Outcome, string) {
	if f.cancelled {
		return pipeline.Cancelled, errCancelled.Error()
	}
	failure := l.reply.Failure
	if failure != nil && failure.Kind == BadLink && l.cause != nil {
		var limit *limitError
		if errors.As(l.cause, &limit) {
			return pipeline.Timeout, limit.Error()
		}
		return pipeline.Cancelled, l.cause.Error()
	}
	if l.reply.Outcome == pipeline.Truncated {
		reason := "the answer ended without an end event or a finish reason"
		if failure != nil {
			reason = "the answer broke off: " + failure.String()
		}
		return pipeline.Truncated, reason
	}
	if failure == nil {
		return l.reply.Outcome, ""
	}
	if to := l.reply.Header.Get("Location"); failure.Kind == HTTPStatus && l.reply.Status < 400 && to != "" {
		return l.reply.Outcome, fmt.Sprintf("HTTP %d: redirect to %s is not followed", l.reply.Status, to)
	}
	if failure.Refusal() {
		return pipeline.Refused, failure.String()
	}
	return l.reply.Outcome, failure.String()
}
