package server

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// rented is a model "m" that serves any number of requests, a token every 10 ms.
var rented = Model{Name: "m", Context: 10_000, Build: func(l pipeline.Scheduler) engine.Engine {
	return engine.NewHosted(l, engine.HostedConfig{First: func(uint64) time.Duration { return 10 * ms }, Next: 10 * ms})
}}

// TestEndIsPrompt: the server ends at once, whatever clients have open that wait for
// nothing: connections that are new, idle, in the middle of a handshake, of the headers
// of a request or of its body, and answers under way.
func TestEndIsPrompt(t *testing.T) {
	const stream = `{"model":"m","prompt":"x","stream":true,"ignore_eos":true,"max_tokens":5000}`
	post := fmt.Sprintf("POST /v1/completions HTTP/1.1\r\nHost: mock\r\nContent-Length: %d\r\n\r\n", len(stream))
	for _, c := range []struct {
		name, sends string
		secure      bool
		hears       string // before the end
	}{
		{"new", "", false, ""},
		{"idle", "GET /health HTTP/1.1\r\nHost: mock\r\n\r\n", false, `{"status":"ok"}`},
		{"idle over TLS", "GET /health HTTP/1.1\r\nHost: mock\r\n\r\n", true, `{"status":"ok"}`},
		{"half of the headers", post[:30], false, ""},
		{"half of the body", post + stream[:20], false, ""},
		{"half of the body over TLS", post + stream[:20], true, ""},
		{"an answer under way", post + stream, false, "data: "},
		{"a handshake under way", "\x16\x03\x01", true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := Config{Models: []Model{rented}, Warn: func(text string) { t.Errorf("told %s", text) }}
			if c.secure {
				var err error
				if config.Certificate, err = NewCertificate(t.TempDir(), ""); err != nil {
					t.Fatal(err)
				}
			}
			_, addr, stop := on(t, config)
			for range 3 {
				conn, err := net.Dial("tcp", addr)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				if c.secure && !strings.HasPrefix(c.sends, "\x16") {
					conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
				}
				if _, err := io.WriteString(conn, c.sends); err != nil {
					t.Fatal(err)
				}
				hear(t, conn, c.hears)
			}
			time.Sleep(50 * ms) // until the server has read what it gets
			from := time.Now()
			stop()
			if took := time.Since(from); took > 3*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// hear reads until a text has come.
func hear(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	var got strings.Builder
	for piece := make([]byte, 4096); !strings.Contains(got.String(), text); {
		n, err := conn.Read(piece)
		got.Write(piece[:n])
		if err != nil {
			t.Fatalf("heard %q, then %v", got.String(), err)
		}
	}
}

// TestEndWaits: who does not take his answer is waited for so long, and the user is told.
func TestEndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []string
		var at time.Time
		r := startConfig(t, Config{Models: []Model{oneSlot(engine.AtOnce)}, Warn: func(text string) {
			mu.Lock()
			defer mu.Unlock()
			told, at = append(told, text), time.Now()
		}})
		answer, err := r.post(t.Context(), "/v1/completions", `{"model":"m","prompt":"x","stream":true,"ignore_eos":true,"max_tokens":5000}`)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		time.Sleep(time.Second)
		from := time.Now()
		r.stop()
		if took := time.Since(from); took != shutdownLimit {
			t.Errorf("the end took %s, want %s", took, shutdownLimit)
		}
		mu.Lock()
		defer mu.Unlock()
		want := "waiting for clients to take the rest of their answers, 5s at most; connections that wait: 1; Ctrl-C ends it at once"
		if len(told) != 1 || told[0] != want || at.Sub(from) != shutdownSilence {
			t.Errorf("told %q after %s, want it after %s", told, at.Sub(from), shutdownSilence)
		}
	})
}
