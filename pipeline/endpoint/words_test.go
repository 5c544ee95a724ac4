package endpoint

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestTidy: words of a server become one line in which what a terminal obeys can be seen,
// and it stays the same when it is tidied again.
func TestTidy(t *testing.T) {
	for words, want := range map[string]string{
		"plain words":                      "plain words",
		" two\r\nlines\tand \x1b[31mred ":  `two lines and \x1b[31mred`,
		"\u009b31m \u202eabc \x00 \xff":    `\u009b31m \u202eabc \x00 \xff`,
		"the key sk-secretvalue1234567890": "the key " + strings.Repeat("*", len("sk-secretvalue1234567890")),
		strings.Repeat("é", 200):           strings.Repeat("é", 150) + "...",
	} {
		key := NewKey("sk-secretvalue1234567890")
		if got := key.Tidy(words); got != want || key.Tidy(got) != got {
			t.Errorf("Tidy(%q) = %q, then %q; want %q", words, got, key.Tidy(got), want)
		}
	}
}

// TestPorts: an address with a port that there cannot be is refused before anything is asked.
func TestPorts(t *testing.T) {
	for port, want := range map[string]string{"1": "", "65535": "", "0": "there is no port 0", "65536": "there is no port 65536", "99999": "there is no port 99999: want one of 1 to 65535"} {
		err := Config{URL: "http://127.0.0.1:" + port + "/v1", Protocol: "openai-chat", Model: "m"}.Check()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("port %s: %v, want %q", port, err, want)
		}
	}
}

// TestListThatIsNotGiven: the error of a list says whether a key was given, and that one
// without end was given up.
func TestListThatIsNotGiven(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/endless/v1/models" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"data":[`+strings.Repeat(`{"id":"a-model"},`, 300_000))
			return
		}
		http.Error(w, "not you", http.StatusUnauthorized)
	}))
	defer server.Close()
	for _, c := range []struct {
		path, want string
		key        Key
	}{
		{"/v1", "HTTP 401: not you; no key was given", Key{}},
		{"/v1", "HTTP 401: not you; that is with the key that was given", NewKey("sk-secretvalue")},
		{"/endless/v1", "/endless/v1/models: its body is longer than 4 MiB, and was given up", Key{}},
	} {
		_, err := OnlyModel(t.Context(), Config{URL: server.URL + c.path, Protocol: "openai-chat", Key: c.key})
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.path, err, c.want)
		}
	}
}
