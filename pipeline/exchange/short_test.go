package exchange

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"testing"
)

// TestRedactShort: a key of a few letters is hidden where servers repeat keys, and leaves what a
// response is read by.
func TestRedactShort(t *testing.T) {
	const events, page, text, lines = "text/event-stream", "text/html", "application/json", "application/x-ndjson"
	for _, c := range []struct {
		name, key, kind string
		status          int
		body, want      string
	}{
		{"a digit", "0", text, 200, `{"choices":[{"index":0}],"n":10.0}`, ""},
		{"a digit in an error", "1", text, 401, `{"error":"1 of 1"}`, ""},
		{"a field of events", "data", events, 200, "event: data\ndata: {\"data\":\"a data point\",\"type\":\"data\"}\n\n: data\n\ndata: [DONE]\n\n", ""},
		{"the end of events", "DONE", events, 200, "data: [DONE]\n\n", ""},
		{"a finish reason", "stop", lines, 200, "{\"response\":\"a stop\"}\n{\"done_reason\":\"stop\"}\n", ""},
		{"a word of an answer", "EMPTY", text, 200, `{"content":"it is EMPTY"}`, ""},
		{"letters and digits", "abc123", text, 200, `{"abc123":"is abc123, not xabc123","type":"abc123"}`, `{"******":"is ******, not xabc123","type":"******"}`},
		{"three letters and digits", "ab1", text, 200, `{"content":"is ab1"}`, ""},
		{"a word in an error", "EMPTY", text, 200, `{"error":{"message":"bad EMPTY","type":"EMPTY","EMPTY":[1]},"content":"EMPTY"}`, `{"error":{"message":"bad *****","type":"EMPTY","EMPTY":[1]},"content":"EMPTY"}`},
		{"a word of errors", "error", text, 401, `{"error":{"message":"bad error","code":"error"}}`, `{"error":{"message":"bad *****","code":"error"}}`},
		{"two letters in an error", "ab", text, 401, `{"detail":"bad key ab"}`, `{"detail":"bad key **"}`},
		{"in an event of an error", "EMPTY", events, 200, "event: error\ndata: {\"message\":\"bad EMPTY\"}\n\ndata: {\"content\":\"EMPTY\"}\n\n", "event: error\ndata: {\"message\":\"bad *****\"}\n\ndata: {\"content\":\"EMPTY\"}\n\n"},
		{"in an error by its type", "EMPTY", events, 200, "data: {\"type\":\"auth_error\",\"message\":\"bad EMPTY\"}\n\n", "data: {\"type\":\"auth_error\",\"message\":\"bad *****\"}\n\n"},
		{"in a page of an error", "EMPTY", page, 403, "<p>bad EMPTY", "<p>bad *****"},
		{"in a page", "EMPTY", page, 200, "<p>an EMPTY page", ""},
		{"in words of no kind", "EMPTY", "", 403, "bad EMPTY", "bad *****"},
		{"in JSON of no kind", "EMPTY", "", 403, `{"EMPTY":"bad EMPTY"}`, `{"EMPTY":"bad *****"}`},
		{"as the value of a key", "EMPTY", text, 200, `{"api_key":"EMPTY","sessionToken":"is EMPTY","keyTerms":"EMPTY"}`, `{"api_key":"*****","sessionToken":"is *****","keyTerms":"EMPTY"}`},
		{"digits as the value of a key", "1234", text, 200, `{"api_key":"1234","n":"1234"}`, `{"api_key":"****","n":"1234"}`},
		{"behind an escape", "nice", text, 401, `{"error":"\nice \nnice \u00e9nice"}`, `{"error":"\nice \n**** \u00e9****"}`},
		{"in sound", "abc123", "audio/mpeg", 200, "ID3 abc123 abc123", ""},
	} {
		x := &Exchange{Status: c.status, Headers: [][2]string{{"Content-Type", c.kind}}, Body: []byte(c.body)}
		x.Redact(c.key)
		if want := cmp.Or(c.want, c.body); string(x.Body) != want || x.Headers[0][1] != c.kind {
			t.Errorf("%s: %s, %s; want %s, %s", c.name, x.Headers[0][1], x.Body, c.kind, want)
		}
	}
}

// TestRedactShortEverywhere: a short key of letters and digits is in nothing that is no sound, be it
// JSON, something else under its name, or escaped; and one with signs in nothing about a failure.
func TestRedactShortEverywhere(t *testing.T) {
	const events, text, none = "text/event-stream", "application/json", "application/octet-stream"
	for _, c := range []struct {
		key, kind  string
		status     int
		body, want string
	}{
		{"1abcd5", text, 401, "invalid key 1abcd5", "invalid key ******"},
		{"9f3a2b", events, 401, "data: invalid key 9f3a2b", "data: invalid key ******"},
		{"9f3a2b", events, 200, "event: error\ndata: invalid key 9f3a2b\n\n", "event: error\ndata: invalid key ******\n\n"},
		{"9f3a2b", "", 200, "[error] invalid key 9f3a2b", "[error] invalid key ******"},
		{"9f3a2b", text, 401, `{"error": bad key 9f3a2b}`, `{"error": bad key ******}`},
		{"9f3a2b", "application/x-ndjson", 200, "{\"n\":1}\nbad 9f3a2b\n", "{\"n\":1}\nbad ******\n"},
		{"me:pw1", text, 401, "invalid key me:pw1", "invalid key ******"},
		{"me:pw", text, 401, "invalid key me:pw", "invalid key *****"},
		{"me:pw", events, 200, "event: error\ndata: invalid key me:pw\n\n", "event: error\ndata: invalid key *****\n\n"},
		{"12-34", text, 401, "invalid key 12-34", "invalid key *****"},
		{"12e4", text, 401, "invalid key 12e4", "invalid key ****"},
		{"12e4", text, 401, `{"n":12e4,"error":"bad 12e4"}`, `{"n":12e4,"error":"bad ****"}`},
		{"12e4", text, 401, "{\"n\":12e4}\n{\"n\":12e4}", "{\"n\":12e4}\n{\"n\":12e4}"},
		{"12e4", events, 200, "data: {\"n\":12e4}\n\n", "data: {\"n\":12e4}\n\n"},
		{"[DONE]", events, 401, "data: [DONE]\n\n", "data: [DONE]\n\n"},
		{"a&b1c2", text, 401, `{"error":"bad key a\u0026b1c2"}`, `{"error":"bad key ***********"}`},
		{"a&b1c2", text, 200, `{"text":"is a\u0026b1c2 or xa\u0026b1c2"}`, `{"text":"is *********** or xa\u0026b1c2"}`},
		{"pa/ss1", text, 401, `{"error":"bad key pa\/ss1"}`, `{"error":"bad key *******"}`},
		{`pa"s1`, text, 401, `{"error":"bad key pa\"s1"}`, `{"error":"bad key ******"}`},
		{"a/b1", text, 401, `{"error":"bad key a\/b1"}`, `{"error":"bad key *****"}`},
		{"pä1x", text, 401, `{"error":"bad key p\u00e41x"}`, `{"error":"bad key *********"}`},
		{"x1😀", text, 401, `{"error":"bad key x1\ud83d\uDE00"}`, `{"error":"bad key **************"}`},
		{"a&b1c2", text, 401, `{"error":"{\"error\":\"bad a\\u0026b1c2\"}"}`, `{"error":"{\"error\":\"bad ************\"}"}`},
		{"sec/rt", text, 200, `{"api_key":"sec\/rt","text":"sec\/rt"}`, `{"api_key":"*******","text":"sec\/rt"}`},
		{"n1ce", text, 401, `{"error":"\n1ce"}`, `{"error":"\n1ce"}`},
		{"9f3a2b", none, 401, "bad 9f3a2b", "bad ******"},
		{"9f3a2b", none, 200, `{"text":"bad 9f3a2b"}`, `{"text":"bad ******"}`},
		{"9f3a2b", none, 200, "RIFF\x00\x10\x00\x00 9f3a2b", "RIFF\x00\x10\x00\x00 9f3a2b"},
		{"9f3a2b", "", 401, "bad key 9f3a2b \xe9", "bad key ****** \xe9"},
		{"9f3a2b", "application/xml", 401, "<e>bad key 9f3a2b</e>\xe9", "<e>bad key ******</e>\xe9"},
		{"9f3a2b", "application/xml", 401, "\xe9\xe8\xe7 9f3a2b", "\xe9\xe8\xe7 ******"},
		{"9f3a2b", text, 401, "bad \xe9 9f3a2b", "bad \xe9 ******"},
		{"9f3a2b", "", 200, "\xff\xfb\x90\x00 9f3a2b \xff\xfb", "\xff\xfb\x90\x00 9f3a2b \xff\xfb"},
		{"9f3a2b", "audio/mpeg", 200, "bad 9f3a2b", "bad 9f3a2b"},
	} {
		x := &Exchange{Status: c.status, Headers: [][2]string{{"Content-Type", c.kind}}, Body: []byte(c.body)}
		if x.Redact(c.key); string(x.Body) != c.want {
			t.Errorf("key %s, %s, HTTP %d: %q, want %q", c.key, c.kind, c.status, x.Body, c.want)
		}
	}
}

// TestRedactShortHeaders: a short key is in no header but those by which the response is read.
func TestRedactShortHeaders(t *testing.T) {
	for _, c := range []struct{ name, value, key, want string }{
		{"X-Echo", "Bearer abc", "abc", "Bearer ***"},
		{"X-Echo", "0", "0", "*"},
		{"X-Echo", "null", "null", "null"},
		{"Retry-After", "1", "1", "1"},
		{"Content-Type", "text/event-stream", "text", "text/event-stream"},
		{"Content-Type", "abc123/x", "abc123", "******/x"},
		{"content-encoding", "gzip", "gzip", "gzip"},
	} {
		x := &Exchange{Headers: [][2]string{{c.name, c.value}}}
		if x.Redact(c.key); x.Headers[0][1] != c.want {
			t.Errorf("key %s: %s: %s, want %s", c.key, c.name, x.Headers[0][1], c.want)
		}
	}
}

// TestRedactShortMessages: nor is it in what was said over a WebSocket, where that may say it.
func TestRedactShortMessages(t *testing.T) {
	sound := make([]byte, 1<<20)
	for i, dice := 0, rand.New(rand.NewPCG(1, 1)); i < len(sound); i++ {
		sound[i] = byte(dice.Uint32())
	}
	for _, c := range []struct{ name, from, kind, data, key, want string }{
		{"first words", Client, Text, `{"api_key":"abc","model":"abc"}`, "abc", `{"api_key":"***","model":"abc"}`},
		{"an answer", Server, Text, `{"type":"response.done","text":"done"}`, "done", ""},
		{"an error", Server, Text, `{"type":"Error","description":"bad EMPTY"}`, "EMPTY", `{"type":"Error","description":"bad *****"}`},
		{"a close", Server, Close, "bad EMPTY", "EMPTY", "bad *****"},
		{"text in a binary message", Server, Binary, `{"error":"bad EMPTY"}`, "EMPTY", `{"error":"bad *****"}`},
		{"sound and a letter", Server, Binary, string(sound), "x", ""},
		{"sound and three", Server, Binary, string(sound), "a1b", ""},
		{"sound and letters and digits", Server, Binary, string(sound) + " abc123 ", "abc123", ""},
	} {
		x := &Exchange{Setting: `{"codec":"EMPTY"}`, Messages: []Message{{From: c.from, Kind: c.kind, Data: []byte(c.data), Bytes: len(c.data)}}}
		x.Redact(c.key)
		if want := cmp.Or(c.want, c.data); string(x.Messages[0].Data) != want {
			t.Errorf("%s: %.80s, want %.80s", c.name, x.Messages[0].Data, want)
		}
		if want := `{"codec":"EMPTY"}`; x.Setting != want {
			t.Errorf("%s: %s, want %s", c.name, x.Setting, want)
		}
	}
}

// TestRedactShortPacked: a packed answer is kept unless it says a short key where that is hidden.
func TestRedactShortPacked(t *testing.T) {
	for body, telling := range map[string]bool{`{"choices":[{"index":0,"text":"EMPTY"}]}`: false, `{"error":"bad EMPTY"}`: true} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(body)); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		x := &Exchange{Status: 200, Headers: [][2]string{{"Content-Encoding", "gzip"}, {"Content-Type", "application/json"}}, Body: bytes.Clone(b.Bytes())}
		for _, key := range []string{"0", "EMPTY"} {
			x.Redact(key)
		}
		if x.telling != telling || !bytes.Equal(x.Body, b.Bytes()) {
			t.Errorf("%s: telling %t, want %t and the body as it was", body, x.telling, telling)
		}
	}
}

// FuzzRedactShort checks that JSON stays JSON with the same keys, whatever short key is hidden.
func FuzzRedactShort(f *testing.F) {
	f.Add(`{"error":{"message":"bad \\nice \u0041b"},"data":["a1b2",1e3]}`, "nice")
	f.Add(`{"api_key":"\\"}`, `\`)
	f.Add(`["u1",null]`, "u1")
	f.Add(`{"error":"a\"1b\u0031 \/ \ud83d",  "1b": 12e4}`, `a"1b1`)
	f.Add(`[12e4]`, "12e4")
	f.Fuzz(func(t *testing.T, body, key string) {
		if len(key) >= leastPart || !json.Valid([]byte(body)) {
			return
		}
		x := &Exchange{Status: 401, Headers: [][2]string{{"Content-Type", "application/json"}}, Body: []byte(body)}
		x.Redact(key)
		if len(x.Body) != len(body) || !json.Valid(x.Body) {
			t.Errorf("key %q: %s becomes %s", key, body, x.Body)
		}
	})
}
