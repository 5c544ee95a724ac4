package talk

import (
	"fmt"
	"iter"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/fault"
)

// Session is one conversation over a WebSocket.
type Session interface {
	// Text and Binary read a frame of the client, and return what handles it on the loop,
	// one after the other, each in no time. They run off the loop, on the goroutine that
	// reads, and so must not touch what belongs to the loop.
	Text(b []byte) iter.Seq[func()]
	Binary(b []byte) iter.Seq[func()]
	// Gone says, on the loop, that the connection has ended, whoever ended it. It comes
	// last and once, or never when the loop ended before; timers of the session stop here.
	Gone()
}

// Socket is one WebSocket. What its client sends is handled on the loop at the instant
// of its arrival, and what the loop says is written at once. Its methods may be called
// only on the loop.
type Socket struct {
	*Outlet
	closes closeFrame // set before the outlet ends
}

// NewSocket returns a WebSocket that nothing is read from or written to yet.
func NewSocket(h *Host) *Socket { return &Socket{Outlet: newOutlet(h.Loop)} }

// closeFrame is how a WebSocket is closed.
type closeFrame struct {
	code   int
	reason string
}

// Codes with which a WebSocket is closed (RFC 6455, 7.4.1). CloseNoStatus sends none.
const (
	CloseNormal      = websocket.CloseNormalClosure
	CloseGoingAway   = websocket.CloseGoingAway
	CloseUnsupported = websocket.CloseUnsupportedData
	CloseNoStatus    = websocket.CloseNoStatusReceived
	ClosePolicy      = websocket.ClosePolicyViolation
	CloseTooBig      = websocket.CloseMessageTooBig
	CloseInternal    = websocket.CloseInternalServerErr
)

const (
	mostFrame   = 8 << 20     // bytes of one frame of a client
	farewell    = time.Second // for the client's answer to our close
	frameBuffer = 4 << 10
)

// BinaryLater sends a binary frame as Later sends a text frame.
func (s *Socket) BinaryLater(weight int, make func() []byte) {
	s.put(frame{due: s.Loop.Now(), binary: true, weight: weight, make: make})
}

// Close ends the connection, after what was sent before, with a code of RFC 6455 and
// a reason, which is cut to the 123 bytes that a close frame takes.
func (s *Socket) Close(code int, reason string) {
	if s.closes.code == 0 {
		s.closes = closeFrame{code, clipped(reason)}
		s.End()
	}
}

// LongestReason is the longest reason of a close frame in bytes (RFC 6455, 5.5.1).
const LongestReason = 123

// clipped returns a text that fits into a close frame.
func clipped(reason string) string {
	if len(reason) <= LongestReason {
		return reason
	}
	const mark = "..."
	n := 0
	for i := range reason {
		if i > LongestReason-len(mark) {
			break
		}
		n = i
	}
	return reason[:n] + mark
}

// Converse upgrades a request and runs the session that begin makes until the
// connection ends. Protocols are the sub-protocols to choose from.
func (h *Host) Converse(w http.ResponseWriter, r *http.Request, protocols []string, begin func(*Socket) Session) {
	up := websocket.Upgrader{
		ReadBufferSize: frameBuffer, WriteBufferSize: frameBuffer, Subprotocols: protocols,
		CheckOrigin: func(*http.Request) bool { return true }, // pages under test come from anywhere
		Error:       notUpgraded,
	}
	h.talks.Add(1) // before http.Server forgets the connection
	defer h.talks.Done()
	conn, err := up.Upgrade(w, r, w.Header())
	if err != nil {
		return // the client has been told
	}
	h.carry(conn, fault.From(r.Context()), begin)
}

// notUpgraded says why a request does not become a WebSocket.
func notUpgraded(w http.ResponseWriter, r *http.Request, status int, reason error) {
	if !websocket.IsWebSocketUpgrade(r) {
		status = http.StatusUpgradeRequired
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "websocket")
	}
	w.Header().Set("Sec-WebSocket-Version", "13")
	scheme := "ws"
	if r.TLS != nil {
		scheme = "wss"
	}
	http.Error(w, fmt.Sprintf("%s is a WebSocket: connect a WebSocket client to %s://%s%s (%v)", r.URL.Path, scheme, r.Host, r.URL.RequestURI(), reason), status)
}

// Subprotocols returns the sub-protocols that a client offers to speak.
func Subprotocols(r *http.Request) []string { return websocket.Subprotocols(r) }

// talks is the WebSockets that are open, and what else has to end before the host has.
type talks struct {
	sync.WaitGroup
	mu    sync.Mutex // guards conns
	conns map[*websocket.Conn]struct{}
}

func (t *talks) open(conn *websocket.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conns == nil {
		t.conns = map[*websocket.Conn]struct{}{}
	}
	t.conns[conn] = struct{}{}
}

func (t *talks) close(conn *websocket.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.conns, conn)
	_ = conn.Close() // the client may have been first
}

// cut closes every connection as it is.
func (t *talks) cut() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for conn := range t.conns {
		_ = conn.Close() // what is written to a client that does not read is lost
	}
}

// carry runs the session that begin makes until a connection ends, whoever opened it. The
// plan, nil for none, may hold back what is written.
func (h *Host) carry(conn *websocket.Conn, plan *fault.Plan, begin func(*Socket) Session) {
	h.talks.open(conn)
	defer h.talks.close(conn)
	conn.SetReadLimit(mostFrame)
	sock := NewSocket(h)
	begun := make(chan Session, 1)
	if !h.Loop.Post(h.Loop.Elapsed(), func() { begun <- begin(sock) }) {
		return
	}
	var to Session
	select {
	case to = <-begun:
	case <-h.Stopped:
		return
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		h.write(conn, sock, plan)
	}()
	h.read(conn, to)
	h.OnLoop(func() { to.Gone(); sock.End() })
	<-written
}

// read hands the frames of the client to the session, until there are no more.
func (h *Host) read(conn *websocket.Conn, to Session) {
	p := h.newPasser()
	for {
		kind, data, err := conn.ReadMessage()
		if err != nil {
			return
		}
		read := to.Text
		if kind == websocket.BinaryMessage {
			read = to.Binary
		}
		if !p.all(read(data)) {
			return
		}
	}
}

// write writes what the session says, until it has closed the connection or the
// server stops; then it makes the reader end too.
func (h *Host) write(conn *websocket.Conn, sock *Socket, plan *fault.Plan) {
	defer func() { _ = conn.SetReadDeadline(time.Now().Add(farewell)) }()
	for {
		select {
		case <-sock.wake:
		case <-h.Stopped:
			bye(conn, closeFrame{CloseGoingAway, "the server is shutting down"})
			return
		}
		frames, ended, choked := sock.take()
		for _, f := range frames {
			if h.send(conn, f, plan) != nil {
				return
			}
		}
		switch {
		case choked:
			bye(conn, closeFrame{ClosePolicy, "the client reads too slowly"})
			return
		case ended:
			bye(conn, sock.closes)
			return
		}
	}
}

func (h *Host) send(conn *websocket.Conn, f frame, plan *fault.Plan) error {
	data := f.made()
	if data == nil {
		return nil
	}
	kind := websocket.TextMessage
	if f.binary {
		kind = websocket.BinaryMessage
	}
	if err := conn.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return err
	}
	if err := conn.WriteMessage(kind, data); err != nil {
		return err
	}
	if !plan.Holds() {
		h.Ledger.Writes.Add(h.Loop.Elapsed() - f.due)
	}
	return nil
}

// bye sends a close frame, when there is one to send.
func bye(conn *websocket.Conn, c closeFrame) {
	if c.code != 0 {
		// The client may be gone already.
		_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(c.code, c.reason), time.Now().Add(farewell))
	}
}
