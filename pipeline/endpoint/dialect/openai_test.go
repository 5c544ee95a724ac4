package dialect

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/streamcase"
)

func TestEnds(t *testing.T) {
	hi := at{50, delta(`"content":"Hi"`)}
	runShapes(t, []shape{
		{name: "stops at the end event though the connection stays open", end: "open",
			reads:  []at{hi, {60, stop}, {70, done}},
			expect: `"outcome":"ok","error":null,"text":"Hi","stream_end_ms":70,"flags":["no_usage"]`},
		{name: "what follows the end event does not count", end: "open",
			reads:  []at{hi, {60, stop + done + delta(`"content":"!"`)}},
			expect: `"outcome":"ok","text":"Hi","stream_end_ms":60`},
		{name: "end event with space and a name", end: "open",
			reads:  []at{hi, {60, stop + "event: done\ndata:   [DONE] \n\n"}},
			expect: `"outcome":"ok","stream_end_ms":60,"flags":["no_usage"]`},
		{name: "end event without finish reason",
			reads:  []at{hi, {60, done}},
			expect: `"outcome":"ok","finish_reason":null,"flags":["no_usage","no_finish_reason"]`},
		{name: "reset in mid-answer", end: "reset",
			reads: []at{hi, {60, "data: {\"choi"}},
			expect: `"outcome":"truncated","error":{"kind":"transport","message":"","code":null},"text":"Hi","ttft_ms":50,
				"stream_end_ms":65,"flags":["no_done","no_finish_reason"],"judge":{"ghost_text_150ms":"fail"}`},
		{name: "reset after the finish reason is no clean close", end: "reset",
			reads:  []at{hi, {60, stop}},
			expect: `"outcome":"truncated","error":{"kind":"transport","message":"","code":null},"finish_reason":"stop","flags":["no_done"]`},
		{name: "reset after the end event is never seen", end: "reset",
			reads:  []at{hi, {60, stop + done}},
			expect: `"outcome":"ok","error":null,"stream_end_ms":60`},
		{name: "reset drops a pending event", end: "reset",
			reads:  []at{hi, {60, strings.TrimSpace(delta(`"content":"!"`))}},
			expect: `"outcome":"truncated","text":"Hi"`},
		{name: "pending event at a clean end",
			reads:  []at{hi, {60, strings.TrimSpace(stop)}, {70, "\n"}},
			expect: `"outcome":"ok","finish_reason":"stop","stream_end_ms":75,"flags":["no_usage","no_done"]`},
		{name: "pending output is dated by its last data byte",
			reads:  []at{{40, stop}, {50, "data: {\"choices\":[{\"delta\":{\"content\":\"H"}, {60, "i\"}}]}"}, {70, "\n"}},
			expect: `"outcome":"ok","text":"Hi","ttft_ms":60,"stream_end_ms":75`},
		{name: "pending end event",
			reads:  []at{hi, {60, stop}, {70, "data: [DONE]"}, {80, "\n"}},
			expect: `"outcome":"ok","stream_end_ms":70,"flags":["no_usage"]`},
		{name: "pending event that is cut",
			reads:  []at{hi, {60, stop[:20]}},
			expect: `"outcome":"truncated","error":null,"text":"Hi","flags":["no_done","no_finish_reason"]`},
		{name: "empty body",
			reads: []at{{30, ""}},
			expect: `"outcome":"truncated","text":"","ttfb_ms":null,"ttft_ms":null,"last_output_ms":null,"icl_ms":[],
				"stream_end_ms":35,"flags":["no_done","no_finish_reason"]`},
		{name: "nothing said",
			reads:  []at{{30, stop + done}},
			expect: `"outcome":"ok","output_chunks":[],"ttfv_ms":null,"judge":{"ghost_text_150ms":"unmeasured"}`},
		{name: "last finish reason counts",
			reads: []at{hi, {60, event(`{"choices":[{"delta":{},"finish_reason":"length"}]}`) + stop +
				event(`{"choices":[{"delta":{},"finish_reason":""}]}`) + event(`{"choices":[{"finish_reason":null}]}`)}},
			expect: `"outcome":"ok","finish_reason":"stop"`},
		{name: "events of an unknown name and data that is no JSON are skipped",
			reads: []at{hi, {60, "event: ping\n" + delta(`"content":"x"`) + "event: message\n" + delta(`"content":"!"`) +
				event("not json") + event("[1]") + stop + done}},
			expect: `"outcome":"ok","text":"Hi!"`},
	})
}

func TestErrors(t *testing.T) {
	hi := at{50, delta(`"content":"Hi"`)}
	runShapes(t, []shape{
		{name: "error member beside a choice",
			reads: []at{hi, {60, event(`{"error":{"code":"server_error","message":"lost"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`)}, {70, done}},
			expect: `"outcome":"error","error":{"kind":"in_band","message":"lost","code":"server_error"},"text":"Hi","finish_reason":"error",
				"ttft_ms":50,"stream_end_ms":60,"flags":[]`},
		{name: "error inside a choice",
			reads:  []at{{60, event(`{"choices":[{"index":0,"error":{"message":"lost","type":"t"}}]}`)}},
			expect: `"outcome":"error","error":{"kind":"in_band","message":"lost","code":"t"}`},
		{name: "error event with an error member",
			reads:  []at{hi, {60, "event: error\n" + event(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)}},
			expect: `"outcome":"error","error":{"kind":"in_band","message":"Overloaded","code":"overloaded_error"},"stream_end_ms":60`},
		{name: "error event with a bare object",
			reads:  []at{{60, "event: error\n" + event(`{"message":"no","code":null,"type":"t"}`)}},
			expect: `"outcome":"error","error":{"kind":"in_band","message":"no","code":"t"}`},
		{name: "error event with plain text",
			reads:  []at{{60, "event: error\n" + event("out of memory")}},
			expect: `"outcome":"error","error":{"kind":"in_band","message":"out of memory","code":null}`},
		{name: "error event with a JSON string",
			reads:  []at{{60, "event: error\n" + event(`"out"`)}},
			expect: `"outcome":"error","error":{"kind":"in_band","message":"out","code":null}`},
		{name: "error event with null",
			reads:  []at{{60, "event: error\n" + event(`null`)}},
			expect: `"outcome":"error","error":{"kind":"in_band","message":"","code":null}`},
		{name: "pending error event",
			reads:  []at{{60, "event: error\ndata: {\"error\":\"x\"}"}},
			expect: `"outcome":"error","error":{"kind":"in_band","message":"x","code":null},"stream_end_ms":60`},
		{name: "pending error event that may be cut",
			reads:  []at{{60, "event: error\ndata: out of"}},
			expect: `"outcome":"truncated","error":null`},
		{name: "no error at all",
			reads:  []at{hi, {60, event(`{"error":null}`) + event(`{"error":""}`) + event(`{"error":false}`) + stop + done}},
			expect: `"outcome":"ok","error":null`},
		{name: "odd errors",
			reads:  []at{{60, event(`{"error":["a"]}`)}},
			expect: `"outcome":"error","error":{"kind":"in_band","message":"[\"a\"]","code":null}`},
		{name: "error with odd members",
			reads:  []at{{60, event(`{"error":{"message":{"a":1},"code":{},"type":""}}`)}},
			expect: `"outcome":"error","error":{"kind":"in_band","message":"","code":null}`},
		{name: "partial output and what the server counted are kept",
			reads: []at{{50, event(`{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":4,"completion_tokens":1}}`)}, {60, event(`{"error":"x"}`)}},
			expect: `"outcome":"error","text":"a","usage":{"prompt_tokens":4,"completion_tokens":1},"output_tokens":1,
				"output_chunks":[{"at_ms":50,"kind":"text","text":"a","tokens":1}],"flags":[]`},
	})
}

func TestStatusErrors(t *testing.T) {
	message := func(status int, contentType, body, want string) shape {
		quoted, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		return shape{name: fmt.Sprintf("%d %.30s", status, body), status: status, header: contentType, reads: []at{{20, body}},
			expect: fmt.Sprintf(`"outcome":"error","error":{"kind":"http_status","message":%s,"code":%d},"ttfb_ms":20,"ttft_ms":null,
				"stream_end_ms":25,"finish_reason":null,"usage":null,"output_chunks":[],"flags":[]`, quoted, status)}
	}
	runShapes(t, []shape{
		message(401, "application/json", `{"error":{"message":"bad key","type":"t","param":null,"code":"invalid_api_key"}}`, "bad key"),
		message(400, "application/json", `{"error":"model not found"}`, "model not found"),
		message(400, "application/json; charset=utf-8", `{"object":"error","message":"too long","code":400}`, "too long"),
		message(404, "application/json", `{"detail":"Not Found"}`, "Not Found"),
		message(422, "application/json", `{"detail":[{"loc":["body"]}]}`, `{"detail":[{"loc":["body"]}]}`),
		message(400, "application/json", `[{"error":{"code":400,"message":"listed"}}]`, "listed"),
		message(502, "text/html", "<html>Bad Gateway</html>\r\n", "<html>Bad Gateway</html>"),
		message(503, "text/plain", "upstream connect error", "upstream connect error"),
		message(500, "text/event-stream", "cut {", "cut {"),
		{name: "empty", status: 500, header: "text/plain", reads: []at{{20, ""}},
			expect: `"outcome":"error","error":{"kind":"http_status","message":"","code":500},"ttfb_ms":null,"stream_end_ms":25`},
		{name: "broken off", status: 500, header: "text/plain", reads: []at{{20, "part"}}, end: "reset",
			expect: `"outcome":"error","error":{"kind":"http_status","message":"part","code":500},"stream_end_ms":25`},
		{name: "too long to read", status: 500, header: "text/plain", reads: []at{{20, strings.Repeat("x", 1<<20+1)}}, end: "open",
			expect: `"outcome":"error","stream_end_ms":20`},
		{name: "retry after a date", status: 429, reads: []at{{20, "x"}},
			header: "text/plain\nDate: Sun, 29 Nov 2026 10:00:00 GMT\nRetry-After: Sun, 29 Nov 2026 10:00:07 GMT",
			expect: `"retry_after_ms":7000`},
		{name: "retry after a date without Date", status: 429, reads: []at{{20, "x"}},
			header: "text/plain\nRetry-After: Sun, 29 Nov 2026 10:00:07 GMT",
			expect: `"retry_after_ms":null`},
		{name: "retry after milliseconds", status: 503, reads: []at{{20, "x"}},
			header: "text/plain\nRetry-After: 2\nRetry-After-Ms: 1500.5",
			expect: `"retry_after_ms":1500.5`},
		{name: "retry after nonsense", status: 503, reads: []at{{20, "x"}},
			header: "text/plain\nRetry-After: -1",
			expect: `"retry_after_ms":null`},
	})
}

func TestContentTypes(t *testing.T) {
	const ok = `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Good day.","reasoning_content":"Hm."},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":30}}`
	other := func(header, want string) shape {
		return shape{name: "type " + header, header: header, reads: []at{{20, delta(`"content":"Hi"`)}},
			expect: `"outcome":"error","error":{"kind":"content_type","message":"` + want + `","code":null},"text":"","ttfb_ms":20,"ttft_ms":null,"stream_end_ms":25,"flags":[]`}
	}
	runShapes(t, []shape{
		{name: "parameters and case", header: "Text/Event-Stream;charset=utf-8", reads: []at{{20, delta(`"content":"Hi"`) + stop + done}},
			expect: `"outcome":"ok","text":"Hi"`},
		other("text/html; charset=utf-8", "text/html"),
		{name: "lines of JSON", header: "application/x-ndjson", reads: []at{{20, `{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}` + "\n\n"}, {30, `[DONE]`}},
			expect: `"outcome":"ok","text":"Hi","ttft_ms":20,"stream_end_ms":30`},
		other("audio/wav", "audio/wav"),
		other("nonsense", "nonsense"),
		{name: "no type", header: " ", reads: []at{{20, stop + done}},
			expect: `"outcome":"error","error":{"kind":"content_type","message":"","code":null}`},
		{name: "whole answer", header: "application/json", reads: []at{{200, ok[:40]}, {480, ok[40:]}},
			expect: `"outcome":"ok","error":null,"text":"Good day.","reasoning":"Hm.","finish_reason":"stop","usage":{"prompt_tokens":5,"completion_tokens":30},
				"output_chunks":[],"ttfb_ms":200,"ttft_ms":null,"ttfo_ms":null,"ttfv_ms":null,"last_output_ms":null,"icl_ms":[],"stream_end_ms":485,
				"response_ms":485,"output_tokens":30,"token_source":"usage","tpot_ms":null,"flags":["non_streaming"],"judge":{"ghost_text_150ms":"unmeasured"}`},
		{name: "whole completion", protocol: OpenAICompletions, header: "application/json; charset=utf-8",
			reads:  []at{{90, `{"choices":[{"text":" a","index":0,"finish_reason":"length"}]}`}},
			expect: `"outcome":"ok","text":" a","finish_reason":"length","output_tokens":null,"token_source":"none","flags":["non_streaming","no_usage"]`},
		{name: "whole answer of tool calls without index", header: "application/json",
			reads: []at{{90, `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"f","arguments":{"x":1}}}]},"finish_reason":"tool_calls"}]}`}},
			expect: `"outcome":"ok","text":"","tool_calls":[{"index":0,"id":"a","name":"f","arguments":"{}"},{"index":1,"id":"b","name":"f","arguments":"{\"x\":1}"}],
				"finish_reason":"tool_calls","flags":["non_streaming","no_usage"]`},
		{name: "whole error", header: "application/json", reads: []at{{90, `{"error":{"message":"no","code":503}}`}},
			expect: `"outcome":"error","error":{"kind":"in_band","message":"no","code":503},"stream_end_ms":95,"flags":["non_streaming"]`},
		{name: "whole answer cut", header: "application/json", reads: []at{{90, ok[:60]}},
			expect: `"outcome":"truncated","error":null,"text":"","flags":["non_streaming"]`},
		{name: "whole answer broken off", header: "application/json", reads: []at{{90, ok[:60]}}, end: "reset",
			expect: `"outcome":"truncated","error":{"kind":"transport","message":"","code":null},"stream_end_ms":95`},
		{name: "whole answer without choices", header: "application/json", reads: []at{{90, `{}`}},
			expect: `"outcome":"truncated","flags":["non_streaming"]`},
	})
}

func TestChoicesAndChannels(t *testing.T) {
	choice := func(i int, content string) string {
		return event(fmt.Sprintf(`{"choices":[{"index":%d,"delta":{"content":%q}}]}`, i, content))
	}
	finish := func(i int) string {
		return event(fmt.Sprintf(`{"choices":[{"index":%d,"delta":{},"finish_reason":"stop"}]}`, i))
	}
	runShapes(t, []shape{
		{name: "two choices",
			reads: []at{{50, choice(1, "B1")}, {60, choice(0, "A1")}, {70, event(`{"choices":[{"index":0,"delta":{"content":"A2"}},{"index":1,"delta":{"content":"B2"}}]}`)},
				{80, finish(1) + finish(0) + event(`{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}`) + done}},
			expect: `"outcome":"ok","text":"A1A2","finish_reason":"stop","ttfb_ms":50,"ttft_ms":60,"last_output_ms":70,"icl_ms":[10],"output_tokens":4,"tpot_ms":null,
				"output_chunks":[{"at_ms":60,"kind":"text","text":"A1"},{"at_ms":70,"kind":"text","text":"A2"}],"flags":["multi_choice"],
				"choices":[{"index":0,"text":"A1A2","finish_reason":"stop"},{"index":1,"text":"B1B2","finish_reason":"stop","ttft_ms":50,"output_chunks":[{"at_ms":50,"text":"B1"},{"at_ms":70,"text":"B2"}]}]`},
		{name: "pieces of one kind in one event are one chunk",
			reads:  []at{{50, event(`{"choices":[{"index":0,"delta":{"content":"a"}},{"index":0,"delta":{"content":"b"}}]}`)}, {60, stop + done}},
			expect: `"text":"ab","output_chunks":[{"at_ms":50,"kind":"text","text":"ab"}],"flags":["no_usage"]`},
		{name: "reasoning comes first in an event",
			reads: []at{{50, delta(`"content":"b","reasoning":"a","tool_calls":[{"index":0,"id":"c","function":{"name":"f"}}]`)}, {60, stop + done}},
			expect: `"text":"b","reasoning":"a","ttft_ms":50,"ttfo_ms":50,"icl_ms":[0,0],
				"output_chunks":[{"at_ms":50,"kind":"reasoning","text":"a"},{"at_ms":50,"kind":"text","text":"b"},{"at_ms":50,"kind":"tool","text":"f"}],
				"flags":["no_usage","burst_delivery","reasoning"]`},
		{name: "reasoning under both names is one channel",
			reads:  []at{{50, delta(`"reasoning":"a","reasoning_content":"a"`)}, {60, delta(`"reasoning":"b"`)}, {70, stop + done}},
			expect: `"reasoning":"ab","ttfo_ms":null,"ttfv_ms":null,"flags":["no_usage","reasoning"]`},
		{name: "content parts",
			reads: []at{{50, delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]`)},
				{60, delta(`"content":[{"type":"text","text":"a"},{"type":"reference","reference_ids":[1]},{"type":"text","text":"b"}]`)}, {70, delta(`"content":"c"`) + stop + done}},
			expect: `"text":"abc","reasoning":"hm","ttft_ms":50,"ttfo_ms":60`},
		{name: "refusal is what the user is told",
			reads:  []at{{50, delta(`"content":null,"refusal":"I cannot"`)}, {60, stop + done}},
			expect: `"text":"I cannot","output_chunks":[{"at_ms":50,"kind":"text","text":"I cannot"}]`},
		{name: "equal deltas are appended",
			reads:  []at{{50, delta(`"content":"ha"`)}, {60, delta(`"content":"ha"`)}, {70, stop + done}},
			expect: `"text":"haha","icl_ms":[10]`},
		{name: "a message after deltas is a snapshot",
			reads:  []at{{50, delta(`"content":"Hi"`)}, {60, event(`{"choices":[{"index":0,"message":{"content":"Hi"},"finish_reason":"stop"}]}`) + done}},
			expect: `"text":"Hi","output_chunks":[{"at_ms":50,"kind":"text","text":"Hi"}],"last_output_ms":50`},
		{name: "a message before deltas is one too",
			reads:  []at{{50, event(`{"choices":[{"index":0,"message":{"content":"Hi"}}]}`)}, {60, delta(`"content":"Hi"`)}, {70, stop + done}},
			expect: `"text":"Hi","ttft_ms":60`},
		{name: "a message without deltas is the answer",
			reads: []at{{50, event(`{"choices":[{"index":0,"delta":{"role":"assistant"},"message":{"content":""}}]}`)}, {60, event(`{"choices":[{"index":0,"message":{"content":"Hi"},"finish_reason":"stop"}]}`)},
				{70, event(`{"choices":[{"index":0,"message":{"content":"Hi"}}]}`) + done}},
			expect: `"outcome":"ok","text":"Hi","ttft_ms":60,"output_chunks":[{"at_ms":60,"kind":"text","text":"Hi"}]`},
		{name: "tool calls by index, in any order",
			reads: []at{{50, delta(`"tool_calls":[{"index":2,"id":"b","function":{"name":"g","arguments":"1"}},{"index":1,"id":"a","function":{"name":"f","arguments":"{"}}]`)},
				{60, delta(`"tool_calls":[{"index":1,"id":"a","function":{"name":null,"arguments":"}"}},{"index":2}]`)}, {70, stop + done}},
			expect: `"tool_calls":[{"index":0,"id":"a","name":"f","arguments":"{}"},{"index":1,"id":"b","name":"g","arguments":"1"}],
				"output_chunks":[{"at_ms":50,"kind":"tool","text":"g1f{"},{"at_ms":60,"kind":"tool","text":"}"}]`},
		{name: "tool calls without index",
			reads: []at{{50, delta(`"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{"}}]`)}, {60, delta(`"tool_calls":[{"function":{"arguments":"}"}}]`)},
				{70, delta(`"tool_calls":[{"id":"b","function":{"name":"g"}},null,{}]`)}, {80, delta(`"tool_calls":[{"id":"a","function":{"arguments":" "}}]`)}, {90, stop + done}},
			expect: `"tool_calls":[{"index":0,"id":"a","name":"f","arguments":"{} "},{"index":1,"id":"b","name":"g","arguments":""}]`},
		{name: "function call of old",
			reads: []at{{50, delta(`"function_call":{"name":"f","arguments":""}`)}, {60, delta(`"function_call":{"arguments":"{}"}`)}, {70, stop + done}},
			expect: `"tool_calls":[{"index":0,"id":null,"name":"f","arguments":"{}"}],
				"output_chunks":[{"at_ms":50,"kind":"tool","text":"f"},{"at_ms":60,"kind":"tool","text":"{}"}]`},
		{name: "white space of every sort is not seen",
			reads:  []at{{50, delta(`"content":" \n\t\u00a0\u3000"`)}, {60, delta(`"content":" x"`)}, {70, stop + done}},
			expect: `"ttft_ms":50,"ttfo_ms":50,"ttfv_ms":60`},
	})
}

func TestCounts(t *testing.T) {
	usage := func(members string) string { return event(`{"choices":[],"usage":{` + members + `}}`) }
	word := func(ms int, members string) at {
		return at{ms, event(`{"choices":[{"index":0,"delta":{"content":"w"}}],"usage":` + members + `}`)}
	}
	a, b, c := at{50, delta(`"content":"a"`)}, at{60, delta(`"content":"b"`)}, at{70, delta(`"content":"c"`)}
	runShapes(t, []shape{
		{name: "last non-null value of each field",
			reads: []at{a, {60, usage(`"prompt_tokens":5,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":2}`) +
				usage(`"prompt_tokens":null,"completion_tokens":9,"prompt_tokens_details":null`) + stop + done}},
			expect: `"usage":{"prompt_tokens":5,"completion_tokens":9,"cached_tokens":2},"output_tokens":9`},
		{name: "no completion count, the prompt's alone",
			reads:  []at{a, {60, usage(`"prompt_tokens":5,"total_tokens":5`) + usage(`"prompt_tokens":5,"completion_tokens":null`) + stop + done}},
			expect: `"usage":{"prompt_tokens":5},"output_tokens":null,"token_source":"none","flags":["no_usage"]`},
		{name: "timings count what usage does not",
			reads:  []at{a, {60, event(`{"choices":[],"usage":{"prompt_tokens":5},"timings":{"prompt_n":5,"predicted_n":2}}`) + stop + done}},
			expect: `"usage":{"prompt_tokens":5,"completion_tokens":2},"token_source":"timings"`},
		{name: "placeholder zeros do not replace numbers",
			reads:  []at{a, {60, usage(`"prompt_tokens":5,"completion_tokens":1`) + usage(`"prompt_tokens":0,"completion_tokens":0,"total_tokens":0`) + stop + done}},
			expect: `"usage":{"prompt_tokens":5,"completion_tokens":1},"flags":[]`},
		{name: "nothing generated is a count",
			reads:  []at{{60, usage(`"prompt_tokens":5,"completion_tokens":0`) + stop + done}},
			expect: `"usage":{"prompt_tokens":5,"completion_tokens":0},"output_tokens":0,"token_source":"usage","flags":[]`},
		{name: "usage goes before timings",
			reads:  []at{a, {60, event(`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3},"timings":{"cache_n":1,"prompt_n":4,"predicted_n":2}}`) + stop + done}},
			expect: `"usage":{"prompt_tokens":5,"completion_tokens":3},"token_source":"usage"`},
		{name: "older timings have no cache count",
			reads:  []at{a, {60, event(`{"timings":{"prompt_n":4,"predicted_n":2}}`) + stop + done}},
			expect: `"usage":{"prompt_tokens":4,"completion_tokens":2},"token_source":"timings"`},
		{name: "DeepSeek names its cache hits",
			reads:  []at{a, {60, usage(`"prompt_tokens":5,"completion_tokens":1,"prompt_cache_hit_tokens":4`) + stop + done}},
			expect: `"usage":{"prompt_tokens":5,"completion_tokens":1,"cached_tokens":4}`},
		{name: "visible pace leaves reasoning out",
			reads: []at{{20, delta(`"reasoning":"r"`)}, a, {90, delta(`"content":"b"`)},
				{95, usage(`"completion_tokens":8,"completion_tokens_details":{"reasoning_tokens":3}`) + stop + done}},
			expect: `"usage":{"completion_tokens":8,"reasoning_tokens":3},"tpot_ms":10,"tpot_visible_ms":10,"tpot_decode_ms":null`},
		{name: "fewer than two tokens have no pace",
			reads:  []at{a, b, {80, usage(`"completion_tokens":1`) + stop + done}},
			expect: `"tpot_ms":null,"output_tokens":1`},
		{name: "one chunk has no time between",
			reads:  []at{a, {80, usage(`"completion_tokens":3`) + stop + done}},
			expect: `"tpot_ms":null,"flags":["tokens_exceed_chunks"]`},
		{name: "tokens exceed chunks from one and a half",
			reads:  []at{a, b, {80, usage(`"completion_tokens":3`) + stop + done}},
			expect: `"tpot_ms":5,"flags":["tokens_exceed_chunks"]`},
		{name: "and not below",
			reads:  []at{a, b, c, {80, usage(`"completion_tokens":4`) + stop + done}},
			expect: `"flags":[]`},
		{name: "two chunks at once are no burst",
			reads:  []at{{50, a.text + b.text}, {80, usage(`"completion_tokens":2`) + stop + done}},
			expect: `"icl_ms":[0],"tpot_ms":null,"flags":[]`},
		{name: "a burst has no pace",
			reads:  []at{{50, a.text + b.text + c.text}, {80, usage(`"completion_tokens":3`) + stop + done}},
			expect: `"icl_ms":[0,0],"tpot_ms":null,"tpot_decode_ms":null,"flags":["burst_delivery"]`},
		{name: "running counts, one missing",
			reads:  []at{word(50, `{"completion_tokens":1}`), word(60, `null`), word(70, `{"completion_tokens":4}`), word(80, `{"completion_tokens":5}`), {90, stop + done}},
			expect: `"output_chunks":[{"tokens":1},{"tokens":null},{"tokens":null},{"tokens":1}],"output_tokens":5,"tpot_decode_ms":null`},
		{name: "running counts from timings",
			reads:  []at{{50, event(`{"choices":[{"delta":{"content":"a"}}],"timings":{"predicted_n":2}}`)}, {80, event(`{"choices":[{"delta":{"content":"a"}}],"timings":{"predicted_n":5}}`)}, {90, stop + done}},
			expect: `"output_chunks":[{"tokens":2},{"tokens":3}],"tpot_decode_ms":10`},
		{name: "a count for two chunks belongs to neither",
			reads:  []at{{50, event(`{"choices":[{"delta":{"reasoning":"a","content":"b"}}],"usage":{"completion_tokens":2}}`)}, {90, stop + done}},
			expect: `"output_chunks":[{"tokens":null},{"tokens":null}]`},
	})
}

// An output chunk is handed over when its event is complete and not later.
func TestOutputsAreHandedOverAsTheyCome(t *testing.T) {
	x := shape{reads: []at{{50, delta(`"content":"a"`)}, {60, delta(`"reasoning":"b"`)}, {70, stop + done}}}.exchange()
	b := x.Play()
	var got []string
	reply.Read(reply.Response{Decoder: &openAIDecoder{}, Status: 200, Header: x.Header(), Body: b, Clock: b.Clock}, func(choice int, o reply.Output) {
		got = append(got, fmt.Sprintf("%d %s %q at %s while it is %s", choice, o.Kind, o.Text, o.At, b.Clock()))
	})
	want := []string{`0 text "a" at 50ms while it is 50ms`, `0 reasoning "b" at 60ms while it is 60ms`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("handed over %q, want %q", got, want)
	}
}

// FuzzRead checks that no body breaks the reader and that the cut into reads
// changes nothing but instants.
func FuzzRead(f *testing.F) {
	for c, d := range llmCases(f, "") {
		if x := &c.Exchanges[0]; len(x.Bytes) < 4096 {
			f.Add(x.Bytes, uint8(7), slices.Index(all, d), x.Header().Get("Content-Type"), x.Header().Get("Content-Encoding"))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint8, which int, kind, coding string) {
		if len(text) == 0 || which < 0 || which >= len(all) {
			return
		}
		header := http.Header{"Content-Type": {kind}, "Content-Encoding": {coding}}
		read := func(n int) string {
			x := streamcase.Exchange{Status: 200, Bytes: text, End: streamcase.End{How: "eof"}}
			for left := len(text); left > 0; left -= n {
				x.Chunks = append(x.Chunks, streamcase.Chunk{Bytes: min(n, left)})
			}
			b := x.Play()
			r := reply.Read(reply.Response{Decoder: all[which].NewDecoder(), Status: 200, Header: header, Body: b, Clock: b.Clock}, nil)
			return fmt.Sprintf("%+v %v %v", r.Choices, r.Outcome, r.Usage)
		}
		if a, b := read(len(text)), read(int(size)+1); a != b {
			t.Errorf("in one read: %s\nin reads of %d: %s", a, int(size)+1, b)
		}
	})
}
