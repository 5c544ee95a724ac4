package fault

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// These tests put each fault before a server on a real socket, and look at what a
// client sees. Exact instants are in timing_test.go.

func TestUntouched(t *testing.T) {
	g := start(t, "")
	a := g.ask("/v1/chat/completions", "")
	if a.status != 200 || a.err != nil || a.body != events(1, tokens)+done || a.header.Get("Transfer-Encoding") != "" {
		t.Errorf("got %+v", a)
	}
}

// TestBodies checks what arrives of a stream, and how it ends.
func TestBodies(t *testing.T) {
	all := events(1, tokens) + done
	half := func(k int) string { return event(k)[:len(event(k))/2] }
	padded := func(n int) string {
		line := `data: {"padding":"` + strings.Repeat("x", n-len(`data: {"padding":"","n":5}`)) + `","n":5}`
		return line + "\n\n"
	}
	for _, c := range []struct {
		name, rule, want string
		broken           func(error) bool // nil for a clean end
	}{
		{"stall", "stall: {at: 5, for: 20ms}", all, nil},
		{"reset at a token", "cut: {at: 5, how: reset}", events(1, 4) + half(5), reset},
		{"close at a token", "cut: {at: 5, how: close}", events(1, 4) + half(5), cut},
		{"reset at a byte", "cut: {byte: 32, how: reset}", all[:32], reset},
		{"close at a byte", "cut: {byte: 32, how: close}", all[:32], cut},
		{"close at the end of an event", "cut: {byte: 45, how: close}", all[:45], cut},
		{"cut at the end", "cut: {at: 11}", events(1, tokens) + done[:len(done)/2], reset},
		{"cut beyond the end", "cut: {at: 12}", all, nil},
		{"malformed", "malformed: 5", events(1, 4) + "data: {\"n\"\n\n" + events(6, tokens) + done, nil},
		{"oversized", "oversized: {at: 5, bytes: 70000}", events(1, 4) + padded(70_000) + events(6, tokens) + done, nil},
		{"error", "error: {at: 5, message: No room, type: overloaded}", events(1, 4) + `data: {"error":{"message":"No room","type":"overloaded","param":null,"code":null}}` + "\n\n", nil},
		{"error at once", "error: 1", `data: {"error":{"message":"The server had an error while processing your request.","type":"server_error","param":null,"code":null}}` + "\n\n", nil},
		{"end", "end: 5", events(1, 4), nil},
		{"end at once", "end: 1", "", nil},
		{"end without its mark", "end: 11", events(1, tokens), nil},
		{"drip", "drip: {bytes: 50, every: 1ms}", all, nil},
		{"whole", "buffer: whole", all, nil},
		{"clumps", "buffer: {mode: clumps, every: 20ms}", all, nil},
		{"whole, and cut", "buffer: whole\n    cut: {at: 5, how: close}", events(1, 4) + half(5), cut},
		{"clumps, and an end", "buffer: clumps\n    end: 5", events(1, 4), nil},
		{"clumps, and a cut at a byte", "buffer: {mode: clumps, every: 15ms}\n    cut: {byte: 40, how: reset}", all[:40], reset},
		{"drip, and a cut", "drip: {bytes: 7, every: 1ms}\n    cut: {byte: 40, how: close}", all[:40], cut},
		{"several", "malformed: 2\n    oversized: {at: 3, bytes: 1}\n    end: 4", event(1) + "data: {\"n\"\n\n" + event(3), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := start(t, "rules:\n  - name: it\n    "+c.rule+"\n")
			a := g.ask("/v1/chat/completions", "{}")
			if a.status != 200 || a.body != c.want {
				t.Errorf("status %d, body %.300q, want %.300q", a.status, a.body, c.want)
			}
			if c.broken == nil && a.err != nil || c.broken != nil && !c.broken(a.err) {
				t.Errorf("the body ended with %v", a.err)
			}
			if h := g.hits("it"); h.Matched != 1 || h.Applied != 1 {
				t.Errorf("hits %+v", h)
			}
			if a := g.ask("/v1/chat/completions", "", Header, "stall at 1 for 1ns"); a.status != 200 {
				t.Errorf("the next request: %+v", a) // the server lives on
			}
		})
	}
}

// TestChunks checks on the wire that a clean close comes in the middle of a chunk.
func TestChunks(t *testing.T) {
	g := start(t, "rules:\n  - cut: {byte: 20, how: close}\n")
	got, err := g.raw("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
	if err != nil {
		t.Errorf("the connection ended with %v, want a clean end", err)
	}
	_, body, _ := strings.Cut(got, "\r\n\r\n")
	if want := "f\r\ndata: {\"n\":1}\n\n\r\nf\r\ndata:"; body != want {
		t.Errorf("on the wire %q, want %q", body, want)
	}
}

func TestCutOfAKnownLength(t *testing.T) {
	g := start(t, "rules:\n  - cut: {byte: 10, how: close}\n")
	a := g.ask("/v1/whole", "")
	if a.status != 200 || a.body != `{"answer":` || !cut(a.err) {
		t.Errorf("got %+v", a)
	}
}

func TestHTTP10(t *testing.T) {
	g := start(t, "rules:\n  - http10: true\n")
	got, err := g.raw("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
	head, body, _ := strings.Cut(got, "\r\n\r\n")
	if err != nil || !strings.HasPrefix(head, "HTTP/1.0 200 OK\r\n") || strings.Contains(head, "Transfer-Encoding") || strings.Contains(head, "Content-Length") {
		t.Errorf("head %q, %v", head, err)
	}
	if want := events(1, tokens) + done; body != want {
		t.Errorf("body %q, want %q", body, want)
	}
	if a := g.ask("/v1/chat/completions", "{}"); a.proto != "HTTP/1.0" || a.err != nil || a.body != events(1, tokens)+done {
		t.Errorf("a client saw %+v", a)
	}
}

func TestStatus(t *testing.T) {
	for _, c := range []struct {
		name, rule, path, body string
		status                 int
		header                 map[string]string
	}{
		{
			"openai 429", "status: {code: 429, retry_after: 1500ms, quota: 20}", "/v1/chat/completions",
			`{"error":{"message":"Rate limit reached. Please try again later.","type":"requests","param":null,"code":"rate_limit_exceeded"}}` + "\n", 429,
			map[string]string{
				"Retry-After": "2", "Retry-After-Ms": "1500", "Content-Type": "application/json",
				"X-Ratelimit-Limit-Requests": "20", "X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "1m0s",
			},
		},
		{"openai 503", "status: 503", "/v1/completions", `{"error":{"message":"The server is overloaded or not ready yet.","type":"server_error","param":null,"code":null}}` + "\n", 503, map[string]string{"Retry-After": ""}},
		{"words", "status: {code: 401, message: No, type: auth}", "/v1/responses", `{"error":{"message":"No","type":"auth","param":null,"code":null}}` + "\n", 401, nil},
		{"anthropic", "status: 529", "/v1/messages", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"00000000-0000-4000-8000-000000000000"}` + "\n", 529, nil},
		{"anthropic 400", "status: 400", "/v1/messages", `{"type":"error","error":{"type":"invalid_request_error","message":"The request is not valid."},"request_id":"00000000-0000-4000-8000-000000000000"}` + "\n", 400, nil},
		{"ollama", "status: 404", "/api/chat", `{"error":"This does not exist, or you have no access to it."}` + "\n", 404, nil},
		{"llamacpp", "status: 503", "/infill", `{"error":{"code":503,"message":"The server is overloaded or not ready yet.","type":"unavailable_error"}}` + "\n", 503, nil},
		{"mistral", "status: 429", "/v1/fim/completions", `{"object":"error","message":"Rate limit reached. Please try again later.","type":"rate_limited","param":null,"code":"1300"}` + "\n", 429, nil},
		{"gemini", "status: 429", "/v1beta/models/m:streamGenerateContent", `{"error":{"code":429,"message":"Rate limit reached. Please try again later.","status":"RESOURCE_EXHAUSTED"}}` + "\n", 429, nil},
		{"deepgram", "status: 429", "/v1/listen", `{"err_code":"TOO_MANY_REQUESTS","err_msg":"Rate limit reached. Please try again later.","request_id":"00000000-0000-4000-8000-000000000000"}` + "\n", 429, nil},
		{"elevenlabs", "status: 429", "/v1/text-to-speech/v/stream", `{"detail":{"status":"too_many_concurrent_requests","message":"Rate limit reached. Please try again later."}}` + "\n", 429, nil},
		{"cartesia", "status: 429", "/tts/bytes", `{"error_code":"concurrency_limited","title":"Too Many Requests","message":"Rate limit reached. Please try again later.","request_id":"00000000-0000-4000-8000-000000000000"}` + "\n", 429, nil},
		{"assemblyai", "status: 500", "/v3/ws", `{"error":"The server had an error while processing your request."}` + "\n", 500, nil},
		{"no name", "status: 418", "/v1/x", `{"error":{"message":"I'm a teapot","type":"invalid_request_error","param":null,"code":null}}` + "\n", 418, nil},
		{"a body", "status: {code: 502, body: \"<b>\", headers: {Server: nginx}}", "/v1/x", "<b>", 502, map[string]string{"Content-Type": "text/plain; charset=utf-8", "Server": "nginx"}},
		{"a body of JSON", "status: {code: 502, body: \"{}\", headers: {Content-Type: a/b}}", "/v1/x", "{}", 502, map[string]string{"Content-Type": "a/b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := start(t, "rules:\n  - "+c.rule+"\n")
			a := g.ask(c.path, "{}")
			if a.err != nil || a.status != c.status || a.body != c.body {
				t.Errorf("got %d %s, %v; want %d %s", a.status, a.body, a.err, c.status, c.body)
			}
			for name, want := range c.header {
				if got := a.header.Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		})
	}
}

// TestOmitHeaders: an answer goes without headers, also those that the server itself adds.
func TestOmitHeaders(t *testing.T) {
	g := start(t, "rules:\n  - omit_headers: [Content-Type, date, X-Accel-Buffering]\n")
	for _, path := range []string{"/v1/x", "/v1/whole"} {
		a := g.ask(path, "{}")
		for _, name := range []string{"Content-Type", "Date", "X-Accel-Buffering"} {
			if a.status != 200 || a.header.Values(name) != nil {
				t.Errorf("%s: status %d, %s is %q", path, a.status, name, a.header.Values(name))
			}
		}
	}
	for rule, want := range map[string]string{
		"omit_headers: []":          "the name of a header, or a list of at most 20; found a list of 0",
		"omit_headers: [a, {b: c}]": "the name of a header, or a list of at most 20; found a mapping",
		"omit_headers: a b":         `the name of a header, or a list of at most 20; found "a b"`,
	} {
		if _, err := Parse("f", []byte("rules:\n  - "+rule+"\n")); err == nil || !strings.HasSuffix(err.Error(), ".omit_headers: want "+want) {
			t.Errorf("%s: %v", rule, err)
		}
	}
}

// TestDelivered: who asks after the end is told as who asked before.
func TestDelivered(t *testing.T) {
	var plan *Plan
	told := 0
	set := New(Config{})
	if err := set.Replace(Rule{Effects: Effects{End: &End{2}}}); err != nil {
		t.Fatal(err)
	}
	tell := func(d Delivery) {
		if told++; d.Broken != pipeline.Truncated || d.Left != pipeline.Unknown || d.Held {
			t.Errorf("delivered %+v", d)
		}
	}
	set.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		plan = From(r.Context())
		plan.Delivered(tell)
		_, _ = io.WriteString(w, "one")
		_, _ = io.WriteString(w, "two")
		if told != 0 {
			t.Error("told before the end")
		}
	})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/v1/x", nil))
	plan.Delivered(tell)
	if told != 2 {
		t.Errorf("told %d times, want 2", told)
	}
}

func TestErrorsInStreams(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"/v1/messages", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"No\"},\"request_id\":\"00000000-0000-4000-8000-000000000000\"}\n\n"},
		{"/v1/responses", "event: error\ndata: {\"code\":\"server_error\",\"message\":\"No\",\"param\":null,\"type\":\"error\"}\n\n"},
		{"/completion", "data: {\"error\":{\"code\":500,\"message\":\"No\",\"type\":\"server_error\"}}\n\n"},
		{"/api/chat/whole", "{\"error\":\"No\"}\n"},
	} {
		g := start(t, "rules:\n  - error: {at: 1, message: No}\n")
		if a := g.ask(c.path, "{}"); a.status != 200 || a.err != nil || a.body != c.want {
			t.Errorf("%s: got %d %q, %v; want %q", c.path, a.status, a.body, a.err, c.want)
		}
	}
}

// TestMatchOnTheWire checks by what requests are told apart when they come over a socket,
// wherever their protocol has its model and key.
func TestMatchOnTheWire(t *testing.T) {
	type request struct{ path, body, name, value string }
	chat := request{path: "/v1/chat/completions/whole", body: `{"model":"gpt-5"}`}
	listen := request{path: "/v1/listen/whole?model=nova-3", name: "Authorization", value: "Token k"}
	for _, c := range []struct {
		match string
		asked []request
		want  string // 1 for those that go wrong
	}{
		{`{model: "gpt-*"}`, []request{chat, {path: chat.path, body: `{"model":"o5"}`}, listen}, "100"},
		{`{model: nova-3}`, []request{chat, listen}, "01"},
		{`{path: "/v1/chat/*"}`, []request{chat, listen}, "10"},
		{`{protocol: deepgram}`, []request{chat, listen}, "01"},
		{`{header: {authorization: "Token *"}}`, []request{chat, listen}, "01"},
		{`{nth: 2}`, []request{chat, chat, chat}, "010"},
		{`{every: 2}`, []request{chat, chat, chat, chat}, "0101"},
		{`{first: 2}`, []request{chat, chat, chat}, "110"},
		{`{share: 100%}`, []request{chat, chat}, "11"},
		{`{share: 50%, seed: 3}`, []request{chat, chat, chat, chat, chat, chat}, "110101"},
		{`{model: "gpt-*", nth: 2}`, []request{chat, listen, chat}, "001"},
	} {
		g := start(t, "rules:\n  - {match: "+c.match+", status: 418}\n")
		got := ""
		for _, r := range c.asked {
			var header []string
			if r.name != "" {
				header = []string{r.name, r.value}
			}
			switch a := g.ask(r.path, r.body, header...); a.status {
			case 200:
				got += "0"
			case 418:
				got += "1"
			default:
				t.Errorf("%s: %+v", c.match, a)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s go wrong, want %s", c.match, got, c.want)
		}
	}
}

func TestFlaky(t *testing.T) {
	g := start(t, "rules:\n  - match: {first: 2}\n    status: 503\n")
	for i, want := range []int{503, 503, 200, 200} {
		if a := g.ask("/v1/x", "{}"); a.status != want {
			t.Errorf("request %d got %d, want %d", i+1, a.status, want)
		}
	}
}

func TestReset(t *testing.T) {
	g := start(t, "rules:\n  - name: it\n    match: {nth: 2}\n    reset: request\n")
	for i, want := range []bool{false, true, false} {
		a := g.ask("/v1/x", "{}")
		if reset(a.err) != want {
			t.Errorf("request %d: %v", i+1, a.err)
		}
	}
	if h := g.hits("it"); h.Matched != 3 || h.Applied != 1 {
		t.Errorf("hits %+v", h)
	}
}

func TestResetOnAccept(t *testing.T) {
	g := start(t, "rules:\n  - name: it\n    match: {every: 2}\n    times: 2\n    reset: accept\n")
	g.client.Transport.(*http.Transport).DisableKeepAlives = true
	for i, want := range []bool{false, true, false, true, false, false} {
		r, err := http.NewRequest(http.MethodGet, g.url+"/v1/whole", nil)
		if err != nil {
			t.Fatal(err)
		}
		if a := g.do(r); reset(a.err) != want || !want && a.err != nil {
			t.Errorf("connection %d: %v", i+1, a.err)
		}
	}
	if h := g.hits("it"); h.Matched != 6 || h.Applied != 2 {
		t.Errorf("hits %+v", h)
	}
}

// TestRefuse has a request that matches bring the server down for a while.
func TestRefuse(t *testing.T) {
	g := start(t, "rules:\n  - name: it\n    match: {nth: 2}\n    refuse: 1s\n")
	address := strings.TrimPrefix(g.url, "http://")
	early, err := net.Dial("tcp", address) // which lives on
	if err != nil {
		t.Fatal(err)
	}
	defer early.Close()
	if a := g.ask("/v1/whole", "{}"); a.status != 200 {
		t.Fatalf("before: %+v", a)
	}
	from := time.Now()
	if a := g.ask("/v1/whole", "{}"); !reset(a.err) {
		t.Errorf("the request that brings the server down ended with %v", a.err)
	}
	if _, err := net.Dial("tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("then a connection got %v, want it refused", err)
	}
	if _, err := io.WriteString(early, "GET /v1/whole HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); err != nil {
		t.Error(err)
	}
	if got, err := io.ReadAll(early); err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 200 OK") {
		t.Errorf("a connection that was open got %q, %v", got, err)
	}
	eventually(t, "a connection", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	if took := time.Since(from); took < time.Second {
		t.Errorf("connections were refused for %s, want 1 s or more", took)
	}
	if a := g.ask("/v1/whole", "{}"); a.status != 200 {
		t.Errorf("after: %+v", a)
	}
	if h := g.hits("it"); h.Applied != 1 {
		t.Errorf("hits %+v", h)
	}
}

func TestRefuseFromTheStart(t *testing.T) {
	from := time.Now()
	g := start(t, "rules:\n  - refuse: {for: 1s, when: loaded}\n")
	if a := g.ask("/v1/whole", "{}"); !errors.Is(a.err, syscall.ECONNREFUSED) {
		t.Errorf("at first: %+v", a)
	}
	eventually(t, "an answer", func() bool { return g.ask("/v1/whole", "{}").status == 200 })
	if took := time.Since(from); took < time.Second {
		t.Errorf("connections were refused for %s, want 1 s or more", took)
	}
}

// TestRefuseIsLifted: a server whose rules are taken away takes connections at once.
func TestRefuseIsLifted(t *testing.T) {
	g := start(t, "rules:\n  - {name: down, refuse: {for: 24h, when: loaded}}\n")
	for _, c := range []struct {
		name string
		lift func()
	}{
		{"replaced", func() { g.replace("rules: []") }},
		{"removed", func() { g.set.Remove("down") }},
	} {
		g.replace("rules:\n  - {name: down, refuse: {for: 24h, when: loaded}}\n")
		g.client.CloseIdleConnections()
		if a := g.ask("/v1/whole", "{}"); !errors.Is(a.err, syscall.ECONNREFUSED) {
			t.Errorf("%s: at first: %+v", c.name, a)
		}
		c.lift()
		eventually(t, "an answer when the rule is "+c.name, func() bool { return g.ask("/v1/whole", "{}").status == 200 })
	}
}

// TestCloseWhileRefusing ends a server whose socket is shut.
func TestCloseWhileRefusing(t *testing.T) {
	g := start(t, "rules:\n  - refuse: {for: 1h, when: loaded}\n")
	if a := g.ask("/v1/whole", "{}"); !errors.Is(a.err, syscall.ECONNREFUSED) {
		t.Errorf("at first: %+v", a)
	}
}

func TestSlowHeaders(t *testing.T) {
	g := start(t, "rules:\n  - slow_headers: 100ms\n")
	for _, path := range []string{"/v1/x", "/v1/whole"} {
		if a := g.ask(path, "{}"); a.status != 200 || a.header0 < 100*time.Millisecond || a.header0 > 10*time.Second {
			t.Errorf("%s: status %d after %s, want 100 ms or soon after", path, a.status, a.header0)
		}
	}
	g.replace("rules:\n  - {slow_headers: 100ms, status: 503}\n")
	if a := g.ask("/v1/x", "{}"); a.status != 503 || a.header0 < 100*time.Millisecond {
		t.Errorf("status %d after %s, want 503 after 100 ms", a.status, a.header0)
	}
	g.replace("rules:\n  - {slow_headers: 100ms, reset: request}\n")
	if a := g.ask("/v1/x", "{}"); !reset(a.err) || a.took < 100*time.Millisecond {
		t.Errorf("%v after %s, want a reset after 100 ms", a.err, a.took)
	}
}

func TestStall(t *testing.T) {
	g := start(t, "rules:\n  - stall: {at: 5, for: 200ms}\n")
	a := g.ask("/v1/x", "{}")
	before, after := a.at(t, `"n":4`), a.at(t, `"n":5`)
	if gap := after - before; gap < 180*time.Millisecond || gap > 10*time.Second {
		t.Errorf("token 5 came %s after token 4, want 200 ms or soon after", gap)
	}
}

func TestColdStart(t *testing.T) {
	g := start(t, "rules:\n  - name: it\n    cold_start: {load: 1s, idle: 1h}\n")
	first, second := g.ask("/v1/whole", `{"model":"a"}`), g.ask("/v1/whole", `{"model":"a"}`)
	if first.took < time.Second || second.took > first.took {
		t.Errorf("the first request took %s and the second %s, want 1 s and much less", first.took, second.took)
	}
	if h := g.hits("it"); h.Matched != 2 || h.Applied != 1 {
		t.Errorf("hits %+v", h)
	}
}

func TestDrip(t *testing.T) {
	g := start(t, "rules:\n  - drip: {bytes: 5, every: 20ms}\n")
	a := g.ask("/v1/whole", "{}")
	if a.body != `{"answer":"all of it"}` || a.took < 80*time.Millisecond || len(a.chunks) < 3 {
		t.Errorf("%q in %d reads and %s, want 5 bytes at a time in 80 ms or more", a.body, len(a.chunks), a.took)
	}
}

func TestBufferingProxy(t *testing.T) {
	all := events(1, tokens) + done
	for _, c := range []struct {
		name, rule string
		held       bool   // all comes at the end
		told       string // the header
	}{
		{"deaf", "buffer: whole", true, "no"},
		{"honours the header", "buffer: {mode: whole, honours_header: true}", false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := start(t, "rules:\n  - "+c.rule+"\n    stall: {at: 8, for: 700ms}\n")
			a := g.ask("/v1/x", "{}")
			if a.body != all || a.err != nil || a.header.Get("X-Accel-Buffering") != c.told {
				t.Errorf("body %q, %v, header %q", a.body, a.err, a.header.Get("X-Accel-Buffering"))
			}
			if held := a.at(t, `"n":1}`) > 700*time.Millisecond; held != c.held {
				t.Errorf("the first event came after %s", a.at(t, `"n":1}`))
			}
			if held := a.header0 > 700*time.Millisecond; held != c.held {
				t.Errorf("the headers came after %s", a.header0)
			}
		})
	}
}

func TestClumps(t *testing.T) {
	g := start(t, "rules:\n  - buffer: {mode: clumps, every: 30ms}\n    stall: {at: 4, for: 700ms}\n")
	a := g.ask("/v1/x", "{}")
	if a.body != events(1, tokens)+done || a.err != nil {
		t.Errorf("body %q, %v", a.body, a.err)
	}
	if before, after := a.at(t, `"n":3}`), a.at(t, `"n":4}`); before < 30*time.Millisecond || after-before < 300*time.Millisecond {
		t.Errorf("what came before the stall arrived after %s, and what came behind it after %s", before, after)
	}
}

func TestLimit(t *testing.T) {
	g := start(t, "rules:\n  - name: it\n    limit: {rpm: 2, per: key}\n")
	ask := func(key string) answer { return g.ask("/v1/whole", `{"model":"m"}`, "Authorization", "Bearer "+key) }
	for i, want := range []struct {
		status    int
		remaining string
	}{{200, "1"}, {200, "0"}, {429, "0"}} {
		a := ask("one")
		if a.status != want.status || a.header.Get("X-Ratelimit-Remaining-Requests") != want.remaining || a.header.Get("X-Ratelimit-Limit-Requests") != "2" {
			t.Errorf("request %d: %d %v", i+1, a.status, a.header)
		}
		if got := a.header.Get("Retry-After"); (want.status == 429) != (got == "30") {
			t.Errorf("request %d: Retry-After %q", i+1, got)
		}
	}
	if a := ask("two"); a.status != 200 {
		t.Errorf("another key got %d", a.status)
	}
	if h := g.hits("it"); h.Matched != 4 || h.Applied != 1 {
		t.Errorf("hits %+v", h)
	}
}

// TestBodyIsReadAgain checks that a front gets all of a body that a rule has looked
// into.
func TestBodyIsReadAgain(t *testing.T) {
	var got string
	set := New(Config{MaxBody: 50})
	if err := set.Replace(Rule{Match: Match{Model: "m*"}, Effects: Effects{Stall: &Stall{1, 1}}}); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: set.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got = string(data)
		_, _ = io.WriteString(w, From(r.Context()).Rules())
	}))}
	go func() { _ = server.Serve(ln) }()
	defer server.Close()
	for _, c := range []struct{ body, rules string }{
		{`{"model":"mini"}`, "stall"},
		{`{"model":"other"}`, ""},
		{`{"model":"mini","more":"` + strings.Repeat("x", 100) + `"}`, ""}, // larger than is looked into
		{`no JSON`, ""},
	} {
		response, err := http.Post("http://"+ln.Addr().String(), "application/json", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		rules, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if got != c.body || string(rules) != c.rules {
			t.Errorf("the front got %q under the rules %q, want %q under %q", got, rules, c.body, c.rules)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestHeader(t *testing.T) {
	g := start(t, "")
	a := g.ask("/v1/x", "{}", Header, "end at 3; slow_headers=50ms")
	if a.body != events(1, 2) || a.err != nil || a.header0 < 50*time.Millisecond {
		t.Errorf("got %+v", a)
	}
	if a := g.ask("/v1/x", "{}", Header, "buffering-proxy"); a.body != events(1, tokens)+done {
		t.Errorf("got %+v", a)
	}
	a = g.ask("/v1/messages", "{}", Header, "stal at 3")
	want := `{"type":"error","error":{"type":"invalid_request_error","message":"Halfsecond-Fault: unknown effect \"stal\"; nearest: stall"},"request_id":"00000000-0000-4000-8000-000000000000"}` + "\n"
	if a.status != 400 || a.body != want {
		t.Errorf("got %d %s, want 400 %s", a.status, a.body, want)
	}
	if a := g.ask("/v1/x", "{}"); a.body != events(1, tokens)+done {
		t.Errorf("the next request: %+v", a)
	}
}

// TestOwnPages: a rule that is about every path, or a header that is wrong, is answered on
// the server's own pages too, in the words of OpenAI.
func TestOwnPages(t *testing.T) {
	g := start(t, "rules:\n  - {match: {path: \"*\", nth: 1}, status: 429}\n  - {match: {path: /health, nth: 2}, error: 1}\n")
	for _, c := range []struct {
		header, want string
		status       int
	}{
		{"", `"type":"requests"`, 429},
		{"", `"type":"server_error"`, 200},
		{"stal at 3", `nearest: stall`, 400},
		{"status 503", `"type":"server_error"`, 503},
	} {
		var header []string
		if c.header != "" {
			header = []string{Header, c.header}
		}
		if a := g.ask("/health", "", header...); a.status != c.status || !strings.Contains(a.body, c.want) || a.err != nil {
			t.Errorf("%q: %+v, want %d with %s", c.header, a, c.status, c.want)
		}
	}
}

func TestAnswered(t *testing.T) {
	told := make(chan Answer, 2)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := newRig(t, "rules:\n  - {name: a, match: {nth: 1}, status: 503}\n  - {name: b, match: {nth: 2}, reset: request}\n  - {name: c, slow_headers: 1ms}\n",
		Config{Answered: func(a Answer) { told <- a }}, ln, &http.Transport{})
	defer g.stop()
	for _, want := range []struct {
		rules, message string
		status         int
	}{{"a, c", "The server is overloaded or not ready yet.", 503}, {"b, c", "the connection was reset", 0}} {
		g.ask("/v1/whole", "")
		a := <-told
		if a.Rules != want.rules || a.Status != want.status || a.Message != want.message || a.Path != "/v1/whole" || a.Protocol != "openai" || a.Ended < a.Arrived+time.Millisecond {
			t.Errorf("told %+v, want %+v", a, want)
		}
	}
	if g.ask("/v1/whole", ""); len(told) > 0 {
		t.Errorf("told of a request that the front answered: %+v", <-told)
	}
}

// TestLeftBeforeAnything: a client that left while no model was loaded is the front's to
// tell of.
func TestLeftBeforeAnything(t *testing.T) {
	var told []Answer
	s := New(Config{Answered: func(a Answer) { told = append(told, a) }})
	if err := s.Replace(Rule{Name: "a", Effects: Effects{Stall: &Stall{At: 1, For: time.Second}}}); err != nil {
		t.Fatal(err)
	}
	asked := false
	h := s.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = r.Context().Err() != nil }))
	ctx, leave := context.WithCancel(t.Context())
	leave()
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/v1/whole", nil))
	if !asked || len(told) > 0 {
		t.Errorf("the front was asked: %t; told of %+v", asked, told)
	}
}

// TestLastByte: a write that failed is not when the last byte left.
func TestLastByte(t *testing.T) {
	s := New(Config{})
	v := &visit{set: s, w: broken{httptest.NewRecorder()}, r: httptest.NewRequest("GET", "/v1/whole", nil)}
	o := newWriter(t.Context(), func() {}, &Plan{query: &Query{}}, v)
	if _, err := o.Write([]byte("x")); err == nil {
		t.Fatal("a broken connection took a byte")
	}
	if d := o.delivery(time.Second); d.First != pipeline.Unknown || d.Last != pipeline.Unknown {
		t.Errorf("the first byte left at %s, the last at %s; want never", d.First, d.Last)
	}
}

// broken is a connection that takes nothing.
type broken struct{ http.ResponseWriter }

func (broken) Write([]byte) (int, error) { return 0, net.ErrClosed }
