package endpoint

import (
	"context"
	"fmt"
	"io"
	"time"
)

// limitError is the cause of a request that a time limit ended.
type limitError struct {
	what  string
	limit time.Duration
}

func (e *limitError) Error() string { return fmt.Sprintf("%s within %s", e.what, e.limit) }

// watch ends a request that waits too long, by cancelling its context.
type watch struct {
	limits                   Limits
	connect, first, gap, all *time.Timer
}

// newWatch begins to watch a request that is about to look for a connection.
func newWatch(l Limits, cancel context.CancelCauseFunc) *watch {
	after := func(d time.Duration, what string) *time.Timer {
		return time.AfterFunc(d, func() { cancel(&limitError{what, d}) })
	}
	w := &watch{
		limits:  l,
		connect: after(l.Connect, "no connection"),
		first:   after(l.FirstByte, "no first byte"),
		gap:     after(l.Gap, "no further byte"),
		all:     after(l.Whole, "no end"),
	}
	w.first.Stop()
	w.gap.Stop()
	return w
}

// sent says that the request has its connection.
func (w *watch) sent() {
	w.connect.Stop()
	w.first.Reset(w.limits.FirstByte)
}

// stop ends the watch.
func (w *watch) stop() {
	for _, t := range []*time.Timer{w.connect, w.first, w.gap, w.all} {
		t.Stop()
	}
}

// watchedBody tells the watch of the reads of a body.
type watchedBody struct {
	io.Reader
	watch *watch
	begun bool
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.begun {
		b.watch.gap.Reset(b.watch.limits.Gap)
		defer b.watch.gap.Stop()
	}
	n, err := b.Reader.Read(p)
	if n > 0 && !b.begun {
		b.begun = true
		b.watch.first.Stop()
	}
	return n, err
}
