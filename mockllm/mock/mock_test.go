package mock_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/mock"
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
