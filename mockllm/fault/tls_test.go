package fault

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// secure is start with TLS, over HTTP/2 or HTTP/1.1.
func secure(t *testing.T, rules string, two bool) *rig {
	t.Helper()
	g := &rig{t: t, set: New(Config{})}
	g.replace(rules)
	server := httptest.NewUnstartedServer(g.set.Middleware(http.HandlerFunc(front)))
	server.EnableHTTP2 = two
	server.Config.ErrorLog = log.New(complaints{t}, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	g.url, g.client = server.URL, server.Client()
	return g
}

func TestTLS(t *testing.T) {
	all := events(1, tokens) + done
	for _, c := range []struct {
		rule, want string
		broken     func(error) bool
	}{
		{"cut: {at: 5, how: reset}", events(1, 4) + event(5)[:7], reset},
		{"cut: {byte: 40, how: close}", all[:40], cut},
		{"end: 5", events(1, 4), nil},
		{"reset: request", "", reset},
	} {
		g := secure(t, "rules:\n  - "+c.rule+"\n", false)
		a := g.ask("/v1/x", "{}")
		if a.body != c.want || c.broken == nil && a.err != nil || c.broken != nil && !c.broken(a.err) {
			t.Errorf("%s: body %q, %v", c.rule, a.body, a.err)
		}
	}
}

// TestHTTP2 checks that streams are reset where connections cannot be.
func TestHTTP2(t *testing.T) {
	all := events(1, tokens) + done
	aborted := func(err error) bool { return err != nil && strings.Contains(err.Error(), "INTERNAL_ERROR") }
	for _, c := range []struct {
		rule, want string
		broken     func(error) bool
	}{
		{"cut: {at: 5, how: reset}", events(1, 4) + event(5)[:7], aborted},
		{"cut: {byte: 40, how: close}", all[:40], aborted},
		{"buffer: {mode: clumps, every: 15ms}\n    cut: {byte: 40, how: close}", all[:40], aborted},
		{"end: 5", events(1, 4), nil},
		{"reset: request", "", aborted},
		{"http10: true", all, nil},
		{"stall: {at: 2, for: 1200ms}", all, nil}, // longer than the front gives a write
	} {
		g := secure(t, "rules:\n  - "+c.rule+"\n", true)
		a := g.ask("/v1/x", "{}")
		if a.body != c.want || c.broken == nil && a.err != nil || c.broken != nil && !c.broken(a.err) {
			t.Errorf("%s: body %q, %v", c.rule, a.body, a.err)
		}
		if a.err == nil && a.proto != "HTTP/2.0" {
			t.Errorf("the answer came by %s", a.proto)
		}
	}
}

// TestWriter checks what a handler can do with the writer of a plan.
func TestWriter(t *testing.T) {
	for _, rule := range []string{"slow_headers: 1ms", "stall: {at: 1, for: 1ms}", "buffer: whole", "buffer: clumps", "drip: {bytes: 9, every: 1ms}"} {
		set := New(Config{})
		list, err := Parse("", []byte("rules:\n  - "+rule+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := set.Replace(list...); err != nil {
			t.Fatal(err)
		}
		outer := func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Outer", "o")
				next.ServeHTTP(w, r)
			})
		}
		server := httptest.NewServer(outer(set.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "X-Trailer")
			w.Header().Set("X-Inner", "i")
			w.WriteHeader(http.StatusAccepted)
			w.Header().Set("X-Late", "never seen")
			w.WriteHeader(http.StatusTeapot) // too late
			_, _ = io.WriteString(w, "body")
			w.(http.Flusher).Flush()
			w.Header().Set("X-Trailer", "t")
			w.Header().Set(http.TrailerPrefix+"X-More", "m")
			if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
				t.Errorf("%s: %v", rule, err)
			}
		}))))
		response, err := server.Client().Get(server.URL + "/v1/x")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != 202 || string(body) != "body" {
			t.Errorf("%s: got %d %q, %v", rule, response.StatusCode, body, err)
		}
		h := response.Header
		if h.Get("X-Outer") != "o" || h.Get("X-Inner") != "i" || h.Get("X-Late") != "" {
			t.Errorf("%s: headers %v", rule, h)
		}
		if response.Trailer.Get("X-Trailer") != "t" || response.Trailer.Get("X-More") != "m" {
			t.Errorf("%s: trailers %v", rule, response.Trailer)
		}
		server.Close()
	}
}

// TestSilentHandler checks the answer of a handler that says nothing.
func TestSilentHandler(t *testing.T) {
	set := New(Config{})
	if err := set.Replace(Rule{Effects: Effects{Buffer: &Buffer{Mode: Whole}, Malformed: &Malformed{At: 1}}}); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	set.Middleware(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/x", nil))
	if w.Code != 200 || w.Body.Len() != 0 {
		t.Errorf("got %d %q", w.Code, w.Body)
	}
}

// TestPanics checks that a handler that gives up does so for the client too, whatever a
// proxy holds.
func TestPanics(t *testing.T) {
	for _, rule := range []string{"malformed: 9", "buffer: whole", "buffer: {mode: clumps, every: 1h}"} {
		set := New(Config{})
		list, err := Parse("", []byte("rules:\n  - "+rule+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := set.Replace(list...); err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(set.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "body")
			panic(http.ErrAbortHandler)
		})))
		response, err := server.Client().Get(server.URL + "/v1/x")
		if err == nil {
			_, err = io.ReadAll(response.Body)
			response.Body.Close()
		}
		if err == nil {
			t.Errorf("%s: the answer ended well", rule)
		}
		server.Close()
	}
}
