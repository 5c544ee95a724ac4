package talk

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
)

// Dialing is how a WebSocket to another server is opened.
type Dialing struct {
	Dial   func(ctx context.Context, network, address string) (net.Conn, error)
	TLS    *tls.Config
	Limit  time.Duration // how long it may take
	Header http.Header
}

// HandshakeError is the error of a server that answers, but not with a WebSocket.
type HandshakeError struct{ Status string }

// Error implements error.
func (e HandshakeError) Error() string {
	return fmt.Sprintf("the server answered %s, want 101", e.Status)
}

// Call opens a WebSocket to a server, which is its client as far as the session is
// concerned, and runs the session that begin makes until the connection ends. The error
// is that of a connection that was not opened; HandshakeError is one.
func (h *Host) Call(ctx context.Context, url string, d Dialing, begin func(*Socket) Session) error {
	dialer := websocket.Dialer{NetDialContext: d.Dial, TLSClientConfig: d.TLS, HandshakeTimeout: d.Limit}
	conn, answer, err := dialer.DialContext(ctx, url, d.Header)
	switch {
	case errors.Is(err, websocket.ErrBadHandshake):
		return HandshakeError{answer.Status}
	case err != nil:
		return err
	}
	h.carry(conn, nil, begin)
	return nil
}
