package voice

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/memnet"
	"halfsecond/pipeline"
)

const ms = time.Millisecond

// rig is a service on a network in memory, inside a bubble.
type rig struct {
	*Service
	t    *testing.T
	ln   *memnet.Listener
	from time.Time
	stop func()
}

// start runs a service whose routes handle adds.
func start(t *testing.T, c Config, handle func(s *Service, mux *http.ServeMux)) *rig {
	t.Helper()
	stopped := make(chan struct{})
	c.Loop, c.Stopped = pipeline.NewWall(), stopped
	c.Ledger = ledger.New(ledger.Config{Began: time.Now()})
	r := &rig{Service: New(c), t: t, ln: memnet.Listen(), from: time.Now()}
	mux := http.NewServeMux()
	handle(r.Service, mux)
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
	r.stop = func() {
		cancel()
		<-stopped
		r.Wait()
		_ = server.Close()
		all.Wait()
	}
	return r
}

// dial opens a WebSocket.
func (r *rig) dial(path string, header http.Header) *websocket.Conn {
	r.t.Helper()
	d := websocket.Dialer{NetDialContext: r.ln.DialContext}
	conn, _, err := d.Dial("ws://mock"+path, header)
	if err != nil {
		r.t.Fatal(err)
	}
	return conn
}

// next returns the next message of a WebSocket with the ms since the start.
func (r *rig) next(conn *websocket.Conn) string {
	kind, data, err := conn.ReadMessage()
	at := time.Since(r.from) / ms
	if err != nil {
		return fmt.Sprintf("%d %v", at, err)
	}
	if kind == websocket.BinaryMessage {
		return fmt.Sprintf("%d binary %d", at, len(data))
	}
	return fmt.Sprintf("%d %s", at, bytes.TrimSpace(data))
}

// echo answers a text 30 ms later, a binary frame at once with twice its bytes, and
// closes when told.
type echo struct {
	*socket
	left *time.Duration
}

func (e echo) text(b []byte) {
	if string(b) == "close" {
		e.close(4001, "as you wish")
		return
	}
	e.loop.After(30*ms, pipeline.RankOutput, func() { e.socket.text(b) })
}
func (e echo) binary(b []byte) { e.socket.binary(append(b, b...)) }
func (e echo) gone()           { *e.left = e.loop.Now() }

func echoing(left *time.Duration) func(s *Service, mux *http.ServeMux) {
	return func(s *Service, mux *http.ServeMux) {
		mux.HandleFunc("GET /echo", func(w http.ResponseWriter, r *http.Request) {
			s.converse(w, r, nil, func(k *socket) session { return echo{k, left} })
		})
	}
}

func TestSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := pipeline.Unknown
		r := start(t, Config{}, echoing(&left))
		defer r.stop()
		conn := r.dial("/echo", nil)
		defer conn.Close()
		send := func(kind int, text string) {
			if err := conn.WriteMessage(kind, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		expect := func(want string) {
			if got := r.next(conn); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		time.Sleep(100 * ms)
		send(websocket.TextMessage, "hello")
		expect("130 hello")
		send(websocket.BinaryMessage, "abc")
		expect("130 binary 6")
		send(websocket.TextMessage, "late")
		send(websocket.TextMessage, "close")
		expect("130 websocket: close 4001: as you wish")
		synctest.Wait()
		if left != 130*ms {
			t.Errorf("the session was told at %s, want 130ms", left)
		}
		if w := r.config.Ledger.Writes.Report(); w.N != 2 || w.Max != 0 {
			t.Errorf("writes %+v, want 2 without delay", w)
		}
	})
}

func TestSocketClientGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := pipeline.Unknown
		r := start(t, Config{}, echoing(&left))
		defer r.stop()
		conn := r.dial("/echo", nil)
		time.Sleep(70 * ms)
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if left != 70*ms {
			t.Errorf("the session was told at %s, want 70ms", left)
		}
	})
}

func TestSocketServerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := pipeline.Unknown
		r := start(t, Config{}, echoing(&left))
		conn := r.dial("/echo", nil)
		defer conn.Close()
		time.Sleep(50 * ms)
		go r.stop()
		if got, want := r.next(conn), "50 websocket: close 1001 (going away): the server is shutting down"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// TestSocketFrames: an offer to compress is not taken up, a ping is answered at once,
// and a frame that is too long ends the connection.
func TestSocketFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := pipeline.Unknown
		r := start(t, Config{}, echoing(&left))
		defer r.stop()
		d := websocket.Dialer{NetDialContext: r.ln.DialContext, EnableCompression: true}
		conn, answer, err := d.Dial("ws://mock/echo", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if got := answer.Header.Get("Sec-WebSocket-Extensions"); got != "" {
			t.Errorf("extensions %q, want none", got)
		}
		pongs := ""
		conn.SetPongHandler(func(text string) error {
			pongs += fmt.Sprintf("%d %s", time.Since(r.from)/ms, text)
			return nil
		})
		go func() {
			time.Sleep(20 * ms)
			_ = conn.WriteControl(websocket.PingMessage, []byte("there?"), time.Now().Add(time.Second))
			_ = conn.WriteMessage(websocket.TextMessage, []byte("hello"))
			_ = conn.WriteMessage(websocket.BinaryMessage, make([]byte, mostFrame+1))
		}()
		if got, want := r.next(conn), "20 websocket: close 1009 (message too big)"; got != want || pongs != "20 there?" {
			t.Errorf("got %q and the pong %q, want %q and %q", got, pongs, want, "20 there?")
		}
		synctest.Wait()
		if left != 20*ms {
			t.Errorf("the session was told at %s, want 20ms", left)
		}
	})
}

func TestRespond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quits := 0
		r := start(t, Config{}, func(s *Service, mux *http.ServeMux) {
			mux.HandleFunc("GET /audio", func(w http.ResponseWriter, q *http.Request) {
				s.respond(w, q, "audio/wav", s.config.Loop.Elapsed(), func(b *body) func() {
					for i := range 3 {
						b.service.config.Loop.After(time.Duration(i+1)*40*ms, pipeline.RankOutput, func() {
							b.send(make([]byte, 10))
							if i == 2 {
								b.end()
							}
						})
					}
					return func() { quits++ }
				})
			})
		})
		defer r.stop()
		client := &http.Client{Transport: &http.Transport{DialContext: r.ln.DialContext, DisableKeepAlives: true}}
		answer, err := client.Get("http://mock/audio")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var got []string
		for buffer := make([]byte, 100); ; {
			n, err := answer.Body.Read(buffer)
			if n > 0 {
				got = append(got, fmt.Sprintf("%d:%d", time.Since(r.from)/ms, n))
			}
			if err != nil {
				break
			}
		}
		if g, want := fmt.Sprint(got), "[40:10 80:10 120:10]"; g != want {
			t.Errorf("got %s, want %s", g, want)
		}
		synctest.Wait()
		if quits != 1 {
			t.Errorf("quit was called %d times, want once", quits)
		}
	})
}
