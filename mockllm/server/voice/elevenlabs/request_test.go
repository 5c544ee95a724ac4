package elevenlabs

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/elevenlabs"
)

func TestElevenLabs(t *testing.T) {
	for _, test := range []struct {
		path, content, pieces string
		check                 func(t *testing.T, body []byte)
	}{
		{"?output_format=wav_16000", "audio/wav", "300:9644", func(t *testing.T, b []byte) {
			if string(b[40:44]) != "\x80\x25\x00\x00" {
				t.Errorf("the header says % x bytes, want 9,600", b[40:44])
			}
			voicetest.Same(t, voicetest.Clip(t, b, 16000).Samples, "ab", 16000)
		}},
		{"?output_format=pcm_48000", "audio/pcm", "300:28800", func(t *testing.T, b []byte) { voicetest.Same(t, voicetest.PCM(b), "ab", 48000) }},
		// 13,230 samples and the 1,057 of a decoder's delay are 13 frames of 417 or 418 bytes.
		{"", "audio/mpeg", "300:5433", func(t *testing.T, b []byte) {
			voicetest.Alike(t, voicetest.Clip(t, b, 44100), "ab", 44100, voicetest.MP3Delay, 17)
		}},
		{"/stream?output_format=pcm_16000", "audio/pcm", "200:3200 250:3200 300:3200", func(t *testing.T, b []byte) { voicetest.Same(t, voicetest.PCM(b), "ab", 16000) }},
		{"/stream?optimize_streaming_latency=3", "audio/mpeg", "", func(t *testing.T, b []byte) {
			voicetest.Alike(t, voicetest.Clip(t, b, 44100), "ab", 44100, voicetest.MP3Delay, 17)
		}},
		{"/stream?output_format=mp3_24000_48", "audio/mpeg", "", func(t *testing.T, b []byte) {
			voicetest.Alike(t, voicetest.Clip(t, b, 24000), "ab", 24000, voicetest.MP3Delay, 12)
		}},
		{"/stream?output_format=ulaw_8000", "audio/basic", "200:800 250:800 300:800", func(t *testing.T, b []byte) {
			got, _ := audio.NewDecoder(audio.Format{Encoding: audio.MuLaw, Rate: 8000}, 0).Decode(nil, b)
			voicetest.Alike(t, audio.Clip{Rate: 8000, Samples: got}, "ab", 8000, 0, 30)
		}},
	} {
		t.Run(test.path, func(t *testing.T) {
			speaking(t, func(r *voicetest.Rig) {
				a := r.Post("/v1/text-to-speech/anyone"+test.path, "application/json", `{"text":"ab","model_id":"eleven_flash_v2_5"}`)
				if a.Status != 200 || a.Header.Get("Content-Type") != test.content || test.pieces != "" && a.Pieces != test.pieces {
					t.Errorf("status %d, %s, %s, want 200, %s, %s", a.Status, a.Header.Get("Content-Type"), a.Pieces, test.content, test.pieces)
				}
				test.check(t, a.Body)
				e := r.Only()
				if e.Protocol != "elevenlabs" || e.Model != "eleven_flash_v2_5" || e.Characters != 2 || e.AudioOut != 300*ms || e.First != 200*ms || e.Ended != 300*ms || e.Outcome != pipeline.OK {
					t.Errorf("the ledger has %+v", e)
				}
				if h := a.Header; h.Get("x-character-count") != "2" || h.Get("request-id") != e.ID {
					t.Errorf("headers %v", h)
				}
			})
		})
	}
}

func TestElevenLabsTimestamps(t *testing.T) {
	for path, want := range map[string]string{
		"/stream/with-timestamps": `200 [a] [0.05] [0.15], 250 [b] [0.15] [0.25], 300 none`,
		"/with-timestamps":        `300 [a b] [0.05 0.15] [0.15 0.25]`,
	} {
		speaking(t, func(r *voicetest.Rig) {
			a := r.Post("/v1/text-to-speech/anyone"+path+"?output_format=pcm_8000", "application/json", `{"text":"ab"}`)
			var heard []byte
			var got []string
			at := strings.Fields(a.Pieces)
			for i, line := range strings.Split(strings.TrimSpace(string(a.Body)), "\n") {
				var m elevenlabs.TimedAudio
				if err := json.Unmarshal([]byte(line), &m); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				heard = append(heard, m.Audio...)
				instant, _, _ := strings.Cut(at[i], ":")
				if m.Alignment == nil {
					got = append(got, instant+" none")
					continue
				}
				got = append(got, fmt.Sprint(instant, " ", m.Alignment.Characters, " ", m.Alignment.Starts, " ", m.Alignment.Ends))
				if m.Normalized == nil || fmt.Sprint(*m.Normalized) != fmt.Sprint(*m.Alignment) {
					t.Errorf("normalized %v, want what alignment has", m.Normalized)
				}
			}
			if g := strings.Join(got, ", "); g != want {
				t.Errorf("%s: got %s, want %s", path, g, want)
			}
			voicetest.Same(t, voicetest.PCM(heard), "ab", 8000)
		})
	}
}

func TestElevenLabsSpeed(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		a := r.Post("/v1/text-to-speech/anyone?output_format=pcm_8000", "application/json", `{"text":"aaaaaaaaaaaa","voice_settings":{"speed":1.2}}`)
		if got := len(a.Body) / 16; got != 1100 {
			t.Errorf("12 characters at 12 a second play %d ms with their silences, want 1100", got)
		}
	})
}

func TestElevenLabsRefuses(t *testing.T) {
	invalid := func(where, message, kind string) string {
		return fmt.Sprintf(`{"detail":[{"loc":[%s],"msg":"%s","type":"%s"}]}`, where, message, kind)
	}
	for _, test := range []struct {
		name, path, body string
		status           int
		want             string
	}{
		{"no text", "", `{}`, 422, invalid(`"body","text"`, "Field required", "missing")},
		{"no JSON", "", `{`, 422, invalid(`"body"`, "JSON decode error: unexpected end of JSON input", "json_invalid")},
		{"speed", "", `{"text":"a","voice_settings":{"speed":2}}`, 422, invalid(`"body","voice_settings","speed"`, "Input should be a number from 0.7 to 1.2", "value_error")},
		{"format", "/stream?output_format=mp3", `{"text":"a"}`, 422, invalid(`"query","output_format"`, "Input should be 'mp3_22050_32', 'mp3_24000_48', 'mp3_44100_32', 'mp3_44100_64', 'mp3_44100_96', 'mp3_44100_128', 'mp3_44100_192', 'pcm_8000', 'pcm_16000', 'pcm_22050', 'pcm_24000', 'pcm_32000', 'pcm_44100', 'pcm_48000', 'ulaw_8000', 'alaw_8000', 'opus_48000_32', 'opus_48000_64', 'opus_48000_96', 'opus_48000_128', 'opus_48000_192'", "enum")},
		{"opus", "?output_format=opus_48000_64", `{"text":"a"}`, 422, invalid(`"query","output_format"`, "this mock server cannot write opus_48000_64: use a format of mp3, pcm, ulaw, alaw or wav", "value_error")},
		{"empty", "", `{"text":""}`, 400, `{"detail":{"status":"input_text_empty","message":"The text to be spoken is empty."}}`},
		{"long", "", `{"text":"` + strings.Repeat("a", 10_001) + `"}`, 400, `{"detail":{"status":"max_character_limit_exceeded","message":"This request's text has 10001 characters and exceeds the character limit of 10000 characters."}}`},
		{"large", "", `{"text":"` + strings.Repeat("a", 1<<20) + `"}`, 413, `{"detail":{"status":"request_too_large","message":"Request refused: the body has 1048587 bytes, more than the limit of 1048576."}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			speaking(t, func(r *voicetest.Rig) {
				r.Post("/v1/text-to-speech/anyone"+test.path, "application/json", test.body).Refused(t, test.status, test.want)
			})
		})
	}
}

func TestElevenLabsVoices(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		client := &http.Client{Transport: &http.Transport{DialContext: r.DialContext, DisableKeepAlives: true}}
		answer, err := client.Get("http://mock/v1/voices")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var list elevenlabs.VoiceList
		if err := json.NewDecoder(answer.Body).Decode(&list); err != nil || len(list.Voices) != 1 || list.Voices[0].ID == "" {
			t.Errorf("voices %+v, %v", list, err)
		}
	})
}
