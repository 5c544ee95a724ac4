package wire

import (
	"encoding/json"
	"testing"
)

func TestSpeechVoice(t *testing.T) {
	for _, test := range []struct {
		json, again string
		want        SpeechVoice
	}{
		{`"alloy"`, `"alloy"`, SpeechVoice{Name: "alloy"}},
		{`{"id":"voice_1","more":2}`, `{"id":"voice_1"}`, SpeechVoice{ID: "voice_1"}},
		{`null`, `""`, SpeechVoice{}},
	} {
		var got SpeechVoice
		if err := json.Unmarshal([]byte(test.json), &got); err != nil || got != test.want {
			t.Errorf("%s: %+v, %v, want %+v", test.json, got, err, test.want)
		}
		if b, err := json.Marshal(got); err != nil || string(b) != test.again {
			t.Errorf("%s: written as %s, %v, want %s", test.json, b, err, test.again)
		}
	}
	var v SpeechVoice
	if err := json.Unmarshal([]byte(`[1]`), &v); err == nil || err.Error() != "voice: expected the name of a voice or an object with its id" {
		t.Errorf("a list: %v", err)
	}
}

func TestSpeechEventJSON(t *testing.T) {
	for want, event := range map[string]any{
		`{"type":"speech.audio.delta","audio":"AQI="}`:                                                         SpeechDelta{Type: SpeechDeltaType, Audio: []byte{1, 2}},
		`{"type":"speech.audio.done","usage":{"input_tokens":14,"output_tokens":101,"total_tokens":115}}`:      SpeechDone{SpeechDoneType, SpeechUsage{14, 101, 115}},
		`{"model":"tts-1","input":"a","voice":"alloy","response_format":"pcm"}`:                                SpeechRequest{Model: "tts-1", Input: "a", Voice: SpeechVoice{Name: "alloy"}, Format: SpeechPCM},
		`{"model":"m","input":"a","voice":{"id":"v"},"instructions":"slow","speed":0.5,"stream_format":"sse"}`: SpeechRequest{Model: "m", Input: "a", Voice: SpeechVoice{ID: "v"}, Instructions: "slow", Speed: new(.5), StreamFormat: SpeechAsEvents},
	} {
		if b, err := json.Marshal(event); err != nil || string(b) != want {
			t.Errorf("got %s, %v, want %s", b, err, want)
		}
	}
}

// A request that can be read can be written, and reads as the same again.
func FuzzSpeechRequest(f *testing.F) {
	for _, seed := range []string{
		`{"model":"tts-1","input":"a","voice":"alloy","speed":1}`, `{"voice":{"id":"v"},"stream_format":"sse"}`, `{"voice":null}`, `{"voice":[]}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var q, again SpeechRequest
		if json.Unmarshal(b, &q) != nil {
			return
		}
		first, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(first, &again); err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		if second, _ := json.Marshal(again); string(second) != string(first) {
			t.Errorf("%s became %s", first, second)
		}
	})
}
