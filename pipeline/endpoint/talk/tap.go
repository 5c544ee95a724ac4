package talk

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// tap is a connection that knows when its last read returned. A message is as old as the
// read that brought its last byte, however long it then waits to be looked at.
type tap struct {
	net.Conn
	clock func() time.Duration
	at    atomic.Int64
}

// Read is called by one goroutine at a time.
func (t *tap) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	t.at.Store(int64(t.clock()))
	return n, err
}

func (t *tap) last() time.Duration { return time.Duration(t.at.Load()) }

// dial opens the connection of a WebSocket, with TLS where that is wanted. It ends with
// the context.
func (l *Line) dial(ctx context.Context, network, addr string, secure bool) (*tap, error) {
	open, err := l.client.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = open.Close() })
	conn := open
	if secure {
		if conn, err = l.shake(ctx, conn, addr); err != nil {
			return nil, err
		}
	}
	return &tap{Conn: conn, clock: l.client.Loop.Elapsed}, nil
}

// shake puts TLS over a connection.
func (l *Line) shake(ctx context.Context, conn net.Conn, addr string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	secure := tls.Client(conn, &tls.Config{RootCAs: l.client.Roots, ServerName: host, NextProtos: []string{"http/1.1"}})
	trace := httptrace.ContextClientTrace(ctx)
	trace.TLSHandshakeStart()
	err = secure.HandshakeContext(ctx)
	trace.TLSHandshakeDone(secure.ConnectionState(), err)
	return secure, err
}
