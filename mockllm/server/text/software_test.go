package text_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/stand"
)

// TestSoftware: how each serving software shows itself where it speaks the OpenAI API.
func TestSoftware(t *testing.T) {
	for _, c := range []struct {
		family, print, owner string
		timed, dressed       bool
	}{
		{"", "", "halfsecond", false, true},
		{"llama.cpp", "halfsecond", "llamacpp", true, false},
		{"llama.cpp-2024", "halfsecond", "llamacpp", true, false},
		{"ik_llama.cpp", "halfsecond", "llamacpp", true, false},
		{"ollama", "fp_ollama", "library", false, false},
		{"vllm", "", "vllm", false, false},
		{"vllm-v0", "", "vllm", false, false},
		{"sglang", "", "sglang", false, false},
		{"trtllm", "", "halfsecond", false, false},
	} {
		stand.Run(t, serve.Config{Models: []serve.Model{{Name: "m", Context: 1000, Family: c.family, Build: stand.Slow}}}, func(s *stand.Stand) {
			for path, asked := range map[string]string{"/v1/chat/completions": `"messages":[{"role":"user","content":"a"}]`, "/v1/completions": `"prompt":"a"`} {
				for _, stream := range []string{"true", "false"} {
					answer := s.Send("POST", path, `{"model":"m","mock_answer":"x","stream":`+stream+`,`+asked+`}`)
					b, err := io.ReadAll(answer.Body)
					if err != nil {
						t.Fatal(err)
					}
					text, want := string(b), strings.Count(string(b), `"model":"m"`) // in each chunk
					if c.print == "" {
						want = 0
					}
					if got := strings.Count(text, `"system_fingerprint":"`+c.print+`"`); got != want {
						t.Errorf("%q %s: %d times the fingerprint %q, want %d: %s", c.family, path, got, c.print, want, text)
					}
					if got := strings.Contains(text, `"timings"`); got != c.timed {
						t.Errorf("%q %s: timings %t, want %t", c.family, path, got, c.timed)
					}
					if got := answer.Header.Get("openai-version") != ""; got != c.dressed {
						t.Errorf("%q %s: the service's headers %t, want %t", c.family, path, got, c.dressed)
					}
				}
			}
			if _, text, _ := s.Whole("GET", "/v1/models", ""); !strings.Contains(text, `"owned_by":"`+c.owner+`"`) {
				t.Errorf("%q: models %s, want the owner %s", c.family, text, c.owner)
			}
		})
	}
}

// TestServerHeader: every answer names the software where all models have the same.
func TestServerHeader(t *testing.T) {
	for want, families := range map[string][]string{
		"llama.cpp": {"llama.cpp"}, "uvicorn": {"vllm", "sglang"}, "": {"llama.cpp", "vllm"},
	} {
		var c serve.Config
		for i, f := range families {
			c.Models = append(c.Models, serve.Model{Name: fmt.Sprint("m", i), Context: 1000, Family: f, Build: stand.Slow})
		}
		stand.Run(t, c, func(s *stand.Stand) {
			for _, path := range []string{"/v1/models", "/nowhere"} {
				if got := s.Send("GET", path, "").Header.Get("Server"); got != want {
					t.Errorf("%v: GET %s has the server %q, want %q", families, path, got, want)
				}
			}
		})
	}
}

// TestOnlyModel: llama.cpp's server asks for no model's name when it has one model, others
// do; both say which there are.
func TestOnlyModel(t *testing.T) {
	for _, c := range []struct {
		families string
		body     string
		want     string
	}{
		{"llama.cpp", `{"prompt":"a"}`, `"model":"m0"`},
		{"llama.cpp", `{"model":"gpt-4","prompt":"a"}`, `"model":"m0"`},
		{"llama.cpp vllm", `{"prompt":"a"}`, "you must provide a model parameter; this server has `m0`, `m1`"},
		{"vllm", `{"prompt":"a"}`, "you must provide a model parameter; this server has `m0`"},
		{"vllm", `{"model":"gpt-4","prompt":"a"}`, "The model `gpt-4` does not exist or you do not have access to it. This server has `m0`."},
	} {
		var config serve.Config
		for i, f := range strings.Fields(c.families) {
			config.Models = append(config.Models, serve.Model{Name: fmt.Sprint("m", i), Context: 1000, Family: f, Build: stand.Slow})
		}
		stand.Run(t, config, func(s *stand.Stand) {
			if _, text, _ := s.Whole("POST", "/v1/completions", c.body); !strings.Contains(text, c.want) {
				t.Errorf("%s %s: %s\nwant %s", c.families, c.body, text, c.want)
			}
		})
	}
	stand.Run(t, serve.Config{AnyModel: true}, func(s *stand.Stand) {
		if _, text, _ := s.Whole("POST", "/v1/completions", `{"prompt":"a"}`); !strings.Contains(text, `"model":"m"`) {
			t.Errorf("any model will do, and none is refused: %s", text)
		}
	})
}

// TestLimitBeyondContext: llama.cpp and Ollama end such an answer with the context, others
// refuse it.
func TestLimitBeyondContext(t *testing.T) {
	for family, want := range map[string]string{
		"llama.cpp": `200 "completion_tokens":99`, "ollama": `200 "completion_tokens":99`, "vllm": `400 "code":"context_length_exceeded"`, "": `400 "code":"context_length_exceeded"`,
	} {
		stand.Run(t, serve.Config{Models: []serve.Model{{Name: "m", Context: 100, Family: family, Build: stand.Slow}}}, func(s *stand.Stand) {
			status, text, _ := s.Whole("POST", "/v1/chat/completions", `{"model":"m","max_tokens":100,"ignore_eos":true,"messages":[{"role":"user","content":"a"}]}`)
			if part := want[4:]; fmt.Sprint(status) != want[:3] || !strings.Contains(text, part) {
				t.Errorf("%q: %d %s, want %s", family, status, text, want)
			}
		})
	}
}

// TestPathsWithoutVersion: llama.cpp's server and DeepSeek have them too.
func TestPathsWithoutVersion(t *testing.T) {
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		for path, asked := range map[string]string{
			"/chat/completions": `{"model":"m","mock_answer":"x","messages":[{"role":"user","content":"a"}]}`,
			"/responses":        `{"model":"m","mock_answer":"x","input":"a"}`,
		} {
			if status, text, _ := s.Whole("POST", path, asked); status != 200 || !strings.Contains(text, `"x"`) {
				t.Errorf("%s: %d %s", path, status, text)
			}
		}
		if status, text, _ := s.Whole("GET", "/models", ""); status != 200 || !strings.Contains(text, `"id":"m"`) {
			t.Errorf("/models: %d %s", status, text)
		}
	})
}

// TestCompressedBody: it is refused for what it is, in each protocol's shape.
func TestCompressedBody(t *testing.T) {
	const says = "Content-Encoding 'gzip' is not supported: send the body of your request as it is, without a Content-Encoding."
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		for path, want := range map[string]string{
			"/v1/chat/completions":             `{"error":{"message":"` + says + `","type":"invalid_request_error","param":null,"code":"unsupported_content_encoding"}}`,
			"/v1/completions":                  `{"error":{"message":"` + says + `","type":"invalid_request_error","param":null,"code":"unsupported_content_encoding"}}`,
			"/api/generate":                    `{"error":"` + says + `"}`,
			"/infill":                          `{"error":{"code":415,"message":"` + says + `","type":"invalid_request_error"}}`,
			"/v1beta/models/m:generateContent": `{"error":{"code":415,"message":"` + says + `","status":"INVALID_ARGUMENT"}}`,
			"/v1/fim/completions":              `{"object":"error","message":"` + says + `","type":"invalid_request_error","param":null,"code":null}`,
			"/v1/messages":                     `{"type":"error","error":{"type":"invalid_request_error","message":"` + says + `"},"request_id":"req_1"}`,
			"/v1/events":                       says,
		} {
			s.IDs = map[string]string{}
			if status, text, _ := s.Whole("POST", path, "\x1f\x8b", "Content-Encoding", "gzip"); status != 415 || text != want {
				t.Errorf("%s: %d %s\nwant 415 %s", path, status, text, want)
			}
		}
	})
}

// TestFormBody: a body whose sender calls it a form, as curl does, is read as JSON.
func TestFormBody(t *testing.T) {
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		for path, asked := range map[string]string{
			"/v1beta/models/m:streamGenerateContent?alt=sse": `{"contents":[{"parts":[{"text":"a"}]}],"mockAnswer":"x"}`,
			"/v1/chat/completions":                           `{"model":"m","messages":[{"role":"user","content":"a"}]}`,
			"/completion?a=b":                                `{"prompt":"a"}`,
		} {
			if status, text, _ := s.Whole("POST", path, asked, "Content-Type", "application/x-www-form-urlencoded"); status != 200 {
				t.Errorf("%s: %d %s", path, status, text)
			}
		}
	})
}
