package counters

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/server/memnet"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
)

const secret = "sk-very-secret-0123456789"

// look looks once at a server in memory and returns what it was asked, and when the look
// was over.
func look(t *testing.T, at string, serve http.HandlerFunc) (page []byte, asked *http.Request, took time.Duration, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ln := memnet.Listen()
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked != nil {
				t.Errorf("asked again: %s", r.URL)
			}
			asked = r
			serve(w, r)
		})}
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(ln) }()
		s, bad := New(endpoint.Config{
			URL: "http://host:8000/v1", Protocol: dialect.OpenAIChat, Model: "a/b", Key: endpoint.NewKey(secret), DialContext: ln.DialContext,
		}, at)
		if bad != nil {
			t.Fatal(bad)
		}
		began := time.Now()
		page, err = s.Look(t.Context())
		took = time.Since(began)
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-ended
		time.Sleep(time.Second) // until handlers have seen it
	})
	return page, asked, took, err
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
}

// TestLook: one plain request, with the key where it belongs.
func TestLook(t *testing.T) {
	for _, c := range []struct{ at, url, key string }{
		{AtRoot, "http://host:8000/metrics?model=a%2Fb", "Bearer " + secret},
		{"/inner/metrics?x=1", "http://host:8000/inner/metrics?x=1", "Bearer " + secret},
		{"http://host:8000/metrics", "http://host:8000/metrics", "Bearer " + secret},
		{"http://host:9090/metrics", "http://host:9090/metrics", ""},
		{"http://other:8000/metrics", "http://other:8000/metrics", ""},
	} {
		page, asked, _, err := look(t, c.at, says("up 1\n"))
		if err != nil || string(page) != "up 1\n" {
			t.Errorf("%s: %q, %v", c.at, page, err)
		}
		if got := "http://" + asked.Host + asked.RequestURI; got != c.url || asked.Header.Get("Authorization") != c.key || asked.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("%s: asked %s with key %q, want %s with %q", c.at, got, asked.Header.Get("Authorization"), c.url, c.key)
		}
	}
}

// TestNoPage: why there is none is said in a few words, in time, and without the key.
func TestNoPage(t *testing.T) {
	for _, c := range []struct {
		name  string
		serve http.HandlerFunc
		want  string
		took  time.Duration
	}{
		{"not there", http.NotFound, "HTTP 404", 0},
		{"elsewhere", http.RedirectHandler("/login", http.StatusFound).ServeHTTP, "HTTP 302", 0},
		{"silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "no whole page within 2s", 2 * time.Second},
		{"without end", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				fmt.Fprintln(w, "up 1")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Second / 3)
			}
		}, "no whole page within 2s", 2 * time.Second},
		{"huge", says(strings.Repeat("# of no use\n", largest/12+1)), "the page has more than 16 MiB", 0},
		{"broken off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "up 1\n")
		}, "unexpected EOF", 0},
	} {
		page, _, took, err := look(t, AtRoot, c.serve)
		if err == nil || err.Error() != c.want || took != c.took {
			t.Errorf("%s: %.20q, %v after %s; want %q after %s", c.name, page, err, took, c.want, c.took)
		}
	}
	s, err := New(endpoint.Config{URL: "http://host/v1", Protocol: dialect.OpenAIChat, Key: endpoint.NewKey(secret), DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, fmt.Errorf("no way to %s", secret)
	}}, AtRoot)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Look(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "no way to ") || strings.Contains(err.Error(), secret) {
		t.Errorf("error %v; want it without the key", err)
	}
}

// TestDifferenceKeepsTheKey: a page that repeats the key gets it into no message.
func TestDifferenceKeepsTheKey(t *testing.T) {
	s, err := New(endpoint.Config{URL: "http://host/v1", Protocol: dialect.OpenAIChat, Model: "m", Key: endpoint.NewKey(secret)}, AtRoot)
	if err != nil {
		t.Fatal(err)
	}
	page := typed(vllm(secret, "0", 1))
	c, err := s.Difference(page, page)
	if err != nil || c.Label == "" || strings.Contains(c.Label, secret) {
		t.Errorf("label %q, error %v", c.Label, err)
	}
	if _, err := s.Difference(page, typed(vllm(secret, "0", 1), vllm("b", "0", 1))); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("error %v; want one without the key", err)
	}
}

// TestCheck: what a place may be, and that a message has no secret of one that is wrong.
func TestCheck(t *testing.T) {
	for at, want := range map[string]string{
		"/metrics":                  "",
		"/metrics?model=m":          "",
		"https://h:1/p?token=x":     "",
		"":                          `the place of the metrics is ""; want a URL like http://127.0.0.1:8000/metrics, or a path like /metrics on the endpoint's host`,
		"metrics":                   `the place of the metrics is "metrics"; want a URL like`,
		"//host/metrics":            `the place of the metrics is "//host/metrics"; want a URL like`,
		"ftp://h/m?token=x":         `the place of the metrics is "ftp://h/m"; want a URL like`,
		"http://u:pw@h/metrics":     "the URL of the metrics, http://h/metrics, holds a user or password",
		"http://h/metrics?t=1#part": "the URL of the metrics, http://h/metrics, has a fragment (#...)",
		"http://h/%zz?token=x":      "the place of the metrics cannot be read",
	} {
		if err := Check(at); (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Check(%q) = %v, want %q", at, err, want)
		}
	}
}

// TestURL: a place is shown without its query.
func TestURL(t *testing.T) {
	s, err := New(endpoint.Config{URL: "https://host/v1?key=x", Protocol: dialect.OpenAIChat, Model: "m"}, AtRoot)
	if err != nil || s.URL() != "https://host/metrics" {
		t.Errorf("%v, error %v", s.URL(), err)
	}
	for _, c := range []endpoint.Config{{URL: "http://%zz", Protocol: dialect.OpenAIChat}, {URL: "http://h", Protocol: "smoke"}} {
		if s, err := New(c, AtRoot); err == nil {
			t.Errorf("%+v: %+v", c, s)
		}
	}
}
