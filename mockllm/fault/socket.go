package fault

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// socket is the connection of a WebSocket with a plan. It looks at the frames that the
// server writes, so that whatever library writes them need not know.
type socket struct {
	net.Conn
	ctx      context.Context // ends when either side has closed the connection
	leave    context.CancelFunc
	plan     *Plan
	patience atomic.Int64 // a time.Duration, for one write; 0 for no limit

	writing  sync.Mutex // guards what follows: one write at a time
	pending  []byte     // written, but not yet a whole frame
	upgraded bool       // the handshake is through
	plain    bool       // it failed, and what follows is no frames
	raw      []byte     // frames of a message that is not whole
	payload  []byte     // of them
	opcode   byte
	messages int

	ear ear // of the goroutine that reads

	mu    sync.Mutex // guards what follows
	over  bool       // nothing more goes out
	heard time.Time  // the client's latest message
	idle  *time.Timer
	left  int   // bytes until the cut; 0 for none
	out   stage // where bytes go
}

func newSocket(ctx context.Context, p *Plan, c net.Conn) *socket {
	s := &socket{Conn: c, plan: p, left: p.cut.Byte}
	s.ctx, s.leave = context.WithCancel(ctx)
	s.out = putter{s}
	if d := p.effects.Drip; d != nil {
		s.out = &dripper{next: putter{s}, ctx: s.ctx, plan: p, drip: *d}
	}
	return s
}

// buffered returns reader and writer of the socket; early is what came with the
// handshake.
func (s *socket) buffered(early []byte) *bufio.ReadWriter {
	r := bufio.NewReader(io.MultiReader(bytes.NewReader(bytes.Clone(early)), s))
	_, _ = r.Peek(len(early)) // so that Buffered tells of it
	return bufio.NewReadWriter(r, bufio.NewWriter(s))
}

// Read implements net.Conn.
func (s *socket) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		s.leave()
	}
	if s.ear.hear(p[:n]) {
		s.mu.Lock()
		s.heard = time.Now()
		s.mu.Unlock()
	}
	return n, err
}

// SetWriteDeadline implements net.Conn. The time that it leaves counts from when bytes
// go out.
func (s *socket) SetWriteDeadline(t time.Time) error {
	s.patience.Store(int64(patience(t)))
	return nil
}

// SetDeadline implements net.Conn.
func (s *socket) SetDeadline(t time.Time) error {
	_ = s.SetWriteDeadline(t) // which never fails
	return s.SetReadDeadline(t)
}

// Close implements net.Conn.
func (s *socket) Close() error {
	s.leave() // first, since who sleeps has the lock
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quit()
	return s.Conn.Close()
}

// quit has nothing more go out; the caller holds the lock.
func (s *socket) quit() {
	s.over = true
	if s.idle != nil {
		s.idle.Stop()
	}
}

// Write implements net.Conn.
func (s *socket) Write(p []byte) (int, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.pending = append(s.pending, p...)
	for {
		n, err := s.step()
		if err != nil {
			return 0, err
		}
		if n == 0 {
			return len(p), nil
		}
		s.pending = append(s.pending[:0], s.pending[n:]...)
	}
}

// step passes on the first unit of what is pending: the handshake, or a frame. It
// returns its length, 0 when it is not whole.
func (s *socket) step() (int, error) {
	if !s.upgraded {
		return s.handshake()
	}
	if s.plain {
		return len(s.pending), s.put(s.pending)
	}
	f, ok := parseFrame(s.pending)
	whole := f.head + f.size
	if !ok || len(s.pending) < whole {
		return 0, nil
	}
	if f.control() {
		return whole, s.send(s.pending[:whole])
	}
	if f.opcode != opContinuation {
		s.opcode = f.opcode
	}
	s.raw = append(s.raw, s.pending[:whole]...)
	s.payload = append(s.payload, s.pending[f.head:whole]...)
	if !f.final {
		return whole, nil
	}
	defer func() { s.raw, s.payload = s.raw[:0], s.payload[:0] }()
	s.messages++
	return whole, s.message(s.messages)
}

// handshake passes the server's part of the handshake on. From then on the client is
// expected to be heard.
func (s *socket) handshake() (int, error) {
	end := bytes.Index(s.pending, []byte("\r\n\r\n"))
	if end < 0 {
		return 0, nil
	}
	s.upgraded = true
	s.plain = !bytes.HasPrefix(s.pending, []byte("HTTP/1.1 101 "))
	if err := s.put(s.pending[:end+4]); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.plan.effects.IdleClose; c != nil && !s.over {
		s.heard = time.Now()
		s.idle = time.AfterFunc(c.After, s.tick)
	}
	return end + 4, nil
}

// tick closes the socket when the client has been silent for too long.
func (s *socket) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.plan.effects.IdleClose
	if s.over {
		return
	}
	if rest := c.After - time.Since(s.heard); rest > 0 {
		s.idle.Reset(rest)
		return
	}
	_ = s.shut(closeFrame(c.Code, c.Reason)) // the client may be gone
}

// message sends message k as the plan has it.
func (s *socket) message(k int) error {
	p := s.plan
	if p.stall.At == k {
		p.hold()
		if !sleep(s.ctx, p.stall.For) {
			return s.ctx.Err()
		}
	}
	switch k {
	case p.end.At:
		return s.part(closeFrame(1000, ""))
	case p.failing.At:
		return s.part(appendFrame(nil, opText, p.failure().inFrame(p.query.Protocol)), closeFrame(1011, ""))
	case p.cut.At:
		return s.breakOff(s.raw, len(s.raw)/2)
	}
	raw := s.raw
	if k == p.malformed.At {
		raw = appendFrame(nil, s.opcode, halved(s.payload))
	}
	if k == p.oversized.At {
		raw = appendFrame(nil, s.opcode, padded(s.payload, p.oversized.Bytes))
	}
	if picked(p.effects.Drop, k, &p.drops) {
		return nil
	}
	if picked(p.effects.Duplicate, k, &p.doubles) {
		raw = append(raw[:len(raw):len(raw)], raw...)
	}
	return s.send(raw)
}

// picked reports whether message k is one that an effect is for.
func picked(f *Frames, k int, draws interface{ Float64() float64 }) bool {
	return f != nil && (f.At == k || f.Share > 0 && draws.Float64() < f.Share)
}

// send writes whole frames.
func (s *socket) send(b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return net.ErrClosed
	}
	if s.left > 0 && len(b) >= s.left {
		return s.cut(b, s.left)
	}
	s.left = max(0, s.left-len(b))
	return s.out.write(b)
}

// putter is the last stage of what goes out on a socket.
type putter struct{ s *socket }

func (p putter) write(b []byte) error { return p.s.put(b) }
func (p putter) flush() error         { return nil }
func (p putter) finish() error        { return nil }

// put writes bytes to the connection.
func (s *socket) put(b []byte) error {
	var deadline time.Time
	if d := time.Duration(s.patience.Load()); d > 0 {
		deadline = time.Now().Add(d)
	}
	_ = s.Conn.SetWriteDeadline(deadline) // best effort
	_, err := s.Conn.Write(b)
	return err
}

// part sends the last frames of a socket, and closes it.
func (s *socket) part(frames ...[]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return net.ErrClosed
	}
	return s.shut(bytes.Join(frames, nil))
}

// shut writes the last frames and closes the connection, once the client has had time to
// close it; the caller holds the lock.
func (s *socket) shut(last []byte) error {
	s.quit()
	if err := s.put(last); err != nil {
		return err
	}
	if half, ok := s.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // it is closed for good soon
	}
	time.AfterFunc(goodbye, func() { _ = s.Conn.Close() })
	return errEnded
}

// breakOff breaks the connection off when n bytes of b have been sent.
func (s *socket) breakOff(b []byte, n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return net.ErrClosed
	}
	return s.cut(b, n)
}

// cut is breakOff for a caller that holds the lock.
func (s *socket) cut(b []byte, n int) error {
	s.quit()
	_ = s.put(b[:n]) // the client may be gone
	sever(s.Conn, s.plan.cut.How)
	return errSevered
}
