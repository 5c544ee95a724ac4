package talk

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/exchange"
)

// TestTurns: while the server is to say that it is ready, or is to speak, what goes out is no
// sign of life. What went out before counts.
func TestTurns(t *testing.T) {
	limits := endpoint.Limits{FirstByte: 2 * time.Second, Gap: 3 * time.Second, Whole: 20 * time.Second}
	silent := func(conn net.Conn) { upgrade(conn, ""); _, _ = io.Copy(io.Discard, conn) }
	greets := func(conn net.Conn) { upgrade(conn, "\x81\x01a"); _, _ = io.Copy(io.Discard, conn) }
	for name, tt := range map[string]struct {
		serve       func(net.Conn)
		awaits      string
		ready       time.Duration // Unknown for never
		speaks, had time.Duration // when it is its turn, and no more
		want        string
	}{
		"never ready":       {silent, "session.updated", pipeline.Unknown, pipeline.Unknown, pipeline.Unknown, "no session.updated within 2s (--limit-first-byte) at 2s"},
		"greets, not ready": {greets, "session.updated", pipeline.Unknown, pipeline.Unknown, pipeline.Unknown, "no session.updated within 2s (--limit-first-byte) at 2s"},
		"its turn":          {silent, "session.updated", time.Second, 4 * time.Second, pipeline.Unknown, "no answer within 2s (--limit-first-byte) at 6s"},
		"greets, its turn":  {greets, "session.updated", time.Second, 4 * time.Second, pipeline.Unknown, "nothing came within 3s (--limit-gap) at 7s"},
		"had its turn":      {silent, "", pipeline.Unknown, 4 * time.Second, 5 * time.Second, "no end within 20s (--limit-whole) at 20s"},
		"ours alone":        {silent, "", pipeline.Unknown, pipeline.Unknown, pipeline.Unknown, "no end within 20s (--limit-whole) at 20s"},
	} {
		bubble(t, Config{Limits: limits}, tt.serve, func(c *Client, n *note) {
			l := c.Dial(Ask{URL: "ws://h/x", Awaits: tt.awaits}, n)
			say := time.NewTicker(500 * time.Millisecond)
			defer say.Stop()
			for at := 500 * time.Millisecond; ; at += 500 * time.Millisecond {
				select {
				case e := <-n.end:
					if o, why := e.Wrong(); o != pipeline.Timeout || fmt.Sprintf("%s at %s", why, e.At) != tt.want {
						t.Errorf("%s: %s %q at %s, want %s", name, o, why, e.At, tt.want)
					}
					return
				case <-say.C:
				}
				l.Send(Frame{Data: []byte("audio")})
				switch at {
				case tt.ready:
					l.Ready()
				case tt.speaks:
					l.Answering(true)
				case tt.had:
					l.Answering(false)
				}
			}
		})
	}
	(&Line{}).Ready() // one that leads nowhere
	(&Line{}).Answering(true)
}

// TestShaking: a server that opens the connection and never answers the handshake of TLS is
// told from one that does not open it.
func TestShaking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := New(Config{URL: "wss://h", Limits: endpoint.Limits{Connect: time.Second}, DialContext: func(context.Context, string, string) (net.Conn, error) {
			time.Sleep(400 * time.Millisecond)
			near, far := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, far) }()
			return near, nil
		}}, pipeline.NewWall())
		if err != nil {
			t.Fatal(err)
		}
		for url, open := range map[string]func(Ask, Listener) *Line{"wss://h:443/x": c.Dial, "https://h:443/x": c.Post} {
			start := c.Loop.Elapsed()
			n := &note{end: make(chan End, 1)}
			open(Ask{URL: url, Body: []byte{}}, n)
			e := <-n.end
			if o, why := e.Wrong(); o != pipeline.Timeout || why != "no answer to the TLS handshake within 1s (--limit-connect)" || e.At-start != time.Second {
				t.Errorf("%s: %s %q at %s", url, o, why, e.At-start)
			}
		}
		c.Close()
	})
}

// TestShakingTooLate: TLS of a connection that is opened in vain, since the request has
// another by then, changes nothing of what is waited for.
func TestShakingTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithCancelCause(t.Context())
		w := newWatch(endpoint.Limits{Connect: time.Second, FirstByte: 3 * time.Second, Whole: time.Minute}, "", 0, 0, cancel)
		defer w.stop()
		time.Sleep(200 * time.Millisecond)
		w.connected()
		time.Sleep(200 * time.Millisecond)
		w.shaking()
		<-ctx.Done()
		if why, after := context.Cause(ctx).Error(), time.Since(start); why != "no response within 3s (--limit-first-byte)" || after != 3200*time.Millisecond {
			t.Errorf("%q after %s, want no response after 3.2s", why, after)
		}
	})
}

// TestUnopened: a response of status 101 that opens no WebSocket of ours is one, and is told
// again as it was.
func TestUnopened(t *testing.T) {
	for header, want := range map[string]string{
		"Sec-WebSocket-Accept: AAAA": Unopened + ": Sec-WebSocket-Accept is not the answer to the key that was sent, or Upgrade or Connection is missing",
		"Sec-WebSocket-Accept: KEY\r\nSec-WebSocket-Extensions: permessage-deflate": Unopened + `: it uses an extension that was not asked for: "permessage-deflate"`,
	} {
		var kept *exchange.Exchange
		var end End
		bubble(t, Config{Keep: func(x *exchange.Exchange) { kept = x }}, func(conn net.Conn) {
			upgradeWith(conn, header)
		}, func(c *Client, n *note) {
			c.Dial(Ask{URL: "ws://h/x"}, n)
			end = <-n.end
			if n.opened != pipeline.Unknown {
				t.Errorf("%s: it opened", header)
			}
		})
		told, err := Retell(kept)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []End{end, told.End} {
			if o, why := e.Wrong(); o != pipeline.Error || why != want || e.Status != 101 || e.Transport.Status != 101 || !e.Unopened {
				t.Errorf("%s: %s %q, %+v", header, o, why, e)
			}
		}
		if told.Opening != nil {
			t.Errorf("%s: it opened, told again", header)
		}
	}
}

// upgradeWith answers a handshake with a header in which KEY stands for the right answer.
func upgradeWith(conn net.Conn, header string) {
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	header = strings.ReplaceAll(header, "KEY", accept(req.Header.Get("Sec-Websocket-Key")))
	_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+header+"\r\n\r\n")
}
