package voice

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/pipeline"
)

// aborted are conversations that a client breaks off: where it dials, and what it says
// first.
var aborted = []struct{ path, text string }{
	{"/v1/listen?encoding=linear16&sample_rate=16000", `{"type":"Finalize"}`},
	{"/v2/listen?model=flux-general-en&encoding=linear16&sample_rate=16000", ""},
	{"/v3/ws?speech_model=u3-rt-pro", ""},
	{"/stt/websocket?model=ink-2&encoding=pcm_s16le&sample_rate=16000", "finalize"},
	{"/stt/turns/websocket?model=ink-2&encoding=pcm_s16le&sample_rate=16000", ""},
	{"/v1/speak", `{"type":"Speak","text":"Good day to you."}`},
	{"/v1/text-to-speech/v/stream-input", `{"text":" "}`},
	{"/v1/text-to-speech/v/multi-stream-input", `{"text":"Good day. ","context_id":"a","flush":true}`},
	{"/tts/websocket", `{"model_id":"sonic-3","transcript":"Good day.","voice":{"mode":"id","id":"v"},"context_id":"c","output_format":{"container":"raw","encoding":"pcm_s16le","sample_rate":16000}}`},
	{"/v1/realtime?model=gpt-realtime", `{"type":"response.create"}`},
}

// TestAborted: a thousand conversations of all protocols that end without a word leave no
// goroutine, no connection and no timer behind.
func TestAborted(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	loop, stopped := pipeline.NewWall(), make(chan struct{})
	log := ledger.New(ledger.Config{})
	s := New(Config{Loop: loop, Stopped: stopped, Ledger: log, TTS: voicetest.Steady})
	mux := http.NewServeMux()
	s.Handle(mux)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: mux}
	var all sync.WaitGroup
	all.Go(func() { _ = server.Serve(ln) })
	ctx, cancel := context.WithCancel(t.Context())
	all.Go(func() {
		defer close(stopped)
		if err := loop.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	const sessions, atOnce = 1000, 50
	var clients sync.WaitGroup
	for first := range atOnce {
		clients.Go(func() {
			for i := first; i < sessions; i += atOnce {
				abort(t, "ws://"+ln.Addr().String()+aborted[i%len(aborted)].path, aborted[i%len(aborted)].text)
			}
		})
	}
	clients.Wait()
	deadline := time.Now().Add(10 * time.Second)
	entries := func() int { e, _ := log.Latest(2 * sessions); return len(e) }
	for entries() < sessions && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if n := entries(); n < sessions {
		t.Errorf("%d conversations were told to have ended, want %d", n, sessions)
	}
	cancel()
	<-stopped
	s.Wait()
	_ = server.Close()
	all.Wait()
}

// abort opens a conversation, says something and is gone.
func abort(t *testing.T, url, text string) {
	conn, _, err := websocket.DefaultDialer.Dial(url, nil)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	if text != "" {
		err = conn.WriteMessage(websocket.TextMessage, []byte(text))
	}
	if err = errors.Join(err, conn.WriteMessage(websocket.BinaryMessage, make([]byte, 3200))); err != nil {
		t.Error(err)
	}
	if tcp, ok := conn.NetConn().(*net.TCPConn); ok && strings.Contains(url, "/v1/") {
		_ = tcp.SetLinger(0) // the connection is reset
	}
}
