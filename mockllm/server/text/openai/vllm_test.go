package openai_test

import (
	"strings"
	"testing"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/stand"
)

func TestTokenize(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"m","prompt":"one two"}`:              `{"count":2,"max_model_len":1000,"tokens":[975641071,1495918727]}`,
		`{"prompt":"one two","return_token_strs":true}`: `{"count":2,"max_model_len":1000,"tokens":[975641071,1495918727],"token_strs":["one"," two"]}`,
		`{"prompt":""}`: `{"count":0,"max_model_len":1000,"tokens":[]}`,
		`{"model":"m","messages":[{"role":"user","content":"one"},{"role":"assistant","content":[{"type":"text","text":" two"}]}]}`: `{"count":2,"max_model_len":1000,"tokens":[975641071,1495918727]}`,
		`{"content":"one"}`:            `{"tokens":[975641071]}`,
		`{"content":""}`:               `{"tokens":[]}`,
		`{"model":"x","prompt":"one"}`: "{\"error\":{\"message\":\"The model `x` does not exist or you do not have access to it. This server has `m`.\",\"type\":\"invalid_request_error\",\"param\":\"model\",\"code\":\"model_not_found\"}}",
		`{"prompt":5}`:                 `{"error":{"message":"Invalid type for 'prompt': expected a string, but got number instead.","type":"invalid_request_error","param":"prompt","code":"invalid_type"}}`,
	} {
		stand.Run(t, serve.Config{}, func(s *stand.Stand) {
			if _, text, took := s.Whole("POST", "/tokenize", body); took != 0 || text != want {
				t.Errorf("%s: after %s %s\nwant at once %s", body, took, text, want)
			}
		})
	}
	two := serve.Config{Models: []serve.Model{{Name: "a", Context: 9, Build: stand.Slow}, {Name: "b", Context: 9, Build: stand.Slow}}}
	stand.Run(t, two, func(s *stand.Stand) {
		if status, text, _ := s.Whole("POST", "/tokenize", `{"prompt":"one"}`); status != 400 || !strings.Contains(text, "you must provide a model parameter") {
			t.Errorf("no model of two: HTTP %d %s", status, text)
		}
	})
}

func TestVLLMRoutes(t *testing.T) {
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		for _, c := range []struct {
			method, path string
			status       int
			want         string
		}{
			{"POST", "/detokenize", 501, `{"error":{"message":"The tokens of this server cannot be turned back into text: their numbers are hashes. Keep`},
			{"GET", "/version", 200, `{"version":"0.0.0+halfsecond"}`},
			{"GET", "/ping", 200, ``},
			{"POST", "/ping", 200, ``},
		} {
			if status, text, _ := s.Whole(c.method, c.path, `{"tokens":[1]}`); status != c.status || !strings.HasPrefix(text, c.want) {
				t.Errorf("%s %s: HTTP %d %s\nwant HTTP %d %s", c.method, c.path, status, text, c.status, c.want)
			}
		}
	})
}
