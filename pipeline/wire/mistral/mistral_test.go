package mistral

import (
	"encoding/json"
	"testing"

	"halfsecond/pipeline/wire"
)

func TestRead(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`{"model":"m","prompt":"a","suffix":"b","max_tokens":5,"min_tokens":1,"temperature":0.2,"top_p":1,"stream":true,"stop":["\n"],"random_seed":3,"metadata":{"a":1},"prompt_cache_key":"k","mock_answer":"x"}`, `null`},
		{`{"model":"m","prompt":"a","suffix":null,"stop":"x","max_tokens":null,"stream":null}`, `null`},
		{`{"prompt":null,"model":1}`, `[{"type":"string_type","loc":["body","model"],"msg":"Input should be a valid string","input":1},{"type":"string_type","loc":["body","prompt"],"msg":"Input should be a valid string","input":null}]`},
		{`{"model":"m"}`, `[{"type":"missing","loc":["body","prompt"],"msg":"Field required","input":null}]`},
		{
			`{"model":"m","prompt":"a","max_tokens":"5","max_completion_tokens":8192,"store":false}`,
			`[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted","input":8192},{"type":"int_type","loc":["body","max_tokens"],"msg":"Input should be a valid integer","input":"5"},{"type":"extra_forbidden","loc":["body","store"],"msg":"Extra inputs are not permitted","input":false}]`,
		},
	} {
		q, wrong, err := Read([]byte(c.body))
		text, e := json.Marshal(wrong)
		if err != nil || e != nil || string(text) != c.want {
			t.Errorf("%s\n got %s, error %v, %v\nwant %s", c.body, text, err, e, c.want)
		}
		if wrong == nil && (q.Model != "m" || *q.Prompt != "a") {
			t.Errorf("%s is read as %+v", c.body, q)
		}
	}
	for _, body := range []string{``, `null`, `[]`, `{"model"`} {
		if _, _, err := Read([]byte(body)); err == nil {
			t.Errorf("%q is read without an error", body)
		}
	}
}

func TestStream(t *testing.T) {
	s := NewStream("i", "codestral-latest", 7)
	head := `data: {"id":"i","object":"chat.completion.chunk","created":7,"model":"codestral-latest","choices":[{"index":0,"delta":{`
	for _, c := range []struct{ got, want string }{
		{string(s.AppendRole(nil)), head + `"role":"assistant","content":""},"finish_reason":null}]}`},
		{string(s.AppendText(nil, "\"")), head + `"content":"\""},"finish_reason":null}]}`},
		{string(s.AppendFinish(nil, "stop", wire.Usage{PromptTokens: 1, CompletionTokens: 2, TotalTokens: 3})), head + `"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`},
	} {
		if c.got != c.want+"\n\n" {
			t.Errorf("event\n got %swant %s", c.got, c.want)
		}
		if _, err := wire.ParseChunk([]byte(c.got)[len("data: "):]); err != nil {
			t.Errorf("%s: %v", c.got, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"model":"m","prompt":"a","stop":["\n"]}`))
	f.Add([]byte(`{"prompt":1,"x":[{}],"stop":{}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, body []byte) {
		q, wrong, err := Read(body)
		if err == nil && len(wrong) == 0 && q.Prompt == nil {
			t.Errorf("%s is taken without a prompt", body)
		}
	})
}
