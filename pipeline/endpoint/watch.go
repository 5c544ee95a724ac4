package endpoint

import (
	"context"
	"fmt"
	"io"
	"math"
	"sync/atomic"
	"time"
)

// limitError is the cause of a request that a time limit ended.
type limitError struct {
	what  string
	limit time.Duration
	name  string // of the limit, as users set it
}

func (e *limitError) Error() string { return fmt.Sprintf("%s within %s (%s)", e.what, e.limit, e.name) }

// watch ends a request that waits too long, by cancelling its context.
type watch struct {
	limits              Limits
	connect, first, all *time.Timer
	gap                 readWatch
}

// newWatch begins to watch a request that is about to look for a connection.
func newWatch(l Limits, cancel context.CancelCauseFunc) *watch {
	after := func(d time.Duration, what, name string) *time.Timer {
		return time.AfterFunc(d, func() { cancel(&limitError{what, d, name}) })
	}
	w := &watch{
		limits:  l,
		connect: after(l.Connect, "no connection", "--limit-connect"),
		first:   after(l.FirstByte, "no first byte", "--limit-first-byte"),
		all:     after(l.Whole, "no end", "--limit-whole"),
	}
	w.first.Stop()
	w.gap.init(l.Gap, func() { cancel(&limitError{"no further byte", l.Gap, "--limit-gap"}) })
	return w
}

// sent says that the request has its connection.
func (w *watch) sent() {
	w.connect.Stop()
	w.first.Reset(w.limits.FirstByte)
}

// stop ends the watch.
func (w *watch) stop() {
	for _, t := range []*time.Timer{w.connect, w.first, w.all} {
		t.Stop()
	}
	w.gap.stop()
}

// readWatch ends a request of which one read takes too long. To set a timer for each read
// would cost more than many a read: its one timer looks, when it fires, for how long the
// read in hand has been going on, and comes again when that may be too long.
type readWatch struct {
	limit   time.Duration
	overdue func()
	zero    time.Time
	began   atomic.Int64 // when the read in hand did, since zero; noRead or stopped
	timer   *time.Timer
}

const (
	noRead  = math.MinInt64
	stopped = math.MinInt64 + 1
)

func (w *readWatch) init(limit time.Duration, overdue func()) {
	w.limit, w.overdue, w.zero = limit, overdue, time.Now()
	w.began.Store(noRead)
	w.timer = time.AfterFunc(math.MaxInt64, w.look)
	w.timer.Stop()
}

// start has the timer come for the first time; no read was watched before.
func (w *readWatch) start() { w.timer.Reset(w.limit) }

// read says that a read begins.
func (w *readWatch) read() { w.began.Store(int64(time.Since(w.zero))) }

// done says that it has ended.
func (w *readWatch) done() { w.began.Store(noRead) }

// look runs when the timer fires.
func (w *readWatch) look() {
	left := w.limit
	switch began := w.began.Load(); began {
	case stopped:
		return
	case noRead:
	default:
		left -= time.Since(w.zero) - time.Duration(began)
	}
	if left <= 0 {
		w.overdue()
		return
	}
	w.timer.Reset(left)
}

// stop ends the watch.
func (w *readWatch) stop() {
	w.began.Store(stopped)
	w.timer.Stop()
}

// watchedBody tells the watch of the reads of a body.
type watchedBody struct {
	io.Reader
	watch *watch
	begun bool
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.begun {
		b.watch.gap.read()
		defer b.watch.gap.done()
	}
	n, err := b.Reader.Read(p)
	if n > 0 && !b.begun {
		b.begun = true
		b.watch.first.Stop()
		b.watch.gap.start()
	}
	return n, err
}
