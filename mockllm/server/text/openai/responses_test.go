package openai_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/stand"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

// responsesEvents writes events as a stream has them: of each its instant and what its
// data says beside its type and number.
func responsesEvents(events ...string) []string {
	var lines []string
	for i, e := range events {
		at, rest, _ := strings.Cut(e, " ")
		name, data, _ := strings.Cut(rest, " ")
		name = strings.Replace(name, "+", "response.", 1)
		lines = append(lines, at+" event: "+name, fmt.Sprintf(`%s data: {"type":"%s","sequence_number":%d,%s}`, at, name, i, data))
	}
	return lines
}

// object is a response with that id and state; the rest is as the API has it by itself.
func object(id, status, details, output, usage string) string {
	return fmt.Sprintf(`"response":{"id":"%s","object":"response","created_at":946684800,"status":"%s","background":false,"error":null,"incomplete_details":%s,"instructions":null,"max_output_tokens":%s,"model":"m","output":[%s],"parallel_tool_calls":true,"previous_response_id":null,"reasoning":{"effort":null,"summary":null},"store":true,"temperature":1,"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_p":1,"truncation":"disabled","usage":%s,"metadata":{}}`,
		id, status, details, map[bool]string{true: "null", false: "3"}[details == "null"], output, usage)
}

func usage(in, cached, out, thought int) string {
	return fmt.Sprintf(`{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`, in, cached, out, thought, in+out)
}

// TestResponsesText: every event of an answer in words, after reasoning that is sent as
// it stands.
func TestResponsesText(t *testing.T) {
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		got := s.Stream("/v1/responses", `{"model":"m","input":"Say it","stream":true,"mock_thinking":"hm hm","mock_answer":"one two"}`)
		thought := `{"id":"rs_1","type":"reasoning","status":"completed","summary":[],"content":[{"type":"reasoning_text","text":"hm hm"}]}`
		said := `{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"one two","annotations":[],"logprobs":[]}]}`
		blank := object("resp_1", "in_progress", "null", "", "null")
		stand.CheckLines(t, "stream", got, responsesEvents(
			`100 +created `+blank,
			`100 +in_progress `+blank,
			`100 +output_item.added "output_index":0,"item":{"id":"rs_1","type":"reasoning","status":"in_progress","summary":[]}`,
			`100 +content_part.added "item_id":"rs_1","output_index":0,"content_index":0,"part":{"type":"reasoning_text","text":""}`,
			`100 +reasoning_text.delta "item_id":"rs_1","output_index":0,"content_index":0,"delta":"hm"`,
			`110 +reasoning_text.delta "item_id":"rs_1","output_index":0,"content_index":0,"delta":" hm"`,
			`110 +reasoning_text.done "item_id":"rs_1","output_index":0,"content_index":0,"text":"hm hm"`,
			`110 +content_part.done "item_id":"rs_1","output_index":0,"content_index":0,"part":{"type":"reasoning_text","text":"hm hm"}`,
			`110 +output_item.done "output_index":0,"item":`+thought,
			`120 +output_item.added "output_index":1,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}`,
			`120 +content_part.added "item_id":"msg_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":"","annotations":[],"logprobs":[]}`,
			`120 +output_text.delta "item_id":"msg_1","output_index":1,"content_index":0,"delta":"one","logprobs":[]`,
			`130 +output_text.delta "item_id":"msg_1","output_index":1,"content_index":0,"delta":" two","logprobs":[]`,
			`130 +output_text.done "item_id":"msg_1","output_index":1,"content_index":0,"text":"one two","logprobs":[]`,
			`130 +content_part.done "item_id":"msg_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":"one two","annotations":[],"logprobs":[]}`,
			`130 +output_item.done "output_index":1,"item":`+said,
			`130 +completed `+object("resp_1", "completed", "null", thought+","+said, usage(2, 0, 4, 2)),
		))
	})
}

// TestResponsesCalls: the events of a summary and of calls.
func TestResponsesCalls(t *testing.T) {
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		status, text, _ := s.Whole("POST", "/v1/responses", `{"model":"m","input":"Say it","mock_tool":"web_search","tools":[{"type":"web_search"}]}`)
		if status != 400 || !strings.Contains(text, "there is no tool 'web_search'") {
			t.Errorf("a tool that the service runs: HTTP %d %s", status, text)
		}
	})
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		got := s.Stream("/v1/responses", `{"model":"m","input":"Say it","stream":true,"reasoning":{"summary":"auto"},"tools":[{"type":"function","name":"f","parameters":null}],"mock_thinking":"hm","mock_tool":["f","f"],"mock_answer":"{}"}`)
		stand.CheckLines(t, "stream", got[4:len(got)-2], responsesEvents("", "",
			`100 +output_item.added "output_index":0,"item":{"id":"rs_1","type":"reasoning","status":"in_progress","summary":[]}`,
			`100 +reasoning_summary_part.added "item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}`,
			`100 +reasoning_summary_text.delta "item_id":"rs_1","output_index":0,"summary_index":0,"delta":"hm"`,
			`100 +reasoning_summary_text.done "item_id":"rs_1","output_index":0,"summary_index":0,"text":"hm"`,
			`100 +reasoning_summary_part.done "item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":"hm"}`,
			`100 +output_item.done "output_index":0,"item":{"id":"rs_1","type":"reasoning","status":"completed","summary":[{"type":"summary_text","text":"hm"}]}`,
			`110 +output_item.added "output_index":1,"item":{"id":"fc_1","type":"function_call","status":"in_progress","arguments":"","call_id":"call_1","name":"f"}`,
			`110 +function_call_arguments.delta "item_id":"fc_1","output_index":1,"delta":"{"`,
			`120 +function_call_arguments.delta "item_id":"fc_1","output_index":1,"delta":"}"`,
			`120 +function_call_arguments.done "item_id":"fc_1","output_index":1,"arguments":"{}"`,
			`120 +output_item.done "output_index":1,"item":{"id":"fc_1","type":"function_call","status":"completed","arguments":"{}","call_id":"call_1","name":"f"}`,
			`130 +output_item.added "output_index":2,"item":{"id":"fc_2","type":"function_call","status":"in_progress","arguments":"","call_id":"call_2","name":"f"}`,
			`130 +function_call_arguments.delta "item_id":"fc_2","output_index":2,"delta":"{"`,
			`140 +function_call_arguments.delta "item_id":"fc_2","output_index":2,"delta":"}"`,
			`140 +function_call_arguments.done "item_id":"fc_2","output_index":2,"arguments":"{}"`,
			`140 +output_item.done "output_index":2,"item":{"id":"fc_2","type":"function_call","status":"completed","arguments":"{}","call_id":"call_2","name":"f"}`,
		)[4:])
	})
}

// TestResponsesLimit: an answer that its limit cuts is incomplete and says why.
func TestResponsesLimit(t *testing.T) {
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		got := s.Stream("/v1/responses", `{"model":"m","input":"Say it","stream":true,"max_output_tokens":3,"mock_answer":"one two three four"}`)
		cut := `{"id":"msg_1","type":"message","status":"incomplete","role":"assistant","content":[{"type":"output_text","text":"one two three","annotations":[],"logprobs":[]}]}`
		stand.CheckLines(t, "stream", got[len(got)-4:], []string{
			`120 event: response.output_item.done`,
			`120 data: {"type":"response.output_item.done","sequence_number":9,"output_index":0,"item":` + cut + `}`,
			`120 event: response.incomplete`,
			`120 data: {"type":"response.incomplete","sequence_number":10,` + object("resp_1", "incomplete", `{"reason":"max_output_tokens"}`, cut, usage(2, 0, 3, 0)) + `}`,
		})
	})
}

// TestResponsesFail: what goes wrong before the first token has a status, and later two
// events.
func TestResponsesFail(t *testing.T) {
	const ask = `{"model":"m","input":"Say it","stream":true,"mock_answer":"one two"}`
	stand.Run(t, stand.Broken(0, pipeline.Refused), func(s *stand.Stand) {
		status, text, _ := s.Whole("POST", "/v1/responses", ask)
		if want := `{"error":{"message":"The engine cannot take this request: no room in the KV cache now.","type":"server_error","param":null,"code":"engine_refused"}}`; status != 503 || text != want {
			t.Errorf("HTTP %d %s\nwant HTTP 503 %s", status, text, want)
		}
	})
	stand.Run(t, stand.Broken(1, pipeline.Error), func(s *stand.Stand) {
		got := s.Stream("/v1/responses", ask)
		stand.CheckLines(t, "stream", got[10:], []string{
			`100 event: error`,
			`100 data: {"type":"error","sequence_number":5,"code":"engine_failed","message":"The engine could not finish this request: no room in the KV cache now.","param":null}`,
			`100 event: response.failed`,
			`100 data: {"type":"response.failed","sequence_number":6,"response":{"id":"resp_1","object":"response","created_at":946684800,"status":"failed","background":false,"error":{"code":"server_error","message":"The engine could not finish this request: no room in the KV cache now."},…`,
		})
	})
}

// respond asks for a response that is not streamed.
func respond(s *stand.Stand, body string) (r wire.Response, text string) {
	s.T.Helper()
	status, text, _ := s.Whole("POST", "/v1/responses", body)
	if status != 200 {
		s.T.Fatalf("%s: HTTP %d %s", body, status, text)
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		s.T.Fatal(err)
	}
	return r, text
}

// TestConversation: a response that continues another has its prompt and its answer
// before its own input, and finds them in the cache.
func TestConversation(t *testing.T) {
	stand.Run(t, stand.Sharing(), func(s *stand.Stand) {
		respond(s, `{"model":"m","instructions":"a b","input":"c d e f","mock_answer":"g h i j k","mock_thinking":"x y"}`)
		first := s.Raw("resp_1")
		r, _ := respond(s, `{"model":"m","instructions":"a b","input":[{"role":"user","content":[{"type":"input_text","text":"l m"},{"type":"input_image","image_url":"data:"}]}],"previous_response_id":"`+first+`","mock_answer":"n"}`)
		if u := r.Usage; u.InputTokens != 13 || u.InputTokensDetails.CachedTokens != 4 {
			t.Errorf("second turn: %+v, want 13 tokens, the first block of them cached: the rest lies behind the reasoning", u)
		}
		r, text := respond(s, `{"model":"m","instructions":"a b","input":"o p","previous_response_id":"`+s.Raw("resp_2")+`","mock_answer":"n"}`)
		if u := r.Usage; u.InputTokens != 16 || u.InputTokensDetails.CachedTokens != 12 {
			t.Errorf("third turn: %+v, want 16 tokens, 12 of them cached", u)
		}
		if !strings.Contains(text, `"previous_response_id":"resp_2"`) || !strings.Contains(text, `"instructions":"a b"`) {
			t.Errorf("%s: want what it continues and its instructions", text)
		}
		// Without instructions nothing is the same from the start.
		if r, _ := respond(s, `{"model":"m","input":"q","previous_response_id":"`+first+`","mock_answer":"n"}`); r.Usage.InputTokens != 10 {
			t.Errorf("%+v, want 10 tokens of prompt: 4, 5 and 1", r.Usage)
		}
	})
}

// TestResponsesItems: the items of an agent's turn are a prompt, and references to what
// the server said are resolved.
func TestResponsesItems(t *testing.T) {
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		respond(s, `{"model":"m","input":"hi","tools":[{"type":"function","name":"f"}],"mock_thinking":"hm","mock_tool":"f","mock_answer":"{\"a\":1}"}`)
		status, text, _ := s.Whole("POST", "/v1/responses", `{"model":"m","input":[{"role":"user","content":"hi"},{"type":"reasoning","summary":[{"text":"hm"}]},{"type":"item_reference","id":"`+s.Raw("rs_1")+`"},{"type":"item_reference","id":"`+s.Raw("fc_1")+`"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"it is 7"}],"mock_tool":"f","tools":[{"type":"function","name":"f"}],"mock_answer":"seven"}`)
		if want := usage(1+0+0+7+2+3+2, 0, 1, 0); status != 200 || !strings.Contains(text, want) || !strings.Contains(text, `"text":"seven"`) {
			t.Errorf("HTTP %d %s\nwant an answer in words, since the prompt ends with a result, and %s", status, text, want)
		}
	})
}

// TestKeptResponses: responses can be read and deleted, unless nobody kept them.
func TestKeptResponses(t *testing.T) {
	stand.Run(t, serve.Config{}, func(s *stand.Stand) {
		_, text := respond(s, `{"model":"m","input":"hi","mock_answer":"one","metadata":{"a":"b"},"tool_choice":"none","text":{"format":{"type":"text"},"verbosity":"low"},"temperature":0.5,"top_p":0.9}`)
		for _, want := range []string{`"metadata":{"a":"b"}`, `"tool_choice":"none"`, `"text":{"format":{"type":"text"},"verbosity":"low"}`, `"temperature":0.5`, `"top_p":0.9`} {
			if !strings.Contains(text, want) {
				t.Errorf("%s\nwant it to repeat %s", text, want)
			}
		}
		id := s.Raw("resp_1")
		if status, again, _ := s.Whole("GET", "/v1/responses/"+id, ""); status != 200 || again != text {
			t.Errorf("read again: HTTP %d %s\nwant %s", status, again, text)
		}
		if status, again, _ := s.Whole("GET", "/v1/responses/"+id+"?stream=true", ""); status != 400 || !strings.Contains(again, `"param":"stream"`) {
			t.Errorf("streamed again: HTTP %d %s", status, again)
		}
		if status, gone, _ := s.Whole("DELETE", "/v1/responses/"+id, ""); status != 200 || gone != `{"id":"resp_1","object":"response","deleted":true}` {
			t.Errorf("delete: HTTP %d %s", status, gone)
		}
		for _, method := range []string{"GET", "DELETE"} {
			if status, gone, _ := s.Whole(method, "/v1/responses/"+id, ""); status != 404 || !strings.Contains(gone, `"Response with id 'resp_1' not found."`) {
				t.Errorf("%s of a deleted one: HTTP %d %s", method, status, gone)
			}
		}
		respond(s, `{"model":"m","input":"hi","mock_answer":"one","store":false}`)
		if status, gone, _ := s.Whole("GET", "/v1/responses/"+s.Raw("resp_2"), ""); status != 404 {
			t.Errorf("one that was not to be stored: HTTP %d %s", status, gone)
		}
	})
}

func TestResponsesRefuses(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"m"}`:           `"message":"Missing required parameter: 'input'.","type":"invalid_request_error","param":"input"`,
		`{"model":"m","input":}`:  `We could not parse the JSON body of your request`,
		`{"input":"a"}`:           `you must provide a model parameter`,
		`{"model":"m","input":5}`: `Invalid type for 'input': want a string or a list of items.`,
		`{"model":"m","input":[{"role":"nobody","content":"x"}]}`:                          `Invalid value: 'nobody'. Supported values of input[0].role are`,
		`{"model":"m","input":"a","previous_response_id":"resp_x"}`:                        `"message":"Previous response with id 'resp_x' not found.","type":"invalid_request_error","param":"previous_response_id","code":"previous_response_not_found"`,
		`{"model":"m","input":[{"type":"item_reference","id":"x"}]}`:                       `Item with id 'x' not found.`,
		`{"model":"m","input":"a","background":true}`:                                      `'background' is true; this server answers while the client waits.`,
		`{"model":"m","input":"a","conversation":"conv_1"}`:                                `Unsupported parameter: 'conversation'.`,
		`{"model":"m","input":"a","temperature":3}`:                                        `"param":"temperature"`,
		`{"model":"m","input":"a","max_output_tokens":0}`:                                  `"param":"max_output_tokens"`,
		`{"model":"m","input":"a","max_output_tokens":2000}`:                               `"code":"context_length_exceeded"`,
		`{"model":"m","input":"a","tools":["f"]}`:                                          `Invalid type for 'tools[0]'`,
		`{"model":"m","input":"a","tool_choice":[]}`:                                       `Invalid type for 'tool_choice'`,
		`{"model":"m","input":"a","tool_choice":{"type":"function","name":"f"}}`:           `'tool_choice' demands a call, but there are no 'tools'`,
		`{"model":"m","input":"a","reasoning":{"effort":"huge"}}`:                          `Supported values of reasoning.effort are`,
		`{"model":"m","input":"a","text":{"format":{"type":"xml"}}}`:                       `Invalid value: 'xml'`,
		`{"model":"m","input":"a","text":"plain"}`:                                         `Invalid type for 'text'`,
		`{"model":"m","input":"a","text":{"format":{"type":"json_schema"}},"stream":true}`: `Missing required parameter`,
	} {
		stand.Run(t, serve.Config{}, func(s *stand.Stand) {
			status, text, _ := s.Whole("POST", "/v1/responses", body)
			if (status != 400 && status != 404) || !strings.Contains(text, want) || !strings.HasPrefix(text, `{"error":{`) {
				t.Errorf("%s: HTTP %d %s\nwant %s", body, status, text, want)
			}
		})
	}
}
