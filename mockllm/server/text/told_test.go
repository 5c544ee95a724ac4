package text_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/answer"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/stand"
	"halfsecond/pipeline"
)

// TestAnswers: a source of answers is asked by every protocol, with the place to be
// filled in where there is one.
func TestAnswers(t *testing.T) {
	code := &answer.Code{Accuracy: 1, Documents: answer.Documents{"func add(a, b int) int {\n\treturn a + b\n}\n"}}
	for _, c := range []struct {
		name, path, body string
		source           answer.Source
		want             string
	}{
		{"suffix", "/v1/completions", `{"model":"m","prompt":"func add(","suffix":") int {"}`, code, `"text":"a, b int"`},
		{"fill-in-the-middle tokens", "/v1/completions", `{"model":"m","prompt":"<|fim_prefix|>func add(<|fim_suffix|>) int {<|fim_middle|>"}`, code, `"text":"a, b int"`},
		{"one token each", "/v1/completions", `{"model":"m","prompt":"<|fim_prefix|>func<|fim_suffix|>x<|fim_middle|>"}`, code, `"prompt_tokens":5`},
		{"infill", "/infill", `{"input_prefix":"func add(","input_suffix":") int {"}`, code, `"content":"a, b int"`},
		{"codestral", "/v1/fim/completions", `{"model":"m","prompt":"func add(","suffix":") int {"}`, code, `"content":"a, b int"`},
		{"ollama", "/api/generate", `{"model":"m","prompt":"func add(","suffix":") int {","stream":false}`, code, `"response":"a, b int"`},
		{"tabby", "/v1/completions", `{"language":"go","segments":{"prefix":"func add(","suffix":") int {"}}`, code, `"text":"a, b int"`},
		{"echo", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"hello there"}]}`, answer.Echo{}, `"content":"hello there"`},
		{"echo, but dictated", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"hello"}],"mock_answer":"bye"}`, answer.Echo{}, `"content":"bye"`},
		{"code has nothing to say, and the request has", "/v1/completions", `{"model":"m","prompt":"x","mock_answer":"yes"}`, code, `"text":"yes"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			stand.Run(t, serve.Config{Answers: c.source}, func(s *stand.Stand) {
				status, text, _ := s.Whole("POST", c.path, c.body)
				if status != 200 || !strings.Contains(text, c.want) {
					t.Errorf("status %d, %s\nwant %s", status, text, c.want)
				}
			})
		})
	}
}

// TestAnyModel: names that nobody knows are served when the server shall, and 404 when
// not, whatever the protocol.
func TestAnyModel(t *testing.T) {
	for _, q := range []struct{ path, body string }{
		{"/v1/chat/completions", `{"model":"gpt-9","messages":[{"role":"user","content":"x"}]}`},
		{"/v1/messages", `{"model":"claude-9","max_tokens":5,"messages":[{"role":"user","content":"x"}]}`},
		{"/api/chat", `{"model":"llama9","stream":false,"messages":[{"role":"user","content":"x"}]}`},
		{"/v1/fim/completions", `{"model":"codestral-9","prompt":"x"}`},
		{"/v1beta/models/gemini-9:generateContent", `{"contents":[{"role":"user","parts":[{"text":"x"}]}]}`},
	} {
		stand.Run(t, serve.Config{AnyModel: true}, func(s *stand.Stand) {
			if status, text, _ := s.Whole("POST", q.path, q.body); status != 200 {
				t.Errorf("%s: status %d: %s", q.path, status, text)
			}
		})
		stand.Run(t, serve.Config{}, func(s *stand.Stand) {
			if status, _, _ := s.Whole("POST", q.path, q.body); status != 404 && status != 400 {
				t.Errorf("%s: status %d of an unknown model", q.path, status)
			}
		})
	}
}

// TestQuota: one request too many is told so in each protocol's words, with the time
// to wait.
func TestQuota(t *testing.T) {
	quota := serve.Model{Name: "m", Context: 1000, Build: func(l pipeline.Scheduler) engine.Engine {
		return engine.NewQuota(l, engine.QuotaConfig{Requests: 1, Per: time.Minute, RetryAfter: 1500*time.Millisecond + 300*time.Microsecond}, stand.Slow(l))
	}}
	const chat = `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}]}`
	stand.Run(t, serve.Config{Models: []serve.Model{quota}}, func(s *stand.Stand) {
		s.Whole("POST", "/v1/chat/completions", chat)
		for path, want := range map[string]string{
			"/v1/chat/completions": `{"error":{"message":"Rate limit reached: rate limit of 1 requests in 1m0s reached, try again in 1.5003s.","type":"requests","param":null,"code":"rate_limit_exceeded"}}`,
			"/v1/messages":         `"type":"rate_limit_error"`,
		} {
			answer := s.Send("POST", path, chat)
			body, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil || answer.StatusCode != 429 || !strings.Contains(string(body), want) {
				t.Errorf("%s: %d %s %v, want 429 with %s", path, answer.StatusCode, body, err, want)
			}
			if h := answer.Header; h.Get("Retry-After") != "2" || h.Get("Retry-After-Ms") != "1500.3" {
				t.Errorf("%s: headers %v, want 2 s and 1500.3 ms to wait", path, h)
			}
		}
	})
}

// TestTimings: on the OpenAI paths of llama.cpp's server the last chunk has its timings.
func TestTimings(t *testing.T) {
	const timings = `"timings":{"cache_n":0,"prompt_n":2,"prompt_ms":100,"prompt_per_token_ms":50,"prompt_per_second":20,"predicted_n":3,"predicted_ms":20,"predicted_per_token_ms":10,"predicted_per_second":100}`
	llama := []serve.Model{{Name: "m", Context: 1000, Family: "llama.cpp", Build: stand.Slow}}
	for name, options := range map[string]string{
		"last chunk": `"stream":true`, "usage chunk": `"stream":true,"stream_options":{"include_usage":true}`, "whole": `"stream":false`,
	} {
		stand.Run(t, serve.Config{Models: llama}, func(s *stand.Stand) {
			_, text, _ := s.Whole("POST", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"a b"}],"mock_answer":"one two three",`+options+`}`)
			if strings.Count(text, `"timings"`) != 1 || !strings.Contains(text, timings) {
				t.Errorf("%s: %s\nwant once %s", name, text, timings)
			}
		})
	}
}

// TestWriteError: a client that asks is told how late the answer was written.
func TestWriteError(t *testing.T) {
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		const body = `{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}],"mock_answer":"one two"}`
		read := func(how string) (header, trailer string) {
			answer := s.Send("POST", "/v1/chat/completions", body, "Halfsecond-Timing", how)
			defer answer.Body.Close()
			if _, err := io.Copy(io.Discard, answer.Body); err != nil {
				t.Fatal(err)
			}
			return answer.Header.Get("Halfsecond-Write-Error"), answer.Trailer.Get("Halfsecond-Write-Error")
		}
		for _, c := range []struct{ how, header, trailer string }{
			{"header", "n=0 fit=unknown", ""},
			{"trailer", "", "n=2 mean_us=0 p50_us=0 max_us=0 fit=unknown"},
			{"header", "n=4 mean_us=0 p50_us=0 max_us=0 fit=unknown", ""},
			{"", "", ""},
		} {
			if h, tr := read(c.how); h != c.header || tr != c.trailer {
				t.Errorf("asked for %q: header %q, trailer %q; want %q, %q", c.how, h, tr, c.header, c.trailer)
			}
		}
	})
}

// stated says one text, and with which tokens it comes.
type stated struct {
	text string
	ends []int
}

// Answer implements answer.Source.
func (s stated) Answer(a *answer.Asked) (string, bool) {
	a.Ends = s.ends
	return s.text, true
}

// TestStatedTokens: a source may state where the tokens of its answer end, which need not
// hold a word each, nor anything at all; limits cut it there, and it is as long as it says.
func TestStatedTokens(t *testing.T) {
	for _, c := range []struct {
		source stated
		more   string // of the request
		want   string
	}{
		{stated{"get(x)", []int{3, 3, 6}}, "", "100 get, 120 (x), 120 stop 3"},
		{stated{"", []int{0, 0}}, "", "110 stop 2"},
		{stated{"get(x)", []int{0, 0, 6}}, `,"max_tokens":2`, "110 length 2"},
		{stated{"get(x)", []int{1, 6}}, `,"max_tokens":3,"ignore_eos":true`, "100 g, 110 et(x), 120 *, 120 length 3"},
		{stated{"a b", nil}, "", "100 a, 110  b, 110 stop 2"},
	} {
		stand.Run(t, serve.Config{Answers: c.source}, func(s *stand.Stand) {
			var got []string
			for _, line := range s.Lines("/v1/completions", `{"model":"m","prompt":"x","stream":true,"stream_options":{"include_usage":true}`+c.more+`}`) {
				at, data, _ := strings.Cut(line, " ")
				var e struct {
					Choices []struct {
						Text   string
						Finish string `json:"finish_reason"`
					}
					Usage *struct {
						Tokens int `json:"completion_tokens"`
					}
				}
				if json.Unmarshal([]byte(data), &e) != nil { // [DONE]
					continue
				}
				switch {
				case e.Usage != nil:
					got[len(got)-1] += fmt.Sprint(" ", e.Usage.Tokens)
				case e.Choices[0].Finish != "":
					got = append(got, at+" "+e.Choices[0].Finish)
				case len(got) == 2 && c.more != "" && len(c.source.ends) == 2:
					got = append(got, at+" *") // padding, of the mock's choice
				default:
					got = append(got, at+" "+e.Choices[0].Text)
				}
			}
			if text := strings.Join(got, ", "); text != c.want {
				t.Errorf("%q %v%s: %s, want %s", c.source.text, c.source.ends, c.more, text, c.want)
			}
		})
	}
}
