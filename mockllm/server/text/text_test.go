package text_test

import (
	"strings"
	"testing"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/stand"
)

// TestUnknown says in the client's own shape what there is.
func TestUnknown(t *testing.T) {
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		status, text, _ := s.Whole("GET", "/v2/chat", "")
		if want := `{"error":{"message":"Unknown request URL: GET /v2/chat. Please check the URL and the method for typos; this server has the generating requests of the OpenAI API (POST /v1/chat/completions, /v1/completions and /v1/responses), of Anthropic`; status != 404 || !strings.HasPrefix(text, want) {
			t.Errorf("HTTP %d %s\nwant HTTP 404 %s", status, text, want)
		}
		status, text, _ = s.Whole("GET", "/v1/complete", "", "anthropic-version", "2023-06-01")
		if want := `{"type":"error","error":{"type":"not_found_error","message":"Unknown request URL: GET /v1/complete.`; status != 404 || !strings.HasPrefix(text, want) {
			t.Errorf("HTTP %d %s\nwant HTTP 404 %s", status, text, want)
		}
	})
}

// TestFailsMidStream: what a client sees when the engine gives up after the first token.
func TestFailsMidStream(t *testing.T) {
	m := stand.Losing("m")
	const message = "The engine could not finish this request: the replica failed."
	stand.Run(t, serve.Config{Models: []serve.Model{m}}, func(r *stand.Stand) {
		for _, c := range []struct{ path, body, first, want string }{
			{"/api/generate", `{"model":"m","prompt":"a","mock_answer":"x y"}`, `"response":"x"`, `100 {"error":"` + message + `"}`},
			{"/api/chat", `{"model":"m","messages":[{"role":"user","content":"a"}],"mock_answer":"x y"}`, `"content":"x"`, `100 {"error":"` + message + `"}`},
			{"/completion", `{"prompt":"a","stream":true,"mock_answer":"x y"}`, `"content":"x"`, `100 {"error":{"code":500,"message":"` + message + `","type":"server_error"}}`},
		} {
			if got := r.Lines(c.path, c.body); len(got) != 2 || !strings.Contains(got[0], c.first) || got[1] != c.want {
				t.Errorf("%s\n got %q\nwant first %s, then %s", c.path, got, c.first, c.want)
			}
		}
	})
}
