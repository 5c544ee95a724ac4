package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// An empty reasoning or usage member must not disturb: see the cases of endpoint
// for the many shapes of a stream. Here are the forms of single fields.
func TestContentForms(t *testing.T) {
	tests := []struct{ in, text, thinking string }{
		{`"a b"`, "a b", ""},
		{`null`, "", ""},
		{`[]`, "", ""},
		{`[{"type":"text","text":"a"},{"type":"text","text":"b"}]`, "ab", ""},
		{`["a",{"text":"b"},null]`, "ab", ""},
		{`[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"}]`, "a", "hm"},
		{`[{"type":"thinking","thinking":"hm"},{"type":"reasoning","text":"!"}]`, "", "hm!"},
		{`[{"type":"input_text","text":"a"},{"type":"output_text","text":"b"},{"type":"input_image","image_url":"c"}]`, "ab", ""},
		{`[{"type":"refusal","refusal":"no"},{"type":"reference","reference_ids":[1],"text":"x"}]`, "no", ""},
		{`{"odd":1}`, "", ""},
		{`5`, "", ""},
	}
	for _, tt := range tests {
		c := Content{Text: "old", Thinking: "old"}
		if err := json.Unmarshal([]byte(tt.in), &c); err != nil || c.Text != tt.text || c.Thinking != tt.thinking {
			t.Errorf("content %s = %q and %q, error %v; want %q and %q", tt.in, c.Text, c.Thinking, err, tt.text, tt.thinking)
		}
	}
}

func TestStopForms(t *testing.T) {
	tests := []struct {
		in   string
		want Stop
		err  string
	}{
		{`"\n"`, Stop{"\n"}, ""},
		{`["a","b"]`, Stop{"a", "b"}, ""},
		{`null`, nil, ""},
		{`[1]`, nil, "stop: want a string or a list of strings"},
		{`3`, nil, "stop: want a string or a list of strings"},
	}
	for _, tt := range tests {
		var r ChatRequest
		err := json.Unmarshal([]byte(`{"stop":`+tt.in+`}`), &r)
		if !reflect.DeepEqual(r.Stop, tt.want) || !isError(err, tt.err) {
			t.Errorf("stop %s = %q, error %v; want %q, error %q", tt.in, r.Stop, err, tt.want, tt.err)
		}
	}
}

func TestPromptForms(t *testing.T) {
	tests := []struct {
		in   string
		want Prompt
		err  string
	}{
		{`"a"`, "a", ""},
		{`["a"]`, "a", ""},
		{`["a","b"]`, "", "prompt: want one string, got a list of 2"},
		{`[]`, "", "prompt: want one string, got a list of 0"},
		{`[1,2]`, "", "prompt: want a string; token numbers are not supported"},
	}
	for _, tt := range tests {
		var r CompletionRequest
		err := json.Unmarshal([]byte(`{"prompt":`+tt.in+`}`), &r)
		if r.Prompt != tt.want || !isError(err, tt.err) {
			t.Errorf("prompt %s = %q, error %v; want %q, error %q", tt.in, r.Prompt, err, tt.want, tt.err)
		}
	}
}

func isError(err error, want string) bool {
	if want == "" {
		return err == nil
	}
	return err != nil && strings.Contains(err.Error(), want)
}

func TestRequestJSON(t *testing.T) {
	limit := 64
	tests := []struct {
		request any
		want    string
	}{
		{
			ChatRequest{
				Model:     "m",
				Messages:  []Message{{Role: "user", Content: Content{Text: "a \"b\""}}},
				MaxTokens: &limit,
				Sampling:  Sampling{Stream: true, StreamOptions: &StreamOptions{IncludeUsage: true}},
			},
			`{"model":"m","messages":[{"role":"user","content":"a \"b\""}],"max_tokens":64,"stream":true,"stream_options":{"include_usage":true}}`,
		},
		{
			CompletionRequest{
				Model: "m", Prompt: "def f(", Suffix: ")\n", MaxTokens: &limit,
				Sampling: Sampling{Stop: Stop{"\n"}, IgnoreEOS: true, Mock: Mock{MockAnswer: "x"}},
			},
			`{"model":"m","prompt":"def f(","suffix":")\n","max_tokens":64,"stop":["\n"],"ignore_eos":true,"mock_answer":"x"}`,
		},
	}
	for _, tt := range tests {
		got, err := json.Marshal(tt.request)
		if err != nil || string(got) != tt.want {
			t.Errorf("request = %s, error %v; want %s", got, err, tt.want)
		}
	}
}

func TestErrorBodyJSON(t *testing.T) {
	got, err := json.Marshal(ErrorBody{APIError{Message: "bad", Type: "invalid_request_error"}})
	want := `{"error":{"message":"bad","type":"invalid_request_error","param":null,"code":null}}`
	if err != nil || string(got) != want {
		t.Errorf("error body = %s, error %v; want %s", got, err, want)
	}
}

func TestStreamBytes(t *testing.T) {
	chat := NewChatStream("chatcmpl-1", "m\"", 17, true)
	text := NewCompletionStream("cmpl-1", "m", 17, false)
	usage := Usage{PromptTokens: 12, CompletionTokens: 5, TotalTokens: 17}
	cached := usage
	cached.PromptTokensDetails = &PromptTokensDetail{CachedTokens: 8}
	thoughtful := usage
	thoughtful.CompletionTokensDetails = &CompletionTokensDetail{ReasoningTokens: 2}
	const (
		chatHead = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":17,"model":"m\"","choices":[`
		textHead = `data: {"id":"cmpl-1","object":"text_completion","created":17,"model":"m","choices":[`
	)
	tests := []struct {
		name, got, want string
	}{
		{"role", string(chat.AppendRole(nil)), chatHead + `{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}`},
		{"text", string(chat.AppendText(nil, "a\n")), chatHead + `{"index":0,"delta":{"content":"a\n"},"finish_reason":null}],"usage":null}`},
		{"finish", string(chat.AppendFinish(nil, "stop")), chatHead + `{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}`},
		{"usage", string(chat.AppendUsage(nil, usage, "")), chatHead + `],"usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17}}`},
		{"fingerprint", string(text.WithFingerprint("f\"").AppendText(nil, " a")), strings.TrimSuffix(textHead, `,"choices":[`) + `,"system_fingerprint":"f\"","choices":[{"index":0,"text":" a","logprobs":null,"finish_reason":null}]}`},
		{"completion text", string(text.AppendText(nil, " a")), textHead + `{"index":0,"text":" a","logprobs":null,"finish_reason":null}]}`},
		{"completion finish", string(text.AppendFinish(nil, "length")), textHead + `{"index":0,"text":"","logprobs":null,"finish_reason":"length"}]}`},
		{"completion usage", string(text.AppendUsage(nil, cached, `,"x":1`)), textHead + `],"usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17,"prompt_tokens_details":{"cached_tokens":8}},"x":1}`},
		{"reasoning", string(chat.AppendReasoning(nil, "h")), chatHead + `{"index":0,"delta":{"reasoning_content":"h"},"finish_reason":null}],"usage":null}`},
		{"call", string(chat.AppendCall(nil, 1, "c", "f")), chatHead + `{"index":0,"delta":{"tool_calls":[{"index":1,"id":"c","type":"function","function":{"name":"f","arguments":""}}]},"finish_reason":null}],"usage":null}`},
		{"arguments", string(chat.AppendArguments(nil, 1, "{\"")), chatHead + `{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{\""}}]},"finish_reason":null}],"usage":null}`},
		{"amended", string(chat.Amend(chat.AppendFinish(nil, "stop"), Amendment{`,"stop_reason":"x"`, `,"more":1`, &thoughtful})), chatHead + `{"index":0,"delta":{},"finish_reason":"stop","stop_reason":"x"}],"more":1,"usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17,"completion_tokens_details":{"reasoning_tokens":2}}}`},
		{"amended without counts", string(text.Amend(text.AppendText(nil, " a"), Amendment{Choice: `,"token_ids":[1]`})), textHead + `{"index":0,"text":" a","logprobs":null,"finish_reason":null,"token_ids":[1]}]}`},
		{"done", string(AppendDone(nil)), `data: [DONE]`},
	}
	for _, tt := range tests {
		if tt.got != tt.want+"\n\n" {
			t.Errorf("%s = %q, want %q", tt.name, tt.got, tt.want+"\n\n")
		}
	}
}

// What the mock writes, the client reads.
func TestChunkReadsStream(t *testing.T) {
	s := NewChatStream("a", "m", 0, true)
	read := func(event []byte) Chunk {
		t.Helper()
		c, err := ParseChunk(event[len("data: "):])
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := read(s.AppendText(nil, "hé\x01")); c.Choices[0].Delta.Content.Text != "hé\x01" || c.Usage != nil {
		t.Errorf("text chunk reads as %+v", c)
	}
	if c := read(s.AppendReasoning(nil, "hm")); c.Choices[0].Delta.ReasoningContent != "hm" || c.Choices[0].Delta.Content.Text != "" {
		t.Errorf("reasoning chunk reads as %+v", c)
	}
	if c := read(s.AppendCall(nil, 2, "c", "f")).Choices[0].Delta.ToolCalls[0]; *c.Index != 2 || c.ID != "c" || c.Type != "function" || c.Function != (Function{Name: "f"}) {
		t.Errorf("call chunk reads as %+v", c)
	}
	if c := read(s.AppendArguments(nil, 2, `{"`)).Choices[0].Delta.ToolCalls[0]; *c.Index != 2 || c.Function.Arguments != `{"` {
		t.Errorf("arguments chunk reads as %+v", c)
	}
	if c := read(s.AppendFinish(nil, FinishLength)); c.Choices[0].FinishReason != "length" {
		t.Errorf("finish chunk reads as %+v", c)
	}
	if c := read(s.AppendUsage(nil, Usage{PromptTokens: 3, CompletionTokens: 2}, "")); len(c.Choices) != 0 || *c.Usage.PromptTokens != 3 || *c.Usage.CompletionTokens != 2 {
		t.Errorf("usage chunk reads as %+v", c)
	}
}

func TestParseChunkIsLenient(t *testing.T) {
	tests := []struct{ in, text string }{
		{`{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":7}],"usage":"none"}`, "a"},
		{`{"choices":[{"index":"0","delta":{"tool_calls":{},"content":"a","reasoning":{}}}],"usage":{"completion_tokens":"2"}}`, "a"},
		{`{"choices":[null,{"delta":{"content":"a","tool_calls":[null,{"function":null}]}}]}`, "a"},
	}
	for _, tt := range tests {
		c, err := ParseChunk([]byte(tt.in))
		if err != nil || c.Choices[len(c.Choices)-1].Delta.Content.Text != tt.text {
			t.Errorf("ParseChunk(%s) = %+v, error %v; want text %q", tt.in, c, err, tt.text)
		}
	}
	for _, in := range []string{`null`, `[]`, `"x"`, `3`, `{"choices":null}`, `{"choices":{}}`} {
		if c, err := ParseChunk([]byte(in)); err != nil || len(c.Choices) != 0 {
			t.Errorf("ParseChunk(%s) = %+v, error %v; want nothing", in, c, err)
		}
	}
	for _, in := range []string{``, `{"choices":`, `hello`, `{} {}`} {
		if _, err := ParseChunk([]byte(in)); err == nil {
			t.Errorf("ParseChunk(%s) succeeded", in)
		}
	}
}

func TestArgumentsForms(t *testing.T) {
	tests := []struct{ in, want string }{
		{`"{\"a\":1}"`, `{"a":1}`},
		{`{"a": 1}`, `{"a": 1}`},
		{`null`, ``},
	}
	for _, tt := range tests {
		var f Function
		if err := json.Unmarshal([]byte(`{"arguments":`+tt.in+`}`), &f); err != nil || string(f.Arguments) != tt.want {
			t.Errorf("arguments %s = %q, error %v; want %q", tt.in, f.Arguments, err, tt.want)
		}
	}
}

// FuzzAppendString compares with the standard library, which escapes a little
// more.
func FuzzAppendString(f *testing.F) {
	f.Add("plain")
	f.Add("\"\\\n\r\t\x00\x1f\x7f é \u2028 \U0001f30d \xff\xc3")
	f.Fuzz(func(t *testing.T, s string) {
		var got, want string
		text := AppendString(nil, s)
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("AppendString(%q) = %s: %v", s, text, err)
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &want); err != nil || got != want {
			t.Errorf("AppendString(%q) reads as %q, want %q", s, got, want)
		}
	})
}

func BenchmarkAppendText(b *testing.B) {
	s := NewChatStream("chatcmpl-1", "Mistral-NeMo-12B", 1730000000, true)
	buf := make([]byte, 0, 512)
	b.ReportAllocs()
	for b.Loop() {
		buf = s.AppendText(buf[:0], " token")
	}
}

func BenchmarkParseChunk(b *testing.B) {
	event := NewChatStream("chatcmpl-1", "Mistral-NeMo-12B", 1730000000, true).AppendText(nil, " token")
	data := event[len("data: "):]
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseChunk(data); err != nil {
			b.Fatal(err)
		}
	}
}
