package memnet

import (
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// pair returns the two ends of a connection on which everything takes so long to get from
// one to the other: bytes, and the end of them. Writes never wait.
func pair(way *atomic.Int64) (near, far net.Conn) {
	out, back := newLane(way), newLane(way)
	return &end{reads: back, writes: out}, &end{reads: out, writes: back}
}

// lane is one direction of a connection.
type lane struct {
	way *atomic.Int64

	mu       sync.Mutex // guards what follows
	chunks   []chunk    // on their way, and there
	closed   bool       // by the reader
	deadline time.Time  // of reads; zero for none
	changed  chan struct{}
}

// chunk is some bytes, and when they are there; none are the end of them.
type chunk struct {
	at    time.Time
	bytes []byte
}

func newLane(way *atomic.Int64) *lane { return &lane{way: way, changed: make(chan struct{})} }

// change tells a read under way that something has changed; the caller holds the lock.
func (l *lane) change() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// write sends bytes, or the end of them.
func (l *lane) write(b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.chunks = append(l.chunks, chunk{time.Now().Add(time.Duration(l.way.Load())), append([]byte(nil), b...)})
	l.change()
}

// read waits for bytes.
func (l *lane) read(b []byte) (int, error) {
	for {
		l.mu.Lock()
		n, until, err := l.take(b)
		changed := l.changed
		l.mu.Unlock()
		if n > 0 || err != nil || len(b) == 0 {
			return n, err
		}
		wait(changed, until)
	}
}

// wait returns at an instant, or before that when something has changed; the zero time is
// never.
func wait(changed <-chan struct{}, until time.Time) {
	var due <-chan time.Time
	if !until.IsZero() {
		t := time.NewTimer(time.Until(until))
		defer t.Stop()
		due = t.C
	}
	select {
	case <-changed:
	case <-due:
	}
}

// take returns what is there now, or until when to wait for it.
func (l *lane) take(b []byte) (n int, until time.Time, err error) {
	now := time.Now()
	switch {
	case l.closed:
		return 0, now, io.ErrClosedPipe
	case !l.deadline.IsZero() && !now.Before(l.deadline):
		return 0, now, os.ErrDeadlineExceeded
	case len(l.chunks) == 0:
		return 0, l.deadline, nil
	}
	c := &l.chunks[0]
	switch {
	case c.at.After(now) && (l.deadline.IsZero() || c.at.Before(l.deadline)):
		return 0, c.at, nil
	case c.at.After(now):
		return 0, l.deadline, nil
	case len(c.bytes) == 0:
		return 0, now, io.EOF
	}
	n = copy(b, c.bytes)
	if c.bytes = c.bytes[n:]; len(c.bytes) == 0 {
		l.chunks = l.chunks[1:]
	}
	return n, now, nil
}

// end is one end of a connection.
type end struct {
	reads, writes *lane

	mu     sync.Mutex // guards what follows
	closed bool
}

var _ net.Conn = (*end)(nil)

// Read implements net.Conn.
func (e *end) Read(b []byte) (int, error) { return e.reads.read(b) }

// Write implements net.Conn.
func (e *end) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return 0, io.ErrClosedPipe
	}
	if len(b) > 0 {
		e.writes.write(b)
	}
	return len(b), nil
}

// Close implements net.Conn. What was written before still arrives.
func (e *end) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	e.writes.write(nil)
	e.reads.mu.Lock()
	defer e.reads.mu.Unlock()
	e.reads.closed = true
	e.reads.change()
	return nil
}

// SetReadDeadline implements net.Conn.
func (e *end) SetReadDeadline(t time.Time) error {
	e.reads.mu.Lock()
	defer e.reads.mu.Unlock()
	e.reads.deadline = t
	e.reads.change()
	return nil
}

// SetWriteDeadline implements net.Conn: there is nothing to wait for.
func (e *end) SetWriteDeadline(time.Time) error { return nil }

// SetDeadline implements net.Conn.
func (e *end) SetDeadline(t time.Time) error { return e.SetReadDeadline(t) }

// LocalAddr implements net.Conn.
func (e *end) LocalAddr() net.Addr { return address{} }

// RemoteAddr implements net.Conn.
func (e *end) RemoteAddr() net.Addr { return address{} }
