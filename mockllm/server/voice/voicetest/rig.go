// Package voicetest runs fronts of speech protocols on a network in memory, for tests:
// inside a testing/synctest bubble every instant is exact.
//
// Read rig.go for a host and its clients, line.go for one who talks, answer.go for
// requests over HTTP, models.go for models whose every instant can be told, and sound.go
// for what is heard.
package voicetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/memnet"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/pipeline"
)

// Rig is a host on a network in memory, whose loop runs.
type Rig struct {
	*talk.Host
	T    testing.TB
	From time.Time // start of the loop
	Stop func()

	ln *memnet.Listener
}

// Start runs a host whose routes handle adds; c needs no loop and no ledger.
func Start(t testing.TB, c talk.Config, handle func(*talk.Host, *http.ServeMux)) *Rig {
	t.Helper()
	stopped := make(chan struct{})
	c.Loop, c.Stopped = pipeline.NewWall(), stopped
	c.Ledger = ledger.New(ledger.Config{Began: time.Now()})
	r := &Rig{Host: talk.New(c), From: time.Now(), T: t, ln: memnet.Listen()}
	mux := http.NewServeMux()
	handle(r.Host, mux)
	ctx, cancel := context.WithCancel(t.Context())
	server := &http.Server{Handler: mux}
	var all sync.WaitGroup
	all.Go(func() { _ = server.Serve(r.ln) })
	all.Go(func() {
		defer close(stopped)
		if err := c.Loop.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	r.Stop = func() {
		cancel()
		<-stopped
		r.Wait()
		_ = server.Close()
		all.Wait()
	}
	return r
}

// Alone returns a host whose loop does not run: a test does on its own what the loop
// would.
func Alone() *talk.Host {
	return talk.New(talk.Config{Loop: pipeline.NewWall(), Ledger: ledger.New(ledger.Config{})})
}

// Do handles a message as the loop would.
func Do(handles iter.Seq[func()]) {
	for handle := range handles {
		handle()
	}
}

// DialContext opens a connection.
func (r *Rig) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return r.ln.DialContext(ctx, network, address)
}

// Dial opens a WebSocket.
func (r *Rig) Dial(path string, header http.Header) *websocket.Conn {
	r.T.Helper()
	d := websocket.Dialer{NetDialContext: r.DialContext}
	conn, _, err := d.Dial("ws://mock"+path, header)
	if err != nil {
		r.T.Fatal(err)
	}
	return conn
}

// Refused dials where the handshake is refused, and returns the status and the body.
func (r *Rig) Refused(path string) string {
	r.T.Helper()
	d := websocket.Dialer{NetDialContext: r.DialContext}
	conn, answer, err := d.Dial("ws://mock"+path, nil)
	if !errors.Is(err, websocket.ErrBadHandshake) {
		if err == nil {
			conn.Close()
		}
		r.T.Fatalf("%s: error %v, want a bad handshake", path, err)
	}
	body := make([]byte, 1024) // what gorilla keeps
	n, _ := answer.Body.Read(body)
	return fmt.Sprintf("%d %s", answer.StatusCode, body[:n])
}

// Next returns the next message of a WebSocket with the ms since the start.
func (r *Rig) Next(conn *websocket.Conn) string {
	kind, data, err := conn.ReadMessage()
	at := r.Now()
	if err != nil {
		return fmt.Sprintf("%d %v", at, err)
	}
	if kind == websocket.BinaryMessage {
		return fmt.Sprintf("%d binary %d", at, len(data))
	}
	return fmt.Sprintf("%d %s", at, bytes.TrimSpace(data))
}

// Now returns the ms since the start.
func (r *Rig) Now() int64 { return time.Since(r.From).Milliseconds() }

// Hear checks what comes next, message by message.
func (r *Rig) Hear(conn *websocket.Conn, want ...string) {
	r.T.Helper()
	for _, w := range want {
		if got := r.Next(conn); got != w {
			r.T.Fatalf("got  %s\nwant %s", got, w)
		}
	}
}

// Say sends a text frame.
func (r *Rig) Say(conn *websocket.Conn, text string) {
	r.T.Helper()
	if err := conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		r.T.Fatal(err)
	}
}

// Only returns the only entry of the ledger.
func (r *Rig) Only() ledger.Entry {
	r.T.Helper()
	synctest.Wait()
	all, _ := r.Ledger.Latest(10)
	if len(all) != 1 {
		r.T.Fatalf("the ledger has %d entries, want 1", len(all))
	}
	return all[0]
}

// Last returns the newest entry of the ledger.
func (r *Rig) Last() ledger.Entry {
	r.T.Helper()
	all, _ := r.Ledger.Latest(1)
	if len(all) == 0 {
		r.T.Fatal("the ledger has no entry")
	}
	return all[0]
}

// LastOf returns the newest entry of a protocol.
func (r *Rig) LastOf(protocol string) ledger.Entry {
	r.T.Helper()
	all, _ := r.Ledger.Latest(ledger.Kept)
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Protocol == protocol {
			return all[i]
		}
	}
	r.T.Fatalf("no entry of %s", protocol)
	return ledger.Entry{}
}
