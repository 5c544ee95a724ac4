package fault

import (
	"io"
	"net"
	"time"
)

// goodbye is how long a connection that was closed cleanly waits for the client to
// close it too, so that what was sent last is not lost to a reset; net/http's own time.
const goodbye = 500 * time.Millisecond

// sever breaks a connection off. One that has no reset, such as a pipe, is closed.
func sever(c net.Conn, how How) {
	if how == HowClose {
		depart(c)
		return
	}
	raw := c
	for {
		inner, wrapped := raw.(interface{ NetConn() net.Conn })
		if !wrapped {
			break
		}
		raw = inner.NetConn()
	}
	if t, ok := raw.(*net.TCPConn); ok {
		_ = t.SetLinger(0) // so that Close resets
	}
	_ = raw.Close() // nobody is left to tell
}

// depart ends a connection with all that was sent, and waits for the client.
func depart(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_ = c.SetReadDeadline(time.Now().Add(goodbye))
		_, _ = io.Copy(io.Discard, c)
	}
	_ = c.Close()
}
