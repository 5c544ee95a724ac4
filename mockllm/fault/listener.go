package fault

import (
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

// Listener returns a listener in place of ln, at which rules refuse and reset
// connections. A connection is refused by the system: the listening socket is closed for
// that time, and opened again at its address. What waits in its queue then is reset, as
// when a server dies. A ln that is no TCP listener cannot be opened again; there,
// connections are closed as soon as they are accepted.
func (s *Set) Listener(ln net.Listener) net.Listener {
	l := &listener{set: s, addr: ln.Addr(), open: ln, closed: make(chan struct{}), lifted: make(chan struct{}, 1)}
	_, l.reopens = ln.(*net.TCPListener)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(s.listeners, l)
	if s.refusing > s.config.Now() {
		l.shut()
	}
	return l
}

// refuse has connections refused for a while; the caller holds the lock.
func (s *Set) refuse(d time.Duration) {
	s.refusing = max(s.refusing, s.config.Now()+d)
	for _, l := range s.listeners {
		l.shut()
	}
}

// lift has connections taken again; the caller holds the lock.
func (s *Set) lift() {
	s.refusing = 0
	for _, l := range s.listeners {
		select {
		case l.lifted <- struct{}{}:
		default: // it has been told, and not yet looked
		}
	}
}

// refused returns how long connections are still to be refused.
func (s *Set) refused() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refusing - s.config.Now()
}

// forget drops a listener that has been closed.
func (s *Set) forget(l *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = slices.DeleteFunc(s.listeners, func(other *listener) bool { return other == l })
}

// resets reports whether a connection that was accepted shall be reset at once.
func (s *Set) resets() (reset bool) {
	if !s.armed.Load() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rules {
		if r.Reset != ResetAccept {
			continue
		}
		r.hits.Matched++
		if r.picks() && (r.Times == 0 || r.hits.Applied < r.Times) {
			r.hits.Applied++
			reset = true
		}
	}
	return reset
}

// listener is a net.Listener that is closed and opened again.
type listener struct {
	set     *Set
	addr    net.Addr
	reopens bool
	once    sync.Once
	closed  chan struct{}
	lifted  chan struct{} // says that it may open before its time

	mu   sync.Mutex   // guards what follows
	open net.Listener // nil while connections are refused
}

// Addr implements net.Listener.
func (l *listener) Addr() net.Addr { return l.addr }

// Close implements net.Listener.
func (l *listener) Close() error {
	var err error
	l.once.Do(func() {
		l.set.forget(l)
		close(l.closed)
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.open != nil {
			err = l.open.Close()
		}
	})
	return err
}

// shut closes the listening socket.
func (l *listener) shut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reopens && l.open != nil {
		_ = l.open.Close() // its Accept says so too
		l.open = nil
	}
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		ln, err := l.listen()
		if err != nil {
			return nil, err
		}
		c, err := ln.Accept()
		switch {
		case err != nil && l.holds(ln):
			return nil, err
		case err != nil: // it was shut meanwhile
		case l.set.resets():
			sever(c, HowReset)
		case !l.reopens && l.set.refused() > 0:
			_ = c.Close() // in place of a refusal
		default:
			return c, nil
		}
	}
}

// holds reports whether ln is the socket in use, so that its error is the listener's.
func (l *listener) holds(ln net.Listener) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open == ln
}

const (
	reopenEvery = 20 * time.Millisecond
	reopenLimit = 5 * time.Second
)

// listen returns the socket, after the time for which connections are refused.
func (l *listener) listen() (net.Listener, error) {
	for tries := time.Duration(0); ; {
		if d := l.set.refused(); d > 0 && l.reopens {
			l.shut() // it may have been opened just before
			if !l.rest(d) {
				return nil, net.ErrClosed
			}
			continue
		}
		ln, err := l.reopen()
		if err == nil && l.reopens && l.set.refused() > 0 {
			continue
		}
		if err == nil {
			return ln, nil
		}
		if tries += reopenEvery; tries > reopenLimit || !l.rest(reopenEvery) {
			return nil, fmt.Errorf("listen again after refusing connections: %w", err)
		}
	}
}

// rest waits, or until refusals are lifted. It reports false when the listener was closed
// meanwhile.
func (l *listener) rest(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-l.lifted:
		return true
	case <-l.closed:
		return false
	}
}

// reopen returns the socket, opened again if it was shut.
func (l *listener) reopen() (net.Listener, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.closed:
		return nil, net.ErrClosed
	default:
	}
	if l.open != nil {
		return l.open, nil
	}
	ln, err := net.Listen(l.addr.Network(), l.addr.String())
	if err == nil {
		l.open = ln
	}
	return ln, err
}
