package voice

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

func openAISpeaks(s *Service, mux *http.ServeMux) { s.handleOpenAISpeech(mux) }

func TestOpenAISpeech(t *testing.T) {
	for _, test := range []struct {
		format, content, pieces string
		check                   func(t *testing.T, body []byte)
	}{
		{`"wav"`, "audio/wav", "200:4844 250:4800 300:4800", func(t *testing.T, b []byte) {
			same(t, clipOf(t, b, 24000).Samples, "ab", 24000)
		}},
		{`"pcm"`, "audio/pcm", "200:4800 250:4800 300:4800", func(t *testing.T, b []byte) { same(t, pcm(b), "ab", 24000) }},
		// 2,400 samples are four frames of 576 at 64 kbit/s; the end of the third chunk
		// comes with all that a decoder holds back.
		{`null`, "audio/mpeg", "200:768 250:768 300:1344", func(t *testing.T, b []byte) {
			alike(t, clipOf(t, b, 24000), "ab", 24000, mp3Delay, 15)
		}},
		// The header comes with the first audio that was made, the samples in blocks of
		// 4,096.
		{`"flac"`, "audio/flac", "", func(t *testing.T, b []byte) { same(t, clipOf(t, b, 24000).Samples, "ab", 24000) }},
	} {
		t.Run(test.format, func(t *testing.T) {
			speaking(t, openAISpeaks, func(r *rig) {
				a := r.post("/v1/audio/speech", "application/json", `{"model":"tts-1","input":"ab","voice":"alloy","response_format":`+test.format+`}`)
				if a.status != 200 || a.header.Get("Content-Type") != test.content || test.pieces != "" && a.pieces != test.pieces {
					t.Errorf("status %d, %s, %s, want 200, %s, %s", a.status, a.header.Get("Content-Type"), a.pieces, test.content, test.pieces)
				}
				test.check(t, a.body)
				if e := r.only(); e.Protocol != "openai speech" || e.Model != "tts-1" || e.Characters != 2 || e.AudioOut != 300*ms || e.First != 200*ms || e.Ended != 300*ms || e.Outcome != pipeline.OK || e.ID != a.header.Get("x-request-id") {
					t.Errorf("the ledger has %+v", e)
				}
			})
		})
	}
}

// At half the speed a text takes twice the time, but for the silence around it.
func TestOpenAISpeechSpeed(t *testing.T) {
	for speed, want := range map[string]time.Duration{"0.25": 900 * ms, "0.5": 500 * ms, "1": 300 * ms, "4": 150 * ms} {
		speaking(t, openAISpeaks, func(r *rig) {
			a := r.post("/v1/audio/speech", "application/json", `{"model":"tts-1","input":"ab","voice":{"id":"voice_1"},"response_format":"pcm","speed":`+speed+`}`)
			if got := time.Duration(len(a.body)) * time.Second / 48000; got != want {
				t.Errorf("speed %s plays %s, want %s", speed, got, want)
			}
			audible(t, pcm(a.body), 24000)
		})
	}
}

func TestOpenAISpeechEvents(t *testing.T) {
	speaking(t, openAISpeaks, func(r *rig) {
		a := r.post("/v1/audio/speech", "application/json", `{"model":"gpt-4o-mini-tts","input":"ab","voice":"alloy","response_format":"pcm","stream_format":"sse"}`)
		if got := a.header.Get("Content-Type"); a.status != 200 || got != "text/event-stream" {
			t.Errorf("status %d, %s", a.status, got)
		}
		var d wire.EventDecoder
		var heard []byte
		var last wire.SpeechDone
		kinds := ""
		if err := d.Feed(a.body, 0, func(e wire.Event) bool {
			var delta wire.SpeechDelta
			if err := json.Unmarshal(e.Data, &delta); err != nil || e.Name != "" {
				t.Errorf("event %q %s: %v", e.Name, e.Data, err)
			}
			kinds += delta.Type + " "
			heard = append(heard, delta.Audio...)
			_ = json.Unmarshal(e.Data, &last)
			return true
		}); err != nil {
			t.Fatal(err)
		}
		if kinds != "speech.audio.delta speech.audio.delta speech.audio.delta speech.audio.done " {
			t.Errorf("events %s", kinds)
		}
		same(t, pcm(heard), "ab", 24000)
		// .3 s at 1,250 tokens a minute is 6.25 tokens.
		if want := (wire.SpeechUsage{InputTokens: 1, OutputTokens: 7, TotalTokens: 8}); last.Usage != want {
			t.Errorf("usage %+v, want %+v", last.Usage, want)
		}
		if !strings.HasPrefix(a.pieces, "200:") || strings.Count(a.pieces, " ") != 2 || !strings.Contains(a.pieces, " 300:") {
			t.Errorf("the events came at %s, want them at 200, 250 and 300", a.pieces)
		}
	})
}

// A text with nothing to say has an answer too: a file without samples.
func TestOpenAISpeechOfNothing(t *testing.T) {
	speaking(t, openAISpeaks, func(r *rig) {
		a := r.post("/v1/audio/speech", "application/json", `{"model":"tts-1","input":"...","voice":"alloy","response_format":"wav"}`)
		if c := clipOf(t, a.body, 24000); a.status != 200 || len(c.Samples) != 0 || a.pieces != "200:44" {
			t.Errorf("status %d, %d samples, %s", a.status, len(c.Samples), a.pieces)
		}
		if e := r.only(); e.First != pipeline.Unknown || e.AudioOut != 0 || e.Outcome != pipeline.OK {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

func TestOpenAISpeechRefuses(t *testing.T) {
	const rest = `"model":"m","voice":"v"`
	for _, test := range []struct {
		name, body           string
		status               int
		message, param, code string
	}{
		{"no JSON", `{`, 400, "We could not parse the JSON body of your request: unexpected end of JSON input.", "", ""},
		{"wrong type", `{"model":1}`, 400, "We could not parse the JSON body of your request: json: cannot unmarshal number into Go struct field SpeechRequest.model of type string.", "", ""},
		{"voice", `{"model":"m","input":"a","voice":1}`, 400, "Invalid type for 'voice': expected the name of a voice or an object with its id.", "voice", "invalid_type"},
		{"no model", `{"input":"a","voice":"v"}`, 400, "you must provide a model parameter", "model", "missing_required_parameter"},
		{"no input", `{` + rest + `}`, 400, "Missing required parameter: 'input'.", "input", "missing_required_parameter"},
		{"no voice", `{"model":"m","input":"a","voice":null}`, 400, "Missing required parameter: 'voice'.", "voice", "missing_required_parameter"},
		{"long", `{` + rest + `,"input":"` + strings.Repeat("ä", 4097) + `"}`, 400, "Invalid 'input': string too long. Expected a string with maximum length 4096, but got a string with length 4097 instead.", "input", "string_above_max_length"},
		{"slow", `{` + rest + `,"input":"a","speed":0.2}`, 400, "Invalid 'speed': expected a number from 0.25 to 4, but got 0.2 instead.", "speed", "invalid_value"},
		{"fast", `{` + rest + `,"input":"a","speed":4.1}`, 400, "Invalid 'speed': expected a number from 0.25 to 4, but got 4.1 instead.", "speed", "invalid_value"},
		{"opus", `{` + rest + `,"input":"a","response_format":"opus"}`, 400, "This mock server cannot write 'opus': use 'mp3', 'flac', 'wav' or 'pcm'.", "response_format", "unsupported_value"},
		{"aac", `{` + rest + `,"input":"a","response_format":"aac"}`, 400, "This mock server cannot write 'aac': use 'mp3', 'flac', 'wav' or 'pcm'.", "response_format", "unsupported_value"},
		{"format", `{` + rest + `,"input":"a","response_format":"ogg"}`, 400, "Invalid value: 'ogg'. Supported values are: 'mp3', 'opus', 'aac', 'flac', 'wav', and 'pcm'.", "response_format", "invalid_value"},
		{"stream format", `{` + rest + `,"input":"a","stream_format":"ws"}`, 400, "Invalid value: 'ws'. Supported values are: 'audio' and 'sse'.", "stream_format", "invalid_value"},
		{"events of tts-1", `{"model":"tts-1-hd","voice":"v","input":"a","stream_format":"sse"}`, 400, "Unsupported value: 'sse' is not supported with the model 'tts-1-hd'; use 'audio'.", "stream_format", "unsupported_value"},
		{"large", `{"input":"` + strings.Repeat("a", 1<<20) + `"}`, 413, "Request refused: the body has 1048588 bytes, more than the limit of 1048576.", "", "request_too_large"},
	} {
		t.Run(test.name, func(t *testing.T) {
			speaking(t, openAISpeaks, func(r *rig) {
				quoted := func(s string) string {
					if s == "" {
						return "null"
					}
					return `"` + s + `"`
				}
				r.post("/v1/audio/speech", "application/json", test.body).refused(t, test.status, fmt.Sprintf(`{"error":{"message":"%s","type":"invalid_request_error","param":%s,"code":%s}}`, test.message, quoted(test.param), quoted(test.code)))
				if all, _ := r.config.Ledger.Latest(1); len(all) != 0 {
					t.Errorf("the ledger has %+v", all)
				}
			})
		})
	}
}

// Answers are deterministic: the same server gives the same bytes.
func TestOpenAISpeechAgain(t *testing.T) {
	var bodies [2][]byte
	for i := range bodies {
		speaking(t, openAISpeaks, func(r *rig) {
			bodies[i] = r.post("/v1/audio/speech", "application/json", `{"model":"tts-1","input":"the same","voice":"alloy"}`).body
		})
	}
	if len(bodies[0]) == 0 || !bytes.Equal(bodies[0], bodies[1]) {
		t.Error("two servers gave different audio")
	}
}
