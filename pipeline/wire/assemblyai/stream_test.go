package assemblyai

import (
	"encoding/json"
	"testing"
)

// TestRealMessages reads what the service wrote, as its documents quote it, and writes
// it again; sources in doc.go.
func TestRealMessages(t *testing.T) {
	for _, c := range []struct {
		into any
		text string
	}{
		{&Begin{}, `{"type":"Begin","id":"de5d9927-73a6-4be8-b52d-b4c07be37e6b","expires_at":1759796682}`},
		{&SpeechStarted{}, `{"type":"SpeechStarted","timestamp":1216}`},
		{&SpeechStarted{}, `{"type":"SpeechStarted","timestamp":0,"confidence":0.847772}`},
		{&Turn{}, `{"turn_order":0,"turn_is_formatted":false,"end_of_turn":false,"transcript":"hi","end_of_turn_confidence":0.000014,"words":[` +
			`{"start":1920,"end":2000,"text":"hi","confidence":0.874618,"word_is_final":true},` +
			`{"start":2800,"end":2880,"text":"my","confidence":0.812831,"word_is_final":false}],"utterance":"","type":"Turn"}`},
		{&Termination{}, `{"type":"Termination","audio_duration_seconds":180,"session_duration_seconds":181}`},
		{&Error{}, `{"type":"Error","error_code":3007,"error":"Input Duration Error: Input Duration Violation: 25.0 ms. Expected between 50 and 1000 ms"}`},
		{&Command{}, `{"type":"UpdateConfiguration","end_of_turn_confidence_threshold":0.7,"min_turn_silence":160,"max_turn_silence":400,"format_turns":true}`},
		{&Command{}, `{"type":"Terminate"}`},
	} {
		if err := json.Unmarshal([]byte(c.text), c.into); err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got, _ := json.Marshal(c.into); string(got) != c.text {
			t.Errorf("read and written\n got %s\nwant %s", got, c.text)
		}
	}
}

func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		`{"type":"UpdateConfiguration","min_turn_silence":1e400}`, `{"type":"Terminate"}`, `[]`, `{"type":1}`,
		`{"words":[{"start":1.5}],"type":"Turn"}`, `{"format_turns":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, into := range []any{&Command{}, &Turn{}, &Begin{}, &Error{}} {
			if json.Unmarshal(b, into) == nil {
				if _, err := json.Marshal(into); err != nil {
					t.Errorf("%s is read as what cannot be written: %v", b, err)
				}
			}
		}
	})
}
