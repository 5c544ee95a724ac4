package mock_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/mock"
	"halfsecond/mockllm/server"
	"halfsecond/pipeline"
)

// ask posts a chat request and returns the status and the body.
func ask(t *testing.T, m *mock.Mock, body string) (int, string) {
	t.Helper()
	answer, err := m.Client().Post(m.URL+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

const hello = `{"model":"gpt-4o","messages":[{"role":"user","content":"hello"}]}`

func TestStart(t *testing.T) {
	m := mock.Start(t, mock.Fixed(30*time.Millisecond, 2*time.Millisecond), mock.Says("Good day."))
	from := time.Now()
	status, text := ask(t, m, hello)
	if took := time.Since(from); status != http.StatusOK || !strings.Contains(text, `"content":"Good day."`) || took < 34*time.Millisecond {
		t.Errorf("status %d after %s: %s", status, took, text)
	}
	if got := m.Requests(); len(got) != 1 || got[0].Generated != 3 || got[0].Model != "mock" {
		t.Errorf("requests %+v, want one of three tokens", got)
	}
	m.Fault("status 503")
	if status, _ := ask(t, m, hello); status != http.StatusServiceUnavailable {
		t.Errorf("status %d, want 503", status)
	}
	m.Fault()
	if status, _ := ask(t, m, hello); status != http.StatusOK {
		t.Errorf("status %d when nothing goes wrong any more", status)
	}
}

func TestStartModelledOverTLS(t *testing.T) {
	m := mock.Start(t, mock.Modelled("Qwen2.5-1.5B", "H100-SXM", "vllm"), mock.TLS(), mock.Tokens(4))
	if !strings.HasPrefix(m.URL, "https://") || m.CertFile == "" {
		t.Fatalf("URL %s, certificate %q", m.URL, m.CertFile)
	}
	status, text := ask(t, m, strings.Replace(hello, "gpt-4o", "Qwen2.5-1.5B", 1))
	if status != http.StatusOK || !strings.Contains(text, `"completion_tokens":4`) {
		t.Errorf("status %d: %s", status, text)
	}
}

// giveUp asks for a stream and leaves after a while.
func giveUp(t *testing.T, m *mock.Mock, after time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, "POST", m.URL+"/v1/chat/completions", strings.NewReader(strings.Replace(hello, "{", `{"stream":true,`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := m.Client().Do(q); err == nil {
		_, _ = io.Copy(io.Discard, answer.Body) // until the time is over
		answer.Body.Close()
	}
}

// TestGivenUp: the example of the package's comment.
func TestGivenUp(t *testing.T) {
	m := mock.Start(t, mock.Says("Hello there."), mock.Faults("stall at 3 for 2s"))
	giveUp(t, m, 300*time.Millisecond)
	got := m.Wait(1, 5*time.Second)
	if len(got) != 1 || got[0].Outcome != pipeline.Cancelled || got[0].Left < 300*time.Millisecond || got[0].Left > time.Second {
		t.Errorf("requests %+v, want one that was given up after 300 ms", got)
	}
}

// TestRequests: a request is there from its arrival on, and once.
func TestRequests(t *testing.T) {
	m := mock.Start(t, mock.Tokens(5), mock.Detect("never"))
	giveUp(t, m, 20*time.Millisecond)
	for range 1000 {
		if got := m.Requests(); len(got) > 1 {
			t.Fatalf("requests %+v, want one", got)
		}
	}
	if got := m.Wait(1, 5*time.Second); len(got) != 1 || got[0].AfterLeft != 5 || got[0].Running() {
		t.Errorf("requests %+v, want one whose five tokens came when the client had left", got)
	}
}

// TestOptions: what is answered, as each option has it.
func TestOptions(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.go"), []byte("func add(a, b int) int {\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	post := func(m *mock.Mock, path, body string) string {
		answer, err := m.Client().Post(m.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	fill := `{"model":"m","prompt":"func add(","suffix":") int {"}`
	for _, c := range []struct {
		name, path, body, want string
		option                 mock.Option
	}{
		{"a text like a file of answers", "/v1/chat/completions", hello, `"content":"{\"answer\":\"x\"}\n"`, mock.Says("{\"answer\":\"x\"}\n")},
		{"echo", "/v1/chat/completions", hello, `"content":"hello"`, mock.Echoes()},
		{"code", "/v1/completions", fill, `"text":"a, b int"`, mock.Code(folder, 1)},
		{"hosted", "/v1/chat/completions", strings.Replace(hello, "gpt-4o", "rented", 1), `"model":"rented"`, mock.Hosted("rented", "llm-gpt-4o-aiewf-eval", 500)},
		{"a share", "/v1/chat/completions", hello, `"code":"rate_limit_exceeded"`, mock.Faults("status 429 share=100%")},
		{"a file of rules", "/v1/chat/completions", hello, `"message":"busy"`, mock.Faults("rules: [{match: {model: 'gpt-*', first: 1}, status: {code: 503, message: busy}}]")},
		{"a key", "/v1/chat/completions", hello, "The key is missing or wrong", mock.Configured(func(c *server.Config) { c.Key = "k" })},
	} {
		if got := post(mock.Start(t, c.option, mock.Tokens(3)), c.path, c.body); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s in it", c.name, got, c.want)
		}
	}
}

// TestWebSocket: a client of WebSockets reaches it by TLS, also after Client was used.
func TestWebSocket(t *testing.T) {
	m := mock.Start(t, mock.TLS("mock.example"))
	if status, _ := ask(t, m, hello); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	dialer := websocket.Dialer{TLSClientConfig: m.TLSConfig()}
	for _, name := range []string{"", "mock.example"} {
		dialer.TLSClientConfig.ServerName = name
		c, answer, err := dialer.Dial(m.WS+"/v1/realtime?model=gpt-realtime", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if _, text, err := c.ReadMessage(); err != nil || !strings.Contains(string(text), `"session.created"`) {
			t.Errorf("%s, %v", text, err)
		}
		c.Close()
	}
}
