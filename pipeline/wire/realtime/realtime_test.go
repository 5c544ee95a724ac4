package realtime

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// shown is a session as the service shows it (2025-12-31), with other instructions.
const shown = `{"type":"realtime","object":"realtime.session","id":"sess_1","model":"gpt-realtime","output_modalities":["audio"],"instructions":"Be polite.","tools":[],"tool_choice":"auto","max_output_tokens":"inf","tracing":null,"truncation":"auto","prompt":null,"expires_at":1767233035,"audio":{"input":{"format":{"type":"audio/pcm","rate":24000},"transcription":null,"noise_reduction":null,"turn_detection":{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,"silence_duration_ms":200,"idle_timeout_ms":null,"create_response":true,"interrupt_response":true}},"output":{"format":{"type":"audio/pcm","rate":24000},"voice":"alloy","speed":1}},"include":null}`

func session(t *testing.T) *Session {
	t.Helper()
	s := new(Session)
	if err := json.Unmarshal([]byte(shown), s); err != nil {
		t.Fatal(err)
	}
	return s
}

func written(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSession(t *testing.T) {
	if got := written(t, session(t).Shown()); got != shown {
		t.Errorf("got %s\nwant %s", got, shown)
	}
}

// TestUpdate checks that an update changes what it has and no more.
func TestUpdate(t *testing.T) {
	for _, c := range []struct{ update, old, new string }{
		{`{"instructions":""}`, `"Be polite."`, `""`},
		{`{"audio":{"output":{"voice":"marin"}}}`, `"alloy"`, `"marin"`},
		{`{"audio":{"input":{"format":{"type":"audio/pcmu"}}}}`, `"input":{"format":{"type":"audio/pcm","rate":24000}`, `"input":{"format":{"type":"audio/pcmu"}`},
		{`{"audio":{"input":{"format":{"type":"audio/pcm"}}}}`, ``, ``},
		{`{"audio":{"input":{"transcription":{"model":"whisper-1"}}}}`, `"transcription":null`, `"transcription":{"model":"whisper-1","language":null,"prompt":null}`},
		{`{"audio":{"input":{"turn_detection":{"type":"server_vad","silence_duration_ms":800,"idle_timeout_ms":6000}}}}`, `"silence_duration_ms":200,"idle_timeout_ms":null`, `"silence_duration_ms":800,"idle_timeout_ms":6000`},
		{`{"audio":{"input":{"turn_detection":{"type":"semantic_vad","create_response":false}}}}`, `{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,"silence_duration_ms":200,"idle_timeout_ms":null,"create_response":true,`, `{"type":"semantic_vad","eagerness":"auto","create_response":false,`},
		{`{"audio":{"input":{"turn_detection":null}}}`, `"turn_detection":{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,"silence_duration_ms":200,"idle_timeout_ms":null,"create_response":true,"interrupt_response":true}`, `"turn_detection":null`},
		{`{"tools":[{"type":"function","name":"f","strict":true}],"tool_choice":{"type":"function","name":"f"}}`, `"tools":[],"tool_choice":"auto"`, `"tools":[{"type":"function","name":"f","strict":true}],"tool_choice":{"type":"function","name":"f"}`},
		{`{"max_output_tokens":7}`, `"max_output_tokens":"inf"`, `"max_output_tokens":7`},
	} {
		s := session(t)
		if err := json.Unmarshal([]byte(c.update), s); err != nil {
			t.Errorf("%s: %v", c.update, err)
		}
		if got, want := written(t, s), strings.Replace(shown, c.old, c.new, 1); got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.update, got, want)
		}
	}
	// What is replaced does not keep anything of what was there.
	s := session(t)
	for _, update := range []string{
		`{"audio":{"input":{"turn_detection":{"type":"server_vad","threshold":0.9}}}}`, `{"audio":{"input":{"turn_detection":{"type":"server_vad"}}}}`,
	} {
		if err := json.Unmarshal([]byte(update), s); err != nil {
			t.Fatal(err)
		}
	}
	if got := written(t, s); got != shown {
		t.Errorf("got %s\nwant %s", got, shown)
	}
}

func TestClone(t *testing.T) {
	s := session(t)
	s.Tools, s.Temperature = []Tool{{Type: "function", Name: "f"}}, .9
	c, err := s.Clone()
	if err != nil || written(t, c) != written(t, s) || c.Temperature != .9 {
		t.Fatalf("got %s, %v, want a copy of %s", written(t, c), err, written(t, s))
	}
	c.Audio.Input.TurnDetection.Silence, c.Tools[0].Name, c.OutputModalities[0] = 1, "g", Text
	if s.Audio.Input.TurnDetection.Silence != 200 || s.Tools[0].Name != "f" || s.OutputModalities[0] != Audio {
		t.Errorf("the copy changed what it was made of: %s", written(t, s))
	}
}

func TestTranscriptionSession(t *testing.T) {
	s := session(t)
	s.Type, s.Object = Transcription, TranscriptionObject
	const input = `{"type":"transcription","object":"realtime.transcription_session","id":"sess_1","expires_at":1767233035,"audio":{"input":{"format":{"type":"audio/pcm","rate":24000},"transcription":null,"noise_reduction":null,"turn_detection":{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,"silence_duration_ms":200}}},"include":null}`
	if got := written(t, s.Shown()); got != input {
		t.Errorf("got %s\nwant %s", got, input)
	}
	s.Audio.Input.TurnDetection = nil
	if got, want := written(t, s.Beta().Shown()), `{"id":"sess_1","object":"realtime.transcription_session","expires_at":1767233035,"input_audio_format":"pcm16","input_audio_transcription":null,"input_audio_noise_reduction":null,"turn_detection":null,"include":null,"client_secret":null}`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestBeta checks that a session is the same after it was in the shape of the beta.
func TestBeta(t *testing.T) {
	s := session(t)
	again := session(t)
	again.Instructions, again.Audio.Input.TurnDetection = "", nil
	again.Set(s.Beta())
	if got := written(t, again); got != shown {
		t.Errorf("got %s\nwant %s", got, shown)
	}
	for _, word := range BetaFormats() {
		f, known := FormatOfBeta(word)
		if got := BetaFormat(f); !known || got != word {
			t.Errorf("%s became %+v and %q", word, f, got)
		}
	}
	if f, known := FormatOfBeta("mp3"); known {
		t.Errorf("mp3 is %+v", f)
	}
	if got := BetaFormat(Format{Type: "mp3"}); got != "" {
		t.Errorf("a format of no name is %q", got)
	}
	for event, want := range map[string]string{EventAudioDelta: "response.audio.delta", EventItemAdded: "conversation.item.created", EventResponseDone: "response.done"} {
		if got := BetaName(event); got != want {
			t.Errorf("BetaName(%s) = %s, want %s", event, got, want)
		}
	}
}

func TestLimit(t *testing.T) {
	for text, want := range map[string]Limit{`"inf"`: 0, `1`: 1, `4096`: 4096} {
		var l Limit
		if err := json.Unmarshal([]byte(text), &l); err != nil || l != want || written(t, l) != text {
			t.Errorf("%s is %d, %v and becomes %s", text, l, err, written(t, l))
		}
	}
	for _, text := range []string{`0`, `-1`, `1.5`, `"7"`, `null`, `[]`} {
		var l Limit
		want := `max_output_tokens: want a whole number of at least 1, or "inf", and not ` + text
		if err := json.Unmarshal([]byte(text), &l); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// TestItem checks items as the service shows them.
func TestItem(t *testing.T) {
	for _, text := range []string{
		`{"id":"item_1","type":"message","status":"completed","role":"user","content":[{"type":"input_audio","transcript":null}]}`,
		`{"id":"item_1","type":"message","status":"in_progress","role":"assistant","content":[]}`,
		`{"id":"item_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_audio","transcript":"Sure"}]}`,
		`{"id":"item_1","object":"realtime.item","type":"message","status":"completed","role":"assistant","content":[{"type":"text","text":""}]}`,
		`{"id":"item_1","type":"message","role":"user","content":[{"type":"input_image","image_url":"data:,"}]}`,
		`{"id":"item_1","type":"message","role":"user","content":[{"type":"input_audio","audio":"AAAA","transcript":"x"}]}`,
		`{"id":"item_1","type":"function_call","status":"in_progress","call_id":"call_1","name":"f","arguments":""}`,
		`{"type":"function_call_output","call_id":"call_1","output":"{}"}`,
	} {
		var it Item
		if err := json.Unmarshal([]byte(text), &it); err != nil {
			t.Fatal(err)
		}
		if got := written(t, it); got != text {
			t.Errorf("got %s\nwant %s", got, text)
		}
	}
}

// TestResponse checks a response as the service shows it (2025-12-31).
func TestResponse(t *testing.T) {
	const text = `{"object":"realtime.response","id":"resp_1","status":"completed","status_details":null,"output":[],"conversation_id":"conv_1","output_modalities":["audio"],"max_output_tokens":"inf","audio":{"output":{"format":{"type":"audio/pcm","rate":24000},"voice":"alloy"}},"usage":{"total_tokens":320,"input_tokens":132,"output_tokens":188,"input_token_details":{"text_tokens":59,"audio_tokens":73,"image_tokens":0,"cached_tokens":64,"cached_tokens_details":{"text_tokens":0,"audio_tokens":64,"image_tokens":0}},"output_token_details":{"text_tokens":41,"audio_tokens":147}},"metadata":null}`
	var r Response
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if got := written(t, r); got != text {
		t.Errorf("got %s\nwant %s", got, text)
	}
	r.Usage, r.Status, r.StatusDetails, r.Audio = nil, Cancelled, &StatusDetails{Cancelled, TurnDetected}, nil
	const beta = `{"object":"realtime.response","id":"resp_1","status":"cancelled","status_details":{"type":"cancelled","reason":"turn_detected"},"output":[],"conversation_id":"conv_1","modalities":["audio","text"],"voice":"","output_audio_format":"","temperature":0.8,"max_output_tokens":"inf","usage":null,"metadata":null}`
	if got := written(t, r.Beta(DefaultTemperature)); got != beta {
		t.Errorf("got %s\nwant %s", got, beta)
	}
}

// TestClientEvent checks that what a client writes a server reads.
func TestClientEvent(t *testing.T) {
	sound, zero, end := "AAAA", 0, 1500
	root := Root
	limit := Limit(5)
	for _, want := range []ClientEvent{
		{Type: BufferAppend, Audio: &sound},
		{Type: ItemTruncate, ItemID: "item_1", ContentIndex: &zero, AudioEnd: &end, EventID: "e"},
		{Type: ItemCreate, PreviousItemID: &root, Item: &Item{Type: Message, Role: User, Content: []Content{{Type: InputText, Text: "hi"}}}},
		{Type: ResponseCreate, Response: &ResponseParams{Conversation: "none", Input: &[]Item{}, MaxOutputTokens: &limit, OutputModalities: []string{Text}}},
		{Type: ResponseCancel, ResponseID: "resp_1"},
	} {
		var got ClientEvent
		if err := json.Unmarshal([]byte(written(t, want)), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(shown))
	f.Add([]byte(`{"type":"response.create","response":{"input":[{"type":"message","content":[{"type":"input_audio","transcript":7}]}],"tools":[null]}}`))
	f.Add([]byte(`{"audio":{"input":{"turn_detection":{"type":"server_vad","idle_timeout_ms":"x"}}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var e ClientEvent
		if json.Unmarshal(b, &e) == nil {
			written(t, e)
		}
		s := new(Session)
		if json.Unmarshal(b, s) != nil {
			return
		}
		if c, err := s.Clone(); err != nil || written(t, c) != written(t, s) {
			t.Errorf("%s became %s, %v", written(t, s), written(t, c), err)
		}
	})
}
