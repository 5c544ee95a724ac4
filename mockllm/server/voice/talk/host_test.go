package talk

import (
	"context"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/pipeline"
)

// mute is a session that says nothing.
type mute struct{}

func (mute) Text([]byte) iter.Seq[func()]   { return Once(func() {}) }
func (mute) Binary([]byte) iter.Seq[func()] { return Once(func() {}) }
func (mute) Gone()                          {}

// TestForgetsConnections: of connections that have ended nothing is kept.
func TestForgetsConnections(t *testing.T) {
	stopped := make(chan struct{})
	h := New(Config{Loop: pipeline.NewWall(), Ledger: ledger.New(ledger.Config{}), Stopped: stopped})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.Converse(w, r, nil, func(*Socket) Session { return mute{} })
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(stopped)
		_ = h.Loop.Run(ctx)
	}()
	for range 10 {
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
	}
	cancel()
	<-stopped
	h.Wait()
	if n := len(h.talks.conns); n != 0 {
		t.Errorf("%d connections are still known", n)
	}
}
