package talk

import (
	"context"
	"fmt"
	"sync"
	"time"

	"halfsecond/pipeline/endpoint"
)

// The flags of the limits, as those of requests to language models have them.
const (
	flagConnect   = "--limit-connect"
	flagFirstByte = "--limit-first-byte"
	flagGap       = "--limit-gap"
	flagWhole     = "--limit-whole"
)

// limitError is the cause of a conversation that a time limit ended.
type limitError struct {
	what  string
	limit time.Duration
	// more is for what was to be said and waited for, and not the server's.
	more time.Duration
	flag string // by which people set the limit
}

func (e *limitError) Error() string {
	if e.more == 0 {
		return fmt.Sprintf("%s within %s (%s)", e.what, e.limit, e.flag)
	}
	return fmt.Sprintf("%s within %s (%s %s, and %s for speech and the silence around it)", e.what, e.limit+e.more, e.flag, e.limit, e.more)
}

// watch ends a conversation that waits too long, by cancelling its context. Its methods
// may be called from any goroutine.
type watch struct {
	limits endpoint.Limits
	cancel context.CancelCauseFunc
	begins time.Time // nothing need come or go before it
	whole  *time.Timer

	mu        sync.Mutex // guards what follows
	phase     *time.Timer
	ends      time.Time // when the phase does
	limit     time.Duration
	awaits    string // the server's word that it is ready; "" once it came
	answering bool   // the server is to speak: what goes out is no sign of life
	stopped   bool
}

// newWatch begins to watch a conversation that is about to be opened, whose server says with
// awaits that it is ready. Nothing need come or go for so long at first, and then its audio
// plays so long.
func newWatch(l endpoint.Limits, awaits string, quiet, audio time.Duration, cancel context.CancelCauseFunc) *watch {
	quiet = quiet.Round(time.Millisecond) // it is read as part of a limit
	w := &watch{limits: l, cancel: cancel, begins: time.Now().Add(quiet), awaits: awaits}
	w.whole = w.after(l.Whole+quiet+audio, &limitError{"no end", l.Whole, quiet + audio, flagWhole})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expect(l.Connect, 0, "no connection", flagConnect)
	return w
}

func (w *watch) after(d time.Duration, cause *limitError) *time.Timer {
	return time.AfterFunc(d, func() { w.cancel(cause) })
}

// expect replaces what is waited for. The lock is held.
func (w *watch) expect(limit, more time.Duration, what, flag string) {
	if w.stopped {
		return
	}
	if w.phase != nil {
		w.phase.Stop()
	}
	w.limit, w.ends = limit, time.Now().Add(limit+more)
	w.phase = w.after(limit+more, &limitError{what, limit, more, flag})
}

// shaking says that the connection is open, and TLS is to be agreed on within the same time.
func (w *watch) shaking() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped && w.phase.Stop() {
		w.phase = w.after(time.Until(w.ends), &limitError{"no answer to the TLS handshake", w.limit, 0, flagConnect})
	}
}

// connected says that the request goes out.
func (w *watch) connected() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expect(w.limits.FirstByte, 0, "no response", flagFirstByte)
}

// opened says that the server has accepted.
func (w *watch) opened() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.awaits != "" {
		w.expect(w.limits.FirstByte, 0, "no "+w.awaits, flagFirstByte)
		return
	}
	w.live()
}

// ready says that the word came by which the server is ready.
func (w *watch) ready() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.awaits = ""
	w.live()
}

// answers says whether the server is to speak from now on, whatever goes out.
func (w *watch) answers(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.answering != on {
		w.answering = on
		w.live()
	}
}

// came and went say that something did.
func (w *watch) came() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.live()
}

// went is described at came.
func (w *watch) went() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.answering {
		w.live()
	}
}

// live begins the longest silence anew. The lock is held.
func (w *watch) live() {
	if w.awaits != "" {
		return
	}
	what := "nothing came or went"
	if w.answering {
		what = "nothing came"
	}
	w.expect(w.limits.Gap, max(0, time.Until(w.begins)).Round(time.Millisecond), what, flagGap)
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.phase.Stop()
	w.whole.Stop()
}
