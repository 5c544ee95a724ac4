package server

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"halfsecond/mockllm/engine"
)

// TestBrowsers: a page of another origin may call the APIs, is told so without a key and
// without a rule, and sees what went wrong; it does not see what others asked.
func TestBrowsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startConfig(t, Config{Key: "secret", Models: []Model{oneSlot(engine.AtOnce)}})
		defer r.stop()
		ask := func(method, path string, headers ...string) (int, http.Header) {
			q, err := http.NewRequestWithContext(t.Context(), method, "http://mock"+path, strings.NewReader(`{"model":"m","prompt":"a"}`))
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(headers); i += 2 {
				q.Header.Set(headers[i], headers[i+1])
			}
			a, err := r.client.Do(q)
			if err != nil {
				t.Fatal(err)
			}
			a.Body.Close()
			return a.StatusCode, a.Header
		}
		const origin = "https://page.example"
		status, h := ask("OPTIONS", "/v1/completions", "Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,x-stainless-os")
		if status != 204 || h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Methods") != "POST" || h.Get("Access-Control-Allow-Headers") != "authorization,x-stainless-os" {
			t.Errorf("before a request the browser is told %d %v", status, h)
		}
		for _, c := range []struct {
			what, path, key, origin, fault string
			status                         int
			want                           string
		}{
			{"an answer", "/v1/completions", "Bearer secret", origin, "", 200, "*"},
			{"no key", "/v1/completions", "", origin, "", 401, "*"},
			{"a rule", "/v1/completions", "Bearer secret", origin, "status 429", 429, "*"},
			{"no such path", "/v1/nothing", "Bearer secret", origin, "", 404, "*"},
			{"no page", "/v1/completions", "Bearer secret", "", "", 200, ""},
			{"the log", "/v1/halfsecond/requests", "Bearer secret", origin, "", 403, ""},
			{"the rules", "/v1/halfsecond/faults", "Bearer secret", origin, "", 403, ""},
			{"the rules, by no page", "/v1/halfsecond/faults", "Bearer secret", "", "", 400, ""},
			{"the rules, by its own page", "/v1/halfsecond/faults", "Bearer secret", "http://mock", "", 400, ""},
		} {
			headers := []string{"Authorization", c.key}
			if c.origin != "" {
				headers = append(headers, "Origin", c.origin)
			}
			if c.fault != "" {
				headers = append(headers, "Halfsecond-Fault", c.fault)
			}
			status, h := ask("POST", c.path, headers...)
			if got := h.Get("Access-Control-Allow-Origin"); status != c.status || got != c.want || (h.Get("Access-Control-Expose-Headers") == "*") != (c.want == "*") {
				t.Errorf("%s: status %d, allowed origin %q; want %d, %q", c.what, status, got, c.status, c.want)
			}
		}
	})
}
