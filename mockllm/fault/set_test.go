package fault

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// pick returns which of n requests a rule is applied to, by number.
func pick(t *testing.T, rules string, n int, q func(i int) *Query) string {
	t.Helper()
	list, err := Parse("test", []byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	set := New(Config{Seed: 1})
	if err := set.Replace(list...); err != nil {
		t.Fatal(err)
	}
	var picked []string
	for i := 1; i <= n; i++ {
		if p := set.plan(q(i), nil); p != nil {
			picked = append(picked, strconv.Itoa(i))
		}
	}
	return strings.Join(picked, " ")
}

func TestWhich(t *testing.T) {
	same := func(int) *Query { return &Query{Protocol: "openai", Path: "/v1/x"} }
	for _, c := range []struct{ rule, want string }{
		{"times: 3", "1 2 3"},
		{"match: {nth: 4}", "4"},
		{"match: {every: 3}", "3 6 9 12"},
		{"match: {every: 3}\n    times: 2", "3 6"},
		{"match: {first: 2}", "1 2"},
		{"match: {share: 100%}", "1 2 3 4 5 6 7 8 9 10 11 12"},
		{"match: {share: 25%}", "5"},
		{"match: {share: 25%, seed: 2}", "4 6 11"},
	} {
		if got := pick(t, "rules:\n  - name: it\n    "+c.rule+"\n    end: 1\n", 12, same); got != c.want {
			t.Errorf("%s picks %s, want %s", c.rule, got, c.want)
		}
	}
}

func TestShareIsAShare(t *testing.T) {
	same := func(int) *Query { return &Query{Protocol: "openai", Path: "/v1/x"} }
	n := len(strings.Fields(pick(t, "rules:\n  - match: {share: 10%}\n    end: 1\n", 10_000, same)))
	if n < 900 || n > 1100 { // 3.3 standard deviations
		t.Errorf("%d of 10,000 requests, of which 10 %% were to be picked", n)
	}
}

func TestMatch(t *testing.T) {
	requests := []*Query{
		{Protocol: "openai", Path: "/v1/chat/completions", Model: "gpt-5", Header: http.Header{"X-A": {"b"}}},
		{Protocol: "openai", Path: "/v1/chat/completions", Model: "org/gpt-5-mini", Header: http.Header{"X-A": {"c", "bc"}}},
		{Protocol: "anthropic", Path: "/v1/messages", Model: "claude", Header: http.Header{}},
		{Protocol: "", Path: "/health", Header: http.Header{}},
	}
	for _, c := range []struct{ match, want string }{
		{"{}", "1 2 3"},
		{`{model: "gpt-5"}`, "1"},
		{`{model: "*gpt-5*"}`, "1 2"},
		{`{model: "gpt*5"}`, "1"},
		{`{model: "*/*-mini"}`, "2"},
		{`{model: "g*t*x*5"}`, ""},
		{"{path: /v1/*}", "1 2 3"},
		{"{path: /v1/*s}", "1 2 3"},
		{"{path: /v1/*/completions}", "1 2"},
		{`{path: "*"}`, "1 2 3 4"},
		{"{path: /health}", "4"},
		{"{protocol: anthropic}", "3"},
		{"{protocol: anthropic, path: /v1/chat/*}", ""},
		{`{header: {x-a: "*"}}`, "1 2"},
		{"{header: {X-A: b}}", "1"},
		{`{header: {X-A: "b*"}}`, "1 2"},
		{`{header: {X-A: b, X-B: "*"}}`, ""},
	} {
		got := pick(t, "rules:\n  - match: "+c.match+"\n    end: 1\n", len(requests), func(i int) *Query { return requests[i-1] })
		if got != c.want {
			t.Errorf("%s matches %q, want %q", c.match, got, c.want)
		}
	}
}

// TestSeveralRules checks that all that match apply, and that of one effect the first
// counts.
func TestSeveralRules(t *testing.T) {
	list, err := Parse("test", []byte(`rules:
  - {name: a, stall: {at: 3, for: 1s}, match: {every: 2}}
  - {name: b, stall: {at: 5, for: 2s}, end: 9}
  - {name: c, end: 8, malformed: 4}
`))
	if err != nil {
		t.Fatal(err)
	}
	set := New(Config{})
	if err := set.Replace(list...); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		rules string
		stall Stall
	}{{"b, c", Stall{5, 2 * time.Second}}, {"a, b, c", Stall{3, time.Second}}} {
		p := set.plan(&Query{Protocol: "openai"}, nil)
		if p.Rules() != want.rules || p.stall != want.stall || p.end.At != 9 || p.malformed.At != 4 {
			t.Errorf("request %d: %s, %+v", i+1, p.Rules(), p.steps)
		}
	}
	_, hits := set.Rules()
	if hits[0] != (Hits{"a", 2, 1}) || hits[2] != (Hits{"c", 2, 2}) {
		t.Errorf("hits %+v", hits)
	}
	if !set.Remove("b") || set.Remove("b") {
		t.Error("b can be removed once")
	}
	if p := set.plan(&Query{Protocol: "openai"}, nil); p.Rules() != "c" || p.end.At != 8 {
		t.Errorf("without b: %s, %+v", p.Rules(), p.steps)
	}
}

func TestProtocol(t *testing.T) {
	for path, want := range map[string]string{
		"/v1/chat/completions": "openai", "/v1/responses": "openai", "/v1/realtime": "openai", "/anything": "openai",
		"/v1/messages": "anthropic", "/v1/messages/count_tokens": "anthropic", "/v1/messagesx": "openai",
		"/api/generate": "ollama", "/completion": "llamacpp", "/completions": "openai", "/infill": "llamacpp",
		"/v1/fim/completions": "mistral", "/v1beta/models/m:generateContent": "gemini",
		"/v1/listen": "deepgram", "/v2/listen": "deepgram", "/v1/speak": "deepgram", "/v1/text-to-speech/v/stream": "elevenlabs",
		"/tts/bytes": "cartesia", "/stt/websocket": "cartesia", "/v3/ws": "assemblyai",
		"/health": "", "/metrics": "", "/v1/halfsecond/faults": "", "/healthy": "openai",
	} {
		if got := Protocol(path); got != want {
			t.Errorf("Protocol(%s) = %q, want %q", path, got, want)
		}
	}
}

func TestLook(t *testing.T) {
	for _, c := range []struct {
		url, header, value, model, key string
	}{
		{"/v1/listen?model=nova-3", "Authorization", "Token k", "nova-3", "k"},
		{"/v1/text-to-speech/v/stream-input?model_id=flash", "Xi-Api-Key", "k", "flash", "k"},
		{"/v3/ws?speech_model=u3&token=k", "X", "", "u3", "k"},
		{"/v1beta/models/gemini-3:streamGenerateContent?alt=sse", "X-Goog-Api-Key", "k", "gemini-3", "k"},
		{"/v1/messages", "X-Api-Key", "k", "", "k"},
		{"/v3/ws", "Authorization", "k", "", "k"},
		{"/v1/chat/completions", "X", "", "", ""},
	} {
		r, err := http.NewRequest(http.MethodGet, "http://x"+c.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(c.header, c.value)
		if q := look(r); q.Model != c.model || q.Key != c.key {
			t.Errorf("%s: model %q and key %q, want %q and %q", c.url, q.Model, q.Key, c.model, c.key)
		}
	}
}

func TestUnderstand(t *testing.T) {
	form := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n\r\nRIFF\r\n--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nwhisper-1\r\n--b--\r\n"
	for _, c := range []struct {
		kind, body, model string
		tokens            int
	}{
		{"application/json", `{"model":"m","messages":[{"role":"user","content":"one two"},{"role":"user","content":[{"type":"text","text":"three"}]}],"max_tokens":5}`, "m", 8},
		{"application/json", `{"model":"m","prompt":["one","two"],"suffix":"three","options":{"num_predict":7}}`, "m", 10},
		{"", `{"model_id":"sonic","transcript":"one two","voice":{"id":"three"}}`, "sonic", 2},
		{"", `{"contents":[{"parts":[{"text":"one"}]}],"generationConfig":{"maxOutputTokens":9}}`, "", 10},
		{"", `{"model":5,"max_tokens":-3,"prompt":{}}`, "", 0},
		{"", `[1]`, "", 0},
		{"", `{"model":`, "", 0},
		{"multipart/form-data; boundary=b", form, "whisper-1", 0},
		{"multipart/form-data", form, "", 0},
		{"multipart/form-data; boundary=b", "--b\r\n", "", 0},
	} {
		var q Query
		if q.understand([]byte(c.body), c.kind, true); q.Model != c.model || q.Tokens != c.tokens {
			t.Errorf("%s: model %q and %d tokens, want %q and %d", c.body, q.Model, q.Tokens, c.model, c.tokens)
		}
	}
}

func TestBucket(t *testing.T) {
	var free bucket
	if wait, ok := free.wait(1<<30, 0); wait != 0 || !ok {
		t.Errorf("a bucket without a limit: %s, %v", wait, ok)
	}
	b := bucket{perMinute: 7} // whose share of a minute is no whole number of nanoseconds
	for range 7 {
		if wait, ok := b.wait(1, 0); wait != 0 || !ok {
			t.Errorf("wait(1) = %s, %v before the bucket is empty", wait, ok)
		}
		b.take(1, 0)
	}
	if got, want := b.level(0), (level{7, 0, 59_999_999_997}); got != want {
		t.Errorf("level %+v, want %+v", got, want)
	}
	if wait, ok := b.wait(7, 0); wait != 59_999_999_997 || !ok {
		t.Errorf("wait(7) = %s, %v", wait, ok)
	}
	if _, ok := b.wait(8, time.Hour); ok {
		t.Error("a bucket of 7 holds 8")
	}
	if got, want := b.level(time.Hour), (level{7, 7, 0}); got != want {
		t.Errorf("level an hour later %+v, want %+v", got, want)
	}
}
