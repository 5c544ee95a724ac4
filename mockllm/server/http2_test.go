package server

import (
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// TestSlowHTTP2: over HTTP/2 a stream lives on between tokens that are further apart than
// a write may take, with the comments that llama.cpp's server sends meanwhile.
func TestSlowHTTP2(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cert, err := NewCertificate(t.TempDir(), "localhost")
		if err != nil {
			t.Fatal(err)
		}
		r := startConfig(t, Config{Certificate: cert, Models: []Model{{Name: "m", Context: 100, Build: func(l pipeline.Scheduler) engine.Engine {
			return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: time.Second, TPOT: 95 * time.Second}, Slots: 1, MaxContext: 100})
		}}}})
		defer r.stop()
		transport := r.client.Transport.(*http.Transport)
		transport.TLSClientConfig, transport.ForceAttemptHTTP2 = &tls.Config{InsecureSkipVerify: true}, true
		for _, c := range []struct {
			path, end string
			pings     int
		}{
			{"/v1/completions", "[DONE]", 0},
			{"/completion", `"stop":true`, 3},
		} {
			q, err := http.NewRequestWithContext(t.Context(), "POST", "https://mock"+c.path, strings.NewReader(`{"model":"m","prompt":"a","stream":true,"mock_answer":"one two"}`))
			if err != nil {
				t.Fatal(err)
			}
			from := time.Now()
			a, err := r.client.Do(q)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(a.Body)
			text, pings := string(body), strings.Count(string(body), ":\n\n")
			if a.ProtoMajor != 2 || err != nil || !strings.Contains(text, c.end) || pings != c.pings || time.Since(from) != 96*time.Second {
				t.Errorf("%s: HTTP/%d, after %s error %v and %d comments, want %d and %s: %s", c.path, a.ProtoMajor, time.Since(from), err, pings, c.pings, c.end, text)
			}
		}
	})
}
