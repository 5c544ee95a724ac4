package anthropic_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/stand"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// anthropicEvents writes events as a stream has them: of each its instant, its type and
// what its data says beside that.
func anthropicEvents(events ...string) []string {
	var lines []string
	for _, e := range events {
		at, rest, _ := strings.Cut(e, " ")
		name, data, _ := strings.Cut(rest, " ")
		if data != "" {
			data = "," + data
		}
		lines = append(lines, at+" event: "+name, fmt.Sprintf(`%s data: {"type":"%s"%s}`, at, name, data))
	}
	return lines
}

const (
	askAnthropic = `"model":"m","max_tokens":%d,"messages":[{"role":"user","content":"Say it"}]`
	noCache      = `"cache_creation_input_tokens":0,"cache_read_input_tokens":0`
)

func startOf(id, usage string) string {
	return `message_start "message":{"id":"` + id + `","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{` + usage + `}}`
}

// TestMessagesThinking: reasoning is a block of its own, with a signature at its end.
func TestMessagesThinking(t *testing.T) {
	const body = `,"mock_thinking":"hm hm","mock_answer":"one two"`
	const sign = `N7GD5keY0sg5/h2GmK9tUHGAYKoorEXVQ5ojjIFvZN8=` // echo -n 'hm hm' | sha256sum
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		ask := fmt.Sprintf(askAnthropic, 10) + body
		stand.CheckLines(t, "stream", s.Stream("/v1/messages", `{"stream":true,`+ask+`}`), anthropicEvents(
			`100 `+startOf("msg_1", `"input_tokens":2,`+noCache+`,"output_tokens":1,"output_tokens_details":{"thinking_tokens":1}`),
			`100 content_block_start "index":0,"content_block":{"type":"thinking","thinking":"","signature":""}`,
			`100 ping`,
			`100 content_block_delta "index":0,"delta":{"type":"thinking_delta","thinking":"hm"}`,
			`110 content_block_delta "index":0,"delta":{"type":"thinking_delta","thinking":" hm"}`,
			`110 content_block_delta "index":0,"delta":{"type":"signature_delta","signature":"`+sign+`"}`,
			`110 content_block_stop "index":0`,
			`120 content_block_start "index":1,"content_block":{"type":"text","text":""}`,
			`120 content_block_delta "index":1,"delta":{"type":"text_delta","text":"one"}`,
			`130 content_block_delta "index":1,"delta":{"type":"text_delta","text":" two"}`,
			`130 content_block_stop "index":1`,
			`130 message_delta "delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":2,`+noCache+`,"output_tokens":4,"output_tokens_details":{"thinking_tokens":2}}`,
			`130 message_stop`,
		))
		status, text, took := s.Whole("POST", "/v1/messages", `{`+ask+`}`)
		want := `{"id":"msg_2","type":"message","role":"assistant","model":"m","content":[{"type":"thinking","thinking":"hm hm","signature":"` + sign + `"},{"type":"text","text":"one two"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":2,` + noCache + `,"output_tokens":4,"output_tokens_details":{"thinking_tokens":2}}}`
		if status != 200 || took != 130*time.Millisecond || text != want {
			t.Errorf("HTTP %d after %s: %s\nwant HTTP 200 after 130ms: %s", status, took, text, want)
		}
	})
}

// TestMessagesCalls: a call is a block that has its name at once and its input piece by
// piece.
func TestMessagesCalls(t *testing.T) {
	const tools = `"tools":[{"name":"f","description":"d","input_schema":{}},{"type":"web_search_20250305","name":"web_search"}],`
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		ask := tools + fmt.Sprintf(askAnthropic, 10) + `,"tool_choice":{"type":"tool","name":"f"},"mock_answer":"{ }"`
		stand.CheckLines(t, "stream", s.Stream("/v1/messages", `{"stream":true,`+ask+`}`), anthropicEvents(
			`100 `+startOf("msg_1", `"input_tokens":6,`+noCache+`,"output_tokens":1`),
			`100 content_block_start "index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{}}`,
			`100 ping`,
			`100 content_block_delta "index":0,"delta":{"type":"input_json_delta","partial_json":"{"}`,
			`110 content_block_delta "index":0,"delta":{"type":"input_json_delta","partial_json":" }"}`,
			`110 content_block_stop "index":0`,
			`110 message_delta "delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":6,`+noCache+`,"output_tokens":2}`,
			`110 message_stop`,
		))
		for body, want := range map[string]string{
			`"tool_choice":{"type":"any"},"mock_answer":"{\"a\":1}"`:                                      `"content":[{"type":"tool_use","id":"toolu_2","name":"f","input":{"a":1}}],"stop_reason":"tool_use"`,
			`"tool_choice":{"type":"none"},"mock_answer":"{}"`:                                            `"content":[{"type":"text","text":"{}"}],"stop_reason":"end_turn"`,
			`"tool_choice":{"type":"auto"},"mock_answer":"no"`:                                            `"content":[{"type":"text","text":"no"}],"stop_reason":"end_turn"`,
			`"tool_choice":{"type":"auto","disable_parallel_tool_use":true},"mock_tool":["f","f"]`:        `"name":"f","input":{}}],"stop_reason":"tool_use"`,
			`"tool_choice":{"type":"any"},"mock_answer":"{\"a\":12345678901234567890123456789012345678}"`: `"name":"f","input":{}}],"stop_reason":"max_tokens"`,
		} {
			s.IDs = map[string]string{"x": "toolu_1"}
			if _, text, _ := s.Whole("POST", "/v1/messages", `{`+tools+fmt.Sprintf(askAnthropic, 10)+`,`+body+`}`); !strings.Contains(text, want) {
				t.Errorf("%s: %s\nwant %s", body, text, want)
			}
		}
	})
}

// TestMessagesEnds is why an answer ended.
func TestMessagesEnds(t *testing.T) {
	for _, c := range []struct {
		limit      int
		body, want string
	}{
		{9, `"mock_answer":"one two"`, `"one two"}],"stop_reason":"end_turn","stop_sequence":null`},
		{2, `"mock_answer":"one two three"`, `"one two"}],"stop_reason":"max_tokens","stop_sequence":null`},
		{9, `"mock_answer":"one two three","stop_sequences":["three","two"]`, `"one "}],"stop_reason":"stop_sequence","stop_sequence":"two"`},
		{5000, `"mock_answer":"one"`, `"one"}],"stop_reason":"end_turn","stop_sequence":null`},
		{5000, `"mock_answer":"` + strings.Repeat("one ", 1500) + `"`, ` one"}],"stop_reason":"model_context_window_exceeded","stop_sequence":null,"usage":{"input_tokens":2,` + noCache + `,"output_tokens":998}`},
		{998, `"mock_answer":"` + strings.Repeat("one ", 1500) + `"`, ` one"}],"stop_reason":"max_tokens"`},
	} {
		stand.Run(t, serve.Config{}, func(s *stand.Stand) {
			if _, text, _ := s.Whole("POST", "/v1/messages", `{`+fmt.Sprintf(askAnthropic, c.limit)+`,`+c.body+`}`); !strings.Contains(text, c.want) {
				t.Errorf("limit %d, %.60s: %.300s\nwant %s", c.limit, c.body, text, c.want)
			}
		})
	}
}

// TestMessagesWhenItThinks: a model reasons when it is told to and can, within its
// budget, and hides it when told to.
func TestMessagesWhenItThinks(t *testing.T) {
	const empty = `{"type":"thinking","thinking":"","signature":"`
	for body, want := range map[string]string{
		`"thinking":{"type":"enabled","budget_tokens":1024}`: `"thinking_tokens":1024`,
		`"thinking":{"type":"adaptive"}`:                     `"thinking_tokens":2000`,
		`"thinking":{"type":"adaptive","display":"omitted"}`: empty,
		`"thinking":{"type":"disabled"}`:                     `"content":[{"type":"text"`,
		`"temperature":1`:                                    `"content":[{"type":"text"`,
	} {
		c := serve.Config{ThinkingTokens: dist.ConstantCount(2000), Models: []serve.Model{{Name: "m", Context: 9000, Build: func(l pipeline.Scheduler) engine.Engine {
			return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: 100 * time.Millisecond, TPOT: 10 * time.Millisecond}, Slots: 1, MaxContext: 9000})
		}}}}
		stand.Run(t, c, func(s *stand.Stand) {
			ask := fmt.Sprintf(askAnthropic, 4000) + `,"mock_answer":"one",` + body
			if _, text, _ := s.Whole("POST", "/v1/messages", `{`+ask+`}`); !strings.Contains(text, want) {
				t.Errorf("%s: %.300s\nwant %s", body, text, want)
			}
			if strings.Contains(body, "omitted") {
				got := strings.Join(s.Stream("/v1/messages", `{"stream":true,`+ask+`}`), "\n")
				if strings.Contains(got, "thinking_delta") || !strings.Contains(got, `20090 data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta"`) {
					t.Errorf("omitted reasoning is streamed as %.2000s", got)
				}
			}
		})
	}
}

// TestMessagesPrompt: what counts as prompt.
func TestMessagesPrompt(t *testing.T) {
	const turn = `{"role":"user","content":"a b"}`
	for body, want := range map[string]int{
		`"messages":[` + turn + `]`:                  2,
		`"messages":[` + turn + `],"system":"c d e"`: 5,
		`"messages":[` + turn + `],"system":[{"type":"text","text":"c d"},{"type":"text","text":"e"}]`:                        5,
		`"messages":[{"role":"user","content":[{"type":"image","source":{}},{"type":"text","text":"a"}]}]`:                    1,
		`"messages":[{"role":"user","content":[{"type":"image","source":{}}]}]`:                                               1,
		`"messages":[` + turn + `],"tools":[{"name":"f","description":"d","input_schema":{}}]`:                                6,
		`"messages":[` + turn + `,{"role":"assistant","content":[{"type":"thinking","thinking":"h m","signature":"x"}]}]`:     4,
		`"messages":[` + turn + `,{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{ }}]}]`:      4,
		`"messages":[` + turn + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"a b c d"}]}]`:  6,
		`"messages":[` + turn + `,{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"a"}]}]}]`: 3,
	} {
		stand.Run(t, serve.Config{}, func(s *stand.Stand) {
			status, text, took := s.Whole("POST", "/v1/messages/count_tokens", `{"model":"m",`+body+`}`)
			if status != 200 || took != 0 || text != fmt.Sprintf(`{"input_tokens":%d}`, want) {
				t.Errorf("%s: HTTP %d after %s %s, want %d tokens at once", body, status, took, text, want)
			}
			_, text, _ = s.Whole("POST", "/v1/messages", `{"model":"m","max_tokens":5,`+body+`}`)
			if !strings.Contains(text, fmt.Sprintf(`"input_tokens":%d,`, want)) {
				t.Errorf("%s: an answer counts %s, want %d", body, text, want)
			}
		})
	}
}

// TestMessagesCache: only what the client asked to be cached is counted as cached.
func TestMessagesCache(t *testing.T) {
	stand.Run(t, stand.Sharing(), func(s *stand.Stand) {
		marked := `"cache_control":{"type":"ephemeral"}`
		for _, c := range []struct{ name, body, want string }{
			{"no mark", `"system":"a b c d e f","messages":[{"role":"user","content":"g h i j"}]`, `"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0`},
			{"no mark, though the engine has it", `"system":"a b c d e f","messages":[{"role":"user","content":"g h i k"}]`, `"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0`},
			{"a marked system prompt", `"system":[{"type":"text","text":"a b c d e f",` + marked + `}],"messages":[{"role":"user","content":"g h i j"}]`, `"input_tokens":4,"cache_creation_input_tokens":0,"cache_read_input_tokens":6`},
			{"a new marked one", `"system":[{"type":"text","text":"A b c d e f",` + marked + `}],"messages":[{"role":"user","content":"g h i j"}]`, `"input_tokens":4,"cache_creation_input_tokens":6,"cache_read_input_tokens":0`},
			{"all marked", `"system":"a b c d e f",` + marked + `,"messages":[{"role":"user","content":"g h i j k l m"}]`, `"input_tokens":0,"cache_creation_input_tokens":5,"cache_read_input_tokens":8`},
			{"a marked tool", `"tools":[{"name":"a",` + marked + `}],"messages":[{"role":"user","content":"g h i j"}]`, `"input_tokens":4,"cache_creation_input_tokens":2,"cache_read_input_tokens":0`},
		} {
			ask := `"model":"m","max_tokens":9,"mock_answer":"x",` + c.body
			if _, text, _ := s.Whole("POST", "/v1/messages", `{`+ask+`}`); !strings.Contains(text, `"usage":{`+c.want) {
				t.Errorf("%s: %s\nwant %s", c.name, text, c.want)
			}
		}
		// The start of a stream says it already.
		got := s.Stream("/v1/messages", `{"stream":true,"model":"m","max_tokens":9,"mock_answer":"x","system":[{"type":"text","text":"a b c d e f",`+marked+`}],"messages":[{"role":"user","content":"g h i j"}]}`)
		if want := `"usage":{"input_tokens":4,"cache_creation_input_tokens":0,"cache_read_input_tokens":6,"output_tokens":1}`; !strings.Contains(got[1], want) {
			t.Errorf("the stream begins with %s\nwant %s", got[1], want)
		}
	})
}

// TestMessagesFail: what goes wrong before the first token has a status, and later an
// event.
func TestMessagesFail(t *testing.T) {
	ask := `{"stream":true,` + fmt.Sprintf(askAnthropic, 9) + `,"mock_answer":"one two"}`
	stand.Run(t, stand.Broken(0, pipeline.Refused), func(s *stand.Stand) {
		status, text, _ := s.Whole("POST", "/v1/messages", ask)
		if want := `{"type":"error","error":{"type":"overloaded_error","message":"The engine cannot take this request: no room in the KV cache now."},"request_id":"req_1"}`; status != 529 || text != want {
			t.Errorf("HTTP %d %s\nwant HTTP 529 %s", status, text, want)
		}
	})
	stand.Run(t, stand.Broken(0, pipeline.Error), func(s *stand.Stand) {
		status, text, _ := s.Whole("POST", "/v1/messages", ask)
		if want := `{"type":"error","error":{"type":"api_error",`; status != 500 || !strings.HasPrefix(text, want) {
			t.Errorf("HTTP %d %s\nwant HTTP 500 %s", status, text, want)
		}
	})
	stand.Run(t, stand.Broken(1, pipeline.Error), func(s *stand.Stand) {
		got := s.Stream("/v1/messages", ask)
		stand.CheckLines(t, "stream", got[8:], anthropicEvents(`100 error "error":{"type":"api_error","message":"The engine could not finish this request: no room in the KV cache now."}`))
	})
}

func TestMessagesRefuses(t *testing.T) {
	user := `"messages":[{"role":"user","content":"a"}]`
	for _, c := range []struct {
		body   string
		status int
		kind   string
		want   string
	}{
		{`{"max_tokens":5,` + user + `}`, 400, "invalid_request_error", `model: Field required`},
		{`{"model":"x","max_tokens":5,` + user + `}`, 404, "not_found_error", `"message":"model: x"`},
		{`{"model":"m",` + user + `}`, 400, "invalid_request_error", `max_tokens: Field required`},
		{`{"model":"m","max_tokens":0,` + user + `}`, 400, "invalid_request_error", `max_tokens: Input should be greater than or equal to 1, got 0`},
		{`{"model":"m","max_tokens":"many",` + user + `}`, 400, "invalid_request_error", `Invalid type for 'max_tokens': expected an integer, but got string instead.`},
		{`{"model":"m","max_tokens":5}`, 400, "invalid_request_error", `messages: at least one message is required`},
		{`{"model":"m","max_tokens":5,"messages":[{"role":"system","content":"a"}]}`, 400, "invalid_request_error", `messages.0.role: Input should be 'user' or 'assistant', got 'system'; a system prompt goes into the parameter 'system'`},
		{`{"model":"m","max_tokens":5,"messages":[{"role":"user","content":[]},{"role":"assistant","content":"a"}]}`, 400, "invalid_request_error", `messages.0: all messages must have non-empty content`},
		{`{"model":"m","max_tokens":5,"messages":[{"role":"user","content":5}]}`, 400, "invalid_request_error", `Invalid type for 'content': want a string or a list of blocks`},
		{`{"model":"m","max_tokens":5,"temperature":1.5,` + user + `}`, 400, "invalid_request_error", `Invalid 'temperature': expected a value from 0 to 1, but got 1.5 instead.`},
		{`{"model":"m","max_tokens":2000,"thinking":{"type":"enabled","budget_tokens":5},` + user + `}`, 400, "invalid_request_error", `thinking.enabled.budget_tokens: Input should be greater than or equal to 1024, got 5`},
		{`{"model":"m","max_tokens":1024,"thinking":{"type":"enabled","budget_tokens":1024},` + user + `}`, 400, "invalid_request_error", "`max_tokens` must be greater than `thinking.budget_tokens`"},
		{`{"model":"m","max_tokens":5,"thinking":{"type":"deep"},` + user + `}`, 400, "invalid_request_error", `thinking.type: Input should be`},
		{`{"model":"m","max_tokens":5,"thinking":{"type":"adaptive"},"tools":[{"name":"f"}],"tool_choice":{"type":"any"},` + user + `}`, 400, "invalid_request_error", `Thinking may not be enabled when tool_choice forces tool use.`},
		{`{"model":"m","max_tokens":5,"tool_choice":{"type":"some"},` + user + `}`, 400, "invalid_request_error", `tool_choice.type: Input should be`},
		{`{"model":"m","max_tokens":5,"tool_choice":{"type":"any"},` + user + `}`, 400, "invalid_request_error", `there are no 'tools'`},
		{`{"model":"m","max_tokens":5,"tools":[{"name":"f"}],"tool_choice":{"type":"tool","name":"g"},` + user + `}`, 400, "invalid_request_error", `there is no tool 'g' among the tools, which are: 'f'.`},
		{`{"model":"m","max_tokens":5,"output_config":{"format":{"type":"json_schema","schema":{"type":"x"}}},` + user + `}`, 400, "invalid_request_error", `type \"x\" is not one of`},
		{`{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"` + strings.Repeat("a ", 1001) + `"}]}`, 400, "invalid_request_error", `prompt is too long: 1002 tokens \u003e 999 maximum`},
		{`{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"` + strings.Repeat("a", 10_000) + `"}]}`, 413, "request_too_large", `larger than the limit of 10000 bytes`},
		{`{"model":`, 400, "invalid_request_error", `We could not parse the JSON body of your request`},
	} {
		stand.Run(t, serve.Config{}, func(s *stand.Stand) {
			status, text, _ := s.Whole("POST", "/v1/messages", c.body)
			head := `{"type":"error","error":{"type":"` + c.kind + `","message":"`
			if status != c.status || !strings.HasPrefix(text, head) || !strings.Contains(text, c.want) || !strings.HasSuffix(text, `"},"request_id":"req_1"}`) {
				t.Errorf("%.200s: HTTP %d %s\nwant HTTP %d %s %s", c.body, status, text, c.status, c.kind, c.want)
			}
		})
	}
}

// TestAnthropicModels: one path, two shapes.
func TestAnthropicModels(t *testing.T) {
	c := serve.Config{Models: []serve.Model{{Name: "b", Context: 50, Build: stand.Slow}, {Name: "a", Context: 40, Build: stand.Slow}}}
	stand.Run(t, c, func(s *stand.Stand) {
		a := `{"type":"model","id":"a","display_name":"a","created_at":"2000-01-01T00:00:00Z","max_input_tokens":40}`
		b := `{"type":"model","id":"b","display_name":"b","created_at":"2000-01-01T00:00:00Z","max_input_tokens":50}`
		for path, want := range map[string]string{
			"/v1/models":   `{"data":[` + a + `,` + b + `],"has_more":false,"first_id":"a","last_id":"b"}`,
			"/v1/models/b": b,
			"/v1/models/c": `{"type":"error","error":{"type":"not_found_error","message":"model: c"},"request_id":"req_1"}`,
		} {
			s.IDs = map[string]string{}
			if _, text, _ := s.Whole("GET", path, "", "anthropic-version", "2023-06-01"); text != want {
				t.Errorf("%s: %s\nwant %s", path, text, want)
			}
		}
		if _, text, _ := s.Whole("GET", "/v1/models/a", ""); text != `{"id":"a","object":"model","created":946684800,"owned_by":"halfsecond","max_model_len":40}` {
			t.Errorf("without the header: %s", text)
		}
	})
}

// TestAnthropicHeaders: every answer has an id, and either way to send a key is taken.
func TestAnthropicHeaders(t *testing.T) {
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		for _, key := range [][]string{{"x-api-key", "k"}, {"authorization", "Bearer k"}, nil} {
			answer := s.Send("POST", "/v1/messages", `{`+fmt.Sprintf(askAnthropic, 2)+`}`, key...)
			answer.Body.Close()
			if answer.StatusCode != 200 || !strings.HasPrefix(answer.Header.Get("request-id"), "req_") {
				t.Errorf("key %v: HTTP %d, request-id %q", key, answer.StatusCode, answer.Header.Get("request-id"))
			}
		}
	})
}
