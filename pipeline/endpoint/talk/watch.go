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
	sent      bool   // the request has its connection
	accepted  bool   // the server has accepted
	awaits    string // the server's word that it is ready; "" once it came
	answering bool   // the server is to speak: what goes out is no sign of life
	heard     bool   // it has said something in this turn
	resting   bool   // no turn is under way
	stopped   bool
}

// newWatch begins to watch a conversation that is about to be opened, whose server says with
// awaits that it is ready. Nothing need come or go for so long at first, and then its audio
// plays so long.
func newWatch(l endpoint.Limits, awaits string, quiet, audio time.Duration, cancel context.CancelCauseFunc) *watch {
	w := &watch{limits: l, cancel: cancel, awaits: awaits}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(quiet, audio)
	w.expect(l.Connect, 0, "no connection", flagConnect)
	return w
}

// begin has the limit for the whole count from now. The lock is held.
func (w *watch) begin(quiet, audio time.Duration) {
	quiet, w.heard = quiet.Round(time.Millisecond), false // it is read as part of a limit
	w.begins = time.Now().Add(quiet)
	w.whole = w.after(w.limits.Whole+quiet+audio, &limitError{"no end", w.limits.Whole, quiet + audio, flagWhole})
}

// rest has nothing counted until again.
func (w *watch) rest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped {
		w.resting, w.answering = true, false
		w.phase.Stop()
		w.whole.Stop()
	}
}

// again begins another turn.
func (w *watch) again(quiet, audio time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped {
		w.whole.Stop()
		w.resting, w.answering = false, false
		w.begin(quiet, audio)
		w.live()
	}
}

func (w *watch) after(d time.Duration, cause *limitError) *time.Timer {
	return time.AfterFunc(d, func() { w.cancel(cause) })
}

// expect replaces what is waited for. The lock is held.
func (w *watch) expect(limit, more time.Duration, what, flag string) {
	if w.stopped || w.resting {
		return
	}
	if w.phase != nil {
		w.phase.Stop()
	}
	w.limit, w.ends = limit, time.Now().Add(limit+more)
	w.phase = w.after(limit+more, &limitError{what, limit, more, flag})
}

// shaking says that the connection is open, and TLS is to be agreed on within the same time.
// Of a connection that is opened though the request has another by now it means nothing.
func (w *watch) shaking() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped && !w.sent && w.phase.Stop() {
		w.phase = w.after(time.Until(w.ends), &limitError{"no answer to the TLS handshake", w.limit, 0, flagConnect})
	}
}

// connected says that the request goes out.
func (w *watch) connected() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = true
	w.expect(w.limits.FirstByte, 0, "no response", flagFirstByte)
}

// opened says that the server has accepted.
func (w *watch) opened() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.accepted = true
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

// answers says whether the server is to speak from now on, whatever goes out. If it has not
// yet, it has as long as for the first byte of an answer.
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
	w.heard = true
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

// live begins the longest silence anew, once the server takes what is said. The lock is held.
func (w *watch) live() {
	if w.awaits != "" || !w.accepted {
		return
	}
	quiet := max(0, time.Until(w.begins)).Round(time.Millisecond)
	switch {
	case w.answering && !w.heard:
		w.expect(w.limits.FirstByte, quiet, "no answer", flagFirstByte)
	case w.answering:
		w.expect(w.limits.Gap, quiet, "nothing came", flagGap)
	default:
		w.expect(w.limits.Gap, quiet, "nothing came or went", flagGap)
	}
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.phase.Stop()
	w.whole.Stop()
}
