package talk_test

import (
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/pipeline"
)

const ms = time.Millisecond

// echo answers a text 30 ms later, a binary frame at once with twice its bytes, and
// closes when told.
type echo struct {
	*talk.Socket
	left *time.Duration
}

func (e echo) Text(b []byte) iter.Seq[func()] {
	return talk.Once(func() {
		if string(b) == "close" {
			e.Close(4001, "as you wish")
			return
		}
		e.Loop.After(30*ms, pipeline.RankOutput, func() { e.Send(b) })
	})
}

func (e echo) Binary(b []byte) iter.Seq[func()] {
	return talk.Once(func() { e.BinaryLater(2*len(b), func() []byte { return append(b, b...) }) })
}

func (e echo) Gone() { *e.left = e.Loop.Now() }

func echoing(left *time.Duration) func(s *talk.Host, mux *http.ServeMux) {
	return func(s *talk.Host, mux *http.ServeMux) {
		mux.HandleFunc("GET /echo", func(w http.ResponseWriter, r *http.Request) {
			s.Converse(w, r, nil, func(k *talk.Socket) talk.Session { return echo{k, left} })
		})
	}
}

func TestSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := pipeline.Unknown
		r := voicetest.Start(t, talk.Config{}, echoing(&left))
		defer r.Stop()
		conn := r.Dial("/echo", nil)
		defer conn.Close()
		send := func(kind int, text string) {
			if err := conn.WriteMessage(kind, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		expect := func(want string) {
			if got := r.Next(conn); got != want {
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
		if w := r.Ledger.Writes.Report(); w.N != 2 || w.Max != 0 {
			t.Errorf("writes %+v, want 2 without delay", w)
		}
	})
}

func TestSocketClientGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := pipeline.Unknown
		r := voicetest.Start(t, talk.Config{}, echoing(&left))
		defer r.Stop()
		conn := r.Dial("/echo", nil)
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
		r := voicetest.Start(t, talk.Config{}, echoing(&left))
		conn := r.Dial("/echo", nil)
		defer conn.Close()
		time.Sleep(50 * ms)
		go r.Stop()
		if got, want := r.Next(conn), "50 websocket: close 1001 (going away): the server is shutting down"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// TestSocketFrames: an offer to compress is not taken up, a ping is answered at once,
// and a frame that is too long ends the connection.
func TestSocketFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := pipeline.Unknown
		r := voicetest.Start(t, talk.Config{}, echoing(&left))
		defer r.Stop()
		d := websocket.Dialer{NetDialContext: r.DialContext, EnableCompression: true}
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
			pongs += fmt.Sprintf("%d %s", time.Since(r.From)/ms, text)
			return nil
		})
		go func() {
			time.Sleep(20 * ms)
			_ = conn.WriteControl(websocket.PingMessage, []byte("there?"), time.Now().Add(time.Second))
			_ = conn.WriteMessage(websocket.TextMessage, []byte("hello"))
			_ = conn.WriteMessage(websocket.BinaryMessage, make([]byte, 8<<20+1))
		}()
		if got, want := r.Next(conn), "20 websocket: close 1009 (message too big)"; got != want || pongs != "20 there?" {
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
		r := voicetest.Start(t, talk.Config{}, func(s *talk.Host, mux *http.ServeMux) {
			mux.HandleFunc("GET /audio", func(w http.ResponseWriter, q *http.Request) {
				s.Respond(w, q, "audio/wav", s.Loop.Elapsed(), func(b *talk.Outlet) func() {
					for i := range 3 {
						b.Loop.After(time.Duration(i+1)*40*ms, pipeline.RankOutput, func() {
							b.Send(make([]byte, 10))
							if i == 2 {
								b.End()
							}
						})
					}
					return func() { quits++ }
				})
			})
		})
		defer r.Stop()
		client := &http.Client{Transport: &http.Transport{DialContext: r.DialContext, DisableKeepAlives: true}}
		answer, err := client.Get("http://mock/audio")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var got []string
		for buffer := make([]byte, 100); ; {
			n, err := answer.Body.Read(buffer)
			if n > 0 {
				got = append(got, fmt.Sprintf("%d:%d", time.Since(r.From)/ms, n))
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

// TestStopsForOneWhoDoesNotRead: a client that takes nothing of what it is sent does not
// hold the end of the server up.
func TestStopsForOneWhoDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := pipeline.Unknown
		r := voicetest.Start(t, talk.Config{}, echoing(&left))
		conn := r.Dial("/echo", nil)
		defer conn.Close()
		if err := conn.WriteMessage(websocket.BinaryMessage, make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * ms)
		r.Stop()
		if took := time.Since(r.From); took != 100*ms+2*time.Second {
			t.Errorf("the server had stopped after %s, want %s", took, 100*ms+2*time.Second)
		}
	})
}

// TestNotAWebSocket: a request that is none is told what is expected.
func TestNotAWebSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := pipeline.Unknown
		r := voicetest.Start(t, talk.Config{}, echoing(&left))
		defer r.Stop()
		for _, c := range []struct {
			name   string
			header http.Header
			status int
			body   string
		}{
			{"plain", nil, 426, "/echo is a WebSocket: connect a WebSocket client to ws://mock/echo?a=b (websocket: the client is not using the websocket protocol: 'upgrade' token not found in 'Connection' header)\n"},
			{"old version", http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"8"}}, 400, "/echo is a WebSocket: connect a WebSocket client to ws://mock/echo?a=b (websocket: unsupported version: 13 not found in 'Sec-Websocket-Version' header)\n"},
			{"no key", http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}}, 400, "/echo is a WebSocket: connect a WebSocket client to ws://mock/echo?a=b (websocket: not a websocket handshake: 'Sec-WebSocket-Key' header must be Base64 encoded value of 16-byte in length)\n"},
		} {
			q, err := http.NewRequest(http.MethodGet, "http://mock/echo?a=b", nil)
			if err != nil {
				t.Fatal(err)
			}
			q.Header = c.header
			client := &http.Client{Transport: &http.Transport{DialContext: r.DialContext, DisableKeepAlives: true}}
			answer, err := client.Do(q)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			if answer.StatusCode != c.status || string(body) != c.body {
				t.Errorf("%s: got %d %s\nwant %d %s", c.name, answer.StatusCode, body, c.status, c.body)
			}
			if up := answer.Header.Get("Upgrade"); (up == "websocket") != (c.status == 426) {
				t.Errorf("%s: the header Upgrade is %q", c.name, up)
			}
		}
	})
}

// TestQuoted: of a long text its beginning is quoted, as a whole number of characters.
func TestQuoted(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"short", "short"},
		{strings.Repeat("a", 1000), strings.Repeat("a", 1000)},
		{strings.Repeat("a", 1001), strings.Repeat("a", 1000) + "..."},
		{strings.Repeat("a", 999) + "é", strings.Repeat("a", 999) + "..."},
	} {
		if got := talk.Quoted(c.text); got != c.want {
			t.Errorf("Quoted of %d bytes has %d: %s", len(c.text), len(got), got[max(0, len(got)-9):])
		}
	}
}
