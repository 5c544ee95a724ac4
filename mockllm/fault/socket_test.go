package fault

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// chat is a WebSocket that answers every message with ten, such as {"n":1}.
func chat(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{EnableCompression: true}
	c, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer c.Close()
	for {
		if _, _, err := c.ReadMessage(); err != nil {
			return
		}
		for k := 1; k <= tokens; k++ {
			_ = c.SetWriteDeadline(time.Now().Add(time.Second))
			if c.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"n":%d}`, k)) != nil {
				return
			}
		}
	}
}

// talk is what a client of chat heard.
type talk struct {
	messages []string
	at       []time.Duration
	err      error // that ended it
	took     time.Duration
}

// dial opens a WebSocket to the server.
func (g *rig) dial(header ...string) (*websocket.Conn, *http.Response, error) {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	d := websocket.Dialer{EnableCompression: true}
	if t, ok := g.client.Transport.(*http.Transport); ok {
		d.NetDialContext = t.DialContext
	}
	return d.Dial("ws"+strings.TrimPrefix(g.url, "http")+"/socket", h)
}

// say sends one message to chat and hears what comes, until n messages or an end.
func (g *rig) say(n int, header ...string) talk {
	g.t.Helper()
	c, _, err := g.dial(header...)
	if err != nil {
		g.t.Fatal(err)
	}
	defer c.Close()
	from := time.Now()
	if err := c.WriteMessage(websocket.TextMessage, []byte("hello")); err != nil {
		g.t.Fatal(err)
	}
	var heard talk
	for len(heard.messages) < n {
		var data []byte
		if _, data, heard.err = c.ReadMessage(); heard.err != nil {
			break
		}
		heard.messages = append(heard.messages, string(data))
		heard.at = append(heard.at, time.Since(from))
	}
	heard.took = time.Since(from)
	return heard
}

// numbers returns the messages as the numbers that they hold.
func (h talk) numbers() string {
	s := strings.NewReplacer(`{"n":`, "", "}", "")
	return s.Replace(strings.Join(h.messages, " "))
}

func TestSocketFrames(t *testing.T) {
	for _, c := range []struct {
		name, rule, want string
		n                int
	}{
		{"untouched", "http10: true", "1 2 3 4 5 6 7 8 9 10", 10},
		{"drop one", "drop: 3", "1 2 4 5 6 7 8 9 10", 9},
		{"duplicate one", "duplicate: 3", "1 2 3 3 4 5 6 7 8 9 10", 11},
		{"drop all", "drop: {share: 100%}", "", 0},
		{"duplicate all", "duplicate: {share: 100%}", "1 1 2 2 3 3 4 4 5 5 6 6 7 7 8 8 9 9 10 10", 20},
		{"both", "drop: 1\n    duplicate: 2", "2 2 3 4 5 6 7 8 9 10", 10},
		{"malformed", "malformed: 2", `1 {"n" 3 4 5 6 7 8 9 10`, 10},
		{"drip", "drip: {bytes: 1, every: 100us}", "1 2 3 4 5 6 7 8 9 10", 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := start(t, "rules:\n  - match: {path: /socket}\n    "+c.rule+"\n")
			heard := g.say(c.n)
			if heard.err != nil {
				t.Error(heard.err)
			}
			if got := heard.numbers(); got != c.want {
				t.Errorf("heard %q, want %q", got, c.want)
			}
		})
	}
}

func TestSocketShare(t *testing.T) {
	heard := func() (all []string) {
		g := start(t, "rules:\n  - drop: {share: 30%}\n    end: 31\n")
		for range 3 {
			c, _, err := g.dial()
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			for range 4 { // the first message of the last answer is number 31
				if err := c.WriteMessage(websocket.TextMessage, []byte("hello")); err != nil {
					t.Fatal(err)
				}
			}
			var h talk
			for {
				_, data, err := c.ReadMessage()
				if err != nil {
					break
				}
				h.messages = append(h.messages, string(data))
			}
			all = append(all, h.numbers())
		}
		return all
	}
	first, again := heard(), heard()
	if strings.Join(first, "|") != strings.Join(again, "|") {
		t.Errorf("the same seed dropped other messages: %q, then %q", first, again)
	}
	if first[0] == first[1] || first[1] == first[2] {
		t.Errorf("two sockets lost the same messages: %q", first)
	}
	if n := len(strings.Fields(strings.Join(first, " "))); n < 50 || n > 76 { // 3 standard deviations
		t.Errorf("%d of 90 messages came, of which 30 %% were to be dropped", n)
	}
}

func TestSocketEnds(t *testing.T) {
	for _, c := range []struct {
		name, rule, want string
		closed           int    // the close code; 0 for none
		reason           string // of the close
		broken           func(error) bool
	}{
		{"end", "end: 4", "1 2 3", 1000, "", nil},
		{"cut by a reset", "cut: {at: 4, how: reset}", "1 2 3", 0, "", reset},
		{"cut by a close", "cut: {at: 4, how: close}", "1 2 3", 1006, "unexpected EOF", nil},
		{"cut at a byte", "cut: {byte: 25, how: close}", "1 2", 1006, "unexpected EOF", nil},
		{
			"error", "match: {protocol: openai}\n    error: {at: 4, message: No room}",
			`1 2 3 {"type":"error","event_id":"00000000-0000-4000-8000-000000000000","error":{"type":"server_error","code":null,"message":"No room","param":null,"event_id":null}}`, 1011, "", nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := start(t, "rules:\n  - "+c.rule+"\n")
			heard := g.say(99)
			got := heard.numbers()
			if c.name == "error" { // whose numbers are not to be shortened
				got = heard.numbers()[:6] + heard.messages[3]
			}
			if got != c.want {
				t.Errorf("heard %q, want %q", got, c.want)
			}
			if c.closed > 0 && !websocket.IsCloseError(heard.err, c.closed) || c.broken != nil && !c.broken(heard.err) {
				t.Errorf("the socket ended with %v", heard.err)
			}
			if e, ok := heard.err.(*websocket.CloseError); ok && e.Text != c.reason {
				t.Errorf("the reason is %q, want %q", e.Text, c.reason)
			}
		})
	}
}

func TestSocketOversized(t *testing.T) {
	g := start(t, "rules:\n  - oversized: {at: 2, bytes: 100000}\n")
	heard := g.say(10)
	if len(heard.messages) != 10 || len(heard.messages[1]) != 100_000 || !strings.HasSuffix(heard.messages[1], `x","n":2}`) {
		t.Fatalf("heard %d messages, the second of %d bytes", len(heard.messages), len(heard.messages[1]))
	}
}

func TestSocketStall(t *testing.T) {
	bubble(t, "rules:\n  - stall: {at: 4, for: 2s}\n", func(t *testing.T, g *rig) {
		heard := g.say(10)
		want := []time.Duration{0, 0, 0, 2 * time.Second, 2 * time.Second}
		for i, at := range want {
			if heard.at[i] != at {
				t.Errorf("message %d came after %s, want %s", i+1, heard.at[i], at)
			}
		}
	})
}

func TestSocketDrip(t *testing.T) {
	bubble(t, "rules:\n  - drip: {bytes: 3, every: 10ms}\n", func(t *testing.T, g *rig) {
		heard := g.say(10)
		// A frame has 2 + 7 bytes: three drips.
		if heard.at[0] != 20*time.Millisecond || heard.at[1] != 50*time.Millisecond {
			t.Errorf("messages came after %s, want 20 and 50 ms", heard.at)
		}
	})
}

func TestIdleClose(t *testing.T) {
	const rules = "rules:\n  - idle_close: {after: 10s, code: 1011, reason: NET-0001}\n"
	bubble(t, rules, func(t *testing.T, g *rig) {
		c, _, err := g.dial()
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		from := time.Now()
		ended := make(chan error)
		go func() {
			for {
				if _, _, err := c.ReadMessage(); err != nil {
					ended <- err
					return
				}
			}
		}()
		time.Sleep(8 * time.Second)
		if err := c.WriteMessage(websocket.TextMessage, []byte("still here")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		// A ping is no message: the vendor wants to hear the client.
		if err := c.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		err = <-ended
		if e, ok := err.(*websocket.CloseError); !ok || e.Code != 1011 || e.Text != "NET-0001" {
			t.Errorf("the socket ended with %v, want close 1011 NET-0001", err)
		}
		if took := time.Since(from); took != 18*time.Second {
			t.Errorf("the socket was closed after %s, want 18s: 10s after the message at 8s", took)
		}
	})
}

func TestIdleCloseOverASocket(t *testing.T) {
	g := start(t, "rules:\n  - idle_close: {after: 700ms, code: 4001, reason: silent}\n")
	heard := g.say(99)
	if heard.numbers() != "1 2 3 4 5 6 7 8 9 10" || !websocket.IsCloseError(heard.err, 4001) {
		t.Errorf("heard %q, and the socket ended with %v", heard.numbers(), heard.err)
	}
	if heard.took < 650*time.Millisecond || heard.took > 10*time.Second {
		t.Errorf("the socket was closed after %s, want 700 ms or soon after", heard.took)
	}
}

func TestHandshake(t *testing.T) {
	g := start(t, "rules:\n  - status: {code: 429, retry_after: 1s}\n")
	_, response, err := g.dial()
	if err == nil || response == nil || response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") != "1" {
		t.Errorf("the handshake was answered %v, %v", response, err)
	}
	g.replace("rules:\n  - slow_headers: 30ms\n")
	from := time.Now()
	c, _, err := g.dial()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if took := time.Since(from); took < 29*time.Millisecond {
		t.Errorf("the handshake took %s, want 30 ms or more", took)
	}
}
