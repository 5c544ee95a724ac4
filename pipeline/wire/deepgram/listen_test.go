package deepgram

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestRealMessages reads what the service wrote, or its documents quote, and writes it
// again; sources in doc.go.
func TestRealMessages(t *testing.T) {
	for _, c := range []struct {
		into any
		text string
	}{
		{&Results{}, `{"type":"Results","channel_index":[0,1],"duration":1.98,"start":5.99,"is_final":true,"speech_final":true,` +
			`"channel":{"alternatives":[{"transcript":"Tell me.","confidence":0.99964225,"words":[` +
			`{"word":"tell","start":6.0699997,"end":6.3499994,"confidence":0.99782443,"punctuated_word":"Tell"},` +
			`{"word":"me","start":6.3499994,"end":6.6299996,"confidence":0.9998324,"punctuated_word":"me."}]}]},` +
			`"metadata":{"request_id":"52cc0efe-fa77-4aa7-b79c-0dda09de2f14","model_info":{"name":"2-general-nova","version":"2024-01-18.26916","arch":"nova-2"},` +
			`"model_uuid":"c0d1a568-ce81-4fea-97e7-bd45cb1fdf3c"},"from_finalize":false}`},
		{&UtteranceEnd{}, `{"type":"UtteranceEnd","channel":[0,1],"last_word_end":2.395}`},
		{&SpeechStarted{}, `{"type":"SpeechStarted","channel":[0,1],"timestamp":9.54}`},
		{&Metadata{}, `{"type":"Metadata","transaction_key":"deprecated","request_id":"8c8ebea9-dbec-45fa-a035-e4632cb05b5f",` +
			`"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","created":"2024-08-29T22:37:55.202Z","duration":0,"channels":0}`},
		{&ListenError{}, `{"type":"Error","variant":"SchemaError","description":"Could not deserialize last text message","message":"{}"}`},
		{&ErrorBody{}, `{"err_code":"INVALID_AUTH","err_msg":"Invalid credentials.","request_id":"uuid"}`},
		{&TurnInfo{}, `{"type":"TurnInfo","request_id":"ca47dc5f-27bc-440c-b71f-d8eb6359df71","sequence_id":2,"event":"StartOfTurn","turn_index":0,` +
			`"audio_window_start":0,"audio_window_end":0.48,"transcript":"Fine","words":[{"word":"Fine","confidence":0.4573,"start":0.1,"end":0.4}],"end_of_turn_confidence":0.0189}`},
		{&FluxConfigured{}, `{"type":"ConfigureSuccess","request_id":"550e8400-e29b-41d4-a716-446655440000","thresholds":{"eager_eot_threshold":0.5,"eot_threshold":0.5,` +
			`"eot_timeout_ms":1000},"keyterms":["weather","forecast"],"sequence_id":0}`},
		{&FluxCommand{}, `{"type":"Configure","thresholds":{"eot_threshold":0.8},"keyterms":[],"language_hints":["en"]}`},
		{&ListenCommand{}, `{"type":"Finalize","channel":0}`},
		{&ListenCommand{}, `{"type":"Configure","keyterms":["Deepgram"],"features":{"numerals":true}}`},
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

// TestTolerates: fields that are missing, null or unknown are no error.
func TestTolerates(t *testing.T) {
	var r Results
	text := `{"type":"Results","channel":{"alternatives":null},"later":{"x":1},"metadata":null,"is_final":null}`
	if err := json.Unmarshal([]byte(text), &r); err != nil || !reflect.DeepEqual(r, Results{Type: TypeResults}) {
		t.Errorf("read %+v, error %v", r, err)
	}
}

func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		`{"type":"Finalize","channel":0}`, `{"type":"Configure","thresholds":{"eot_timeout_ms":1e400}}`, `{"type":null,"keyterms":[1]}`, `[]`,
		`{"type":"Results","channel_index":[0,1,2],"channel":{"alternatives":[null]}}`, `{"type":"TurnInfo","words":[{"start":"x"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, into := range []any{&ListenCommand{}, &FluxCommand{}, &Results{}, &TurnInfo{}, &ListenFile{}} {
			if json.Unmarshal(b, into) == nil {
				if _, err := json.Marshal(into); err != nil {
					t.Errorf("%s is read as what cannot be written: %v", b, err)
				}
			}
		}
	})
}
