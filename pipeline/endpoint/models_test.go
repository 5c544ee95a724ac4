package endpoint

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"halfsecond/pipeline/endpoint/dialect"
)

func TestOnlyModel(t *testing.T) {
	for _, c := range []struct{ body, want, err string }{
		{`{"object":"list","data":[{"id":"m"}]}`, "m", ""},
		{`{"object":"list","data":[{"id":"b"},{"id":"a"}]}`, "", "has several models; name one of a, b"},
		{`{"object":"list","data":[]}`, "", "lists no model; name one"},
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
		if _, err := OnlyModel(t.Context(), config); err == nil {
			t.Error("a dead endpoint listed a model")
		}
	}
}
