package talk

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
)

// Dial opens a conversation over a WebSocket. It returns at once.
func (c *Client) Dial(ask Ask, to Listener) *Line {
	ctx, l := c.line(ask, to)
	c.lines.Go(func() { l.talk(ctx) })
	return l
}

// talk runs the conversation.
func (l *Line) talk(ctx context.Context) {
	defer l.cancel(nil)
	conn, wire, opened, refused := l.open(ctx)
	if conn == nil {
		refused.Cause = context.Cause(ctx)
		l.finish(refused)
		return
	}
	defer func() { _ = conn.Close() }() // the server may have been first
	written, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(written)
		l.write(conn, ended)
	}()
	e := l.read(ctx, conn, wire, opened)
	l.finish(e)
	if e.Enough {
		l.part(conn)
	}
	close(ended)
	_ = conn.Close()
	<-written
}

// finish tells the listener of the end, and hands over what went over the wire.
func (l *Line) finish(e End) {
	e = l.end(e)
	l.to.Ended(e)
	l.log.done(&e, l.connection.Known())
}

// open shakes hands. Without a connection it returns how that ended.
func (l *Line) open(ctx context.Context) (*websocket.Conn, *tap, http.Header, End) {
	var wire *tap
	dial := func(secure bool) func(context.Context, string, string) (net.Conn, error) {
		return func(ctx context.Context, network, addr string) (conn net.Conn, err error) {
			wire, err = l.dial(ctx, network, addr, secure)
			return wire, err
		}
	}
	dialer := websocket.Dialer{
		NetDialContext: dial(false), NetDialTLSContext: dial(true),
		ReadBufferSize: reply.ReadBytes, WriteBufferSize: 4 << 10,
	}
	conn, resp, err := dialer.DialContext(l.traced(ctx, l.watch.connected), l.ask.URL, l.ask.Header)
	switch {
	case err != nil && resp != nil && resp.StatusCode == http.StatusSwitchingProtocols:
		l.log.response(wire.last(), resp)
		l.log.note(noteUnopened, wire.last(), 0)
		return nil, nil, nil, l.unopened(resp, err)
	case errors.Is(err, websocket.ErrBadHandshake) && resp != nil:
		reply.Dated(resp.Header, time.Now())
		l.log.response(wire.last(), resp)
		return nil, nil, nil, l.response(resp)
	case err != nil:
		return nil, nil, nil, l.broken(0, fmt.Errorf("no connection: %w", err))
	}
	conn.SetReadLimit(MaxMessage)
	l.watch.opened()
	l.log.response(wire.last(), resp)
	o := Opening{At: wire.last(), Status: resp.StatusCode, Header: resp.Header, Transport: pipeline.NewTransport()}
	o.Transport.HTTP = version(resp)
	l.know(&o.Transport, o.Status, o.Header)
	l.to.Opened(o)
	return conn, wire, resp.Header, End{}
}

// Unopened begins the reason of a conversation whose server agreed to open a WebSocket, in a
// manner that opens none.
const Unopened = "the server agrees to open a WebSocket, and opens none"

// unopened is the end of such a conversation.
func (l *Line) unopened(resp *http.Response, err error) End {
	why := "Sec-WebSocket-Accept is not the answer to the key that was sent, or Upgrade or Connection is missing"
	if !errors.Is(err, websocket.ErrBadHandshake) {
		why = fmt.Sprintf("it uses an extension that was not asked for: %q", resp.Header.Get("Sec-WebSocket-Extensions"))
	}
	e := l.broken(resp.StatusCode, fmt.Errorf("%s: %s", Unopened, why))
	e.Header, e.Unopened, e.Transport.HTTP = resp.Header, true, version(resp)
	return e
}

// traced has the transport tell of the connection, and of when the request goes out.
func (l *Line) traced(ctx context.Context, sent func()) context.Context {
	ctx = httptrace.WithClientTrace(ctx, l.connection.Trace(sent))
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{TLSHandshakeStart: l.watch.shaking})
}

// read hands messages to the listener until there are no more or it has enough.
func (l *Line) read(ctx context.Context, conn *websocket.Conn, wire *tap, header http.Header) End {
	e := End{Status: 101, Header: header, Transport: pipeline.NewTransport()}
	e.Transport.HTTP = "1.1"
	l.left.Store(l.client.MaxBytes)
	l.messages.Store(mostMessages(l.client.MaxBytes))
	for {
		kind, data, err := conn.ReadMessage()
		e.At = wire.last()
		if err != nil {
			l.lost(&e, err)
			if cause := context.Cause(ctx); cause != nil {
				e.Cause, e.At = cause, l.client.Loop.Elapsed()
			}
			return e
		}
		l.watch.came()
		if l.left.Add(-int64(len(data))) < 0 {
			e.Cause = fmt.Errorf("the server sends more than %d bytes (--limit-bytes)", l.client.MaxBytes)
			return e
		}
		if l.messages.Add(-1) < 0 {
			e.Cause = fmt.Errorf("the server sends more than %d messages (--limit-bytes)", mostMessages(l.client.MaxBytes))
			return e
		}
		m := Message{At: e.At, Binary: kind == websocket.BinaryMessage, Data: data}
		if !l.log.heard(m) {
			e.Cause = errKept
			return e
		}
		if !l.to.Heard(m) {
			e.Enough = true
			return e
		}
	}
}

// lost notes why there are no more messages.
func (l *Line) lost(e *End, err error) {
	var closed *websocket.CloseError
	switch {
	case errors.As(err, &closed) && closed.Code != websocket.CloseAbnormalClosure:
		e.Code, e.Words = closed.Code, closed.Text
		l.log.closed(e)
	case errors.Is(err, websocket.ErrReadLimit):
		e.Cause = fmt.Errorf("the server sends a message longer than %d MiB", MaxMessage>>20)
	default:
		if unwritten := l.unwritten.Load(); unwritten != nil && timedOut(err) {
			err = *unwritten
		}
		e.Failure = &reply.Failure{Kind: reply.BadLink, Cause: err}
	}
}

// write writes what is sent, until it is to hang up or the conversation has ended. When
// it cannot, the reader ends too, once it has what the server said last.
func (l *Line) write(conn *websocket.Conn, ended <-chan struct{}) {
	for {
		select {
		case <-l.wake:
		case <-ended:
			return
		}
		frames, hungUp := l.take()
		for _, f := range frames {
			if err := l.send(conn, f); err != nil {
				l.unsent(conn, err)
				return
			}
		}
		if hungUp {
			l.bye(conn)
			return
		}
	}
}

// unsent ends a conversation in which a frame could not be written: by the limit that it met,
// or as the reader finds it, which has a while for that.
func (l *Line) unsent(conn *websocket.Conn, err error) {
	switch {
	case errors.Is(err, errKept):
	case timedOut(err):
		l.cancel(&limitError{"the server did not read", l.client.Limits.Gap, 0, flagGap})
	default:
		l.unwritten.Store(&err)
		_ = conn.SetReadDeadline(time.Now().Add(farewell))
		return
	}
	_ = conn.Close()
}

func timedOut(err error) bool {
	var late net.Error
	return errors.As(err, &late) && late.Timeout()
}

func (l *Line) send(conn *websocket.Conn, f Frame) error {
	if !l.note(f, l.client.Loop.Elapsed()) {
		l.cancel(errKept)
		return errKept
	}
	kind := websocket.TextMessage
	if f.Binary {
		kind = websocket.BinaryMessage
	}
	if err := conn.SetWriteDeadline(time.Now().Add(l.client.Limits.Gap)); err != nil {
		return err
	}
	if err := conn.WriteMessage(kind, f.Data); err != nil {
		return err
	}
	l.wrote(len(f.Data))
	l.watch.went()
	return nil
}

// bye sends a close frame and gives the server a while to answer.
func (l *Line) bye(conn *websocket.Conn) {
	until := time.Now().Add(farewell)
	// Either fails when the server has left.
	_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), until)
	_ = conn.SetReadDeadline(until)
}

// part closes a conversation of which the listener has had enough, as one should: what
// the server still says is not heard.
func (l *Line) part(conn *websocket.Conn) {
	l.Hangup()
	_ = conn.SetReadDeadline(time.Now().Add(farewell))
	for {
		if _, _, err := conn.NextReader(); err != nil {
			return
		}
	}
}
