package voice

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

func TestRealtimeText(t *testing.T) {
	c := Config{Replies: []string{"one two three", "four"}}
	asking(t, c, gptRealtime, nil, func(r *rig, a *ask) {
		a.begin(writing)
		a.write("Say something")
		time.Sleep(time.Second)
		const place = `"item_id":"item2","output_index":0,"response_id":"resp1"`
		const said = `{"id":"item2","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"one two three"}]}`
		a.expect(
			`0 conversation.item.added {"item":{"id":"item1","type":"message","status":"completed","role":"user","content":[{"type":"input_text","text":"Say something"}]},"previous_item_id":null}`,
			`0 conversation.item.done {"item":{"id":"item1","type":"message","status":"completed","role":"user","content":[{"type":"input_text","text":"Say something"}]},"previous_item_id":null}`,
			`0 response.created {"response":{"object":"realtime.response","id":"resp1","status":"in_progress","status_details":null,"output":[],"conversation_id":"conv1","output_modalities":["text"],...`,
			`100 response.output_item.added...`,
			`100 conversation.item.added...`,
			`100 response.content_part.added {"content_index":0,"item_id":"item2","output_index":0,"part":{"type":"text","text":""},"response_id":"resp1"}`,
			`100 response.output_text.delta {"content_index":0,"delta":"one",`+place+`}`,
			`110 response.output_text.delta {"content_index":0,"delta":" two",`+place+`}`,
			`120 response.output_text.delta {"content_index":0,"delta":" three",`+place+`}`,
			`120 response.output_text.done {"content_index":0,"item_id":"item2","output_index":0,"response_id":"resp1","text":"one two three"}`,
			`120 response.content_part.done {"content_index":0,"item_id":"item2","output_index":0,"part":{"type":"text","text":"one two three"},"response_id":"resp1"}`,
			`120 conversation.item.done {"item":`+said+`,"previous_item_id":"item1"}`,
			`120 response.output_item.done {"item":`+said+`,"output_index":0,"response_id":"resp1"}`,
			`120 response.done {"response":{"object":"realtime.response","id":"resp1","status":"completed",...`,
			`120 rate_limits.updated...`,
		)
		// One that may have two tokens only, with another text and the client's notes.
		a.send(`{"type":"response.create","response":{"max_output_tokens":2,"mock_answer":"a b c","metadata":{"k":"v"}}}`)
		time.Sleep(time.Second)
		got := a.take()
		want := `1110 response.done {"response":{"object":"realtime.response","id":"resp2","status":"incomplete","status_details":{"type":"incomplete","reason":"max_output_tokens"},"output":[{"id":"item3","type":"message","status":"incomplete","role":"assistant","content":[{"type":"output_text","text":"a b"}]}],"conversation_id":"conv1","output_modalities":["text"],"max_output_tokens":2,"audio":{"output":{"format":{"type":"audio/pcm","rate":24000},"voice":"alloy"}},"usage":{"total_tokens":21,"input_tokens":19,"output_tokens":2,"input_token_details":{"text_tokens":19,"audio_tokens":0,"image_tokens":0,"cached_tokens":0,"cached_tokens_details":{"text_tokens":0,"audio_tokens":0,"image_tokens":0}},"output_token_details":{"text_tokens":2,"audio_tokens":0}},"metadata":{"k":"v"}}}`
		if g := got[len(got)-2]; g != want {
			t.Errorf("got %s\nwant %s", g, want)
		}
		if e := r.entryOf("openai realtime"); e.Finish != "length" || e.Prompt != 19 || e.Generated != 2 || e.First != 1100*ms || e.Model != "gpt-realtime" {
			t.Errorf("entry %+v, want one of length with 19 and 2 tokens", e)
		}
	})
}

// TestRealtimeCache counts what a prompt has in common with the one before it.
func TestRealtimeCache(t *testing.T) {
	c := Config{Replies: []string{strings.Repeat(" word", 40)}}
	asking(t, c, gptRealtime, nil, func(r *rig, a *ask) {
		instructions := strings.TrimSpace(strings.Repeat("be nice ", 50)) // 100 tokens
		a.begin(fmt.Sprintf(`{"type":"session.update","session":{"type":"realtime","output_modalities":["text"],"instructions":%q}}`, instructions))
		cached := func() int {
			t.Helper()
			a.write("go on now")
			time.Sleep(time.Second)
			a.take()
			return r.entryOf("openai realtime").Cached
		}
		// Prompts of 103, 146 and 189 tokens, of which none, 143 and 186 were there.
		for i, want := range []int{0, 128, 128} {
			if got := cached(); got != want {
				t.Errorf("answer %d: %d cached tokens, want %d", i, got, want)
			}
		}
		// Without the first item the rest is where it was not before.
		a.send(`{"type":"conversation.item.delete","item_id":"item1"}`)
		if got := cached(); got != 64 {
			t.Errorf("%d cached tokens after a deletion, want the 64 of the instructions", got)
		}
	})
}

func TestRealtimeCalls(t *testing.T) {
	c := Config{Arguments: func(schema json.RawMessage, r dist.Rand) (string, error) {
		if string(schema) == `{}` {
			return "", fmt.Errorf("it says nothing")
		}
		return `{"city":"Bern"}`, nil
	}}
	asking(t, c, gptRealtime, nil, func(r *rig, a *ask) {
		const tool = `{"type":"function","name":"weather","description":"tells","parameters":{"type":"object","properties":{"city":{"type":"string"}}},"strict":true}`
		a.begin(`{"type":"session.update","session":{"type":"realtime","tools":[` + tool + `],"tool_choice":"required"}}`)
		a.send(`{"type":"response.create"}`)
		time.Sleep(200 * ms)
		const place = `"item_id":"item1","output_index":0,"response_id":"resp1"`
		const begun = `{"id":"item1","type":"function_call","status":"in_progress","call_id":"call1","name":"weather","arguments":""}`
		const called = `{"id":"item1","type":"function_call","status":"completed","call_id":"call1","name":"weather","arguments":"{\"city\":\"Bern\"}"}`
		want := []string{
			`0 response.created...`,
			`100 response.output_item.added {"item":` + begun + `,"output_index":0,"response_id":"resp1"}`,
			`100 conversation.item.added {"item":` + begun + `,"previous_item_id":null}`,
		}
		for i, token := range []string{`{`, `\"`, `city`, `\"`, `:`, `\"`, `Bern`, `\"`, `}`} {
			want = append(want, fmt.Sprintf(`%d response.function_call_arguments.delta {"call_id":"call1","delta":"%s",%s}`, 100+10*i, token, place))
		}
		a.expect(append(want,
			`180 response.function_call_arguments.done {"arguments":"{\"city\":\"Bern\"}","call_id":"call1","item_id":"item1","name":"weather","output_index":0,"response_id":"resp1"}`,
			`180 conversation.item.done {"item":`+called+`,"previous_item_id":null}`,
			`180 response.output_item.done {"item":`+called+`,"output_index":0,"response_id":"resp1"}`,
			`180 response.done {"response":{"object":"realtime.response","id":"resp1","status":"completed","status_details":null,"output":[`+called+`],...`,
			`180 rate_limits.updated...`,
		)...)
		a.send(`{"type":"conversation.item.create","item":{"type":"function_call_output","call_id":"call1","output":"{\"sun\":true}"}}`)
		a.send(`{"type":"conversation.item.create","item":{"type":"function_call_output","call_id":"call_other","output":""}}`)
		a.expect(
			`200 conversation.item.added {"item":{"id":"item2","type":"function_call_output","status":"completed","call_id":"call1","output":"{\"sun\":true}"},"previous_item_id":"item1"}`,
			`200 conversation.item.done...`,
			`200 error {"error":{"type":"invalid_request_error","code":"invalid_tool_call_id","message":"Tool call ID 'call_other' not found in conversation.","param":null,"event_id":null}}`,
		)
		if e := r.entryOf("openai realtime"); e.Finish != "tool_calls" || e.Generated != 9 {
			t.Errorf("entry %+v, want tool_calls of 9 tokens", e)
		}
		for _, c := range []struct{ response, want string }{
			{`{"tool_choice":{"type":"function","name":"other"}}`, `"code":"invalid_value","message":"Invalid value for 'response.tool_choice': there is no tool 'other' among the tools, which are: 'weather'.","param":"response.tool_choice"`},
			{`{"tools":[{"type":"function","name":"f","parameters":{}}]}`, `"code":"invalid_function_parameters","message":"Invalid schema for function 'f': it says nothing.","param":"tools"`},
			{`{"tools":[{"type":"function"}]}`, `"code":"missing_required_parameter","message":"Missing required parameter: 'response.tools[0].name'.","param":"response.tools[0].name"`},
			{`{"tool_choice":"some"}`, `"code":"invalid_value","message":"Invalid value: 'some'. Supported values are: 'none', 'auto', and 'required'.","param":"response.tool_choice"`},
		} {
			a.send(`{"type":"response.create","response":` + c.response + `}`)
			a.expect(`200 error {"error":{"type":"invalid_request_error",` + c.want + `,"event_id":null}}`)
		}
		// With a choice the answer has words.
		a.send(`{"type":"response.create","response":{"tool_choice":"auto","output_modalities":["text"],"mock_answer":"sun"}}`)
		time.Sleep(time.Second)
		if got := a.take(); !strings.Contains(got[4], `response.output_text.delta {"content_index":0,"delta":"sun"`) {
			t.Errorf("got %s, want a text", got[4])
		}
	})
}

// TestRealtimeOverrides checks what one response has differently.
func TestRealtimeOverrides(t *testing.T) {
	c := Config{Replies: []string{"ab"}}
	last := func(a *ask) string {
		time.Sleep(time.Second)
		all := a.take()
		return all[len(all)-2]
	}
	asking(t, c, gptRealtime, nil, func(r *rig, a *ask) {
		a.begin(writing)
		a.send(`{"type":"response.create","response":{"output_modalities":["audio"],"audio":{"output":{"voice":"cedar","format":{"type":"audio/pcmu"}}},"instructions":"one two","tools":[]}}`)
		if got, want := last(a), `400 response.done {"response":{"object":"realtime.response","id":"resp1","status":"completed","status_details":null,"output":[{"id":"item1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_audio","transcript":"ab"}]}],"conversation_id":"conv1","output_modalities":["audio"],"max_output_tokens":"inf","audio":{"output":{"format":{"type":"audio/pcmu"},"voice":"cedar"}},"usage":{"total_tokens":9,"input_tokens":2,`; !strings.HasPrefix(got, want) {
			t.Errorf("got %s\nwant %s...", got, want)
		}
		if e := r.entryOf("openai realtime"); e.AudioOut != 300*ms {
			t.Errorf("%s of audio, want 300ms", e.AudioOut)
		}
	})
	asking(t, c, gptRealtime, http.Header{"Openai-Beta": {"realtime=v1"}}, func(r *rig, a *ask) {
		a.begin()
		a.send(`{"type":"response.create","response":{"modalities":["text","audio"],"voice":"sage","output_audio_format":"g711_alaw","max_response_output_tokens":99}}`)
		if got, want := last(a), `"modalities":["audio","text"],"voice":"sage","output_audio_format":"g711_alaw","temperature":0.8,"max_output_tokens":99,`; !strings.Contains(got, want) {
			t.Errorf("got %s\nwant ...%s...", got, want)
		}
		a.send(`{"type":"response.create","response":{"modalities":["text"]}}`)
		if got, want := last(a), `"content":[{"type":"text","text":"ab"}]`; !strings.Contains(got, want) {
			t.Errorf("got %s\nwant ...%s...", got, want)
		}
	})
}

// TestRealtimeCannotAnswer checks a turn whose answer cannot be made.
func TestRealtimeCannotAnswer(t *testing.T) {
	c := Config{Arguments: func(json.RawMessage, dist.Rand) (string, error) { return "", fmt.Errorf("no") }}
	asking(t, c, gptRealtime, nil, func(r *rig, a *ask) {
		a.begin(`{"type":"session.update","session":{"type":"realtime","tools":[{"type":"function","name":"f"}],"tool_choice":"required"}}`)
		a.turn(time.Second, 300*ms, 300*ms)
		got := a.take()
		if want := `1520 error {"error":{"type":"invalid_request_error","code":"invalid_function_parameters","message":"Invalid schema for function 'f': no.","param":"tools","event_id":null}}`; got[len(got)-1] != want {
			t.Errorf("got %s\nwant %s", got[len(got)-1], want)
		}
	})
}

func TestRealtimeBeside(t *testing.T) {
	c := Config{Replies: []string{"ab", "cd"}}
	asking(t, c, gptRealtime, nil, func(r *rig, a *ask) {
		a.begin(writing)
		a.write("hi")
		a.send(`{"type":"response.create","response":{"conversation":"none","input":[{"type":"item_reference","id":"none"}]}}`)
		a.send(`{"type":"response.create","response":{"conversation":"none","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"a b c d"}]}],"instructions":""}}`)
		time.Sleep(time.Second)
		got := a.take()
		want := []string{
			`0 conversation.item.added`, `0 conversation.item.done`, `0 response.created`,
			`0 error {"error":{"type":"invalid_request_error","code":"item_not_found","message":"Item with ID 'none' not found in conversation.","param":"response.input","event_id":null}}`,
			`0 response.created {"response":{"object":"realtime.response","id":"resp2","status":"in_progress","status_details":null,"output":[],"conversation_id":null,`,
			`100 response.output_item.added`, `100 conversation.item.added`, `100 response.content_part.added`, `100 response.output_text.delta`,
			`100 response.output_text.done`, `100 response.content_part.done`, `100 conversation.item.done`, `100 response.output_item.done`,
			`100 response.done {"response":{"object":"realtime.response","id":"resp1",`, `100 rate_limits.updated`,
			`100 response.output_item.added`, `100 response.content_part.added`, `100 response.output_text.delta`,
			`100 response.output_text.done`, `100 response.content_part.done`, `100 response.output_item.done`,
			`100 response.done {"response":{"object":"realtime.response","id":"resp2",`, `100 rate_limits.updated`,
		}
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || !strings.HasPrefix(got[i], want[i]) {
				t.Fatalf("message %d of\n%s\nwant %s", i, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		if e := r.entryOf("openai realtime"); e.Prompt != 4 {
			t.Errorf("%d tokens of input, want the 4 that were given", e.Prompt)
		}
	})
}

func TestRealtimeItems(t *testing.T) {
	asking(t, Config{}, gptRealtime, nil, func(r *rig, a *ask) {
		a.begin()
		sound := base64.StdEncoding.EncodeToString(make([]byte, 48*250))
		a.send(`{"type":"conversation.item.create","item":{"id":"one","type":"message","role":"user","content":[{"type":"input_audio","audio":"` + sound + `"},{"type":"input_text","text":"x"}]}}`)
		a.send(`{"type":"conversation.item.create","previous_item_id":"root","item":{"id":"zero","type":"message","role":"system","content":[{"type":"input_text","text":"y"}]}}`)
		a.send(`{"type":"conversation.item.create","previous_item_id":"zero","item":{"id":"half","type":"message","role":"assistant","content":[{"type":"text","text":"z"}]}}`)
		a.send(`{"type":"conversation.item.retrieve","item_id":"one"}`)
		a.send(`{"type":"conversation.item.delete","item_id":"half"}`)
		a.send(`{"type":"conversation.item.create","item":{"id":"call","type":"function_call","name":"f","arguments":"{}"}}`)
		const one = `{"id":"one","type":"message","status":"completed","role":"user","content":[{"type":"input_audio","transcript":null},{"type":"input_text","text":"x"}]}`
		a.expect(
			`0 conversation.item.added {"item":`+one+`,"previous_item_id":null}`, `0 conversation.item.done {"item":`+one+`,"previous_item_id":null}`,
			`0 conversation.item.added {"item":{"id":"zero","type":"message","status":"completed","role":"system","content":[{"type":"input_text","text":"y"}]},"previous_item_id":null}`, `0 conversation.item.done...`,
			`0 conversation.item.added {"item":{"id":"half","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"z"}]},"previous_item_id":"zero"}`, `0 conversation.item.done...`,
			`0 conversation.item.retrieved {"item":{"id":"one","type":"message","status":"completed","role":"user","content":[{"type":"input_audio","audio":"`+sound+`","transcript":null},{"type":"input_text","text":"x"}]}}`,
			`0 conversation.item.deleted {"item_id":"half"}`,
			`0 conversation.item.added {"item":{"id":"call","type":"function_call","status":"completed","call_id":"call1","name":"f","arguments":"{}"},"previous_item_id":"one"}`, `0 conversation.item.done...`,
		)
	})
}

func TestRealtimeFaults(t *testing.T) {
	asking(t, Config{}, gptRealtime, nil, func(r *rig, a *ask) {
		a.begin(`{"type":"conversation.item.create","item":{"id":"mine","type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}}`)
		const names = `'session.update', 'input_audio_buffer.append', 'input_audio_buffer.commit', 'input_audio_buffer.clear', 'conversation.item.create', 'conversation.item.truncate', 'conversation.item.delete', 'conversation.item.retrieve', 'response.create', and 'response.cancel'`
		item := func(fields string) string { return `{"type":"conversation.item.create","item":{` + fields + `}}` }
		for _, c := range []struct{ event, code, message, param string }{
			{`{"type":"nope","event_id":"e"}`, "invalid_value", `Invalid value: 'nope'. Supported values are: ` + names + `.`, "type"},
			{`{"type":"transcription_session.update"}`, "invalid_value", `Invalid value: 'transcription_session.update'. Supported values are: ` + names + `.`, "type"},
			{`{}`, "missing_required_parameter", `Missing required parameter: 'type'.`, "type"},
			{`not json`, "invalid_json", `Invalid event: failed to parse JSON value. invalid character 'o' in literal null (expecting 'u')`, ""},
			{`[1]`, "invalid_type", `Invalid type: expected a value that fits struct, but got a value of type array instead.`, ""},
			{`{"type":"input_audio_buffer.append","audio":7}`, "invalid_type", `Invalid type for 'audio': expected a value that fits string, but got a value of type number instead.`, "audio"},
			{`{"type":"input_audio_buffer.append"}`, "missing_required_parameter", `Missing required parameter: 'audio'.`, "audio"},
			{`{"type":"input_audio_buffer.append","audio":"*"}`, "invalid_value", `Invalid 'audio'. Expected base64-encoded audio bytes (audio/pcm), but got an invalid value: illegal base64 data at input byte 0.`, "audio"},
			{`{"type":"conversation.item.create"}`, "missing_required_parameter", `Missing required parameter: 'item'.`, "item"},
			{item(`"role":"user"`), "missing_required_parameter", `Missing required parameter: 'item.type'.`, "item.type"},
			{item(`"type":"text"`), "invalid_value", `Invalid value: 'text'. Supported values are: 'message', 'function_call', and 'function_call_output'.`, "item.type"},
			{item(`"type":"message"`), "missing_required_parameter", `Missing required parameter: 'item.role'.`, "item.role"},
			{item(`"type":"message","role":"bot"`), "invalid_value", `Invalid value: 'bot'. Supported values are: 'user', 'assistant', and 'system'.`, "item.role"},
			{item(`"type":"message","role":"user"`), "missing_required_parameter", `Missing required parameter: 'item.content'.`, "item.content"},
			{item(`"type":"message","role":"user","content":[{"type":"text","text":"x"}]`), "invalid_value", `Invalid value: 'text'. Supported values are: 'input_text', 'input_audio', and 'input_image'.`, "item.content.type"},
			{item(`"type":"message","role":"user","content":[{"type":"input_audio","audio":"*"}]`), "invalid_value", `Invalid 'item.content.audio'. Expected base64-encoded audio bytes, but got an invalid value: illegal base64 data at input byte 0.`, "item.content.audio"},
			{item(`"id":"mine","type":"message","role":"user","content":[{"type":"input_text","text":"x"}]`), "item_create_duplicate_item_id", `Error creating item: an item with id 'mine' already exists.`, "item.id"},
			{item(`"id":"` + strings.Repeat("x", 33) + `","type":"message"`), "string_above_max_length", `Invalid 'item.id': string too long. Expected a string with maximum length 32, but got a string with length 33 instead.`, "item.id"},
			{item(`"type":"function_call","name":"f"`), "missing_required_parameter", `Missing required parameter: 'item.arguments'.`, "item.arguments"},
			{item(`"type":"function_call","arguments":"{}"`), "missing_required_parameter", `Missing required parameter: 'item.name'.`, "item.name"},
			{item(`"type":"function_call_output","output":"x"`), "missing_required_parameter", `Missing required parameter: 'item.call_id'.`, "item.call_id"},
			{item(`"type":"function_call_output","call_id":"x"`), "missing_required_parameter", `Missing required parameter: 'item.output'.`, "item.output"},
			{`{"type":"conversation.item.create","previous_item_id":"gone","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}}`, "item_create_invalid_previous_item_id", `Error creating item: the previous item with id 'gone' does not exist.`, "previous_item_id"},
			{`{"type":"conversation.item.delete","item_id":"gone"}`, "item_delete_invalid_item_id", `Error deleting item: the item with id 'gone' does not exist.`, ""},
			{`{"type":"conversation.item.delete"}`, "missing_required_parameter", `Missing required parameter: 'item_id'.`, "item_id"},
			{`{"type":"conversation.item.retrieve","item_id":"gone"}`, "item_retrieve_invalid_item_id", `Error retrieving item: the item with id 'gone' does not exist.`, ""},
			{`{"type":"conversation.item.truncate","item_id":"gone","content_index":0,"audio_end_ms":1}`, "item_truncate_invalid_item_id", `Error truncating item: the item with id 'gone' does not exist.`, ""},
			{`{"type":"conversation.item.truncate","item_id":"mine","content_index":0}`, "missing_required_parameter", `Missing required parameter: 'audio_end_ms'.`, "audio_end_ms"},
			{`{"type":"conversation.item.truncate","item_id":"mine","content_index":0,"audio_end_ms":1}`, "", `Only model output audio messages can be truncated`, ""},
			{`{"type":"response.create","response":{"input":[{"type":"message"}]}}`, "missing_required_parameter", `Missing required parameter: 'response.input.role'.`, "response.input.role"},
			{`{"type":"response.create","response":{"audio":{"output":{"format":{"type":"x"}}}}}`, "invalid_value", `Invalid value: 'x'. Supported values are: 'audio/pcm', 'audio/pcmu', and 'audio/pcma'.`, "response.audio.output.format.type"},
			{`{"type":"response.create","response":{"conversation":"other"}}`, "invalid_value", `Invalid value: 'other'. Supported values are: 'auto' and 'none'.`, "response.conversation"},
			{`{"type":"response.create","response":{"output_modalities":["audio","text"]}}`, "invalid_value", `Invalid modalities: ["audio" "text"]. Supported combinations are: ['text'] and ['audio'].`, "response.output_modalities"},
			{`{"type":"response.create","response":{"max_output_tokens":0}}`, "invalid_value", `Invalid value for 'max_output_tokens': want a whole number of at least 1, or "inf", and not 0.`, "max_output_tokens"},
			{`{"type":"session.update"}`, "missing_required_parameter", `Missing required parameter: 'session'.`, "session"},
		} {
			a.send(c.event)
			a.expectFault(c.event, c.code, c.message, c.param)
		}
		if err := a.conn.WriteMessage(websocket.BinaryMessage, []byte{1}); err != nil {
			t.Fatal(err)
		}
		a.expectFault("a binary frame", "invalid_event", "Expected a text WebSocket message; binary frames are not supported.", "")
	})
}

// expectFault checks that the only message since the last time is such an error.
func (a *ask) expectFault(what, code, message, param string) {
	a.t.Helper()
	got := a.take()
	var e struct {
		Error struct{ Code, Message, Param, Type string }
	}
	if len(got) == 1 {
		_, text, _ := strings.Cut(got[0], " error ")
		_ = json.Unmarshal([]byte(text), &e) // what cannot be read is not what is wanted
	}
	if e.Error.Code != code || e.Error.Message != message || e.Error.Param != param || e.Error.Type != "invalid_request_error" {
		a.t.Errorf("%s:\n got %s\nwant %s, %s, %s", what, got, code, message, param)
	}
}

func TestRealtimeSessionFaults(t *testing.T) {
	asking(t, Config{}, gptRealtime, nil, func(r *rig, a *ask) {
		a.begin()
		input := func(fields string) string { return `{"type":"realtime","audio":{"input":{` + fields + `}}}` }
		for _, c := range []struct{ session, code, message, param string }{
			{`{}`, "missing_required_parameter", `Missing required parameter: 'session.type'.`, "session.type"},
			{`7`, "invalid_type", `Invalid type: expected a value that fits struct, but got a value of type number instead.`, "session"},
			{`{"type":"session"}`, "invalid_value", `Invalid value: 'session'. Supported values are: 'realtime' and 'transcription'.`, "session.type"},
			{`{"type":"transcription"}`, "invalid_value", `Passing a transcription session update event to a realtime session is not allowed.`, "session.type"},
			{`{"type":"realtime","model":"gpt-realtime-mini"}`, "invalid_value", `The model of a session cannot be changed: it is 'gpt-realtime'.`, "session.model"},
			{`{"type":"realtime","modalities":["text"]}`, "unknown_parameter", `Unknown parameter: 'session.modalities'.`, "session.modalities"},
			{`{"type":"realtime","temperature":1}`, "unknown_parameter", `Unknown parameter: 'session.temperature'.`, "session.temperature"},
			{`{"type":"realtime","audio":{"output":{"pitch":1}}}`, "unknown_parameter", `Unknown parameter: 'session.audio.output.pitch'.`, "session.audio.output.pitch"},
			{`{"type":"realtime","instructions":[]}`, "invalid_type", `Invalid type for 'session.instructions': expected a value that fits string, but got a value of type array instead.`, "session.instructions"},
			{`{"type":"realtime","output_modalities":["audio","text"]}`, "invalid_value", `Invalid modalities: ["audio" "text"]. Supported combinations are: ['text'] and ['audio'].`, "session.output_modalities"},
			{`{"type":"realtime","max_output_tokens":5000}`, "integer_above_max_value", `Invalid 'session.max_output_tokens': integer above maximum value. Expected a value <= 4096, but got 5000 instead.`, "session.max_output_tokens"},
			{`{"type":"realtime","audio":{"output":{"speed":2}}}`, "decimal_above_max_value", `Invalid 'session.audio.output.speed': decimal above maximum value. Expected a value <= 1.5, but got 2 instead.`, "session.audio.output.speed"},
			{input(`"format":{"type":"audio/pcm","rate":16000}`), "integer_below_min_value", `Invalid 'session.audio.input.format.rate': integer below minimum value. Expected a value >= 24000, but got 16000 instead.`, "session.audio.input.format.rate"},
			{input(`"format":{"type":"audio/mp3"}`), "invalid_value", `Invalid value: 'audio/mp3'. Supported values are: 'audio/pcm', 'audio/pcmu', and 'audio/pcma'.`, "session.audio.input.format.type"},
			{input(`"turn_detection":{"type":"psychic"}`), "invalid_value", `Invalid value: 'psychic'. Supported values are: 'server_vad' and 'semantic_vad'.`, "session.audio.input.turn_detection.type"},
			{input(`"turn_detection":{"type":"semantic_vad","eagerness":"very"}`), "invalid_value", `Invalid value: 'very'. Supported values are: 'low', 'medium', 'high', and 'auto'.`, "session.audio.input.turn_detection.eagerness"},
			{input(`"turn_detection":{"type":"server_vad","threshold":1.5}`), "decimal_above_max_value", `Invalid 'session.audio.input.turn_detection.threshold': decimal above maximum value. Expected a value <= 1, but got 1.5 instead.`, "session.audio.input.turn_detection.threshold"},
			{input(`"turn_detection":{"type":"server_vad","silence_duration_ms":-1}`), "integer_below_min_value", `Invalid 'session.audio.input.turn_detection.silence_duration_ms': integer below minimum value. Expected a value >= 0, but got -1 instead.`, "session.audio.input.turn_detection.silence_duration_ms"},
			{input(`"turn_detection":{"type":"server_vad","idle_timeout_ms":100}`), "integer_below_min_value", `Invalid 'session.audio.input.turn_detection.idle_timeout_ms': integer below minimum value. Expected a value >= 5000, but got 100 instead.`, "session.audio.input.turn_detection.idle_timeout_ms"},
		} {
			a.send(`{"type":"session.update","session":` + c.session + `}`)
			a.expectFault(c.session, c.code, c.message, c.param)
		}
		// An update that is refused changes nothing, one that is not only what it names.
		a.send(`{"type":"session.update","session":{"type":"realtime","instructions":"new","audio":{"output":{"speed":9}}}}`)
		a.take()
		a.send(`{"type":"session.update","session":{"type":"realtime","audio":{"input":{"noise_reduction":{"type":"far_field"}},"output":{"voice":"marin"}},"tracing":"auto","parallel_tool_calls":false}}`)
		a.expect(`0 session.updated {"session":{"type":"realtime","object":"realtime.session","id":"sess1","model":"gpt-realtime","output_modalities":["audio"],"instructions":"You are a friendly assistant who talks with its user.","tools":[],"tool_choice":"auto","max_output_tokens":"inf","tracing":"auto","truncation":"auto","prompt":null,"expires_at":946688400,"audio":{"input":{"format":{"type":"audio/pcm","rate":24000},"transcription":null,"noise_reduction":{"type":"far_field"},"turn_detection":{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,"silence_duration_ms":200,"idle_timeout_ms":null,"create_response":true,"interrupt_response":true}},"output":{"format":{"type":"audio/pcm","rate":24000},"voice":"marin","speed":1}},"include":null,"parallel_tool_calls":false}}`)
		// The voice stays once it was heard.
		a.write("hi")
		time.Sleep(20 * time.Second)
		a.take()
		a.send(`{"type":"session.update","session":{"type":"realtime","audio":{"output":{"voice":"cedar"}}}}`)
		a.expectFault("a new voice", "cannot_update_voice", "Cannot update a conversation's voice if assistant audio is present.", "session.audio.output.voice")
	})
}

func TestRealtimeBetaFaults(t *testing.T) {
	asking(t, Config{}, gptRealtime, http.Header{"Openai-Beta": {"realtime=v1"}}, func(r *rig, a *ask) {
		a.begin()
		for _, c := range []struct{ session, code, message, param string }{
			{`{"audio":{}}`, "unknown_parameter", `Unknown parameter: 'session.audio'.`, "session.audio"},
			{`{"input_audio_format":"mp3"}`, "invalid_value", `Invalid value: 'mp3'. Supported values are: 'pcm16', 'g711_ulaw', and 'g711_alaw'.`, "session.input_audio_format"},
			{`{"modalities":["audio"]}`, "invalid_value", `Invalid modalities: ["audio"]. Supported combinations are: ['text'] and ['audio', 'text'].`, "session.modalities"},
			{`{"temperature":3}`, "decimal_above_max_value", `Invalid 'session.temperature': decimal above maximum value. Expected a value <= 1.2, but got 3 instead.`, "session.temperature"},
			{`{"turn_detection":{"type":"none"}}`, "invalid_value", `Invalid value: 'none'. Supported values are: 'server_vad' and 'semantic_vad'.`, "session.turn_detection.type"},
			{`{"max_response_output_tokens":9999}`, "integer_above_max_value", `Invalid 'session.max_response_output_tokens': integer above maximum value. Expected a value <= 4096, but got 9999 instead.`, "session.max_response_output_tokens"},
		} {
			a.send(`{"type":"session.update","session":` + c.session + `}`)
			a.expectFault(c.session, c.code, c.message, c.param)
		}
		a.send(`{"type":"response.create","response":{"modalities":["text"],"output_audio_format":"mp3"}}`)
		a.expectFault("mp3", "invalid_value", `Invalid value: 'mp3'. Supported values are: 'pcm16', 'g711_ulaw', and 'g711_alaw'.`, "response.output_audio_format")
	})
}

func TestRealtimeHandshake(t *testing.T) {
	for _, c := range []struct{ path, message, end string }{
		{"/v1/realtime", `0 error {"error":{"type":"invalid_request_error","code":"missing_model","message":"You must provide a model parameter, for example ws://mock/v1/realtime?model=gpt-realtime","param":null,"event_id":null}}`, "invalid_request_error.missing_model"},
		{"/v1/realtime?call_id=rtc_1", `0 error {"error":{"type":"invalid_request_error","code":"invalid_call_id","message":"No call with the ID 'rtc_1' was found: this server has no calls over WebRTC or SIP.","param":"call_id","event_id":null}}`, "invalid_request_error.invalid_call_id"},
	} {
		asking(t, Config{}, c.path, nil, func(r *rig, a *ask) {
			a.expect(c.message, `0 websocket: close 4000: `+c.end)
			if e := r.entryOf("openai realtime session"); e.Outcome != pipeline.Refused {
				t.Errorf("%s: entry %+v, want one that was refused", c.path, e)
			}
		})
	}
}

func TestRealtimeExpires(t *testing.T) {
	asking(t, Config{}, gptRealtime, nil, func(r *rig, a *ask) {
		a.begin()
		time.Sleep(time.Hour)
		a.expect(
			`3600000 error {"error":{"type":"invalid_request_error","code":"session_expired","message":"Your session hit the maximum duration of 60 minutes.","param":null,"event_id":null}}`,
			`3600000 websocket: close 1001 (going away): Your session hit the maximum duration of 60 minutes.`,
		)
	})
}

func TestRealtimeGone(t *testing.T) {
	asking(t, Config{}, gptRealtime, nil, func(r *rig, a *ask) {
		a.write("hi")
		time.Sleep(350 * ms)
		a.conn.Close()
		synctest.Wait()
		all, _ := r.config.Ledger.Latest(9)
		if len(all) != 2 {
			t.Fatalf("%d entries, want an answer and a session", len(all))
		}
		if e := all[0]; e.Left != 350*ms || e.Ended != 350*ms || e.Outcome != pipeline.Cancelled || e.AudioOut != 200*ms {
			t.Errorf("answer %+v, want one whose client left at 350 ms", e)
		}
		if e := all[1]; e.Left != 350*ms || e.Outcome != pipeline.Cancelled {
			t.Errorf("session %+v, want one whose client left at 350 ms", e)
		}
	})
}

func TestRealtimeSecrets(t *testing.T) {
	asking(t, Config{MaxBody: 256}, gptRealtime, nil, func(r *rig, a *ask) {
		client := &http.Client{Transport: &http.Transport{DialContext: r.ln.DialContext, DisableKeepAlives: true}}
		post := func(path, body string) (int, map[string]any) {
			t.Helper()
			answer, err := client.Post("http://mock"+path, "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			var m map[string]any
			if err := json.NewDecoder(answer.Body).Decode(&m); err != nil {
				t.Fatal(err)
			}
			return answer.StatusCode, m
		}
		status, m := post("/v1/realtime/client_secrets", `{"expires_after":{"anchor":"created_at","seconds":30},"session":{"type":"realtime","model":"gpt-realtime-mini","instructions":"be brief"}}`)
		key, _ := m["value"].(string)
		session, _ := m["session"].(map[string]any)
		if status != 200 || m["expires_at"] != 946684830. || !strings.HasPrefix(key, "ek_") || session["model"] != "gpt-realtime-mini" || session["instructions"] != "be brief" {
			t.Errorf("%d %v, want a key for 30 s and its session", status, m)
		}
		// A browser can send it as the name of a protocol only, and needs no model.
		header := http.Header{"Sec-Websocket-Protocol": {"realtime, openai-insecure-api-key." + key}}
		b := r.ask("/v1/realtime", header)
		defer b.conn.Close()
		b.expect(`0 session.created {"session":{"type":"realtime","object":"realtime.session","id":"sess1","model":"gpt-realtime-mini","output_modalities":["audio"],"instructions":"be brief",...`)
		time.Sleep(31 * time.Second)
		late := r.ask("/v1/realtime?model=x", http.Header{"Authorization": {"Bearer " + key}})
		defer late.conn.Close()
		late.expect(
			`31000 error {"error":{"type":"invalid_request_error","code":"invalid_api_key","message":"The ephemeral key expired at 2000-01-01T00:00:30Z.","param":null,"event_id":null}}`,
			`31000 websocket: close 3000: invalid_request_error.invalid_api_key`,
		)
		status, m = post("/v1/realtime/sessions", `{"model":"gpt-4o-realtime-preview","voice":"verse"}`)
		secret, _ := m["client_secret"].(map[string]any)
		if status != 200 || m["voice"] != "verse" || secret["expires_at"] != 946684891. {
			t.Errorf("%d %v, want a session of the beta with a key for 60 s", status, m)
		}
		status, m = post("/v1/realtime/transcription_sessions", `{"input_audio_transcription":{"model":"whisper-1"}}`)
		if status != 200 || m["object"] != "realtime.transcription_session" {
			t.Errorf("%d %v, want a session that transcribes", status, m)
		}
		status, m = post("/v1/realtime/client_secrets", `{"session":{"type":"transcription","audio":{"input":{"transcription":{"model":"whisper-1"}}}}}`)
		session, _ = m["session"].(map[string]any)
		if status != 200 || session["object"] != "realtime.transcription_session" || m["expires_at"] != 946684831.+600 {
			t.Errorf("%d %v, want a session that transcribes", status, m)
		}
		for _, c := range []struct{ path, body, message string }{
			{"/v1/realtime/client_secrets", `{"expires_after":{"seconds":5}}`, "Invalid 'expires_after.seconds': integer below minimum value. Expected a value >= 10, but got 5 instead."},
			{"/v1/realtime/client_secrets", `{`, "Invalid event: failed to parse JSON value. unexpected end of JSON input"},
			{"/v1/realtime/client_secrets", `{"session":{"type":"realtime","audio":{"output":{"speed":0}}}}`, "Invalid 'session.audio.output.speed': decimal below minimum value. Expected a value >= 0.25, but got 0 instead."},
			{"/v1/realtime/client_secrets", `{"session":{"type":7}}`, "Invalid type for 'session.type': expected a value that fits string, but got a value of type number instead."},
			{"/v1/realtime/sessions", `[]`, "Invalid type: expected a value that fits struct, but got a value of type array instead."},
			{"/v1/realtime/sessions", `{"voice":"` + strings.Repeat("x", 256) + `"}`, "Request body is larger than the limit of 256 bytes."},
			{"/v1/realtime/sessions", `{"input_audio_format":"x"}`, "Invalid value: 'x'. Supported values are: 'pcm16', 'g711_ulaw', and 'g711_alaw'."},
		} {
			status, m := post(c.path, c.body)
			fault, _ := m["error"].(map[string]any)
			if status != 400 || fault["message"] != c.message || fault["type"] != "invalid_request_error" {
				t.Errorf("%s: %d %v, want %s", c.body, status, m, c.message)
			}
		}
		time.Sleep(time.Second) // net/http lingers on what is too large
	})
}

func TestFindRealtime(t *testing.T) {
	for _, c := range []struct {
		name, slug  string
		audio, lead time.Duration
		known       bool
	}{
		{"gpt-realtime", slugRealtime, 695 * ms, 341 * ms, true},
		{"gpt-realtime-2025-08-28", slugRealtime, 695 * ms, 341 * ms, true},
		{"GPT-Realtime-1.5", slugRealtime15, 556 * ms, 96 * ms, true},
		{"gpt-realtime-2.1", slugRealtime21, 929 * ms, 75 * ms, true},
		{"gpt-4o-mini-realtime-preview-2024-12-17", slugRealtime, 695 * ms, 341 * ms, true},
		{"llm-nova-2-sonic-speech-to-speech-v2v", "llm-nova-2-sonic-speech-to-speech-v2v", 701 * ms, 79 * ms, true},
		{"gpt-realtime2", slugRealtime, 695 * ms, 341 * ms, false},
		{"tts-rime-coda-self-hosted-concurrency-1", slugRealtime, 695 * ms, 341 * ms, false},
	} {
		p, known := FindRealtime(c.name)
		if known != c.known || p.Slug != c.slug || p.FirstAudio != dist.Constant(c.audio) || p.Voice.Lead != c.lead || p.Name != c.name {
			t.Errorf("FindRealtime(%q) = %+v, %t, want %+v", c.name, p, known, c)
		}
	}
	for _, a := range realtimeAliases {
		if p, known := FindRealtime(a.name); !known || p.Slug != a.slug || p.Reason == "" {
			t.Errorf("FindRealtime(%q) = %+v, %t, want %s", a.name, p, known, a.slug)
		}
	}
}

// TestRealtimeVoiceToVoice checks that the published time comes out, given the silence
// that it was measured with.
func TestRealtimeVoiceToVoice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, Config{}, func(s *Service, mux *http.ServeMux) { s.handleRealtime(mux) })
		defer r.stop()
		a := r.ask("/v1/realtime?model=gpt-realtime-1.5", nil)
		defer a.conn.Close()
		a.begin(`{"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":{"type":"server_vad","silence_duration_ms":500}}}}}`)
		a.turn(time.Second, time.Second, 3*time.Second)
		var first int
		for _, m := range a.take() {
			if _, err := fmt.Sscanf(m, "%d response.output_audio.delta", &first); err == nil {
				break
			}
		}
		p, _ := FindRealtime("gpt-realtime-1.5")
		// The last sample comes at 2000, the detector hears it until 2010, and frames come
		// every 20 ms.
		if got := time.Duration(first)*ms + p.Voice.Lead - 2000*ms; got != 1172*ms {
			t.Errorf("voice to voice %s, want 1.152 s and 20 ms for frames", got)
		}
	})
}

func FuzzRealtime(f *testing.F) {
	for _, s := range []string{
		transcribing, unattended, writing, `{"type":"response.create"}`, `{"type":"input_audio_buffer.append","audio":"AAAA"}`,
		`{"type":"session.update","session":{"type":"realtime","tools":[{"type":"mcp"}],"tool_choice":{"type":"mcp"},"audio":{"input":{"format":null}}}}`,
		`{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_image","image_url":"x"}]}}`,
		`{"type":"conversation.item.truncate","item_id":"x","content_index":0,"audio_end_ms":-1}`, `{"type":"input_audio_buffer.commit"}`,
		`{"type":"session.update","session":{"type":"realtime","audio":null,"tools":null,"output_modalities":null}}`, `null`,
	} {
		f.Add(s, "{\"type\":\"response.cancel\"}")
	}
	s := New(Config{Ledger: ledger.New(ledger.Config{}), Loop: pipeline.NewWall()})
	f.Fuzz(func(t *testing.T, first, second string) {
		for _, beta := range []string{"", "realtime=v1"} {
			r, err := http.NewRequest(http.MethodGet, "http://mock/v1/realtime?model=gpt-realtime", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("OpenAI-Beta", beta)
			talk := s.newRealtimeTalk(&socket{loop: s.config.Loop, out: newOutlet()}, s.realtimeRequest(r, 1))
			talk.text([]byte(first))
			talk.text([]byte(second))
			talk.gone()
		}
	})
}

// TestRealtimeSpeed checks that the user's factor on the pace of speech counts.
func TestRealtimeSpeed(t *testing.T) {
	c := Config{Replies: []string{"abcdefghij"}}
	asking(t, c, gptRealtime, nil, func(r *rig, a *ask) {
		a.begin(`{"type":"session.update","session":{"type":"realtime","audio":{"output":{"speed":1.25}}}}`)
		a.write("hi")
		time.Sleep(3 * time.Second)
		// 10 characters of 80 ms and 100 ms of silence.
		if e := r.entryOf("openai realtime"); e.AudioOut != 900*ms {
			t.Errorf("%s of audio, want 900ms", e.AudioOut)
		}
	})
}

func TestRealtimeBucket(t *testing.T) {
	var b realtimeBucket
	if got := b.spend(0, tokenLimit/2); got.Remaining != tokenLimit/2 || got.ResetSeconds != 30 {
		t.Errorf("%+v, want half of the limit, to be there again after 30 s", got)
	}
	if got := b.spend(15*time.Second, 0); got.Remaining != tokenLimit*3/4 || math.Abs(got.ResetSeconds-15) > 0 {
		t.Errorf("%+v, want three quarters after 15 s", got)
	}
	if got := b.spend(15*time.Second, 2*tokenLimit); got.Remaining != 0 {
		t.Errorf("%+v, want nothing left", got)
	}
}
