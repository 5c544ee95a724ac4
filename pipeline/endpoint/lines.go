package endpoint

import (
	"context"
	"net"
	"sync"
	"time"
)

// lines are the connections that a client has open, or is opening. A transport closes those
// alone that nothing is on, and one of HTTP/2 has a request on it for a moment after that was
// given up; these are closed whatever is on them.
type lines struct {
	dial    func(ctx context.Context, network, addr string) (net.Conn, error)
	longest time.Duration // that one takes to open

	ctx  context.Context // of those that are being opened
	stop context.CancelFunc

	mu   sync.Mutex // guards what follows
	open map[*line]struct{}
}

// line is one of them.
type line struct {
	net.Conn
	lines *lines
}

func newLines(dial func(ctx context.Context, network, addr string) (net.Conn, error), longest time.Duration) *lines {
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	l := &lines{dial: dial, longest: longest, open: map[*line]struct{}{}}
	l.ctx, l.stop = context.WithCancel(context.Background())
	return l
}

// connect opens one; it has the form that http.Transport wants.
func (l *lines) connect(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, l.longest)
	defer cancel()
	defer context.AfterFunc(l.ctx, cancel)()
	c, err := l.dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	x := &line{c, l}
	l.mu.Lock()
	l.open[x] = struct{}{}
	l.mu.Unlock()
	if l.ctx.Err() != nil {
		_ = x.Close() // nobody is there any more to hear of it
		return nil, net.ErrClosed
	}
	return x, nil
}

// Close implements net.Conn.
func (x *line) Close() error {
	x.lines.mu.Lock()
	delete(x.lines.open, x)
	x.lines.mu.Unlock()
	return x.Conn.Close()
}

// close closes all of them, and what is opened later.
func (l *lines) close() {
	l.stop()
	l.mu.Lock()
	open := l.open
	l.open = map[*line]struct{}{}
	l.mu.Unlock()
	for x := range open {
		_ = x.Conn.Close() // nothing is on it that anybody waits for
	}
}
