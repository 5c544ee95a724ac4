// Package talk is what lies between a client of a speech protocol and the loop: it
// brings what the client sends to the loop, and what the loop says to the client, over
// a WebSocket, a plain connection or the body of a response. It knows no protocol.
//
// Read host.go for what all fronts share, socket.go for a WebSocket, line.go for a plain
// connection, body.go for a response in stretches, outlet.go for how all of them get
// from the loop to their writer, passer.go for the other way, and visit.go for what the
// ledger is told.
package talk

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/pipeline"
)

// Config sets up a Host.
type Config struct {
	// Loop is the clock that everything runs on.
	Loop *pipeline.Wall
	// Seed picks the words and latencies.
	Seed uint64
	// MaxBody is the largest request body in bytes, such as an upload of audio; 0 means
	// DefaultMaxBody.
	MaxBody int64
	// Ledger is told of every request and write.
	Ledger *ledger.Ledger
	// Stopped is closed when the loop has ended.
	Stopped <-chan struct{}
}

// DefaultMaxBody is the largest request body when none is set, in bytes: what OpenAI
// takes as one audio file, 25 MB (platform guide "Speech to text", read 2026-11-29).
const DefaultMaxBody = 25 << 20

// Host is what the fronts of all protocols share. Its methods may be called from any
// goroutine.
type Host struct {
	Config
	started time.Time
	nextID  atomic.Int64
	// So many of each so far.
	recognizers, synthesizers, sessions atomic.Int64
	talks                               talks
}

// New returns a host.
func New(c Config) *Host {
	if c.MaxBody == 0 {
		c.MaxBody = DefaultMaxBody
	}
	return &Host{Config: c, started: time.Now()}
}

// Wait, which is to be called when the loop has ended, returns when every WebSocket is
// closed, which http.Server does not know of, and everything that Go began is over. A
// client that does not take its leave in time is cut off.
func (h *Host) Wait() {
	late := time.AfterFunc(2*farewell, h.talks.cut)
	defer late.Stop()
	h.talks.Wait()
}

// Go runs f on a goroutine that Wait waits for.
func (h *Host) Go(f func()) { h.talks.Go(f) }

// OnLoop runs f on the loop and waits for it, unless the loop has ended.
func (h *Host) OnLoop(f func()) {
	done := make(chan struct{})
	if !h.Loop.Post(h.Loop.Elapsed(), func() { f(); close(done) }) {
		return
	}
	select {
	case <-done:
	case <-h.Stopped:
	}
}

// Recognizer returns the stream that a recognizer draws its latencies from: the one that its
// client wants, else, for 0, one of its own. Synthesizers and sessions are counted apart, so
// that which of the two connections of a turn comes first changes nothing.
func (h *Host) Recognizer(wanted int) int { return next(&h.recognizers, wanted) }

// Synthesizer returns the stream of a synthesizer, as Recognizer does.
func (h *Host) Synthesizer(wanted int) int { return next(&h.synthesizers, wanted) }

// Session returns the stream of a session with a model, as Recognizer does.
func (h *Host) Session(wanted int) int { return next(&h.sessions, wanted) }

// next returns what is wanted, or else counts from 0.
func next(count *atomic.Int64, wanted int) int {
	if wanted > 0 {
		return wanted
	}
	return int(count.Add(1) - 1)
}

// NewID returns an id that this host gives only once.
func (h *Host) NewID(prefix string) string {
	return prefix + strconv.FormatInt(h.started.UnixNano(), 36) + strconv.FormatInt(h.nextID.Add(1), 36)
}

// NewUUID returns a UUID that this host gives only once.
func (h *Host) NewUUID() string { return UUID(h.NewID("")) }

// UUID returns the UUID of a name: version 8, whose bits are the maker's (RFC 9562).
func UUID(name string) string {
	h := sha256.Sum256([]byte(name))
	h[6], h[8] = h[6]&0x0F|0x80, h[8]&0x3F|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}
