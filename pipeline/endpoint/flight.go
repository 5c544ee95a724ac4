package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/price"
)

// flight is one request under way.
type flight struct {
	client *Client
	call   *pipeline.Call

	// Owned by the loop.
	cancel    context.CancelCauseFunc // nil when nothing is sent
	reserved  price.Tokens            // until the server has counted
	chunks    int                     // output chunks handled
	cancelled bool
	ended     bool

	connection *Connection
	landed     chan pipeline.Outcome // gets one, of the complete record
}

// landing is what became of a flight.
type landing struct {
	reply *reply.Reply
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
	x := f.client.newExchange(f.call, body)
	l := f.exchange(ctx, body, x)
	if f.client.config.HashTexts {
		l.reply.HideWords(hashed)
	}
	f.client.loop.Post(l.reply.End, func() { f.land(l) })
	if x != nil {
		f.client.keep(x, &l, f.connection.Known().Sent, f.wait(l))
	}
}

// wait returns how the flight ended once it has landed: until then its asker may give it
// up. A client that is closed does not wait for a loop that may have ended.
func (f *flight) wait(l landing) pipeline.Outcome {
	select {
	case o := <-f.landed:
		return o
	case <-f.client.ctx.Done():
	}
	select {
	case o := <-f.landed:
		return o
	default:
		o, _ := l.outcome()
		return o
	}
}

// exchange sends the request and reads the response to its end. It notes in x, which may
// be nil, what came.
func (f *flight) exchange(ctx context.Context, body []byte, x *exchange.Exchange) landing {
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
	reply.Dated(resp.Header, time.Now())
	if resp.Close && resp.ProtoAtLeast(1, 1) {
		resp.Header.Set("Connection", "close") // the transport has taken it out
	}
	l := landing{proto: proto(resp), reply: reply.Read(reply.Response{
		Decoder:  f.client.dialect.NewDecoder(),
		Endless:  f.client.dialect.Endless,
		Status:   resp.StatusCode,
		Header:   resp.Header,
		Body:     &watchedBody{Reader: resp.Body, watch: w},
		Clock:    f.client.loop.Elapsed,
		MaxBytes: f.client.config.MaxBytes, MaxOutputs: mostOutputs(f.call.MaxTokens), RequestBytes: len(body),
		Read: x.Add,
	}, f.output)}
	l.cause = context.Cause(ctx)
	w.stop()
	rest := f.linger(ctx, resp)
	if x != nil && l.reply.Done {
		x.Rest = rest
	}
	return l
}

func (f *flight) request(ctx context.Context, w *watch, body []byte) (*http.Request, error) {
	ctx = httptrace.WithClientTrace(ctx, f.connection.Trace(w.sent))
	// A body that cannot be read twice, hence no GetBody, keeps the transport from
	// sending the request again on another connection.
	once := io.NopCloser(bytes.NewReader(body))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.client.address.complete, once)
	if err != nil {
		return nil, err
	}
	req.ContentLength = int64(len(body))
	req.Header.Set("Content-Type", "application/json")
	f.client.sign(req, f.client.dialect.Accept)
	return req, nil
}

// noResponse is the end of a request that got no response.
func (f *flight) noResponse(ctx context.Context, err error) landing {
	return landing{cause: context.Cause(ctx), reply: reply.None(f.client.loop.Elapsed(), fmt.Errorf("no response: %w", err))}
}

func proto(resp *http.Response) string {
	if resp.ProtoMajor >= 2 {
		return "2"
	}
	return resp.Proto[len("HTTP/"):]
}

// linger reads what follows the end of the answer, so that the connection can be
// used again, and returns what that was where the config asks for it. Over HTTP/2 it can
// be in any case.
func (f *flight) linger(ctx context.Context, resp *http.Response) exchange.Rest {
	if resp.ProtoMajor >= 2 {
		return exchange.Rest{}
	}
	t := time.AfterFunc(cmp.Or(f.client.config.Linger, lingerFor), func() { f.cancel(nil) })
	defer t.Stop()
	// An error means that the connection is lost, which costs a new one.
	if f.client.config.Linger == 0 {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, reply.ReadBytes))
		return exchange.Rest{}
	}
	began, text := f.client.loop.Elapsed(), new(inked)
	_, err := io.Copy(text, io.LimitReader(resp.Body, reply.ReadBytes))
	rest := exchange.Rest{Waited: f.client.loop.Elapsed() - began, Bytes: text.n, Open: err != nil || text.all == reply.ReadBytes}
	if err != nil && ctx.Err() == nil {
		rest.Open, rest.Cut = false, f.client.tidy(err.Error())
	}
	return rest
}

// inked counts bytes, all of them and those that are no white space.
type inked struct{ all, n int }

func (c *inked) Write(p []byte) (int, error) {
	c.all += len(p)
	for _, b := range p {
		if b > ' ' {
			c.n++
		}
	}
	return len(p), nil
}

// output posts an output chunk to the asker.
func (f *flight) output(_ int, o reply.Output) {
	if f.call.Notify != nil {
		f.client.loop.Post(o.At, func() { f.notify(o) })
	}
}

// notify tells the asker of an output chunk, on the loop.
func (f *flight) notify(o reply.Output) {
	if f.cancelled {
		return
	}
	f.chunks++
	p := pipeline.Progress{Tokens: f.chunks}
	if o.Kind == reply.Text {
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
	f.client.account.settle(f.call, f.reserved, f.connection.Known().Sent != pipeline.Unknown, l.reply)
	f.landed <- f.call.Record.Outcome
	f.call.Done()
	f.client.spend()
}

// drop ends a call that was not sent, on the loop.
func (f *flight) drop(reason error) {
	f.ended = true
	f.call.Record.Outcome = pipeline.Dropped
	f.call.Record.Reason = f.client.tidy(reason.Error())
	f.call.Done()
	f.client.spend()
}

// outcome says how the request ended for the asker, and why.
func (f *flight) outcome(l landing) (pipeline.Outcome, string) {
	if f.cancelled {
		return pipeline.Cancelled, errCancelled.Error()
	}
	o, reason := l.outcome()
	return o, cmp.Or(overlong(l.reply, f.call.MaxTokens), reason)
}

// outcome says how the request ended if its asker did not give it up, and why.
func (l landing) outcome() (pipeline.Outcome, string) {
	failure := l.reply.Failure
	if failure != nil && failure.Kind == reply.BadLink && l.cause != nil {
		var limit *limitError
		if errors.As(l.cause, &limit) {
			return pipeline.Timeout, limit.Error()
		}
		return pipeline.Cancelled, l.cause.Error()
	}
	return l.reply.Ending()
}
