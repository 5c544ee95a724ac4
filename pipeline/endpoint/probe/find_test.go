package probe

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
)

// TestAsked: what is asked of servers that fail in some way, to the last request. Nothing
// is asked twice, and nothing more behind a 429 or silence.
func TestAsked(t *testing.T) {
	type answers = map[string]func(http.ResponseWriter, *http.Request)
	limited := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "2")
		text(429, "application/json", `{"error":{"message":"slow down"}}`)(w, r)
	}
	silent := func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(time.Hour):
		case <-r.Context().Done():
		}
	}
	fails := text(500, "text/plain", "broken")
	refuses := text(401, "application/json", `{"error":{"message":"no key"}}`)
	list := text(200, "application/json", oneModel)
	for _, c := range []struct {
		name      string
		answers   answers
		change    func(*Config)
		asked     string
		hindrance int  // status of it; -1 for none
		noList    bool // it is told
	}{
		{"the list is limited", answers{"GET /v1/models": limited, "POST /v1/chat/completions": chat}, nil, "GET /v1/models", 429, false},
		{"it says nothing", answers{"GET /v1/models": silent}, nil, "GET /v1/models", 0, false},
		{"the list fails", answers{"GET /v1/models": fails, "POST /v1/chat/completions": chat}, nil, "GET /v1/models, POST /v1/chat/completions", -1, true},
		{"all fails", answers{"GET /v1/models": fails, "POST /v1/chat/completions": fails}, nil, "GET /v1/models, POST /v1/chat/completions", 500, false},
		{"it wants a key", answers{"GET /v1/models": refuses, "POST /v1/chat/completions": refuses}, nil, "GET /v1/models, POST /v1/chat/completions", 401, false},
		{"completions are limited", answers{"GET /v1/models": fails, "POST /v1/chat/completions": limited}, nil, "GET /v1/models, POST /v1/chat/completions", 429, false},
		{"another path", answers{"GET /v1/models": list, "POST /v1/chat/completions": chat}, func(c *Config) { c.Endpoint.URL += "/nope" },
			"GET /nope/models, GET /nope/api/tags, POST /nope/chat/completions, GET /v1/models, GET /nope/v1/models, GET /api/v1/models, GET /openai/v1/models, GET /api/tags", 404, false},
		{"the list is limited, a model is named", answers{"GET /v1/models": limited, "POST /v1/chat/completions": chat},
			func(c *Config) { c.Endpoint.Model, c.Requests = "m", 2 }, "GET /v1/models, POST /v1/chat/completions, POST /v1/chat/completions", -1, true},
		{"the second completion is limited", answers{"GET /v1/models": list, "POST /v1/chat/completions": afterwards(chat, 2, limited)}, nil,
			"GET /v1/models, POST /v1/chat/completions, POST /v1/chat/completions, POST /v1/chat/completions", -1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &server{answers: c.answers}
			e, err := run(t, s, func(ctx context.Context, p *Config) context.Context {
				if c.change != nil {
					c.change(p)
				}
				return ctx
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(s.asked, ", "); got != c.asked {
				t.Errorf("asked %s\nwant %s", got, c.asked)
			}
			if h := e.Hindrance; (h == nil) != (c.hindrance < 0) || h != nil && h.Status != c.hindrance || (e.NoList != nil) != c.noList {
				t.Errorf("hindrance %+v, no list %+v", h, e.NoList)
			}
			if h := e.Hindrance; h != nil && h.Status == 429 && h.Wait != 2*time.Second {
				t.Errorf("it asks to wait %s, want 2s", h.Wait)
			}
		})
	}
}

// afterwards answers the first n requests in one way and all others in another.
func afterwards(one http.HandlerFunc, n int, others http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if n--; n < 0 {
			one = others
		}
		one(w, r)
	}
}

// TestKeyHeaders: a list that was refused with one header for the key is asked for again
// with another, once it shows whose it is.
func TestKeyHeaders(t *testing.T) {
	s := &server{answers: map[string]func(http.ResponseWriter, *http.Request){
		"GET /v1/models": func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Api-Key") == "" {
				text(401, "application/json", `{"type":"error","error":{"type":"authentication_error","message":"x-api-key header is required"}}`)(w, r)
				return
			}
			text(200, "application/json", `{"data":[{"type":"model","id":"claude"}],"has_more":false}`)(w, r)
		},
		"POST /v1/messages": text(400, "application/json", `{"type":"error","error":{"message":"messages: Field required"}}`),
	}}
	e, err := run(t, s, func(ctx context.Context, c *Config) context.Context {
		c.Endpoint.Key, c.Requests = endpoint.NewKey("sk-secret"), 1
		return ctx
	})
	if err != nil || e.Protocol != dialect.Anthropic || e.Model != "claude" {
		t.Errorf("protocol %s, model %q, error %v", e.Protocol, e.Model, err)
	}
	if want := []string{"GET /v1/models", "POST /v1/messages", "GET /v1/models", "POST /v1/messages"}; !slices.Equal(s.asked, want) {
		t.Errorf("asked %q, want %q", s.asked, want)
	}
}

// TestSpeaks: where another protocol is spoken at the URL, that is found, and no place is
// asked twice.
func TestSpeaks(t *testing.T) {
	s := openAI()
	e, err := run(t, s, func(ctx context.Context, c *Config) context.Context {
		c.Endpoint.Protocol = dialect.OpenAIResponses
		return ctx
	})
	if want := []dialect.Place{{URL: "http://llm.test", Protocol: dialect.OpenAIChat}}; err != nil || !slices.Equal(e.Elsewhere, want) {
		t.Errorf("elsewhere %v, error %v; want %v", e.Elsewhere, err, want)
	}
	slices.Sort(s.asked)
	if n := len(slices.Compact(slices.Clone(s.asked))); n != len(s.asked) {
		t.Errorf("asked %q: something twice", s.asked)
	}
}

// TestStops: an answer that goes on beyond its limit, or takes too long, ends the probing.
func TestStops(t *testing.T) {
	for _, c := range []struct {
		every   time.Duration
		whole   time.Duration
		stopped string
		chunks  int
		takes   time.Duration
	}{
		{20 * time.Millisecond, time.Minute, "overrun", 8*60 + 256 + 1, 736 * 20 * time.Millisecond},
		{time.Second, 30500 * time.Millisecond, "timeout", 31, 30500 * time.Millisecond},
	} {
		s := openAI()
		s.answers["POST /v1/chat/completions"] = func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":" word"}}]}`+"\n\n"); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				select {
				case <-time.After(c.every):
				case <-r.Context().Done():
				}
			}
		}
		e, err := run(t, s, func(ctx context.Context, p *Config) context.Context {
			p.Endpoint.Model, p.Endpoint.Protocol, p.Endpoint.Limits.Whole = "m", dialect.OpenAIChat, c.whole
			return ctx
		})
		if err != nil {
			t.Fatal(err)
		}
		r := &e.Requests[0]
		if len(e.Requests) != 1 || e.Stopped != c.stopped || r.Record.Chunks != c.chunks || r.Since(r.Record.End) != c.takes || !r.Unfinished() {
			t.Errorf("every %s: %d requests, stopped %q; %d chunks in %s, want %d in %s", c.every, len(e.Requests), e.Stopped, r.Record.Chunks, r.Since(r.Record.End), c.chunks, c.takes)
		}
		if r.Record.Outcome == pipeline.OK {
			t.Errorf("every %s: the answer is called whole", c.every)
		}
	}
}
