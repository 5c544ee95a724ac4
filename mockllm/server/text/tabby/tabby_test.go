package tabby_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/stand"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/tabby"
)

func TestTabby(t *testing.T) {
	long := strings.Repeat("a", 2000)
	for _, c := range []struct{ name, body, text, prompt string }{
		{"segments", `"language":"python","segments":{"prefix":"def f(","suffix":"):"},"mock_answer":"a, b"`, "120 a, b", "<|fim_prefix|>def f(<|fim_suffix|>):<|fim_middle|>"},
		{"no suffix", `"language":"go","segments":{"prefix":"a"},"mock_answer":"b"`, "100 b", "<|fim_prefix|>a<|fim_suffix|>\n<|fim_middle|>"},
		{"empty suffix", `"segments":{"prefix":"a","suffix":""},"mock_answer":"b"`, "100 b", "<|fim_prefix|>a<|fim_suffix|>\n<|fim_middle|>"},
		{"raw prompt", `"segments":{"prefix":"a"},"debug_options":{"raw_prompt":"x y","return_prompt":true},"mock_answer":"b"`, "100 b", "x y"},
		{"windows", `"language":"go","segments":{"prefix":"a\r\n","suffix":"\r\nc"},"mock_answer":"b\nd"`, "120 b\r\nd", "<|fim_prefix|>a\n<|fim_suffix|>\nc<|fim_middle|>"},
		{"an empty line ends it", `"language":"go","segments":{"prefix":"a"},"mock_answer":"b\n\nc"`, "110 b", ""},
		{"a comment ends it", `"language":"python","segments":{"prefix":"a"},"mock_answer":"b\n# c"`, "120 b", ""},
		{"no comment ends it", `"language":"html","segments":{"prefix":"a"},"mock_answer":"b\n# c\n\nd"`, "140 b\n# c", ""},
		{"a line ends it", `"language":"cobol","segments":{"prefix":"a"},"mock_answer":"b\nc"`, "110 b", ""},
		{"limit", `"language":"go","segments":{"prefix":"a"},"mock_answer":"` + strings.Repeat(" x", 100) + `"`, "730" + strings.Repeat(" x", 64), ""},
		{"next edit", `"mode":"next_edit_suggestion","segments":{"prefix":"","edit_history":{"original_code":"a","edits_diff":"b","current_version":"c"}},"mock_answer":"d"`, "100 d", "a\nb\nc"},
	} {
		stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 1000)}}, func(r *stand.Stand) {
			body := c.body
			if !strings.Contains(body, "debug_options") {
				body += `,"debug_options":{"return_prompt":true,"return_snippets":true}`
			}
			from := time.Now()
			var a tabby.CompletionResponse
			r.Decode("/v1/completions", `{`+body+`}`, &a)
			got := fmt.Sprintf("%d %s", time.Since(from)/time.Millisecond, strings.TrimPrefix(a.Choices[0].Text, " "))
			if got != c.text || c.prompt != "" && *a.DebugData.Prompt != c.prompt {
				t.Errorf("%s\n got %q from %q\nwant %q from %q", c.name, got, *a.DebugData.Prompt, c.text, c.prompt)
			}
			if !regexp.MustCompile(`^cmpl-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(a.ID) {
				t.Errorf("%s: id %q is no UUID", c.name, a.ID)
			}
		})
	}
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 1000)}}, func(r *stand.Stand) {
		got := r.Answer("/v1/completions", `{"language":"python","segments":{"prefix":"`+long+`"},"mock_answer":"b"}`)
		if !strings.HasPrefix(got, "100 200 ") || !strings.HasSuffix(got, `,"choices":[{"index":0,"text":"b"}],"mode":"standard"}`) {
			t.Errorf("the answer is %s", got)
		}
		entries, _ := r.Ledger.Latest(1)
		// The last 1536 bytes: of the prefix what the other tokens leave, in words of six letters.
		kept := 1536 - len("<|fim_suffix|>\n<|fim_middle|>")
		if want := (kept+5)/6 + 3; entries[0].Prompt != want {
			t.Errorf("the clipped prompt has %d tokens, want %d", entries[0].Prompt, want)
		}
	})
}

// TestTabbyOrOpenAI: two APIs share a path.
func TestTabbyOrOpenAI(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 1000)}, MaxBody: 200}, func(r *stand.Stand) {
		for _, c := range []struct{ body, want string }{
			{`{"language":"go"}`, "0 400 empty prompt from completion request: it has neither segments nor a raw_prompt"},
			{`{"debug_options":{}}`, "0 400 empty prompt from completion request: it has neither segments nor a raw_prompt"},
			{`{"mode":"next_edit_suggestion","segments":{"prefix":"a"}}`, "0 400 empty prompt from completion request: it has neither segments nor a raw_prompt"},
			{`{"segments":{"prefix":1}}`, "0 400 Invalid type for 'prefix': expected a string, but got number instead."},
			{`{"segments":5}`, "0 400 Invalid type for 'segments': expected an object, but got number instead."},
		} {
			if got := r.Answer("/v1/completions", c.body); got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.body, got, c.want)
			}
		}
		var a wire.CompletionResponse
		r.Decode("/v1/completions", `{"model":"m","prompt":"a","language":"go","mock_answer":"b"}`, &a)
		if a.Object != wire.CompletionObject || a.Choices[0].Text != "b" {
			t.Errorf("a completion of the OpenAI API is %+v", a)
		}
		var e wire.ErrorBody
		for _, body := range []string{`{"segments"`, `[]`, `{"model":"m","prompt":"` + strings.Repeat("a", 200) + `"}`} {
			r.Decode("/v1/completions", body, &e)
			if e.Error.Type != "invalid_request_error" {
				t.Errorf("%s is refused as %+v", body, e)
			}
		}
	})
}

func TestTabbyEventsAndHealth(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 1000)}}, func(r *stand.Stand) {
		for body, want := range map[string]string{
			`{"type":"view","completion_id":"cmpl-1","choice_index":0,"view_id":"v","elapsed":12}`: "0 200 ",
			`{"type":"select","completion_id":"cmpl-1","choice_index":0}`:                          "0 200 ",
			`{"type":"dismiss","completion_id":"cmpl-1","choice_index":0}`:                         "0 200 ",
			`{"type":"like"}`: `0 400 type "like" is not one of view, select, dismiss`,
		} {
			if got := r.Answer("/v1/events?select_kind=line", body); got != want {
				t.Errorf("%s gives %q, want %q", body, got, want)
			}
		}
		for _, body := range []string{"", "{}"} {
			var h tabby.Health
			r.Decode("/v1/health", body, &h)
			if h.Model != "m" || h.CPUCount < 1 || h.CUDADevices == nil {
				t.Errorf("health is %+v", h)
			}
		}
	})
}
