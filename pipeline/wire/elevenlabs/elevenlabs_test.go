package elevenlabs

import (
	"encoding/json"
	"testing"
)

func TestClientMessageJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"text":" ","voice_settings":{"stability":0.5,"similarity_boost":0.8,"speed":1},"generation_config":{"chunk_length_schedule":[120,160]},"xi-api-key":"k"}`: "",
		`{"text":"Hello ","try_trigger_generation":true}`:    "",
		`{"text":"","context_id":"a"}`:                       "",
		`{"context_id":"a","flush":true}`:                    `{"flush":true,"context_id":"a"}`,
		`{"contextId":"a","close_context":true}`:             `{"context_id":"a","close_context":true}`,
		`{"context_id":"a","contextId":"b"}`:                 `{"context_id":"a"}`,
		`{"close_socket":true,"unknown":1}`:                  `{"close_socket":true}`,
		`{"text":null,"context_id":null,"flush":null}`:       `{}`,
		`{"text":"a","voice_settings":null,"more":{"a":[]}}`: `{"text":"a"}`,
	} {
		if want == "" {
			want = text
		}
		var m ClientMessage
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if b, err := json.Marshal(m); err != nil || string(b) != want {
			t.Errorf("%s: written as %s, %v, want %s", text, b, err, want)
		}
	}
}

func TestServerMessageJSON(t *testing.T) {
	yes, id := true, "a"
	for want, m := range map[string]any{
		`{"audio":"AQI=","isFinal":null,"normalizedAlignment":null,"alignment":{"chars":["H"],"charStartTimesMs":[0],"charDurationsMs":[3]}}`:                          ServerMessage{Audio: []byte{1, 2}, Alignment: &Alignment{[]string{"H"}, []int{0}, []int{3}}},
		`{"audio":null,"isFinal":true,"normalizedAlignment":null,"alignment":null,"contextId":"a"}`:                                                                    ServerMessage{IsFinal: &yes, ContextID: &id},
		`{"message":"late","error":"input_timeout_exceeded","code":1008}`:                                                                                              SocketError{"late", ErrorTimeout, 1008},
		`{"audio_base64":"AQI=","alignment":{"characters":["H"],"character_start_times_seconds":[0],"character_end_times_seconds":[0.1]},"normalized_alignment":null}`: TimedAudio{Audio: []byte{1, 2}, Alignment: &CharacterTimes{[]string{"H"}, []float64{0}, []float64{.1}}},
		`{"detail":[{"loc":["body","text"],"msg":"Field required","type":"missing"}]}`:                                                                                 ValidationBody{[]Invalid{{[]string{"body", "text"}, "Field required", "missing"}}},
		`{"detail":{"status":"quota_exceeded","message":"none left"}}`:                                                                                                 RefusalBody{Refusal{"quota_exceeded", "none left"}},
	} {
		if b, err := json.Marshal(m); err != nil || string(b) != want {
			t.Errorf("got %s, %v, want %s", b, err, want)
		}
	}
}

// Messages of either side can be read and written, whatever is in them.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		`{"text":" ","generation_config":{"chunk_length_schedule":[120]},"context_id":"a"}`, `{"contextId":1}`, `{"audio":"AQI=","isFinal":true}`, `{"audio":"?"}`, `[]`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var c, again ClientMessage
		if json.Unmarshal(b, &c) == nil {
			first, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(first, &again); err != nil {
				t.Fatalf("%s: %v", first, err)
			}
			if second, _ := json.Marshal(again); string(second) != string(first) {
				t.Errorf("%s became %s", first, second)
			}
		}
		var m ServerMessage
		if json.Unmarshal(b, &m) == nil {
			if _, err := json.Marshal(m); err != nil {
				t.Fatal(err)
			}
		}
	})
}
