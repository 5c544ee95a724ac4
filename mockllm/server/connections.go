package server

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// connections is those of an HTTP server, so that its end need not wait for clients that
// have nothing to wait for: http.Server would give one that has sent no whole request yet
// five seconds, and one that never ends its body all of the time there is.
type connections struct {
	mu    sync.Mutex // guards what follows
	busy  map[net.Conn]bool
	ended bool
}

// track is the server's ConnState hook.
func (c *connections) track(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case state == http.StateHijacked || state == http.StateClosed:
		delete(c.busy, conn)
	case c.ended && state != http.StateActive:
		_ = conn.Close() // nobody is left to tell
	case c.ended:
		c.busy[conn] = true
		hurry(conn)
	default:
		c.busy[conn] = state == http.StateActive
	}
}

// end closes the connections without a request, and from now on every new one. Of the
// others no more is read.
func (c *connections) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for conn, busy := range c.busy {
		if busy {
			hurry(conn)
		} else {
			_ = conn.Close() // nobody is left to tell
		}
	}
}

// hurry has a handler that waits for the rest of a body wait no longer, while it can still
// write an answer. Over HTTP/2 that is left to its time: all streams of a client are in one
// connection and would end with it.
func hurry(conn net.Conn) {
	if t, secure := conn.(*tls.Conn); secure {
		if t.ConnectionState().NegotiatedProtocol == "h2" {
			return
		}
		conn = t.NetConn()
	}
	if c, ok := conn.(interface{ CloseRead() error }); ok {
		_ = c.CloseRead() // the client may be gone
	}
}

// open returns how many connections with a request there are.
func (c *connections) open() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, busy := range c.busy {
		if busy {
			n++
		}
	}
	return n
}
