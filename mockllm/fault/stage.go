package fault

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"halfsecond/pipeline"
)

// sink is the last stage: it writes to the server's own writer.
type sink struct {
	o        *writer
	begun    bool
	patience atomic.Int64  // a time.Duration, for one write; 0 for no limit
	first    time.Duration // when the first byte of the body left; pipeline.Unknown before
	last     time.Duration // when the last one did
}

// begin sends the status and the headers, late if the plan says so.
func (s *sink) begin() error {
	if s.begun {
		return nil
	}
	s.begun = true
	if late := s.o.plan.effects.SlowHeaders; late > 0 {
		s.o.plan.hold()
		if !sleep(s.o.ctx, late) {
			return s.o.ctx.Err()
		}
	}
	if s.o.committed == nil {
		return nil // the handler has said nothing: the server says what it does then
	}
	h := s.o.inner.Header()
	clear(h)
	for name, values := range s.o.committed {
		h[name] = values
	}
	s.o.inner.WriteHeader(s.o.status)
	return nil
}

// arm sets the deadline of the next write.
func (s *sink) arm(set func(time.Time) error) {
	if d := time.Duration(s.patience.Load()); d > 0 {
		_ = set(time.Now().Add(d)) // best effort
	}
}

func (s *sink) write(p []byte) error {
	if err := s.begin(); err != nil {
		return err
	}
	s.arm(s.o.control.SetWriteDeadline)
	if _, err := s.o.inner.Write(p); err != nil {
		return err
	}
	if s.last = s.o.now(); s.first == pipeline.Unknown {
		s.first = s.last
	}
	return nil
}

func (s *sink) flush() error {
	if err := s.begin(); err != nil {
		return err
	}
	s.arm(s.o.control.SetWriteDeadline)
	err := s.o.control.Flush()
	// HTTP/2 resets a stream whose deadline passes, though nothing is being written.
	_ = s.o.control.SetWriteDeadline(time.Time{}) // best effort
	return err
}

func (s *sink) finish() error { return s.begin() }

// cutter breaks the connection off after a number of bytes.
type cutter struct {
	next stage
	o    *writer
	left int // 0 when it has
}

func (c *cutter) write(p []byte) error {
	left := c.left
	c.left = max(0, left-len(p))
	switch {
	case left == 0:
		return errSevered
	case c.left == 0:
		return c.o.cut(p, left)
	}
	return c.next.write(p)
}

func (c *cutter) flush() error {
	if c.left == 0 {
		return errSevered
	}
	return c.next.flush()
}

func (c *cutter) finish() error {
	if c.left == 0 {
		return errSevered
	}
	return c.next.finish()
}

// dripper lets few bytes through at a time. Its pace counts from the first of them.
type dripper struct {
	next stage
	ctx  context.Context
	plan *Plan
	drip Drip
	at   time.Time // of the next
}

func (d *dripper) write(p []byte) error {
	for len(p) > 0 {
		if early := time.Until(d.at); early > 0 {
			d.plan.hold()
			if !sleep(d.ctx, early) {
				return d.ctx.Err()
			}
		}
		if now := time.Now(); d.at.Before(now) {
			d.at = now
		}
		d.at = d.at.Add(d.drip.Every)
		n := min(d.drip.Bytes, len(p))
		if err := d.next.write(p[:n]); err != nil {
			return err
		}
		if err := d.next.flush(); err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

func (d *dripper) flush() error  { return d.next.flush() }
func (d *dripper) finish() error { return d.next.finish() }

// proxy holds a body back and passes it on as a whole, or in clumps.
type proxy struct {
	next   stage
	o      *writer
	buffer Buffer

	mu    sync.Mutex // guards what follows, and next
	held  bytes.Buffer
	timer *time.Timer // of the clump in hand
	done  bool
}

// cured reports whether the answer asks proxies not to hold it back, and this one does
// as it is asked.
func (p *proxy) cured() bool { return p.buffer.HonoursHeader && p.o.unbuffered }

func (p *proxy) write(b []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cured() {
		return p.next.write(b)
	}
	p.o.plan.hold()
	p.held.Write(b)
	if p.buffer.Mode == Clumps && p.timer == nil {
		p.timer = time.AfterFunc(p.buffer.Every, p.tick)
	}
	return nil
}

func (p *proxy) flush() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cured() {
		return p.next.flush()
	}
	return nil
}

// tick passes a clump on. It runs beside the handler.
func (p *proxy) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return
	}
	p.timer = nil
	_ = p.pass() // the handler's own writes do not fail while a proxy takes them
}

// pass passes on what is held; the caller holds the lock.
func (p *proxy) pass() error {
	if p.held.Len() == 0 {
		return nil
	}
	defer p.held.Reset()
	if err := p.next.write(p.held.Bytes()); err != nil {
		return err
	}
	return p.next.flush()
}

func (p *proxy) finish() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.quit()
	if err := p.pass(); err != nil {
		return err
	}
	return p.next.finish()
}

// stop has the proxy drop what it holds.
func (p *proxy) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.quit()
}

// quit has no further clump go out; the caller holds the lock.
func (p *proxy) quit() {
	p.done = true
	if p.timer != nil {
		p.timer.Stop()
	}
}

var _ http.ResponseWriter = (*writer)(nil)
