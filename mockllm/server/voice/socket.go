package voice

import (
	"iter"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/pipeline"
)

// session is one conversation of a WebSocket protocol. Its methods run on the loop,
// one after the other.
type session interface {
	// text handles a text frame of the client.
	text(b []byte)
	// binary handles a binary frame; of a listener, one that is empty.
	binary(b []byte)
	// gone says that the connection has ended, whoever ended it. It comes last and
	// once, or never when the loop ended before; timers of the session stop here.
	gone()
}

// listener is a session whose binary frames are audio.
type listener interface {
	session
	// stretches decodes a frame. It runs off the loop.
	stretches(b []byte) iter.Seq[stretch]
	// hear hears a stretch that has arrived now.
	hear(s stretch)
}

// parser is a session whose text frames may be large.
type parser interface {
	session
	// parse reads a frame, off the loop, and returns what handles it on the loop, one
	// after the other, each in no time.
	parse(b []byte) iter.Seq[func()]
}

// socket is one WebSocket. What its client sends is handled on the loop at the
// instant of its arrival, and what the loop says is written at once. say, send and
// close may be called only on the loop.
type socket struct {
	loop   *pipeline.Wall
	out    *outlet
	closes closeFrame // set before out.end
}

// closeFrame is how a WebSocket is closed.
type closeFrame struct {
	code   int
	reason string
}

const (
	mostFrame   = 8 << 20 // bytes of one frame of a client
	mostUnread  = 8       // frames of a client, or parts of a long one, that the loop has not handled
	writeLimit  = 30 * time.Second
	farewell    = time.Second // for the client's answer to our close
	frameBuffer = 4 << 10
)

// text sends a text frame.
func (s *socket) text(b []byte) { s.out.put(frame{due: s.loop.Now(), data: b}) }

// binary sends a binary frame.
func (s *socket) binary(b []byte) { s.out.put(frame{due: s.loop.Now(), data: b, binary: true}) }

// later sends a frame whose data are made when it is their turn.
func (s *socket) later(binary bool, weight int, make func() []byte) {
	s.out.put(frame{due: s.loop.Now(), binary: binary, weight: weight, make: make})
}

// close ends the connection, after what was sent before, with a code of RFC 6455 and
// a reason of at most 123 bytes.
func (s *socket) close(code int, reason string) {
	if s.closes.code == 0 {
		s.closes = closeFrame{code, reason}
		s.out.end()
	}
}

// converse upgrades a request and runs the session that begin makes until the
// connection ends. Protocols are the sub-protocols to choose from.
func (s *Service) converse(w http.ResponseWriter, r *http.Request, protocols []string, begin func(*socket) session) {
	up := websocket.Upgrader{
		ReadBufferSize: frameBuffer, WriteBufferSize: frameBuffer, Subprotocols: protocols,
		CheckOrigin: func(*http.Request) bool { return true }, // pages under test come from anywhere
	}
	s.talks.Add(1) // before http.Server forgets the connection
	defer s.talks.Done()
	conn, err := up.Upgrade(w, r, w.Header())
	if err != nil {
		return // the client has been told
	}
	s.carry(conn, begin)
}

// talks is the WebSockets that are open, and what else has to end before the service has.
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

// carry runs the session that begin makes until a connection ends, whoever opened it.
func (s *Service) carry(conn *websocket.Conn, begin func(*socket) session) {
	s.talks.open(conn)
	defer s.talks.close(conn)
	conn.SetReadLimit(mostFrame)
	sock := &socket{loop: s.config.Loop, out: newOutlet()}
	talk := make(chan session, 1)
	if !s.config.Loop.Post(s.config.Loop.Elapsed(), func() { talk <- begin(sock) }) {
		return
	}
	var to session
	select {
	case to = <-talk:
	case <-s.config.Stopped:
		return
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		s.write(conn, sock)
	}()
	s.read(conn, to)
	s.onLoop(func() { to.gone(); sock.out.end() })
	<-written
}

// read hands the frames of the client to the session, until there are no more.
func (s *Service) read(conn *websocket.Conn, to session) {
	p := s.newPasser()
	for {
		kind, data, err := conn.ReadMessage()
		if err != nil {
			return
		}
		for handle := range handling(to, kind, data) {
			if !p.pass(handle) {
				return
			}
		}
	}
}

// handling returns what handles a frame on the loop, one after the other. What takes
// long is done here before: others' work is not to wait for it, and comes in between.
func handling(to session, kind int, data []byte) iter.Seq[func()] {
	switch kind {
	case websocket.BinaryMessage:
		if l, ok := to.(listener); ok && len(data) > 0 {
			return func(yield func(func()) bool) {
				for s := range l.stretches(data) {
					if !yield(func() { l.hear(s) }) {
						return
					}
				}
			}
		}
		return one(func() { to.binary(data) })
	default:
		if p, ok := to.(parser); ok {
			return p.parse(data)
		}
		return one(func() { to.text(data) })
	}
}

// one returns a sequence of one.
func one(f func()) iter.Seq[func()] { return func(yield func(func()) bool) { yield(f) } }

// passer passes what a client sends from the goroutine that reads it to the loop, which
// is never far behind.
type passer struct {
	service *Service
	room    chan struct{}
}

func (s *Service) newPasser() passer { return passer{s, make(chan struct{}, mostUnread)} }

// pass has something that has arrived now handled on the loop. It is false when the
// loop has ended.
func (p passer) pass(handle func()) bool {
	now := p.service.config.Loop.Elapsed()
	select {
	case p.room <- struct{}{}:
	case <-p.service.config.Stopped:
		return false
	}
	return p.service.config.Loop.Post(now, func() {
		<-p.room
		handle()
	})
}

// write writes what the session says, until it has closed the connection or the
// server stops; then it makes the reader end too.
func (s *Service) write(conn *websocket.Conn, sock *socket) {
	defer func() { _ = conn.SetReadDeadline(time.Now().Add(farewell)) }()
	for {
		select {
		case <-sock.out.wake:
		case <-s.config.Stopped:
			s.bye(conn, closeFrame{websocket.CloseGoingAway, "the server is shutting down"})
			return
		}
		frames, ended, choked := sock.out.take()
		for _, f := range frames {
			if s.send(conn, f) != nil {
				return
			}
		}
		switch {
		case choked:
			s.bye(conn, closeFrame{websocket.ClosePolicyViolation, "the client reads too slowly"})
			return
		case ended:
			s.bye(conn, sock.closes)
			return
		}
	}
}

func (s *Service) send(conn *websocket.Conn, f frame) error {
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
	s.config.Ledger.Writes.Add(s.config.Loop.Elapsed() - f.due)
	return nil
}

// bye sends a close frame, when there is one to send.
func (s *Service) bye(conn *websocket.Conn, c closeFrame) {
	if c.code != 0 {
		// The client may be gone already.
		_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(c.code, c.reason), time.Now().Add(farewell))
	}
}

// onLoop runs f on the loop and waits for it, unless the loop has ended.
func (s *Service) onLoop(f func()) {
	done := make(chan struct{})
	loop := s.config.Loop
	if !loop.Post(loop.Elapsed(), func() { f(); close(done) }) {
		return
	}
	select {
	case <-done:
	case <-s.config.Stopped:
	}
}
