// Package memnet is a network in memory for tests: a listener and a dialer that
// work inside a testing/synctest bubble, where a byte takes no time.
package memnet

import (
	"context"
	"net"
	"sync"
)

// Listener is a net.Listener whose connections come from Dial. Make one with
// Listen.
type Listener struct {
	incoming chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

var _ net.Listener = (*Listener)(nil)

// Listen returns an open listener.
func Listen() *Listener {
	return &Listener{incoming: make(chan net.Conn), closed: make(chan struct{})}
}

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
