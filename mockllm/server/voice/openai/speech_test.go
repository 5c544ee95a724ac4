package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

func TestOpenAISpeech(t *testing.T) {
	for _, test := range []struct {
		format, content, pieces string
		check                   func(t *testing.T, body []byte)
	}{
		{`"wav"`, "audio/wav", "200:4844 250:4800 300:4800", func(t *testing.T, b []byte) {
			voicetest.Same(t, voicetest.Clip(t, b, 24000).Samples, "ab", 24000)
		}},
		{`"pcm"`, "audio/pcm", "200:4800 250:4800 300:4800", func(t *testing.T, b []byte) { voicetest.Same(t, voicetest.PCM(b), "ab", 24000) }},
		// 2,400 samples are four frames of 576 at 64 kbit/s; the end of the third chunk
		// comes with all that a decoder holds back.
		{`null`, "audio/mpeg", "200:768 250:768 300:1344", func(t *testing.T, b []byte) {
			voicetest.Alike(t, voicetest.Clip(t, b, 24000), "ab", 24000, voicetest.MP3Delay, 15)
		}},
		// The header comes with the first audio that was made, the samples in blocks of
		// 4,096.
		{`"flac"`, "audio/flac", "", func(t *testing.T, b []byte) { voicetest.Same(t, voicetest.Clip(t, b, 24000).Samples, "ab", 24000) }},
	} {
		t.Run(test.format, func(t *testing.T) {
			speaking(t, func(r *voicetest.Rig) {
				a := r.Post("/v1/audio/speech", "application/json", `{"model":"tts-1","input":"ab","voice":"alloy","response_format":`+test.format+`}`)
				if a.Status != 200 || a.Header.Get("Content-Type") != test.content || test.pieces != "" && a.Pieces != test.pieces {
					t.Errorf("status %d, %s, %s, want 200, %s, %s", a.Status, a.Header.Get("Content-Type"), a.Pieces, test.content, test.pieces)
				}
				test.check(t, a.Body)
				if e := r.Only(); e.Protocol != "openai speech" || e.Model != "tts-1" || e.Characters != 2 || e.AudioOut != 300*ms || e.First != 200*ms || e.Ended != 300*ms || e.Outcome != pipeline.OK || e.ID != a.Header.Get("x-request-id") {
					t.Errorf("the ledger has %+v", e)
				}
			})
		})
	}
}

// At half the speed a text takes twice the time, but for the silence around it.
func TestOpenAISpeechSpeed(t *testing.T) {
	for speed, want := range map[string]time.Duration{"0.25": 900 * ms, "0.5": 500 * ms, "1": 300 * ms, "4": 150 * ms} {
		speaking(t, func(r *voicetest.Rig) {
			a := r.Post("/v1/audio/speech", "application/json", `{"model":"tts-1","input":"ab","voice":{"id":"voice_1"},"response_format":"pcm","speed":`+speed+`}`)
			if got := time.Duration(len(a.Body)) * time.Second / 48000; got != want {
				t.Errorf("speed %s plays %s, want %s", speed, got, want)
			}
			voicetest.Audible(t, voicetest.PCM(a.Body), 24000)
		})
	}
}

func TestOpenAISpeechEvents(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		a := r.Post("/v1/audio/speech", "application/json", `{"model":"gpt-4o-mini-tts","input":"ab","voice":"alloy","response_format":"pcm","stream_format":"sse"}`)
		if got := a.Header.Get("Content-Type"); a.Status != 200 || got != "text/event-stream" {
			t.Errorf("status %d, %s", a.Status, got)
		}
		var d wire.EventDecoder
		var heard []byte
		var last wire.SpeechDone
		kinds := ""
		if err := d.Feed(a.Body, 0, func(e wire.Event) bool {
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
		voicetest.Same(t, voicetest.PCM(heard), "ab", 24000)
		// .3 s at 1,250 tokens a minute is 6.25 tokens.
		if want := (wire.SpeechUsage{InputTokens: 1, OutputTokens: 7, TotalTokens: 8}); last.Usage != want {
			t.Errorf("usage %+v, want %+v", last.Usage, want)
		}
		if !strings.HasPrefix(a.Pieces, "200:") || strings.Count(a.Pieces, " ") != 2 || !strings.Contains(a.Pieces, " 300:") {
			t.Errorf("the events came at %s, want them at 200, 250 and 300", a.Pieces)
		}
	})
}

// A text with nothing to say has an answer too: a file without samples.
func TestOpenAISpeechOfNothing(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		a := r.Post("/v1/audio/speech", "application/json", `{"model":"tts-1","input":"...","voice":"alloy","response_format":"wav"}`)
		if c := voicetest.Clip(t, a.Body, 24000); a.Status != 200 || len(c.Samples) != 0 || a.Pieces != "200:44" {
			t.Errorf("status %d, %d samples, %s", a.Status, len(c.Samples), a.Pieces)
		}
		if e := r.Only(); e.First != pipeline.Unknown || e.AudioOut != 0 || e.Outcome != pipeline.OK {
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
			speaking(t, func(r *voicetest.Rig) {
				quoted := func(s string) string {
					if s == "" {
						return "null"
					}
					return `"` + s + `"`
				}
				r.Post("/v1/audio/speech", "application/json", test.body).Refused(t, test.status, fmt.Sprintf(`{"error":{"message":"%s","type":"invalid_request_error","param":%s,"code":%s}}`, test.message, quoted(test.param), quoted(test.code)))
				if all, _ := r.Ledger.Latest(1); len(all) != 0 {
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
		speaking(t, func(r *voicetest.Rig) {
			bodies[i] = r.Post("/v1/audio/speech", "application/json", `{"model":"tts-1","input":"the same","voice":"alloy"}`).Body
		})
	}
	if len(bodies[0]) == 0 || !bytes.Equal(bodies[0], bodies[1]) {
		t.Error("two servers gave different audio")
	}
}
