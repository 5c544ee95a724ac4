package realtime

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/pipeline"
)

func TestRealtimeItems(t *testing.T) {
	asking(t, config{}, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
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
	asking(t, config{}, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
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
	asking(t, config{}, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
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
	asking(t, config{}, gptRealtime, http.Header{"Openai-Beta": {"realtime=v1"}}, func(r *voicetest.Rig, a *ask) {
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
		asking(t, config{}, c.path, nil, func(r *voicetest.Rig, a *ask) {
			a.expect(c.message, `0 websocket: close 4000: `+c.end)
			if e := r.LastOf("openai realtime session"); e.Outcome != pipeline.Refused {
				t.Errorf("%s: entry %+v, want one that was refused", c.path, e)
			}
		})
	}
}

func TestRealtimeExpires(t *testing.T) {
	asking(t, config{}, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
		a.begin()
		time.Sleep(time.Hour)
		a.expect(
			`3600000 error {"error":{"type":"invalid_request_error","code":"session_expired","message":"Your session hit the maximum duration of 60 minutes.","param":null,"event_id":null}}`,
			`3600000 websocket: close 1001 (going away): Your session hit the maximum duration of 60 minutes.`,
		)
	})
}

func TestRealtimeGone(t *testing.T) {
	asking(t, config{}, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
		a.write("hi")
		time.Sleep(350 * ms)
		a.conn.Close()
		synctest.Wait()
		all, _ := r.Ledger.Latest(9)
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
	h := voicetest.Alone()
	s := New(h, &ear.Models{Host: h, STT: publishedSTT}, Config{})
	f.Fuzz(func(t *testing.T, first, second string) {
		for _, beta := range []string{"", "realtime=v1"} {
			r, err := http.NewRequest(http.MethodGet, "http://mock/v1/realtime?model=gpt-realtime", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("OpenAI-Beta", beta)
			session := s.newSession(talk.NewSocket(s.Host), s.request(r, 1))
			voicetest.Do(session.Text([]byte(first)))
			voicetest.Do(session.Text([]byte(second)))
			session.Gone()
		}
	})
}
