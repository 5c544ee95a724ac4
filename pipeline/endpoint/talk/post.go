package talk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
)

// Post opens a conversation that is one POST: each read of the response's body is a
// Message. It returns at once.
func (c *Client) Post(ask Ask, to Listener) *Line {
	ctx, l := c.line(ask, to)
	c.lines.Go(func() { l.post(ctx) })
	return l
}

func (l *Line) post(ctx context.Context) {
	defer l.cancel(nil)
	resp, err := l.request(ctx)
	if err != nil {
		e := l.broken(0, fmt.Errorf("no response: %w", err))
		e.Cause = context.Cause(ctx)
		l.finish(e)
		return
	}
	defer resp.Body.Close()
	at := l.client.Loop.Elapsed()
	l.log.response(at, resp)
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		e := l.response(resp)
		e.Cause = context.Cause(ctx)
		l.finish(e)
		return
	}
	l.watch.opened()
	l.watch.answers(true)
	l.to.Opened(Opening{At: at, Status: resp.StatusCode, Header: resp.Header})
	e := l.body(ctx, resp)
	l.finish(e)
	if e.Enough {
		l.drain(resp)
	}
}

// request sends the post.
func (l *Line) request(ctx context.Context) (*http.Response, error) {
	f := Frame{Data: l.ask.Body, Payload: true, Due: l.ask.Due}
	ctx = l.traced(ctx, func() {
		l.watch.connected()
		l.note(f, l.connection.Known().Sent)
	})
	// A body that cannot be read twice, hence no GetBody, keeps the transport from
	// sending it again on another connection.
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.ask.URL, io.NopCloser(bytes.NewReader(l.ask.Body)))
	if err != nil {
		return nil, err
	}
	req.ContentLength = int64(len(l.ask.Body))
	for name, values := range l.ask.Header {
		req.Header[name] = values
	}
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := l.client.transport.RoundTrip(req)
	if err == nil {
		reply.Dated(resp.Header, time.Now())
	}
	return resp, err
}

// body hands what is read to the listener.
func (l *Line) body(ctx context.Context, resp *http.Response) End {
	e := End{Status: resp.StatusCode, Header: resp.Header, Transport: pipeline.NewTransport()}
	e.Transport.HTTP, e.Transport.Encoding = version(resp), l.client.Key.TidyName(resp.Header.Get("Content-Encoding"))
	left, reads := l.client.MaxBytes, mostMessages(l.client.MaxBytes)
	for buffer := make([]byte, reply.ReadBytes); ; {
		n, err := resp.Body.Read(buffer)
		e.At = l.client.Loop.Elapsed()
		l.watch.came()
		if n > 0 {
			if reads--; reads < 0 {
				e.Cause = fmt.Errorf("the server sends more than %d pieces (--limit-bytes)", mostMessages(l.client.MaxBytes))
				return e
			}
		}
		l.log.read(e.At, buffer[:n])
		if left -= int64(n); left < 0 {
			e.Cause = fmt.Errorf("the server sends more than %d bytes (--limit-bytes)", l.client.MaxBytes)
			return e
		}
		if n > 0 && !l.to.Heard(Message{At: e.At, Binary: true, Data: buffer[:n]}) {
			e.Enough = true
			return e
		}
		if err != nil {
			if e.Whole = errors.Is(err, io.EOF); !e.Whole {
				e.Failure = &reply.Failure{Kind: reply.BadLink, Cause: err}
				e.Cause = context.Cause(ctx)
			}
			return e
		}
	}
}

// drainFor is how long the end of a body is waited for of which the listener has had
// enough: only then can the connection serve again.
const drainFor = 2 * time.Millisecond

func (l *Line) drain(resp *http.Response) {
	t := time.AfterFunc(drainFor, func() { l.cancel(nil) })
	defer t.Stop()
	// An error means that the connection is lost, which costs a new one.
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, reply.ReadBytes))
}
