package realtime

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/pipeline/dist"
)

func TestRealtimeText(t *testing.T) {
	c := config{Replies: []string{"one two three", "four"}}
	asking(t, c, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
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
		if e := r.LastOf("openai realtime"); e.Finish != "length" || e.Prompt != 19 || e.Generated != 2 || e.First != 1100*ms || e.Model != "gpt-realtime" {
			t.Errorf("entry %+v, want one of length with 19 and 2 tokens", e)
		}
	})
}

// TestRealtimeCache counts what a prompt has in common with the one before it.
func TestRealtimeCache(t *testing.T) {
	c := config{Replies: []string{strings.Repeat(" word", 40)}}
	asking(t, c, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
		instructions := strings.TrimSpace(strings.Repeat("be nice ", 50)) // 100 tokens
		a.begin(fmt.Sprintf(`{"type":"session.update","session":{"type":"realtime","output_modalities":["text"],"instructions":%q}}`, instructions))
		cached := func() int {
			t.Helper()
			a.write("go on now")
			time.Sleep(time.Second)
			a.take()
			return r.LastOf("openai realtime").Cached
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
	c := config{Arguments: func(schema json.RawMessage, r dist.Rand) (string, error) {
		if string(schema) == `{}` {
			return "", fmt.Errorf("it says nothing")
		}
		return `{"city":"Bern"}`, nil
	}}
	asking(t, c, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
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
		if e := r.LastOf("openai realtime"); e.Finish != "tool_calls" || e.Generated != 9 {
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
	c := config{Replies: []string{"ab"}}
	last := func(a *ask) string {
		time.Sleep(time.Second)
		all := a.take()
		return all[len(all)-2]
	}
	asking(t, c, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
		a.begin(writing)
		a.send(`{"type":"response.create","response":{"output_modalities":["audio"],"audio":{"output":{"voice":"cedar","format":{"type":"audio/pcmu"}}},"instructions":"one two","tools":[]}}`)
		if got, want := last(a), `400 response.done {"response":{"object":"realtime.response","id":"resp1","status":"completed","status_details":null,"output":[{"id":"item1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_audio","transcript":"ab"}]}],"conversation_id":"conv1","output_modalities":["audio"],"max_output_tokens":"inf","audio":{"output":{"format":{"type":"audio/pcmu"},"voice":"cedar"}},"usage":{"total_tokens":9,"input_tokens":2,`; !strings.HasPrefix(got, want) {
			t.Errorf("got %s\nwant %s...", got, want)
		}
		if e := r.LastOf("openai realtime"); e.AudioOut != 300*ms {
			t.Errorf("%s of audio, want 300ms", e.AudioOut)
		}
	})
	asking(t, c, gptRealtime, http.Header{"Openai-Beta": {"realtime=v1"}}, func(r *voicetest.Rig, a *ask) {
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
	c := config{Arguments: func(json.RawMessage, dist.Rand) (string, error) { return "", fmt.Errorf("no") }}
	asking(t, c, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
		a.begin(`{"type":"session.update","session":{"type":"realtime","tools":[{"type":"function","name":"f"}],"tool_choice":"required"}}`)
		a.turn(time.Second, 300*ms, 300*ms)
		got := a.take()
		if want := `1520 error {"error":{"type":"invalid_request_error","code":"invalid_function_parameters","message":"Invalid schema for function 'f': no.","param":"tools","event_id":null}}`; got[len(got)-1] != want {
			t.Errorf("got %s\nwant %s", got[len(got)-1], want)
		}
	})
}

func TestRealtimeBeside(t *testing.T) {
	c := config{Replies: []string{"ab", "cd"}}
	asking(t, c, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
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
		if e := r.LastOf("openai realtime"); e.Prompt != 4 {
			t.Errorf("%d tokens of input, want the 4 that were given", e.Prompt)
		}
	})
}

// TestRealtimeSpeed checks that the user's factor on the pace of speech counts.
func TestRealtimeSpeed(t *testing.T) {
	c := config{Replies: []string{"abcdefghij"}}
	asking(t, c, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
		a.begin(`{"type":"session.update","session":{"type":"realtime","audio":{"output":{"speed":1.25}}}}`)
		a.write("hi")
		time.Sleep(3 * time.Second)
		// 10 characters of 80 ms and 100 ms of silence.
		if e := r.LastOf("openai realtime"); e.AudioOut != 900*ms {
			t.Errorf("%s of audio, want 900ms", e.AudioOut)
		}
	})
}

func TestRealtimeBucket(t *testing.T) {
	var b bucket
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
