package realtime

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice/voicetest"
)

func TestRealtimeSecrets(t *testing.T) {
	asking(t, config{MaxBody: 256}, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
		client := &http.Client{Transport: &http.Transport{DialContext: r.DialContext, DisableKeepAlives: true}}
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
		b := newAsk(r, "/v1/realtime", header)
		defer b.conn.Close()
		b.expect(`0 session.created {"session":{"type":"realtime","object":"realtime.session","id":"sess1","model":"gpt-realtime-mini","output_modalities":["audio"],"instructions":"be brief",...`)
		time.Sleep(31 * time.Second)
		late := newAsk(r, "/v1/realtime?model=x", http.Header{"Authorization": {"Bearer " + key}})
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
