package deepgram

import (
	"encoding/json"
	"testing"
)

func TestSpeakJSON(t *testing.T) {
	text := "Hello"
	for want, m := range map[string]any{
		`{"type":"Speak","text":"Hello"}`:    SpeakCommand{TypeSpeak, text},
		`{"type":"Flush"}`:                   SpeakCommand{Type: TypeFlush},
		`{"type":"Flushed","sequence_id":0}`: SpeakNotice{Type: TypeFlushed},
		`{"type":"Cleared","sequence_id":1}`: SpeakNotice{TypeCleared, 1},
		`{"text":"Hello"}`:                   SpeakRequest{Text: &text},
		`{"type":"Metadata","request_id":"r","model_name":"aura-2-thalia-en","model_version":"v","model_uuid":"u"}`:  SpeakMetadata{Type: TypeSpeakMetadata, RequestID: "r", ModelName: "aura-2-thalia-en", ModelVersion: "v", ModelUUID: "u"},
		`{"type":"Warning","code":"EXCESSIVE_FLUSH","description":"d","warn_code":"EXCESSIVE_FLUSH","warn_msg":"d"}`: SpeakWarning{TypeWarning, CodeExcessiveFlush, "d", CodeExcessiveFlush, "d"},
	} {
		if b, err := json.Marshal(m); err != nil || string(b) != want {
			t.Errorf("got %s, %v, want %s", b, err, want)
		}
	}
}
