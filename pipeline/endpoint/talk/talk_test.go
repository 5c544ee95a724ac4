package talk

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/exchange"
)

var _ Loop = (*pipeline.Wall)(nil)

func TestAddress(t *testing.T) {
	tests := []struct {
		url, path string
		socket    bool
		want      string
	}{
		{"http://h:1", "/v1/listen", true, "ws://h:1/v1/listen?a=1"},
		{"wss://h/", "/v1/listen", true, "wss://h/v1/listen?a=1"},
		{"https://h/v1", "/v1/listen", true, "wss://h/v1/listen?a=1"},
		{"https://h/v1/listen?b=2", "/v1/listen", true, "wss://h/v1/listen?a=1&b=2"},
		{"ws://h/openai/v1/", "/v1/audio/speech", false, "http://h/openai/v1/audio/speech?a=1"},
		{"https://h/v11", "/v1/listen", false, "https://h/v11/v1/listen?a=1"},
		{"https://h?a=0", "/x", false, "https://h/x?a=1"},
		{"https://h/a%2Fb", "/v1/text-to-speech/c%2Fd%3F/stream", false, "https://h/a%2Fb/v1/text-to-speech/c%2Fd%3F/stream?a=1"},
		{"ftp://h", "/x", false, `url "ftp://h": want it to begin with http://, https://, ws:// or wss://`},
		{"http:///x?key=secret", "/x", false, `url "http:///x": it names no host`},
		{"http://u:secret@h/x", "/x", false, `url "http://h/x": it holds a user or password; give the key apart from the URL`},
		{"http://h#secret", "/x", false, `url "http://h": it has a fragment (#...), which no server would see`},
		{"ws://h:65535", "/x", true, "ws://h:65535/x?a=1"},
		{"ws://h:65536/x", "/x", true, `url "ws://h:65536/x": there is no port 65536: want one of 1 to 65535`},
		{"wss://h:0", "/x", true, `url "wss://h:0": there is no port 0: want one of 1 to 65535`},
		{"http://h:x/secret", "/x", false, `the url cannot be read; want one like http://127.0.0.1:8080`},
	}
	for _, tt := range tests {
		got, err := Config{URL: tt.url}.Address(tt.path, url.Values{"a": {"1"}}, tt.socket)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s and %s: %s, want %s", tt.url, tt.path, got, tt.want)
		}
	}
}

func TestCheck(t *testing.T) {
	c := Config{URL: "x", Key: endpoint.NewKey("a b"), MaxBytes: -1, Limits: endpoint.Limits{Gap: -1}}
	want := "the key has white space or a character outside ASCII; want it as the provider shows it, without quotes or line ends\n" +
		"limit of -1 bytes a conversation is negative\n" + `time limit "gap" is negative: -1ns` + "\n" +
		`url "x": want it to begin with http://, https://, ws:// or wss://`
	if err := c.Check(); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestMicrophone: ten samples at 100 Hz in frames of 40 ms, each when its last sample was
// spoken, and silence after them. What is said at 115 ms begins with the next sample.
func TestMicrophone(t *testing.T) {
	tests := map[string]struct {
		begin time.Duration
		pace  float64
		say   time.Duration
		want  []string
	}{
		"at once": {0, 1, 115 * time.Millisecond, []string{"40 40 [1 2 3 4]", "80 80 [5 6 7 8]", "120 120 [9 10 0 0]", "160 160 [21 22 0 0]", "200 200 [0 0 0 0]"}},
		"later":   {10 * time.Millisecond, 1, time.Hour, []string{"50 50 [1 2 3 4]", "90 90 [5 6 7 8]", "130 130 [9 10 0 0]", "170 170 [0 0 0 0]"}},
		"was due": {-50 * time.Millisecond, 1, time.Hour, []string{"0 -10 [1 2 3 4]", "30 30 [5 6 7 8]", "70 70 [9 10 0 0]", "110 110 [0 0 0 0]", "150 150 [0 0 0 0]", "190 190 [0 0 0 0]"}},
		"twice":   {0, 2, time.Hour, []string{"20 20 [1 2 3 4]", "40 40 [5 6 7 8]", "60 60 [9 10 0 0]", "80 80 [0 0 0 0]", "100 100 [0 0 0 0]", "120 120 [0 0 0 0]", "140 140 [0 0 0 0]", "160 160 [0 0 0 0]", "180 180 [0 0 0 0]", "200 200 [0 0 0 0]"}},
	}
	for name, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			loop := pipeline.NewWall()
			var got []string
			m := &Microphone{Loop: loop, Begin: tt.begin, Frame: 40 * time.Millisecond, Pace: tt.pace}
			m.Voice = pipeline.Voice{Rate: 100, Samples: []int16{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}
			m.Send = func(pcm []byte, due time.Duration) {
				var all []int16
				for ; len(pcm) > 0; pcm = pcm[2:] {
					all = append(all, int16(binary.LittleEndian.Uint16(pcm)))
				}
				got = append(got, fmt.Sprint(int64(loop.Now()/time.Millisecond), int64(due/time.Millisecond), all))
			}
			if m.Frames() != 3 || m.Over() {
				t.Errorf("%d frames, over %t; want 3, false", m.Frames(), m.Over())
			}
			for offset, want := range map[time.Duration]time.Duration{0: 40, 1: 40, 40: 40, 41: 80, 100: 120} {
				if got, want := m.Out(offset*time.Millisecond), tt.begin+time.Duration(float64(want*time.Millisecond)/tt.pace); got != want {
					t.Errorf("%s: %d ms are out at %s, want %s", name, offset, got, want)
				}
			}
			loop.At(0, pipeline.RankStart, m.Start)
			loop.At(tt.say, pipeline.RankInput, func() {
				if at := m.Say([]int16{21, 22}); at != 120*time.Millisecond {
					t.Errorf("said at %s, want 120ms", at)
				}
			})
			ctx, cancel := context.WithTimeout(t.Context(), 205*time.Millisecond)
			defer cancel()
			_ = loop.Run(ctx)
			if !slices.Equal(got, tt.want) || !m.Over() {
				t.Errorf("%s: got %q, want %q", name, got, tt.want)
			}
		})
	}
}

// TestHush: what is left of a recording is not spoken, whether it is the first or was added; what is
// said after that is.
func TestHush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := pipeline.NewWall()
		var got []byte
		m := &Microphone{Loop: loop, Frame: 10 * time.Millisecond, Pace: 1, Voice: pipeline.Voice{Rate: 100, Samples: []int16{1, 1, 1}}}
		m.Send = func(pcm []byte, _ time.Duration) { got = append(got, pcm[0]) }
		loop.At(0, pipeline.RankStart, m.Start)
		loop.At(15*time.Millisecond, pipeline.RankInput, m.Hush)
		loop.At(35*time.Millisecond, pipeline.RankInput, func() { m.Say([]int16{2, 2, 2}) })
		loop.At(55*time.Millisecond, pipeline.RankInput, m.Hush)
		loop.At(75*time.Millisecond, pipeline.RankInput, func() { m.Say([]int16{3}) })
		ctx, cancel := context.WithTimeout(t.Context(), 95*time.Millisecond)
		defer cancel()
		_ = loop.Run(ctx)
		if want := []byte{1, 0, 0, 0, 2, 0, 0, 0, 3}; !bytes.Equal(got, want) {
			t.Errorf("%d, want %d", got, want)
		}
	})
}

// TestPatience: what is to begin before a service is ready waits for it only when it is patient.
func TestPatience(t *testing.T) {
	for _, c := range []struct {
		due, ready time.Duration
		patient    bool
		want       time.Duration
	}{{pipeline.Unknown, 5, false, 5}, {pipeline.Unknown, 5, true, 5}, {3, 5, false, 3}, {3, 5, true, 5}, {7, 5, true, 7}, {7, 5, false, 7}} {
		if got := Begins(c.due, c.ready, c.patient); got != c.want {
			t.Errorf("due %d, ready %d, patient %t: %d, want %d", c.due, c.ready, c.patient, got, c.want)
		}
	}
}

// note tells a test of a conversation.
type note struct {
	opened time.Duration
	got    []string
	end    chan End
	enough int // messages
}

func (n *note) Opened(o Opening) { n.opened = o.At }

func (n *note) Heard(m Message) bool {
	n.got = append(n.got, fmt.Sprintf("%d %t %s", m.At/time.Millisecond, m.Binary, m.Data))
	return len(n.got) != n.enough
}

func (n *note) Ended(e End) { n.end <- e }

// bubble runs a test of a client whose dials meet serve.
func bubble(t *testing.T, config Config, serve func(net.Conn), test func(c *Client, n *note)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		config.URL = "ws://h"
		served := make(chan struct{})
		config.DialContext = func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			go func() {
				defer close(served)
				defer far.Close()
				serve(far)
			}()
			return near, nil
		}
		c, err := New(config, pipeline.NewWall())
		if err != nil {
			t.Fatal(err)
		}
		test(c, &note{end: make(chan End, 1), opened: pipeline.Unknown})
		c.Close()
		<-served
	})
}

// upgrade answers a handshake with the bytes that follow it in the same write.
func upgrade(conn net.Conn, more string) {
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	h := accept(req.Header.Get("Sec-Websocket-Key"))
	_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "+h+"\r\n\r\n"+more)
}

// TestFrames cuts frames between reads: a message is as old as its last byte, and the log
// has every message.
func TestFrames(t *testing.T) {
	var kept *exchange.Exchange
	config := Config{Keep: func(x *exchange.Exchange) { kept = x }}
	bubble(t, config, func(conn net.Conn) {
		upgrade(conn, "\x81\x02hi\x81\x03a")
		time.Sleep(20 * time.Millisecond)
		_, _ = io.WriteString(conn, "bc\x82\x01x")
		_, _ = io.Copy(io.Discard, conn)
	}, func(c *Client, n *note) {
		n.enough = 3
		l := c.Dial(Ask{URL: "ws://h/x?secret=1", Protocol: "p", ID: 7, Due: 1}, n)
		l.Send(Frame{Data: []byte("ask"), Payload: true, Due: 0})
		e := <-n.end
		if want := []string{"0 false hi", "20 false abc", "20 true x"}; !slices.Equal(n.got, want) || n.opened != 0 {
			t.Errorf("opened at %s, got %q, want %q", n.opened, n.got, want)
		}
		if !e.Enough || e.At != 20*time.Millisecond || e.Sent.Frames != 1 || e.Sent.First != 0 || e.Sent.Late != 0 || e.Status != 101 || e.Transport.HTTP != "1.1" {
			t.Errorf("ended as %+v", e)
		}
	})
	want := []exchange.Message{
		{From: exchange.Server, Kind: exchange.Text, At: 0, Due: pipeline.Unknown, Data: []byte("hi"), Bytes: 2},
		{From: exchange.Client, Kind: exchange.Text, At: 0, Due: 0, Data: []byte("ask"), Bytes: 3},
		{From: exchange.Server, Kind: exchange.Text, At: 20 * time.Millisecond, Due: pipeline.Unknown, Data: []byte("abc"), Bytes: 3},
		{From: exchange.Server, Kind: exchange.Binary, At: 20 * time.Millisecond, Due: pipeline.Unknown, Data: []byte("x"), Bytes: 1},
	}
	byKind := func(a, b exchange.Message) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(b.From, a.From)) }
	slices.SortStableFunc(kept.Messages, byKind) // of one instant either may be first
	if !reflect.DeepEqual(kept.Messages, want) || kept.Reads != nil || kept.Ask != nil || kept.Path != "/x" || kept.How != exchange.Open {
		t.Errorf("kept %+v", kept)
	}
}

// TestUnread: a server that does not read is given up before too much waits for it.
func TestUnread(t *testing.T) {
	bubble(t, Config{}, func(conn net.Conn) {
		upgrade(conn, "")
		time.Sleep(time.Minute)
	}, func(c *Client, n *note) {
		l := c.Dial(Ask{URL: "ws://h/x"}, n)
		time.Sleep(time.Second)
		for range 18 {
			l.Send(Frame{Binary: true, Data: make([]byte, 1<<20), Payload: true})
		}
		e := <-n.end
		if o, why := e.Wrong(); o != pipeline.Error || why != "the server does not read: too much waits to be sent" {
			t.Errorf("%s %q", o, why)
		}
	})
}

// TestLimits: each phase has its limit.
func TestLimits(t *testing.T) {
	limits := endpoint.Limits{Connect: time.Second, FirstByte: 2 * time.Second, Gap: 3 * time.Second, Whole: 20 * time.Second}
	tests := map[string]struct {
		serve func(net.Conn)
		want  string
		at    time.Duration
	}{
		"handshake": {func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }, "no response within 2s (--limit-first-byte)", 2 * time.Second},
		"gap":       {func(conn net.Conn) { upgrade(conn, "\x81\x01a"); _, _ = io.Copy(io.Discard, conn) }, "nothing came or went within 3s (--limit-gap)", 3 * time.Second},
		"whole": {func(conn net.Conn) {
			upgrade(conn, "")
			for {
				time.Sleep(time.Second)
				if _, err := io.WriteString(conn, "\x81\x01a"); err != nil {
					return
				}
			}
		}, "no end within 21s (--limit-whole 20s, and 1s for speech and the silence around it)", 21 * time.Second},
		// It talks and does not read: what was sent cannot go out.
		"unread": {func(conn net.Conn) {
			upgrade(conn, "")
			for {
				time.Sleep(time.Second)
				if _, err := io.WriteString(conn, "\x81\x01a"); err != nil {
					return
				}
			}
		}, "the server did not read within 3s (--limit-gap)", 3 * time.Second},
	}
	for name, tt := range tests {
		bubble(t, Config{Limits: limits}, tt.serve, func(c *Client, n *note) {
			l := c.Dial(Ask{URL: "ws://h/x", Plays: time.Second}, n)
			if name == "unread" {
				l.Send(Frame{Data: []byte("ask")})
			}
			e := <-n.end
			if o, why := e.Wrong(); o != pipeline.Timeout || why != tt.want || e.At != tt.at {
				t.Errorf("%s: %s %q at %s, want timeout %q at %s", name, o, why, e.At, tt.want, tt.at)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		c, err := New(Config{URL: "ws://h", Limits: limits, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}, pipeline.NewWall())
		if err != nil {
			t.Fatal(err)
		}
		for _, open := range []func(Ask, Listener) *Line{c.Dial, c.Post} {
			start := c.Loop.Elapsed()
			n := &note{end: make(chan End, 1)}
			open(Ask{URL: map[bool]string{true: "ws://h/x", false: "http://h/x"}[start == 0]}, n)
			e := <-n.end
			if o, why := e.Wrong(); o != pipeline.Timeout || why != "no connection within 1s (--limit-connect)" || e.At-start != time.Second {
				t.Errorf("%s %q at %s", o, why, e.At-start)
			}
		}
		c.Close()
	})
}

// TestBegins: before something is to come or go nothing need, and limits count from then. What
// comes before it does not put them off.
func TestBegins(t *testing.T) {
	limits := endpoint.Limits{Gap: 3 * time.Second, Whole: 20 * time.Second}
	for want, serve := range map[string]func(net.Conn){
		"nothing came or went within 1m3s (--limit-gap 3s, and 1m0s for speech and the silence around it) at 1m3s": func(conn net.Conn) { upgrade(conn, ""); _, _ = io.Copy(io.Discard, conn) },
		"nothing came or went within 4s (--limit-gap 3s, and 1s for speech and the silence around it) at 1m3s": func(conn net.Conn) {
			upgrade(conn, "")
			time.Sleep(59 * time.Second)
			_, _ = io.WriteString(conn, "\x81\x01a")
			_, _ = io.Copy(io.Discard, conn)
		},
		"no end within 1m20s (--limit-whole 20s, and 1m0s for speech and the silence around it) at 1m20s": func(conn net.Conn) {
			upgrade(conn, "")
			for {
				time.Sleep(900 * time.Millisecond)
				if _, err := io.WriteString(conn, "\x81\x01a"); err != nil {
					return
				}
			}
		},
	} {
		bubble(t, Config{Limits: limits}, serve, func(c *Client, n *note) {
			c.Dial(Ask{URL: "ws://h/x", Begins: time.Minute}, n)
			e := <-n.end
			if o, why := e.Wrong(); o != pipeline.Timeout || fmt.Sprintf("%s at %s", why, e.At) != want {
				t.Errorf("%s %q at %s, want %s", o, why, e.At, want)
			}
		})
	}
}

// TestTLS talks over real sockets with TLS, whose phases are known, and is refused a
// certificate that it does not trust.
func TestTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		up := websocket.Upgrader{}
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close()
		kind, data, err := conn.ReadMessage()
		if err == nil {
			_ = conn.WriteMessage(kind, data)
		}
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of the client that does not trust it
	server.StartTLS()
	defer server.Close()
	trusting := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	for _, config := range []Config{{Roots: trusting}, {}} {
		config.URL = server.URL
		c, err := New(config, pipeline.NewWall())
		if err != nil {
			t.Fatal(err)
		}
		n := &note{end: make(chan End, 1), enough: 1}
		address, err := config.Address("/x", nil, true)
		if err != nil {
			t.Fatal(err)
		}
		c.Dial(Ask{URL: address}, n).Send(Frame{Data: []byte("hello")})
		e := <-n.end
		c.Close()
		trusted := config.Roots != nil
		if e.Enough != trusted || trusted && (e.Transport.TLS <= 0 || e.Transport.Connect <= 0 || e.Transport.TLS > 10*time.Second) {
			t.Errorf("trusted %t: ended as %+v", trusted, e)
		}
		if o, why := e.Wrong(); !trusted && (o != pipeline.Error || !strings.Contains(why, "certificate")) {
			t.Errorf("%s %q, want an error about the certificate", o, why)
		}
	}
}

// accept is the answer to a handshake's key (RFC 6455, 4.2.2).
func accept(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// TestMessagesOfATurn: messages of nothing count as well, and for each turn anew.
func TestMessagesOfATurn(t *testing.T) {
	for _, again := range []bool{false, true} {
		bubble(t, Config{MaxBytes: 1 << 10}, func(conn net.Conn) {
			upgrade(conn, "")
			for range 2 {
				if _, err := io.WriteString(conn, strings.Repeat("\x82\x00", messagesBeside)); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}, func(c *Client, n *note) {
			l := c.Dial(Ask{URL: "ws://h/x"}, n)
			time.Sleep(500 * time.Millisecond)
			if again {
				l.Again(c.Loop.Elapsed(), 0)
			}
			e := <-n.end
			if _, why := e.Wrong(); (why == "the server sends more than 65544 messages (--limit-bytes)") == again {
				t.Errorf("again %t: %q", again, why)
			}
		})
	}
}

// TestBytesOfATurn: the limit of bytes counts for each turn of a conversation anew.
func TestBytesOfATurn(t *testing.T) {
	for again, at := range map[bool]time.Duration{false: 3 * time.Second, true: 4 * time.Second} {
		bubble(t, Config{MaxBytes: 2}, func(conn net.Conn) {
			upgrade(conn, "")
			for range 5 {
				time.Sleep(time.Second)
				if _, err := io.WriteString(conn, "\x81\x01a"); err != nil {
					return
				}
			}
		}, func(c *Client, n *note) {
			l := c.Dial(Ask{URL: "ws://h/x"}, n)
			time.Sleep(1500 * time.Millisecond)
			if again {
				l.Again(c.Loop.Elapsed(), 0)
			}
			e := <-n.end
			if o, why := e.Wrong(); o != pipeline.Error || why != "the server sends more than 2 bytes (--limit-bytes)" || e.At != at {
				t.Errorf("another turn %t: %s %q at %s, want %s", again, o, why, e.At, at)
			}
		})
	}
}

// TestKeptWhole: a conversation ends before there is more of it than can be read again, whoever says
// what is too much, and what was said until then is kept.
func TestKeptWhole(t *testing.T) {
	for name, frame := range map[string]int{"the server": 0, "the client": 60} {
		var kept []*exchange.Exchange
		bubble(t, Config{Keep: func(x *exchange.Exchange) { kept = append(kept, x) }}, func(conn net.Conn) {
			upgrade(conn, "")
			go func() { _, _ = io.Copy(io.Discard, conn) }()
			for {
				time.Sleep(time.Second)
				if _, err := io.WriteString(conn, "\x81\x01a"); err != nil {
					return
				}
			}
		}, func(c *Client, n *note) {
			c.mostKept = 3*201 + 50
			l := c.Dial(Ask{URL: "ws://h/x"}, n)
			time.Sleep(3500 * time.Millisecond)
			if frame > 0 {
				l.Send(Frame{Data: bytes.Repeat([]byte("b"), frame)})
			}
			e := <-n.end
			if o, why := e.Wrong(); o != pipeline.Error || why != "the session is as long as one can be in the raw log: 480 MiB; who keeps none has no such limit" {
				t.Errorf("%s: %s %q", name, o, why)
			}
		})
		if len(kept) != 1 || len(kept[0].Messages) != 3 || kept[0].Cause == "" {
			t.Errorf("%s: kept %+v", name, kept)
		}
	}
}
