package talk

import (
	"context"
	"fmt"
	"sync"
	"time"

	"halfsecond/pipeline/endpoint"
)

// limitError is the cause of a conversation that a time limit ended.
type limitError struct {
	what  string
	limit time.Duration
}

func (e *limitError) Error() string { return fmt.Sprintf("%s within %s", e.what, e.limit) }

// watch ends a conversation that waits too long, by cancelling its context. Its methods
// may be called from any goroutine.
type watch struct {
	limits endpoint.Limits
	cancel context.CancelCauseFunc
	begins time.Time // nothing need come or go before it
	whole  *time.Timer

	mu      sync.Mutex // guards what follows
	phase   *time.Timer
	stopped bool
}

// newWatch begins to watch a conversation that is about to be opened. Nothing need come or go
// for so long at first, and then its audio plays so long.
func newWatch(l endpoint.Limits, quiet, audio time.Duration, cancel context.CancelCauseFunc) *watch {
	quiet = quiet.Round(time.Millisecond) // it is read as part of a limit
	w := &watch{limits: l, cancel: cancel, begins: time.Now().Add(quiet)}
	w.whole = w.after(l.Whole+quiet+audio, "no end")
	w.expect(l.Connect, "no connection")
	return w
}

func (w *watch) after(d time.Duration, what string) *time.Timer {
	return time.AfterFunc(d, func() { w.cancel(&limitError{what, d}) })
}

// expect replaces what is waited for.
func (w *watch) expect(d time.Duration, what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	if w.phase != nil {
		w.phase.Stop()
	}
	w.phase = w.after(d, what)
}

// connected says that the request goes out, and moved that something came or went.
func (w *watch) connected() { w.expect(w.limits.FirstByte, "no response") }
func (w *watch) moved() {
	w.expect(w.limits.Gap+max(0, time.Until(w.begins)).Round(time.Millisecond), "nothing came or went")
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.phase.Stop()
	w.whole.Stop()
}
