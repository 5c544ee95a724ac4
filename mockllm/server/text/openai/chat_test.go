package openai_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/stand"
	"halfsecond/mockllm/server/text/tokenid"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire"
)

const (
	chatHead = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":946684800,"model":"m","choices":[`
	role     = `{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]`
	askIt    = `"model":"m","messages":[{"role":"user","content":"Say it"}]`
	toolF    = `"tools":[{"type":"function","function":{"name":"f","parameters":{"properties":{"n":{"type":"integer"}},"required":["n"]}}},{"type":"function","function":{"name":"g"}}]`
)

// chunks returns chunks of a chat, given as an instant and what follows the head.
func chunks(pairs ...any) []string {
	var lines []string
	for i := 0; i < len(pairs); i += 2 {
		text := fmt.Sprint(pairs[i+1])
		if text != wire.Done {
			text = strings.TrimPrefix(chatHead, "data: ") + text + "}"
		}
		lines = append(lines, fmt.Sprintf("%d data: %s", pairs[i], text))
	}
	return lines
}

func delta(text string) string { return `{"index":0,"delta":{` + text + `},"finish_reason":null}]` }

// TestChatReasons: reasoning comes first, under its own name, and is counted.
func TestChatReasons(t *testing.T) {
	const body = `"mock_thinking":"hm hm","mock_answer":"one two","stop":"hm two"`
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		got := s.Stream("/v1/chat/completions", `{`+askIt+`,"stream":true,"stream_options":{"include_usage":true},`+body+`}`)
		stand.CheckLines(t, "stream", got, chunks(
			100, role+`,"usage":null`,
			100, delta(`"reasoning_content":"hm"`)+`,"usage":null`,
			110, delta(`"reasoning_content":" hm"`)+`,"usage":null`,
			120, delta(`"content":"one"`)+`,"usage":null`,
			130, delta(`"content":" two"`)+`,"usage":null`,
			130, `{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null`,
			130, `],"usage":{"prompt_tokens":2,"completion_tokens":4,"total_tokens":6,"completion_tokens_details":{"reasoning_tokens":2}}`,
			130, wire.Done,
		))
		status, text, took := s.Whole("POST", "/v1/chat/completions", `{`+askIt+`,`+body+`}`)
		want := `{"id":"chatcmpl-2","object":"chat.completion","created":946684800,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"one two","reasoning_content":"hm hm"},"finish_reason":"stop"}],"usage":{"prompt_tokens":2,"completion_tokens":4,"total_tokens":6,"completion_tokens_details":{"reasoning_tokens":2}}}`
		if status != 200 || took != 130*time.Millisecond || text != want {
			t.Errorf("HTTP %d after %s: %s\nwant HTTP 200 after 130ms: %s", status, took, text, want)
		}
	})
}

// TestChatCalls: a call opens with its id and name and goes on with its arguments, each
// token a chunk.
func TestChatCalls(t *testing.T) {
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		got := s.Stream("/v1/chat/completions", `{`+askIt+`,"stream":true,`+toolF+`,"mock_tool":["f","g"],"mock_answer":"{\"n\":7}"}`)
		open := `"tool_calls":[{"index":%d,"id":"call_%d","type":"function","function":{"name":"%s","arguments":""}}]`
		more := `"tool_calls":[{"index":%d,"function":{"arguments":"%s"}}]`
		want := chunks(
			100, role, 100, delta(fmt.Sprintf(open, 0, 1, "f")), 100, delta(fmt.Sprintf(more, 0, `{`)),
			110, delta(fmt.Sprintf(more, 0, `\"`)), 120, delta(fmt.Sprintf(more, 0, `n`)), 130, delta(fmt.Sprintf(more, 0, `\"`)),
			140, delta(fmt.Sprintf(more, 0, `:`)), 150, delta(fmt.Sprintf(more, 0, `7`)), 160, delta(fmt.Sprintf(more, 0, `}`)),
			170, delta(fmt.Sprintf(open, 1, 2, "g")), 170, delta(fmt.Sprintf(more, 1, `{`)), 180, delta(fmt.Sprintf(more, 1, `}`)),
			180, `{"index":0,"delta":{},"finish_reason":"tool_calls"}]`, 180, wire.Done,
		)
		stand.CheckLines(t, "stream", got, want)
		_, text, took := s.Whole("POST", "/v1/chat/completions", `{`+askIt+`,`+toolF+`,"tool_choice":{"type":"function","function":{"name":"f"}},"mock_answer":"{\"n\":7}"}`)
		answer := `"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_3","type":"function","function":{"name":"f","arguments":"{\"n\":7}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":40,"completion_tokens":7,"total_tokens":47}}`
		if took != 160*time.Millisecond || !strings.HasSuffix(text, answer) {
			t.Errorf("after %s: %s\nwant after 160ms %s", took, text, answer)
		}
		_, text, _ = s.Whole("POST", "/v1/chat/completions", `{`+askIt+`,`+toolF+`,"tool_choice":"required","mock_tool":"f","mock_answer":"{\"n\":7}","max_tokens":5}`)
		if answer := `"function":{"name":"f","arguments":"{\"n\":"}}]},"finish_reason":"length"}]`; !strings.Contains(text, answer) {
			t.Errorf("a call that the limit cuts: %s\nwant %s", text, answer)
		}
	})
}

// TestChatFormat: an answer that shall be JSON of a schema is.
func TestChatFormat(t *testing.T) {
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		for format, want := range map[string]string{
			`{"type":"json_schema","json_schema":{"name":"x","schema":{"properties":{"a":{"const":[1,"b"]},"c":{"enum":["d"]}},"required":["a","c"]}}}`: `{"a":[1,"b"],"c":"d"}`,
			`{"type":"text"}`: "",
		} {
			_, text, _ := s.Whole("POST", "/v1/chat/completions", `{`+askIt+`,"response_format":`+format+`}`)
			var got wire.ChatResponse
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
			if said := got.Choices[0].Message.Content.Text; want != "" && said != want || want == "" && json.Valid([]byte(said)) {
				t.Errorf("format %s: %q, want %q", format, said, want)
			}
		}
		_, text, _ := s.Whole("POST", "/v1/chat/completions", `{`+askIt+`,"response_format":{"type":"json_object"}}`)
		var got wire.ChatResponse
		var object struct{ Answer string }
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(got.Choices[0].Message.Content.Text), &object); err != nil || object.Answer == "" {
			t.Errorf("json_object: %s (%v), want an object with an answer", text, err)
		}
	})
}

// TestChatWhenItReasons: a model reasons when it is told to and can.
func TestChatWhenItReasons(t *testing.T) {
	for body, want := range map[string]int{
		`"reasoning_effort":"high"`:                         4,
		`"reasoning_effort":"low"`:                          4,
		`"reasoning_effort":"minimal"`:                      0,
		`"reasoning_effort":"none"`:                         0,
		`"seed":1`:                                          0,
		`"chat_template_kwargs":{"enable_thinking":true}`:   4,
		`"chat_template_kwargs":{"thinking":true}`:          4,
		`"chat_template_kwargs":{"enable_thinking":false}`:  0,
		`"reasoning_effort":"high","max_tokens":3`:          3,
		`"reasoning_effort":"high","mock_thinking":"a b c"`: 3,
	} {
		stand.Run(t, serve.Config{ThinkingTokens: dist.ConstantCount(4)}, func(s *stand.Stand) {
			_, text, _ := s.Whole("POST", "/v1/chat/completions", `{`+askIt+`,`+body+`}`)
			var got wire.ChatResponse
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
			n := 0
			if d := got.Usage.CompletionTokensDetails; d != nil {
				n = d.ReasoningTokens
			}
			m := got.Choices[0].Message
			if n != want || len(tokenid.Append(nil, m.ReasoningContent)) != want {
				t.Errorf("%s: %d tokens of reasoning, %q; want %d", body, n, m.ReasoningContent, want)
			}
			cut := strings.Contains(body, "max_tokens")
			if cut != m.Content.Null && cut != (m.Content.Text == "") || cut != (got.Choices[0].FinishReason == "length") {
				t.Errorf("%s: answer %+v, %s", body, m, got.Choices[0].FinishReason)
			}
		})
	}
}

// TestVLLMExtras: what vLLM adds to both endpoints.
func TestVLLMExtras(t *testing.T) {
	const text = `data: {"id":"cmpl-1","object":"text_completion","created":946684800,"model":"m","choices":[{"index":0,"text":`
	counts := func(n int) string {
		return fmt.Sprintf(`,"usage":{"prompt_tokens":2,"completion_tokens":%d,"total_tokens":%d}}`, n, n+2)
	}
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		got := s.Stream("/v1/completions", `{"model":"m","prompt":"Say it","echo":true,"stream":true,"return_token_ids":true,"top_k":4,"min_p":0.1,"repetition_penalty":1.1,"stop_token_ids":[2],"stream_options":{"include_usage":true,"continuous_usage_stats":true},"mock_answer":"one two three","stop":"three"}`)
		stand.CheckLines(t, "stream", got, []string{
			`100 ` + text + `"Say it","logprobs":null,"finish_reason":null,"prompt_token_ids":[732370432,1149468130]}]` + counts(0),
			`100 ` + text + `"one","logprobs":null,"finish_reason":null,"token_ids":[975641071]}]` + counts(1),
			`110 ` + text + `" two","logprobs":null,"finish_reason":null,"token_ids":[1495918727]}]` + counts(2),
			`120 ` + text + `" ","logprobs":null,"finish_reason":null,"token_ids":[621580159]}]` + counts(3),
			`120 ` + text + `"","logprobs":null,"finish_reason":"stop","stop_reason":"three"}]` + counts(3),
			`120 ` + strings.TrimSuffix(text, `{"index":0,"text":`) + `]` + counts(3),
			`120 data: [DONE]`,
		})
	})
	for body, want := range map[string]string{
		`"echo":true,"mock_answer":"one"`:                                                              `{"text":"Say itone","index":0,"logprobs":null,"finish_reason":"stop"}`,
		`"return_token_ids":true,"mock_answer":"one"`:                                                  `{"text":"one","index":0,"logprobs":null,"finish_reason":"stop","token_ids":[975641071],"prompt_token_ids":[732370432,1149468130]}`,
		`"stop":"tw","mock_answer":"one two"`:                                                          `{"text":"one ","index":0,"logprobs":null,"finish_reason":"stop","stop_reason":"tw"}`,
		`"stop":"tw","include_stop_str_in_output":true,"mock_answer":"one two"`:                        `{"text":"one tw","index":0,"logprobs":null,"finish_reason":"stop","stop_reason":"tw"}`,
		`"stop":"on","min_tokens":1,"mock_answer":"one two on"`:                                        `{"text":"one two ","index":0,"logprobs":null,"finish_reason":"stop","stop_reason":"on"}`,
		`"stop":"ne two","min_tokens":1,"mock_answer":"one two on"`:                                    `{"text":"o","index":0,"logprobs":null,"finish_reason":"stop","stop_reason":"ne two"}`,
		`"min_tokens":3,"max_tokens":2,"mock_answer":"one two"`:                                        `{"text":"one two","index":0,"logprobs":null,"finish_reason":"stop"}`,
		`"logprobs":2,"best_of":1,"skip_special_tokens":true,"truncate_prompt_tokens":1,"suffix":null`: `{"text":"`,
	} {
		stand.Run(t, serve.Config{}, func(s *stand.Stand) {
			status, text, _ := s.Whole("POST", "/v1/completions", `{"model":"m","prompt":"Say it",`+body+`}`)
			if status != 200 || !strings.Contains(text, want) {
				t.Errorf("%s: HTTP %d %s\nwant %s", body, status, text, want)
			}
		})
	}
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		_, text, _ := s.Whole("POST", "/v1/completions", `{"model":"m","prompt":"Say it","min_tokens":4,"mock_answer":"one two"}`)
		var got wire.CompletionResponse
		if err := json.Unmarshal([]byte(text), &got); err != nil || !strings.HasPrefix(got.Choices[0].Text, "one two ") || got.Usage.CompletionTokens != 4 || got.Choices[0].FinishReason != "stop" {
			t.Errorf("min_tokens 4: %s (%v), want 4 tokens and a stop", text, err)
		}
		got2 := s.Stream("/v1/chat/completions", `{`+askIt+`,"stream":true,"return_token_ids":true,"mock_answer":"one"}`)
		if want := `100 data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":946684800,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"prompt_token_ids":[732370432,1149468130]}`; got2[0] != want {
			t.Errorf("first chunk %s\nwant %s", got2[0], want)
		}
	})
}

// TestOpenAIHeaders: every answer has an id, a refusal too.
func TestOpenAIHeaders(t *testing.T) {
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		answer := s.Send("GET", "/v1/models", "")
		answer.Body.Close()
		if id := answer.Header.Get("x-request-id"); !strings.HasPrefix(id, "req_") {
			t.Errorf("the list of models has x-request-id %q", id)
		}
		for _, body := range []string{`{` + askIt + `}`, `{` + askIt + `,"stream":true}`, `{}`} {
			answer := s.Send("POST", "/v1/chat/completions", body)
			answer.Body.Close()
			h := answer.Header
			if !strings.HasPrefix(h.Get("x-request-id"), "req_") {
				t.Errorf("%s: x-request-id %q", body, h.Get("x-request-id"))
			}
			took, version := h.Get("openai-processing-ms"), h.Get("openai-version")
			switch body {
			case `{}`:
				if took+version != "" {
					t.Errorf("a refusal took %q and has version %q", took, version)
				}
			case `{` + askIt + `,"stream":true}`:
				if took != "100" || version != "2020-10-01" {
					t.Errorf("a stream took %q and has version %q, want 100 ms to its first byte", took, version)
				}
			default:
				if took == "" || took == "100" || version != "2020-10-01" {
					t.Errorf("an answer took %q and has version %q", took, version)
				}
			}
		}
	})
}

func TestChatRefuses(t *testing.T) {
	for _, c := range []struct{ path, body, want string }{
		{"/v1/chat/completions", `{` + askIt + `,"tools":[{"type":"retrieval"}]}`, `"message":"Invalid value: 'retrieval'. Supported values of tools[0].type are: 'function'.","type":"invalid_request_error","param":"tools","code":"invalid_value"`},
		{"/v1/chat/completions", `{` + askIt + `,"tools":[{"type":"function","function":{}}]}`, `Missing required parameter: the name of tools[0].`},
		{"/v1/chat/completions", `{` + askIt + `,"tool_choice":"required"}`, `'tool_choice' demands a call, but there are no 'tools'.`},
		{"/v1/chat/completions", `{` + askIt + `,"tool_choice":"maybe"}`, `Invalid value: 'maybe'. Supported values of tool_choice are`},
		{"/v1/chat/completions", `{` + askIt + `,"tool_choice":5}`, `"message":"Invalid type for 'tool_choice': want a word or an object."`},
		{"/v1/chat/completions", `{` + askIt + `,` + toolF + `,"tool_choice":{"type":"function","function":{"name":"h"}}}`, `there is no tool 'h' among the tools, which are: 'f', 'g'.`},
		{"/v1/chat/completions", `{` + askIt + `,` + toolF + `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"h"}}]}}}`, `there is no tool 'h'`},
		{"/v1/chat/completions", `{` + askIt + `,"mock_tool":"f"}`, `"message":"Invalid value for 'mock_tool': there is no tool 'f' among the tools, which are: none.","type":"invalid_request_error","param":"mock_tool"`},
		{"/v1/chat/completions", `{` + askIt + `,` + toolF + `,"mock_tool":"f","mock_answer":"hello"}`, `the answer calls the tool 'f', so it must be a JSON object with the arguments.`},
		{"/v1/chat/completions", `{` + askIt + `,"mock_tool":7}`, `Invalid type for 'mock_tool': want a string or a list of strings.`},
		{"/v1/chat/completions", `{` + askIt + `,"tools":[{"type":"function","function":{"name":"f","parameters":{"properties":{"a":{"$ref":"#/$defs/A"}},"required":["a"]}}}],"tool_choice":"required"}`, `"message":"Invalid schema for function 'f': a: reference \"#/$defs/A\" leads nowhere."`},
		{"/v1/chat/completions", `{` + askIt + `,"reasoning_effort":"huge"}`, `Invalid value: 'huge'. Supported values of reasoning_effort are: 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'.`},
		{"/v1/chat/completions", `{` + askIt + `,"response_format":{"type":"xml"}}`, `Invalid value: 'xml'. Supported values of response_format.type are`},
		{"/v1/chat/completions", `{` + askIt + `,"response_format":{"type":"json_schema"}}`, `Missing required parameter: 'response_format.json_schema.schema'.`},
		{"/v1/chat/completions", `{` + askIt + `,"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"thing"}}}}`, `Invalid schema for response_format: type \"thing\" is not one of`},
		{"/v1/chat/completions", `{` + askIt + `,"n":2}`, `'n' is 2; this server gives one choice.`},
		{"/v1/completions", `{"model":"m","prompt":["a","b"]}`, `"message":"Invalid type for 'prompt': want one string, got a list of 2.","type":"invalid_request_error","param":"prompt"`},
		{"/v1/completions", `{"model":"m","prompt":[1,2]}`, `Invalid type for 'prompt': want a string; token numbers are not supported.`},
		{"/v1/completions", `{"model":"m","prompt":"a","min_tokens":-1}`, `Expected a value \u003e= 0, but got -1 instead.`},
	} {
		stand.Run(t, serve.Config{}, func(s *stand.Stand) {
			if status, text, _ := s.Whole("POST", c.path, c.body); status != http.StatusBadRequest || !strings.Contains(text, c.want) {
				t.Errorf("%s %s: HTTP %d %s\nwant HTTP 400 with %s", c.path, c.body, status, text, c.want)
			}
		})
	}
}
