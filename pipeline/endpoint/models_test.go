package endpoint

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/endpoint/dialect"
)

func TestOnlyModel(t *testing.T) {
	for _, c := range []struct{ body, want, err string }{
		{`{"object":"list","data":[{"id":"m"}]}`, "m", ""},
		{`{"object":"list","data":[{"id":"b"},{"id":"a"}]}`, "", "has several models; name one with --model: a, b"},
		{`{"object":"list","data":[]}`, "", "lists no model; name one with --model"},
		{`<html>`, "", "the answer is no list of models"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer secret" {
				w.WriteHeader(http.StatusUnauthorized)
			}
			_, _ = io.WriteString(w, c.body)
		}))
		config := Config{URL: server.URL, Protocol: dialect.OpenAIChat, Key: NewKey("secret")}
		got, err := OnlyModel(t.Context(), config)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, error %v; want %q, error %q", c.body, got, err, c.want, c.err)
		}
		config.Key = Key{}
		if _, err := OnlyModel(t.Context(), config); err == nil || !strings.Contains(err.Error(), "HTTP 401") {
			t.Errorf("%s without a key: error %v, want HTTP 401", c.body, err)
		}
		server.Close()
		if _, err := OnlyModel(t.Context(), config); err == nil || !strings.Contains(err.Error(), "does not answer: ") {
			t.Errorf("a dead endpoint: error %v", err)
		}
	}
}

// paths is a server that answers some paths, and notes what it is asked.
type paths struct {
	bodies map[string]string
	status int // of all others
	asked  []string
}

func (p *paths) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.asked = append(p.asked, r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	if body, ok := p.bodies[r.URL.Path]; ok {
		_, _ = io.WriteString(w, body)
		return
	}
	if p.status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "60")
	}
	w.WriteHeader(p.status)
	_, _ = io.WriteString(w, `{"error":{"message":"not now"}}`)
}

// TestBusyModels: a server that asks to wait is asked again for its list once that is over, but
// neither often nor for long, and that is told.
func TestBusyModels(t *testing.T) {
	busy := func(wait string, status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if wait != "" {
				w.Header().Set("Retry-After", wait)
			}
			w.WriteHeader(status)
		}
	}
	list := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"data":[{"id":"m"}]}`) }
	two := busy("2", http.StatusTooManyRequests)
	for _, c := range []struct {
		name    string
		answers []http.HandlerFunc
		asked   int
		took    time.Duration
		err     string
	}{
		{"twice", []http.HandlerFunc{two, two, list}, 3, 4 * time.Second, ""},
		{"overloaded", []http.HandlerFunc{busy("1", http.StatusServiceUnavailable), list}, 2, time.Second, ""},
		{"no wait", []http.HandlerFunc{busy("0", http.StatusTooManyRequests), list}, 2, 0, ""},
		{"always", []http.HandlerFunc{two, two, two, two, list}, 4, 6 * time.Second, "HTTP 429; it asks to wait 2s"},
		{"all of ten seconds", []http.HandlerFunc{busy("10", http.StatusTooManyRequests), list}, 2, 10 * time.Second, ""},
		{"too long in all", []http.HandlerFunc{busy("6", http.StatusTooManyRequests), busy("5", http.StatusTooManyRequests), list}, 2, 6 * time.Second, "HTTP 429; it asks to wait 5s"},
		{"too long", []http.HandlerFunc{busy("11", http.StatusTooManyRequests), list}, 1, 0, "HTTP 429; it asks to wait 11s"},
		{"not how long", []http.HandlerFunc{busy("", http.StatusTooManyRequests), list}, 1, 0, "HTTP 429"},
		{"another failure", []http.HandlerFunc{busy("2", http.StatusInternalServerError), list}, 1, 0, "HTTP 500; it asks to wait 2s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked, told := 0, time.Duration(0)
			bubble(t, func(w http.ResponseWriter, r *http.Request) { asked++; c.answers[asked-1](w, r) }, nil, func(t *testing.T, b *bench) {
				config := b.client.config
				config.Waits = func(d time.Duration) { told += d }
				start := time.Now()
				name, err := OnlyModel(t.Context(), config)
				if c.err == "" && (err != nil || name != "m") || c.err != "" && (err == nil || !strings.HasSuffix(err.Error(), c.err)) {
					t.Errorf("model %q, error %v, want %q", name, err, c.err)
				}
				if took := time.Since(start); asked != c.asked || took != c.took || told != c.took {
					t.Errorf("asked %d times in %s, told of %s; want %d in %s", asked, took, told, c.asked, c.took)
				}
			})
		})
	}
}

// Whoever gives up while a server is waited for need not wait on.
func TestBusyModelsInterrupted(t *testing.T) {
	bubble(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "9")
		w.WriteHeader(http.StatusTooManyRequests)
	}, nil, func(t *testing.T, b *bench) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		if _, err := OnlyModel(ctx, b.client.config); err == nil || time.Since(start) != 3*time.Second {
			t.Errorf("error %v after %s, want one after 3s", err, time.Since(start))
		}
	})
}

// TestLookHidesTheKey: a server that sends clients elsewhere with their key does not have it
// shown.
func TestLookHidesTheKey(t *testing.T) {
	const key = "sk-very-secret-0123456789"
	server := httptest.NewServer(http.RedirectHandler("/login/"+key+"?"+key, http.StatusFound))
	defer server.Close()
	l, err := LookAtModels(t.Context(), Config{URL: server.URL, Protocol: dialect.OpenAIChat, Key: NewKey(key)})
	if want := server.URL + "/login/*************************"; err != nil || l.To != want {
		t.Errorf("redirected to %q, error %v; want %s", l.To, err, want)
	}
	if text := fmt.Sprintf("%+v", l); strings.Contains(text, "secret") {
		t.Errorf("the key shows in %s", text)
	}
}

// TestLookWithAWord: a key that is a word of the list leaves that to be read, and is hidden in words
// of a failure.
func TestLookWithAWord(t *testing.T) {
	const list = `{"object":"list","data":[{"id":"data"}]}`
	for status, want := range map[int]string{http.StatusOK: list, http.StatusUnauthorized: `{"error":"bad ****"}`} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			if status != http.StatusOK {
				_, _ = io.WriteString(w, `{"error":"bad data"}`)
				return
			}
			_, _ = io.WriteString(w, list)
		}))
		l, err := LookAtModels(t.Context(), Config{URL: server.URL, Protocol: dialect.OpenAIChat, Key: NewKey("data")})
		server.Close()
		if err != nil || string(l.Body) != want {
			t.Errorf("HTTP %d: %s, error %v; want %s", status, l.Body, err, want)
		}
	}
}

// TestWrongPlace: what may have been meant is said where the list is elsewhere, and nothing
// more is asked of a server that has enough.
func TestWrongPlace(t *testing.T) {
	openAI := map[string]string{"/v1/models": `{"object":"list","data":[{"id":"m"}]}`}
	gemini := map[string]string{"/v1/models": openAI["/v1/models"], "/v1beta/models": `{"models":[{"name":"models/g"}]}`}
	ollama := map[string]string{"/api/tags": `{"models":[{"name":"q"}]}`}
	for _, c := range []struct {
		name, path string
		protocol   dialect.Protocol
		bodies     map[string]string
		status     int
		want       string // of the error, with URL for the server's
		asked      int
	}{
		{"Gemini at /v1", "/v1", dialect.Gemini, gemini, 404, `endpoint "URL/v1" gives no list of models: GET URL/v1/models: the answer is no list of models; did you mean URL/v1beta, or URL/v1 with the protocol openai-chat?`, 6},
		{"no such path", "/v2", dialect.OpenAIChat, openAI, 404, `endpoint "URL/v2" gives no list of models: GET URL/v2/models: HTTP 404: not now; did you mean URL/v1?`, 6},
		{"another protocol", "", dialect.OpenAIChat, ollama, 404, `endpoint "URL" gives no list of models: GET URL/v1/models: HTTP 404: not now; did you mean URL with the protocol ollama-chat?`, 4},
		{"nothing anywhere", "", dialect.OpenAIChat, nil, 404, `endpoint "URL" gives no list of models: GET URL/v1/models: HTTP 404: not now`, 4},
		{"a limit", "/v2", dialect.OpenAIChat, openAI, 429, `endpoint "URL/v2" gives no list of models: GET URL/v2/models: HTTP 429: not now; it asks to wait 1m0s`, 1},
		{"a failure", "", dialect.OpenAIChat, nil, 500, `endpoint "URL" gives no list of models: GET URL/v1/models: HTTP 500: not now`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &paths{bodies: c.bodies, status: c.status}
			server := httptest.NewServer(p)
			_, err := OnlyModel(t.Context(), Config{URL: server.URL + c.path, Protocol: c.protocol})
			server.Close()
			if got := strings.ReplaceAll(fmt.Sprint(err), server.URL, "URL"); got != c.want {
				t.Errorf("error\n%s, want\n%s", got, c.want)
			}
			if len(p.asked) != c.asked {
				t.Errorf("asked %q, want %d requests", p.asked, c.asked)
			}
			for i, at := range p.asked {
				for _, before := range p.asked[:i] {
					if at == before {
						t.Errorf("%s was asked twice", at)
					}
				}
			}
		})
	}
}
