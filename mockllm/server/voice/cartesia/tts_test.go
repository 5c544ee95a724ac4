package cartesia

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/cartesia"
)

// sonic returns a request for raw audio at 8 kHz; the rest of its fields follow.
func sonic(transcript, rest string) string {
	return `{"model_id":"sonic-3","transcript":"` + transcript + `","voice":{"mode":"id","id":"v"},"output_format":{"container":"raw","encoding":"pcm_s16le","sample_rate":8000}` + rest + `}`
}

func TestCartesiaBytes(t *testing.T) {
	request := func(format string) string {
		return `{"model_id":"sonic-3","transcript":"ab","voice":"v","language":"en","output_format":` + format + `}`
	}
	for _, test := range []struct {
		format, content, pieces string
		check                   func(t *testing.T, body []byte)
	}{
		{`{"container":"raw","encoding":"pcm_s16le","sample_rate":22050}`, "application/octet-stream", "200:4410 250:4410 300:4410", func(t *testing.T, b []byte) { voicetest.Same(t, voicetest.PCM(b), "ab", 22050) }},
		{`{"container":"wav","encoding":"pcm_s16le","sample_rate":44100}`, "audio/wav", "200:8864 250:8820 300:8820", func(t *testing.T, b []byte) {
			voicetest.Same(t, voicetest.Clip(t, b, 44100).Samples, "ab", 44100)
		}},
		{`{"container":"wav","encoding":"pcm_mulaw","sample_rate":8000}`, "audio/wav", "200:844 250:800 300:800", func(t *testing.T, b []byte) {
			voicetest.Alike(t, voicetest.Clip(t, b, 8000), "ab", 8000, 0, 30)
		}},
		{`{"container":"raw","encoding":"pcm_f32le","sample_rate":16000}`, "application/octet-stream", "200:6400 250:6400 300:6400", func(t *testing.T, b []byte) {
			got, _ := audio.NewDecoder(audio.Format{Encoding: audio.F32LE, Rate: 16000}, 0).Decode(nil, b)
			voicetest.Alike(t, audio.Clip{Rate: 16000, Samples: got}, "ab", 16000, 0, 60)
		}},
		{`{"container":"mp3","sample_rate":44100,"bit_rate":128000}`, "audio/mpeg", "", func(t *testing.T, b []byte) {
			voicetest.Alike(t, voicetest.Clip(t, b, 44100), "ab", 44100, voicetest.MP3Delay, 17)
		}},
	} {
		t.Run(test.format, func(t *testing.T) {
			speaking(t, func(r *voicetest.Rig) {
				a := r.Post("/tts/bytes", "application/json", request(test.format))
				if a.Status != 200 || a.Header.Get("Content-Type") != test.content || test.pieces != "" && a.Pieces != test.pieces {
					t.Errorf("status %d, %s, %s, want 200, %s, %s", a.Status, a.Header.Get("Content-Type"), a.Pieces, test.content, test.pieces)
				}
				test.check(t, a.Body)
				if e := r.Only(); e.Protocol != "cartesia tts" || e.Path != "/tts/bytes" || e.Model != "sonic-3" || e.Characters != 2 || e.AudioOut != 300*ms || e.First != 200*ms || e.Outcome != pipeline.OK {
					t.Errorf("the ledger has %+v", e)
				}
			})
		})
	}
}

func TestCartesiaEvents(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		a := r.Post("/tts/sse", "application/json", sonic("a bc", `,"add_timestamps":true,"context_id":"x","generation_config":{"speed":1.5}`))
		if got := a.Header.Get("Content-Type"); a.Status != 200 || got != "text/event-stream" {
			t.Errorf("status %d, %s", a.Status, got)
		}
		var d wire.EventDecoder
		var heard []byte
		var got []string
		if err := d.Feed(a.Body, 0, func(e wire.Event) bool {
			var c cartesia.Chunk
			if err := json.Unmarshal(e.Data, &c); err != nil || c.Type != e.Name || c.ContextID != "x" || c.StatusCode != 206 {
				t.Errorf("event %q %s: %v", e.Name, e.Data, err)
			}
			heard = append(heard, c.Data...)
			switch c.Type {
			case "chunk":
				got = append(got, fmt.Sprintf("%g", c.StepTime))
			case "timestamps":
				_, words, _ := strings.Cut(string(e.Data), `"word_timestamps":`)
				got = append(got, words)
			default:
				got = append(got, string(e.Data))
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		// Four characters at 15 a second: 50 + 267 + 50 ms.
		want := []string{
			"200", "50", `{"words":["a"],"start":[0.05],"end":[0.117]}}`, "50", "50", `{"words":["bc"],"start":[0.183],"end":[0.317]}}`,
			`{"type":"done","context_id":"x","status_code":206,"done":true}`,
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
		if len(heard)/16 != 367 {
			t.Errorf("the audio plays %d ms, want 367", len(heard)/16)
		}
		voicetest.Audible(t, voicetest.PCM(heard), 8000)
		if e := r.Only(); e.AudioOut != 367*ms || e.First != 200*ms || e.Ended != 350*ms {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

func TestCartesiaRefuses(t *testing.T) {
	format := func(f string) string {
		return `{"model_id":"m","transcript":"a","voice":"v","output_format":` + f + `}`
	}
	for _, test := range []struct {
		name, path, body, title, message string
	}{
		{"no JSON", "/tts/bytes", `{`, "Invalid request body", "unexpected end of JSON input"},
		{"voice", "/tts/bytes", `{"voice":1}`, "Invalid request body", "voice: want the id of a voice or an object with it"},
		{"large", "/tts/bytes", `{"transcript":"` + strings.Repeat("a", 1<<20) + `"}`, "Invalid request body", "the body has 1048593 bytes, more than the limit of 1048576"},
		{"no model", "/tts/sse", `{}`, "Invalid request", `model_id is required, such as \"sonic-3\"`},
		{"no transcript", "/tts/sse", `{"model_id":"m"}`, "Invalid request", "transcript is required"},
		{"no voice", "/tts/sse", `{"model_id":"m","transcript":"a","voice":null}`, "Invalid request", "voice is required: want the id of a voice or an object with it"},
		{"no format", "/tts/sse", `{"model_id":"m","transcript":"a","voice":"v"}`, "Invalid request", "output_format is required"},
		{"long", "/tts/sse", sonic(strings.Repeat("a", 50_001), ""), "Invalid request", "transcript has 50001 characters: this mock server takes 50000"},
		{"silent", "/tts/sse", sonic("...", ""), "transcript empty or contains only punctuation", "there is nothing to be spoken in it"},
		{"speed", "/tts/sse", sonic("a", `,"generation_config":{"speed":2}`), "Invalid request", "generation_config.speed is 2: it must be from 0.6 to 1.5"},
		{"container", "/tts/sse", format(`{"container":"wav","encoding":"pcm_s16le","sample_rate":8000}`), "Invalid request", `output_format: container is \"wav\": want raw`},
		{"rate", "/tts/bytes", format(`{"container":"raw","encoding":"pcm_s16le","sample_rate":11025}`), "Invalid request", "output_format: sample_rate is 11025: want one of [8000 16000 22050 24000 44100 48000]"},
		{"encoding", "/tts/bytes", format(`{"container":"wav","encoding":"pcm_s24le","sample_rate":8000}`), "Invalid request", `output_format: encoding is \"pcm_s24le\": want pcm_f32le, pcm_s16le, pcm_mulaw or pcm_alaw`},
		{"bit rate", "/tts/bytes", format(`{"container":"mp3","sample_rate":44100,"bit_rate":1}`), "Invalid request", "output_format: bit_rate is 1: want one of [32000 64000 96000 128000 192000]"},
		{"MP3 at 8 kHz", "/tts/bytes", format(`{"container":"mp3","sample_rate":8000,"bit_rate":64000}`), "Invalid request", "output_format: this mock server cannot write it: MP3 at 8000 Hz: want 16000, 22050, 24000, 32000, 44100 or 48000"},
		{"version", "/tts/bytes?cartesia_version=new", format(`{}`), "Invalid version", `the version of the API is \"new\": want a date such as \"2026-03-01\"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			speaking(t, func(r *voicetest.Rig) {
				a := r.Post(test.path, "application/json", test.body)
				a.Refused(t, 400, fmt.Sprintf(`{"error_code":"invalid_request","title":"%s","message":"%s","request_id":"%s"}`, test.title, test.message, idOf(r, string(a.Body))))
			})
		})
	}
	// Before 2026-03-01 errors are plain text.
	speaking(t, func(r *voicetest.Rig) {
		a := r.Post("/tts/bytes?cartesia_version=2025-04-16", "application/json", `{}`)
		if got := string(a.Body); a.Status != 400 || got != "Invalid request: model_id is required, such as \"sonic-3\"\n" {
			t.Errorf("got %d %s", a.Status, got)
		}
	})
}
