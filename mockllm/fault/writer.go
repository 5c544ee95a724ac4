package fault

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"halfsecond/pipeline"
)

// What a writer answers when a rule has ended the answer.
var (
	errEnded   = errors.New("a fault rule has ended the answer")
	errFailed  = errors.New("a fault rule has ended the answer with an error")
	errSevered = errors.New("a fault rule has broken the connection off")
)

// writer is the http.ResponseWriter of a request with a plan. What is written goes
// through stages, each of which does one kind of harm, and the last of which writes to
// the server's own.
type writer struct {
	inner   http.ResponseWriter
	control *http.ResponseController
	request *http.Request
	ctx     context.Context
	cancel  context.CancelFunc
	now     func() time.Duration // since the server started
	plan    *Plan

	header     http.Header // the handler's
	committed  http.Header // as it was when the handler wrote it; nil before
	status     int
	first      stage
	out        *sink
	proxy      *proxy                // one of the stages, or nil
	unbuffered bool                  // the answer asks proxies not to hold it back
	written    time.Duration         // when the handler wrote its first bytes
	streamed   bool                  // the handler has bytes go out before the end
	delivered  bool                  // all of it has left
	taken      bool                  // the handler has the connection
	finished   bool                  // all that was written has left the stages
	over       atomic.Pointer[error] // why nothing more can be written
	aborted    atomic.Bool           // the connection must be broken off when the handler returns
}

// stage takes the body of an answer and passes it on.
type stage interface {
	write(p []byte) error // p is valid until it returns
	flush() error         // what has been written shall go out
	finish() error        // nothing more will be written
}

func newWriter(ctx context.Context, cancel context.CancelFunc, p *Plan, v *visit) *writer {
	o := &writer{
		inner: v.w, control: http.NewResponseController(v.w), request: v.r,
		ctx: ctx, cancel: cancel, now: v.set.config.Now, plan: p, header: v.w.Header().Clone(),
		written: pipeline.Unknown,
	}
	if o.header == nil {
		o.header = http.Header{}
	}
	o.out = &sink{o: o, first: pipeline.Unknown, last: pipeline.Unknown}
	o.first = o.out
	if n := p.cut.Byte; n > 0 {
		o.first = &cutter{next: o.first, o: o, left: n}
	}
	if d := p.effects.Drip; d != nil {
		o.first = &dripper{next: o.first, ctx: ctx, plan: p, drip: *d}
	}
	if b := p.effects.Buffer; b != nil {
		o.proxy = &proxy{next: o.first, o: o, buffer: *b}
		o.first = o.proxy
	}
	if len(p.tokens) > 0 {
		o.first = &stream{next: o.first, o: o, plan: p}
	}
	return o
}

// Unwrap is for http.ResponseController.
func (o *writer) Unwrap() http.ResponseWriter { return o.inner }

// Header implements http.ResponseWriter.
func (o *writer) Header() http.Header { return o.header }

// WriteHeader implements http.ResponseWriter. The headers leave with the first bytes
// that do.
func (o *writer) WriteHeader(status int) {
	switch {
	case status >= 100 && status < 200 && status != http.StatusSwitchingProtocols:
		maps.Copy(o.inner.Header(), o.header)
		o.inner.WriteHeader(status)
	case o.status == 0:
		o.status = status
		o.committed = o.header.Clone()
		o.amend(o.committed)
	}
}

// amend changes the headers of an answer as the plan has it.
func (o *writer) amend(h http.Header) {
	for _, q := range o.plan.quotas {
		q.tell(h, o.plan.query.Protocol, time.Now())
	}
	if len(o.plan.tokens) > 0 {
		h.Del("Content-Length") // it may be another then
	}
	for _, name := range o.plan.effects.OmitHeaders {
		h[http.CanonicalHeaderKey(name)] = nil // the server adds none of its own then
	}
	o.unbuffered = h.Get("X-Accel-Buffering") == "no"
	if b := o.plan.effects.Buffer; b != nil && b.HonoursHeader {
		h.Del("X-Accel-Buffering") // a proxy that knows it keeps it to itself
	}
}

// Write implements http.ResponseWriter.
func (o *writer) Write(p []byte) (int, error) {
	if o.status == 0 {
		o.WriteHeader(http.StatusOK)
	}
	if why := o.over.Load(); why != nil {
		return 0, *why
	}
	if o.written == pipeline.Unknown {
		o.written = o.now()
	}
	if err := o.first.write(p); err != nil {
		return 0, o.broken(err)
	}
	return len(p), nil
}

// broken takes note of a write that failed. When the request ended while a rule held it
// up, for its client left or the server ends, the answer must not look as if it were whole.
func (o *writer) broken(err error) error {
	if err != nil && o.over.Load() == nil && o.ctx.Err() != nil {
		o.aborted.Store(true)
	}
	return err
}

// Flush implements http.Flusher.
func (o *writer) Flush() { _ = o.FlushError() }

// FlushError is for http.ResponseController.
func (o *writer) FlushError() error {
	if o.status == 0 {
		o.WriteHeader(http.StatusOK)
	}
	if why := o.over.Load(); why != nil {
		return *why
	}
	o.streamed = true
	return o.broken(o.first.flush())
}

// SetWriteDeadline is for http.ResponseController. The time that it leaves counts from
// when bytes go out, which may be long after they were written.
func (o *writer) SetWriteDeadline(t time.Time) error {
	o.out.patience.Store(int64(patience(t)))
	return nil
}

// patience returns how long a deadline leaves, 0 for one that is none.
func patience(deadline time.Time) time.Duration {
	if deadline.IsZero() {
		return 0
	}
	return max(1, time.Until(deadline))
}

// Hijack implements http.Hijacker.
func (o *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if !sleep(o.ctx, o.plan.effects.SlowHeaders) {
		return nil, nil, o.ctx.Err()
	}
	c, buffered, err := o.control.Hijack()
	if err != nil {
		return nil, nil, err
	}
	o.taken = true
	s := newSocket(o.ctx, o.plan, c)
	early, _ := buffered.Reader.Peek(buffered.Reader.Buffered())
	return s, s.buffered(early), nil
}

// end has the handler give up, since nothing more can be written.
func (o *writer) end(why error) error {
	o.over.Store(&why)
	o.cancel()
	return why
}

// serve has the handler answer. One that panics to break off an answer which a rule has
// ended does not break it off.
func (o *writer) serve(next http.Handler, r *http.Request) {
	defer func() {
		v := recover()
		if v == nil || v == http.ErrAbortHandler && o.over.Load() != nil {
			return
		}
		o.finished = true
		if o.proxy != nil {
			o.proxy.stop()
		}
		panic(v)
	}()
	next.ServeHTTP(o, r)
}

// close passes on what is left when the handler has returned.
func (o *writer) close() {
	why := o.over.Load()
	gone := o.taken || why != nil && *why == errSevered
	if !gone && !o.finished && !o.aborted.Load() {
		o.finished = true
		o.delivered = o.broken(o.first.finish()) == nil // or the client is gone
	}
	switch {
	case o.aborted.Load():
		if o.proxy != nil {
			o.proxy.stop()
		}
		panic(http.ErrAbortHandler)
	case gone:
		return
	}
	maps.Copy(o.inner.Header(), o.header) // for trailers; the rest has been sent
}

// reset resets the connection in place of an answer.
func (o *writer) reset() {
	_ = sleep(o.ctx, o.plan.effects.SlowHeaders) // or until the client leaves
	if c, _, err := o.control.Hijack(); err == nil {
		sever(c, HowReset)
	} else {
		o.aborted.Store(true) // as of HTTP/2, whose stream is reset then
	}
	_ = o.end(errSevered)
}

// cut breaks the connection off when n bytes of p have been written.
func (o *writer) cut(p []byte, n int) error {
	if err := o.out.flush(); err != nil {
		return err
	}
	c, _, err := o.control.Hijack()
	if err != nil { // as of HTTP/2
		_ = o.out.write(p[:n])
		_ = o.out.flush()
		o.aborted.Store(true)
		return o.end(errSevered)
	}
	last := p[:n]
	if o.chunked() {
		last = append(fmt.Appendf(nil, "%x\r\n", len(p)), last...)
	}
	o.out.arm(c.SetWriteDeadline)
	_, _ = c.Write(last) // the client may be gone
	sever(c, o.plan.cut.How)
	return o.end(errSevered)
}

// chunked reports whether the body is sent in chunks.
func (o *writer) chunked() bool {
	return o.request.ProtoAtLeast(1, 1) && o.committed.Get("Content-Length") == "" && o.committed.Get("Transfer-Encoding") != "identity" && o.request.Method != http.MethodHead
}
