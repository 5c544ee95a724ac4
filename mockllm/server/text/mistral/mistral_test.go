package mistral_test

import (
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/stand"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/mistral"
)

// brief shortens an event of a chat to what differs: the delta, the reason and the usage.
func briefly(lines []string) []string {
	for i, line := range lines {
		at, text, _ := strings.Cut(line, " ")
		if _, choices, ok := strings.Cut(text, `"choices":[{"index":0,"delta":`); ok {
			lines[i] = at + " " + choices
		}
	}
	return lines
}

func TestCodestralStream(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("codestral-latest", 100)}}, func(r *stand.Stand) {
		r.Same("stream", briefly(r.Lines("/v1/fim/completions", `{"model":"codestral-latest","prompt":"def f(","suffix":"):","stream":true,"stop":["\n"],"mock_answer":"a, b\nc"}`)), []string{
			`100 {"role":"assistant","content":""},"finish_reason":null}]}`,
			`100 {"content":"a"},"finish_reason":null}]}`,
			`110 {"content":","},"finish_reason":null}]}`,
			`120 {"content":" b"},"finish_reason":null}]}`,
			`130 {"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":4,"total_tokens":11}}`,
			`130 [DONE]`,
		})
		r.Same("limit", briefly(r.Lines("/v1/fim/completions", `{"model":"codestral-latest","prompt":"a","max_tokens":1,"stream":true,"mock_answer":"x y"}`))[1:], []string{
			`100 {"content":"x"},"finish_reason":null}]}`,
			`100 {"content":""},"finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`,
			`100 [DONE]`,
		})
	})
}

func TestCodestralWhole(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 100)}}, func(r *stand.Stand) {
		from := time.Now()
		var a mistral.Response
		r.Decode("/v1/fim/completions", `{"model":"m","prompt":"a","suffix":null,"min_tokens":3,"random_seed":4,"temperature":0,"mock_answer":"x"}`, &a)
		if took := time.Since(from); took != 120*time.Millisecond || a.Object != wire.ChatObject || len(a.Choices) != 1 || !strings.HasPrefix(a.Choices[0].Message.Content.Text, "x ") ||
			a.Choices[0].FinishReason != "stop" || a.Usage.CompletionTokens != 3 || a.ID == "" || a.Created == 0 {
			t.Errorf("after %s: %+v", took, a)
		}
	})
}

func TestCodestralRefusals(t *testing.T) {
	full := stand.Full("full")
	losing := stand.Losing("losing")
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 10), full, losing}}, func(r *stand.Stand) {
		for _, c := range []struct{ body, want string }{
			{`{"model":"m"}`, `422 {"detail":[{"type":"missing","loc":["body","prompt"],"msg":"Field required","input":null}]}`},
			{`{"model":"m","prompt":"a","n_predict":5}`, `422 {"detail":[{"type":"extra_forbidden","loc":["body","n_predict"],"msg":"Extra inputs are not permitted","input":5}]}`},
			{`{"model":"m","prompt":"a","max_tokens":0}`, `422 {"detail":[{"type":"value_error","loc":["body","max_tokens"],"msg":"Invalid 'max_tokens': integer below minimum value. Expected a value \u003e= 1, but got 0 instead.","input":null}]}`},
			{`[1]`, `422 {"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":[1]}]}`},
			{`{"model":`, `400 {"object":"error","message":"We could not parse the JSON body of your request: unexpected end of JSON input at byte 9.","type":"invalid_request_error","param":null,"code":null}`},
			{`{"model":"n","prompt":"a"}`, `400 {"object":"error","message":"Invalid model: n","type":"invalid_model","param":null,"code":"1500"}`},
			{`{"model":"m","prompt":"a b c d e f g h"}`, `400 {"object":"error","message":"This model's maximum context length is 10 tokens. However, your prompt resulted in 10 tokens. Please reduce the length of the prompt.","type":"invalid_request_error","param":null,"code":null}`},
			{`{"model":"full","prompt":"a"}`, `503 {"object":"error","message":"Service tier capacity exceeded for this model.","type":"invalid_request_error","param":null,"code":null}`},
			{`{"model":"full","prompt":"a","stream":true}`, `503 {"object":"error","message":"Service tier capacity exceeded for this model.","type":"invalid_request_error","param":null,"code":null}`},
		} {
			if got := r.Answer("/v1/fim/completions", c.body); got != "0 "+c.want {
				t.Errorf("%s\n got %s\nwant 0 %s", c.body, got, c.want)
			}
		}
		r.Same("a stream that fails", briefly(r.Lines("/v1/fim/completions", `{"model":"losing","prompt":"a","stream":true,"mock_answer":"x y"}`))[1:], []string{
			`100 {"content":"x"},"finish_reason":null}]}`,
			`100 {"object":"error","message":"The engine could not finish this request: the replica failed.","type":"internal_server_error","param":null,"code":null}`,
		})
	})
}
