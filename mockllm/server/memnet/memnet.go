// Package memnet is a network in memory for tests: a listener and a dialer that
// work inside a testing/synctest bubble, where a byte takes no time, or as long as is stated.
package memnet

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Listener is a net.Listener whose connections come from Dial. Make one with
// Listen.
type Listener struct {
	way      *atomic.Int64 // nil for connections without a length
	incoming chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

var _ net.Listener = (*Listener)(nil)

// Listen returns an open listener.
func Listen() *Listener {
	return &Listener{incoming: make(chan net.Conn), closed: make(chan struct{})}
}

// ListenFar returns an open listener that is some way off: bytes take so long from one end of
// a connection to the other, and so does the end of them; writes never wait. There is no way
// until SetWay is called. A connection is open at once: who dials may wait.
func ListenFar() *Listener {
	l := Listen()
	l.way = &atomic.Int64{}
	return l
}

// SetWay says how far off the listener is, for what is written from now on. It must come from
// ListenFar.
func (l *Listener) SetWay(d time.Duration) { l.way.Store(int64(d)) }

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.incoming:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *Listener) Addr() net.Addr { return address{} }

// DialContext connects to the listener; it has the form that http.Transport
// wants and ignores network and address.
func (l *Listener) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	if l.way != nil {
		near, far = pair(l.way)
	}
	select {
	case l.incoming <- far:
		return near, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type address struct{}

func (address) Network() string { return "memory" }
func (address) String() string  { return "memory" }
