package finding

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/probe"
)

var update = flag.Bool("update", false, "rewrite the files of testdata")

// TestFindings examines a server for each thing that can be wrong. The names and their
// order stand here, the words in testdata.
func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name   string
		server http.Handler // nil for the mock
		faults []string     // of the mock
		change func(*probe.Config)
		want   string
	}{
		{name: "nothing", server: &script{body: always(good(40))}},

		{name: "whole", server: &script{body: always(begin, strings.Join(texts(good(40)), ""))}, want: "held_whole"},
		{name: "whole-nginx", server: &script{header: map[string]string{"Server": "nginx/1.22.1"}, body: always(begin, strings.Join(texts(good(40)), ""))}, want: "held_whole"},
		{name: "whole-mock", faults: []string{"buffering-proxy"}, want: "held_whole"},
		{name: "cured-mock", faults: []string{"nginx-proxy-cured"}},
		{name: "buffer", server: &script{header: map[string]string{"Server": "nginx"}, body: always(buffers(good(200), 4096, 300*time.Millisecond))}, change: long, want: "held_buffer"},
		{name: "clumps", faults: []string{"buffer clumps every 207ms"}, want: "clumps"},
		{name: "heaps", server: &script{body: always(begin, role, delta("a"), 500*time.Millisecond, texts12(), 300*time.Millisecond, texts12(), 900*time.Millisecond, texts12(), stop, usage(9, 0, 37, 0), done)}, want: "clumps"},
		{name: "gzip", server: &script{gzip: true, body: always(good(40))}, want: "gzip_held"},
		{name: "gzip-flushed", server: &script{zip: true, body: always(good(40))}, want: "compressed"},
		{name: "bursts", server: &script{body: always(begin, role, drafts(60), stop, usage(200, 0, 60, 0), done)}, want: "bursts"},

		{name: "held-start", server: &script{body: always(10*begin, strings.Join(texts(join(role, chunks(49))), ""), gap, chunks(11), stop, usage(200, 0, 60, 0), done)}, want: "held_part"},
		{name: "held-middle", server: &script{body: always(begin, role, chunks(20), 4*begin, strings.Join(texts(chunks(20)), ""), gap, chunks(20), stop, usage(200, 0, 60, 0), done)}, want: "held_part"},
		{name: "held-little", server: &script{body: always(begin, role, strings.Join(texts(chunks(7)), ""), gap, chunks(13), stop, usage(200, 0, 20, 0), done)}},
		{name: "held-not", server: &script{body: always(begin, role, chunks(20), gap, strings.Join(texts(chunks(9)), ""), stop, usage(200, 0, 29, 0), done)}},

		{name: "choices", server: &script{body: always(begin, role, chunks(20), other, stop, usage(200, 0, 40, 0), done)}, want: "multi_choice"},
		{name: "cut-event", server: &script{body: always(begin, role, chunks(20), "data: {\"choices\":[{\"del")}, want: "cut"},
		{name: "still-past-limit", server: endless{role, 600 * time.Millisecond, delta(" word")}, change: short, want: "timeout"},
		{name: "long-line", server: &script{body: always(begin, role, chunks(1), delta(strings.Repeat("y", 300_000)), stop, done)}, change: func(c *probe.Config) { c.Endpoint.MaxBytes = 100_000 }, want: "too_long"},
		{name: "long-events", server: &script{body: always(begin, role, strings.Repeat(delta(strings.Repeat("y", 3_000)), 50), stop, done)}, change: func(c *probe.Config) { c.Endpoint.MaxBytes = 100_000 }, want: "too_long"},
		{name: "no-output", server: &script{body: always(begin, strings.Repeat(role, 70_000), stop, done)}, want: "too_long"},

		{name: "tokens", server: &script{body: always(begin, role, chunks(20), stop, usage(200, 0, 50, 0), done)}, want: "tokens_exceed_chunks"},
		{name: "no-usage", server: &script{body: always(begin, role, chunks(20), stop, done)}, want: "no_usage"},
		{name: "invalid-json", server: &script{body: always(begin, role, chunks(20), broken, broken, chunks(20), stop, usage(200, 0, 42, 0), done)}, want: "invalid_json"},
		{name: "invalid-json-error", server: &script{body: always(begin, "data: {\"error\":{\"message\":\"out of \x1bmemory\"\n\n")}, want: "invalid_json"},
		{name: "invalid-json-all", server: &script{body: always(begin, strings.Repeat("data: \x00\xff{{{not json\n\n", 5), done)}, want: "invalid_json"},
		{name: "invalid-json-all-finished", server: &script{body: always(begin, role, broken, broken, stop, usage(200, 0, 2, 0), done)}, want: "invalid_json"},
		{name: "invalid-utf8", server: &script{body: always(begin, role, chunks(20), "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" \xff\xfeword\"}}]}\n\n", chunks(20), stop, usage(200, 0, 41, 0), done)}, want: "invalid_json"},
		{name: "invalid-json-mock", faults: []string{"malformed-event"}, want: "invalid_json"},
		{name: "body-open", server: &script{body: always(good(20), time.Minute)}, want: "body_goes_on"},
		{name: "body-late", server: &script{body: always(good(20), 400*time.Millisecond)}, want: "body_goes_on"},
		{name: "body-text", server: &script{body: always(good(20), time.Millisecond, usage(200, 0, 20, 0))}, want: "body_goes_on"},
		{name: "body-cut", server: &script{cut: true, body: always(good(20))}, want: "body_cut"},
		{name: "body-cut-late", server: &script{cut: true, body: always(good(20), 30*time.Millisecond, usage(200, 0, 20, 0))}, want: "body_cut"},
		{name: "count-prompt", server: &script{body: always(begin, role, chunks(20), stop, usage(1_000_000, 0, 20, 0), done)}, want: "impossible_count"},
		{name: "count-cached", server: &script{body: always(begin, role, chunks(20), stop, usage(100, 500, 20, 0), done)}, want: "impossible_count"},
		{name: "count-answer", server: &script{body: always(begin, role, chunks(20), stop, usage(100, 0, 1_000_000_000_000, 0), done)}, want: "impossible_count"},
		{name: "count-none", server: &script{body: always(begin, role, chunks(20), stop, usage(100, 0, 0, 0), done)}, want: "impossible_count"},
		{name: "count-reasoning", server: &script{body: always(begin, role, chunks(40), stop, odd(`"prompt_tokens":200,"completion_tokens":40,"total_tokens":240,"completion_tokens_details":{"reasoning_tokens":500}`), done)}, want: "impossible_count"},
		{name: "count-negative", server: &script{body: always(begin, role, chunks(20), stop, odd(`"prompt_tokens":-5,"completion_tokens":-7`), done)}, want: "impossible_count"},
		{name: "count-text", server: &script{body: always(begin, role, chunks(20), stop, odd(`"prompt_tokens":"50","completion_tokens":"20"`), done)}, want: "unreadable_count"},
		{name: "count-fraction", server: &script{body: always(begin, role, chunks(20), stop, odd(`"prompt_tokens":50.5,"completion_tokens":20`), done)}, want: "unreadable_count"},
		{name: "no-done", server: &script{body: always(begin, role, chunks(20), stop, usage(200, 0, 20, 0))}, want: "no_done"},
		{name: "no-done-cut-letter", server: &script{body: always(begin, role, chunks(20), stop, usage(200, 0, 20, 0), "data: {\"a\":\"\xc3")}, want: "no_done"},
		{name: "no-done-cut", server: &script{body: always(begin, role, chunks(20), stop, usage(200, 0, 20, 0), "data: {\"a\":")}, want: "no_done"},
		{name: "no-finish", server: &script{body: always(begin, role, chunks(20), usage(200, 0, 20, 0), done)}, want: "no_finish_reason"},
		{name: "not-streamed", server: &script{header: map[string]string{"Content-Type": "application/json"}, body: always(3*begin,
			`{"choices":[{"index":0,"message":{"content":"Good day"},"finish_reason":"stop"}],"usage":{"prompt_tokens":200,"completion_tokens":2}}`)}, want: "non_streaming"},
		{name: "not-streamed-soon", server: &script{header: map[string]string{"Content-Type": "application/json"}, body: always(
			`{"choices":[{"index":0,"message":{"content":"Good day"},"finish_reason":"stop"}],"usage":{"prompt_tokens":200,"completion_tokens":2}}`)}, want: "non_streaming"},
		{name: "stall", faults: []string{"stall at 30 for 5s"}, want: "stall"},
		{name: "first-byte", server: &script{body: always(": ping\n\n", role, 5*begin, chunks(20), stop, usage(200, 0, 20, 0), done)}, want: "first_byte"},

		{name: "reasoning", server: &script{body: always(begin, role, thoughts(20), chunks(20), stop, usage(200, 0, 40, 20), done)}, want: "reasoning first_byte"},
		{name: "reasoning-hidden", server: &script{body: always(role, 10*begin, chunks(20), stop, usage(200, 0, 52, 32), done)}, want: "reasoning first_byte"},
		{name: "reasoning-beside", server: &script{body: always(role, 10*begin, chunks(20), stop, odd(`"prompt_tokens":200,"completion_tokens":20,"total_tokens":252,"completion_tokens_details":{"reasoning_tokens":32}`), done)}, want: "reasoning first_byte"},
		{name: "reasoning-hidden-drafted", server: &script{body: always(begin, role, chunks(20), stop, usage(200, 0, 60, 30), done)}, want: "reasoning tokens_exceed_chunks"},
		{name: "reasoning-only", server: &script{body: always(begin, role, stop, usage(200, 0, 60, 60), done)}, want: "reasoning"},
		{name: "cold", faults: []string{"cold_start load=8s"}, want: "cold_start"},
		{name: "outside", server: &script{body: always(8*begin, role, chunks(20), stop,
			`data: {"choices":[],"timings":{"prompt_n":200,"prompt_ms":90,"predicted_n":20,"predicted_ms":380}}`+"\n\n", done)}, want: "outside_server"},
		{name: "outside-uneven", server: &script{body: uneven}, want: "outside_server"},
		{name: "outside-hidden", server: &script{body: always(8*begin, role, chunks(20), stop, usage(200, 0, 60, 40),
			`data: {"choices":[],"timings":{"prompt_n":200,"prompt_ms":90,"predicted_n":60,"predicted_ms":1080}}`+"\n\n", done)}, want: "reasoning"},
		{name: "cache-counted", server: &script{body: cached(192, begin)}, want: "prefix_cache"},
		{name: "cache-counted-once", server: &script{body: func(n int, _ *http.Request) []any {
			return join(begin, role, chunks(20), stop, usage(200, map[int]int{3: 192}[n], 20, 0), done)
		}}, change: func(c *probe.Config) { c.Requests = 6 }, want: "prefix_cache"},
		{name: "cache-felt", server: &script{body: cached(0, 8*begin)}, want: "prefix_cache"},

		{name: "cache-felt-fast", server: &script{body: slowPrompt}, want: "prefix_cache"},
		{name: "cache-held", server: cachedWhole(192), want: "held_whole prefix_cache"},
		{name: "cache-held-felt", server: cachedWhole(0), want: "held_whole"},
		{name: "first-filter", server: &script{body: always("data: {\"choices\":[],\"prompt_filter_results\":[]}\n\n", 5*begin, role, chunks(20), stop, usage(200, 0, 20, 0), done)}, want: "first_byte"},

		{name: "closed", server: &script{header: map[string]string{"Connection": "close"}, body: always(good(20))}, want: "connection_closed"},
		{name: "http10", faults: []string{"old-proxy"}, want: "connection_closed"},

		{name: "error-in-200", faults: []string{"error-in-stream"}, want: "error_in_200"},
		{name: "reset", faults: []string{"reset-stream"}, want: "cut"},
		{name: "early-end", faults: []string{"early-end"}, want: "cut"},
		{name: "timeout", faults: []string{"stall at 5 for 60s"}, want: "timeout"},
		{name: "unreadable", server: &script{header: map[string]string{"Content-Encoding": "br"}, body: always(good(20))}, want: "unreadable"},
		{name: "not-understood", server: &script{body: always("data: {\"hello\":1}\n\n")}, want: "not_understood"},
		{name: "cut-before-text", server: &script{body: always(role)}, want: "cut"},
		{name: "cut-in-the-second-event", server: &script{body: always(role + `data: {"choices":[{"ind`)}, want: "cut"},
		{name: "another-vendor", server: &script{body: always("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"role\":\"assistant\"}}\n\n")}, want: "not_understood"},
		{name: "empty", server: &script{body: always(begin, role, stop, usage(200, 0, 1, 0), done)}, want: "empty"},
		{name: "blank", server: &script{body: always(begin, role, blanks(20), stop, usage(200, 0, 20, 0), done)}, want: "empty"},

		{name: "endless", server: endless{role, 20 * time.Millisecond, delta(" word")}, want: "ignores_limit"},
		{name: "endless-counted-early", server: endless{role + usage(100, 0, 1, 0), 20 * time.Millisecond, delta(" word")}, want: "ignores_limit"},
		{name: "endless-fast", server: endless{role, 0, delta(" word")}, want: "ignores_limit"},
		{name: "endless-slow", server: endless{role, 500 * time.Millisecond, delta(" a longer word")}, change: short, want: "ignores_limit"},
		{name: "too-slow", server: endless{role, 2 * time.Second, delta(" word")}, change: short, want: "timeout"},
		{name: "pings", server: endless{role, time.Millisecond, ": ping " + strings.Repeat("ping", 1000) + "\n\n"}, change: func(c *probe.Config) { c.Endpoint.MaxBytes = 100_000 }, want: "too_long"},
		{name: "role-only", server: endless{role, time.Second, ": ping\n\n"}, change: short, want: "timeout"},
		{name: "longer", server: &script{body: always(good(200))}, want: "ignores_limit"},
		{name: "reasons-longer", server: &script{body: always(begin, role, chunks(60), stop, usage(200, 0, 200, 140), done)}, want: "reasoning ignores_limit"},
		{name: "letters", server: &script{body: always(begin, role, letters(60), stop, done)}, want: "no_usage first_byte bursts"},
		{name: "letters-counted", server: &script{body: always(6*begin, role, letters(60), stop, usage(200, 0, 60, 0), done)}},

		{name: "list-fails", server: fails(500), want: "model_list"},
		{name: "list-limited", server: fails(429, "Retry-After", "2", "X-Ratelimit-Remaining-Requests", "0"), want: "rate_limit"},
		{name: "list-forbidden", server: fails(403), change: func(c *probe.Config) { c.Endpoint.Key = endpoint.NewKey("sk-secret") }, want: "model_list"},
		{name: "list-forbidden-keyless", server: fails(401), want: "model_list"},
		{name: "list-endless", server: &listing{script: script{body: always(good(20))}, list: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"data":[`+strings.Repeat(`{"id":"a-model"},`, 300_000))
		}}, want: "model_list"},
		{name: "list-page", server: &listing{script: script{body: always(good(20))}, list: html}, want: "model_list"},
		{name: "list-silent", server: &listing{script: script{body: always(good(20))}, list: func(_ http.ResponseWriter, r *http.Request) { wait(r, time.Minute) }}, want: "unreachable"},
		{name: "list-fails-named", server: fails(500), change: named, want: "model_list"},
		{name: "list-limited-named", server: fails(429, "Retry-After", "2"), change: named, want: "model_list"},
		{name: "no-list-named", server: fails(404), change: named},

		{name: "limited", faults: []string{"rate-limited"}, want: "rate_limit"},
		{name: "near-limit", server: &script{header: map[string]string{"X-Ratelimit-Limit-Requests": "60", "X-Ratelimit-Remaining-Requests": "3"}, body: always(good(20))}, want: "rate_limit_near"},
		{name: "no-limit", server: &script{header: map[string]string{"X-Ratelimit-Limit-Requests": "-1", "X-Ratelimit-Remaining-Requests": "-1"}, body: always(good(20))}},
		{name: "overloaded", faults: []string{"status 503 retry_after=2s"}, change: named, want: "overloaded"},
		{name: "model-away", server: status(http.StatusServiceUnavailable, `{"error":{"message":"Model m is not available now, it is being loaded."}}`), change: named, want: "overloaded"},
		{name: "server-error", faults: []string{"status 500"}, change: named, want: "server_error"},
		{name: "bad-gateway", faults: []string{"bad-gateway"}, change: named, want: "server_error"},
		{name: "refused", faults: []string{"status 400"}, change: named, want: "refused"},
		{name: "key", faults: []string{"status 401"}, change: named, want: "key"},
		{name: "no-key-no-model", server: status(http.StatusUnauthorized, `{"error":{"message":"No key."}}`), want: "key"},
		{name: "wrong-key", faults: []string{"status 401"}, change: func(c *probe.Config) { named(c); c.Endpoint.Key = endpoint.NewKey("sk-secret") }, want: "key"},
		{name: "model", change: func(c *probe.Config) { c.Endpoint.Model = "n" }, want: "model"},
		{name: "limited-until", server: undated(), change: named, want: "rate_limit"},
		{name: "path", change: func(c *probe.Config) { c.Endpoint.URL, c.Endpoint.Model = "http://llm.test/v2", "m" }, want: "path"},
		{name: "path-no-model", change: func(c *probe.Config) { c.Endpoint.URL = "http://llm.test/v2" }, want: "path"},
		{name: "other-protocol", server: &script{}, change: func(c *probe.Config) { c.Endpoint.Protocol = dialect.OllamaChat; c.Endpoint.Model = "m" }, want: "path"},
		{name: "page", server: page("text/html", "<html>Hello</html>"), change: named, want: "content_type"},
		{name: "wrong-type", server: page("text/plain", "Hello"), change: named, want: "content_type"},
		{name: "redirect", server: http.RedirectHandler("https://llm.test/v1/chat/completions?key=x", http.StatusMovedPermanently), change: named, want: "redirect"},
		{name: "tls-only", server: status(http.StatusBadRequest, "Client sent an HTTP request to an HTTPS server.\n"), change: named, want: "plain_http"},
		{name: "all-fails", faults: []string{"status 500"}, want: "server_error"},
		{name: "nobody", change: func(c *probe.Config) {
			c.Endpoint.DialContext = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("connection refused") }
		}, want: "unreachable"},
		{name: "silent", faults: []string{"slow_headers 60s"}, want: "unreachable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var found []Finding
			if c.server == nil {
				_, found = examineMock(t, dialect.OpenAIChat, c.change, c.faults...)
			} else {
				_, found = examine(t, c.server, c.change)
			}
			if got := ids(found); got != c.want {
				t.Errorf("found %q, want %q\n%s", got, c.want, render(found))
			}
			golden(t, c.name, render(found))
		})
	}
}

// other is a chunk of a second choice.
const other = "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\" word\"}}]}\n\n"

// undated is a server that has enough until half a minute from now, and does not say when
// that is.
func undated() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Date"] = nil
		w.Header().Set("Retry-After", time.Now().Add(30*time.Second).UTC().Format(http.TimeFormat))
		status(http.StatusTooManyRequests, `{"error":{"message":"Slow down."}}`).ServeHTTP(w, r)
	})
}

// short has time limits that are soon over.
func short(c *probe.Config) {
	c.Endpoint.Limits = endpoint.Limits{FirstByte: 10 * time.Second, Gap: 20 * time.Second, Whole: 65 * time.Second}
}

// letters are n tokens of English, sent a letter at a time.
func letters(n int) (p []any) {
	for range n {
		p = append(p, gap, delta(" "), delta("w"), delta("o"), delta("r"), delta("d"))
	}
	return p
}

// slowPrompt is an answer of 60 ms behind a prompt that takes 20 s when it is new.
func slowPrompt(n int, _ *http.Request) []any {
	prompt := 20 * time.Second
	if n == 3 {
		prompt = begin
	}
	return join(prompt, role, fast(60), stop, usage(200, 0, 60, 0), done)
}

// cachedWhole is a server that keeps prompts, and makes the whole answer before it sends it.
func cachedWhole(tokens int) http.Handler {
	answer := cached(tokens, 10*begin)
	return &script{body: func(n int, r *http.Request) []any {
		stream := answer(n, r)
		return []any{stream[0], strings.Join(texts(stream), "")}
	}}
}

// uneven is a server before which the first request waits for 110 of 200 ms, and the others
// for 710 of 800.
func uneven(n int, _ *http.Request) []any {
	wait := 8 * begin
	if n == 1 {
		wait = 2 * begin
	}
	return join(wait, role, chunks(20), stop,
		`data: {"choices":[],"timings":{"prompt_n":200,"prompt_ms":90,"predicted_n":20,"predicted_ms":380}}`+"\n\n", done)
}

// long allows for answers of 200 tokens.
func long(c *probe.Config) { c.Answer = 200 }

// named names the model, so that no list is needed.
func named(c *probe.Config) { c.Endpoint.Model = "m" }

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || got != string(want) {
		t.Errorf("got\n%swant\n%s%v", got, want, err)
	}
}

// TestCleanMock: nothing is to be fixed at a mock that does well, whatever it speaks.
func TestCleanMock(t *testing.T) {
	notes := map[dialect.Protocol]string{
		dialect.Gemini: "tokens_exceed_chunks", // so its servers stream
	}
	for _, name := range dialect.Names() {
		t.Run(name, func(t *testing.T) {
			p := dialect.Protocol(name)
			e, found := examineMock(t, p, nil)
			if got := ids(found); got != notes[p] || Wrong(found) {
				t.Errorf("found %q, want %q\n%s", got, notes[p], render(found))
			}
			if len(e.Requests) != 4 || !Measured(e) {
				t.Fatalf("%d requests, want 4", len(e.Requests))
			}
			for i := range e.Requests {
				if r := &e.Requests[i]; !r.OK() || r.Reply.Answer().Text == "" {
					t.Errorf("request %d: %s %q", i+1, r.Record.Outcome, r.Record.Reason)
				}
			}
		})
	}
}

// TestWrongAndMeasured: a note asks for no fix, and no response is no measurement.
func TestWrongAndMeasured(t *testing.T) {
	for _, c := range []struct {
		severity Severity
		want     bool
	}{{Broken, true}, {Slow, true}, {Misleading, true}, {Note, false}} {
		if got := Wrong([]Finding{{Severity: c.severity}}); got != c.want {
			t.Errorf("Wrong(%s) = %v, want %v", c.severity, got, c.want)
		}
	}
	e, _ := examineMock(t, dialect.OpenAIChat, func(c *probe.Config) {
		c.Endpoint.DialContext = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("refused") }
	})
	if Measured(e) {
		t.Error("measured without any response")
	}
}

// TestSlowConnection: what it takes to open a connection is told when it is much, and the
// connection is kept.
func TestSlowConnection(t *testing.T) {
	e, _ := examineMock(t, dialect.OpenAIChat, nil)
	link := &e.Requests[0].Record.Transport
	link.DNS, link.Connect, link.TLS = 40*time.Millisecond, 30*time.Millisecond, 79*time.Millisecond
	if found := Of(e); len(found) != 0 {
		t.Errorf("149 ms are told: %s", render(found))
	}
	link.TLS = 90 * time.Millisecond
	found := Of(e)
	if got := ids(found); got != "slow_connection" {
		t.Errorf("found %q, want slow_connection", got)
	}
	golden(t, "slow-connection", render(found))
	e.Cold = true
	if found := Of(e); len(found) != 0 {
		t.Errorf("cold connections were asked for: %s", render(found))
	}
}

// TestFormsByNoise: an even stream stays even when a busy machine holds some of its reads
// up, and 200 ms clumps stay clumps.
func TestFormsByNoise(t *testing.T) {
	noisy := func(every time.Duration, each int) []any {
		var p []any
		for i := range 120 / each {
			wait := every
			switch i % 6 {
			case 1: // a late read, and one that makes up for it
				wait += every / 5
			case 2:
				wait -= every / 5
			}
			p = append(p, wait, strings.Repeat(delta(" word"), each))
		}
		return join(role, p, stop, usage(200, 0, 120, 0), done)
	}
	for _, c := range []struct {
		every time.Duration
		each  int
		want  string
	}{
		{20 * time.Millisecond, 1, ""}, {time.Millisecond, 1, ""}, {150 * time.Millisecond, 1, ""},
		{200 * time.Millisecond, 4, "clumps"}, {200 * time.Millisecond, 10, "clumps"}, {30 * time.Millisecond, 3, "bursts"},
	} {
		_, found := examine(t, &script{body: always(noisy(c.every, c.each))}, long)
		if got := strings.ReplaceAll(ids(found), "first_byte", ""); strings.TrimSpace(got) != c.want {
			t.Errorf("%d chunks every %s: found %q, want %q\n%s", c.each, c.every, got, c.want, render(found))
		}
	}
}

// TestOrder: what hurts most comes first.
func TestOrder(t *testing.T) {
	_, found := examine(t, &script{
		header: map[string]string{"Connection": "close"},
		body: func(n int, _ *http.Request) []any {
			first := begin
			if n == 1 {
				first = 30 * begin
			}
			return join(first, role, thoughts(20), chunks(20), stop)
		},
	}, nil)
	if got, want := ids(found), "cold_start reasoning connection_closed no_usage no_done first_byte"; got != want {
		t.Errorf("found %q, want %q\n%s", got, want, render(found))
	}
}

// texts are the pieces of a stream without its pauses.
func texts(stream []any) (all []string) {
	for _, p := range stream {
		if s, ok := p.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

func texts12() string { return strings.Repeat(delta(" word"), 12) }

// buffers is a stream as a proxy passes it on that waits for so many bytes.
func buffers(stream []any, size int, every time.Duration) (out []any) {
	all := strings.Join(texts(stream), "")
	for rest := all; len(rest) > 0; {
		n := min(size, len(rest))
		out = append(out, every, rest[:n])
		rest = rest[n:]
	}
	return out
}

// drafts are n deltas of which one, two, three or four come together, every 30 ms.
func drafts(n int) (p []any) {
	for i, k := 0, 0; i < n; k++ {
		size := min(n-i, []int{3, 1, 4, 2, 1, 4}[k%6])
		p = append(p, strings.Repeat(delta(" word"), size), 30*time.Millisecond)
		i += size
	}
	return p
}

func thoughts(n int) (p []any) {
	for range n {
		p = append(p, fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":%q}}]}\n\n", " hm"), gap)
	}
	return p
}

// cached answers a prompt that it has seen at once, and others after a while.
func cached(tokens int, fresh time.Duration) func(int, *http.Request) []any {
	seen := map[string]bool{}
	return func(_ int, r *http.Request) []any {
		body, _ := io.ReadAll(r.Body)
		known := seen[string(body)]
		seen[string(body)] = true
		if !known {
			return join(fresh, role, chunks(20), stop, usage(200, 0, 20, 0), done)
		}
		return join(begin, role, chunks(20), stop, usage(200, tokens, 20, 0), done)
	}
}

func status(code int, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	})
}

func page(media, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			models(w, r)
			return
		}
		w.Header().Set("Content-Type", media)
		_, _ = io.WriteString(w, body)
	})
}

// html answers with a web page.
func html(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(w, "<html>Hello</html>")
}
