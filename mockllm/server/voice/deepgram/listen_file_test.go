package deepgram

import (
	"strings"
	"testing"
	"testing/synctest"

	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/deepgram"
)

// TestDeepgramFile: all of a file is heard, an utterance after the other, and the answer
// is there 300 ms after the upload.
func TestDeepgramFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "Hello. Good day.", "Bye!")
		defer r.Stop()
		file := voicetest.WAV(t, voicetest.Silent(500*ms, voicetest.Rate), voicetest.Voiced(900*ms, voicetest.Rate), voicetest.Silent(1000*ms, voicetest.Rate), voicetest.Voiced(300*ms, voicetest.Rate), voicetest.Silent(100*ms, voicetest.Rate))
		a := r.Post("/v1/listen?model=nova-3&smart_format=true&utterances=true&detect_language=true", "audio/wav", string(file))
		got := voicetest.Parsed[deepgram.ListenFile](t, a.Body)
		if a.Status != 200 || len(a.Parts) != 1 || !strings.HasPrefix(a.Parts[0], "300 ") || a.Header.Get("dg-request-id") != got.Metadata.RequestID {
			t.Errorf("the answer is %d %q", a.Status, a.Parts)
		}
		if m := got.Metadata; m.Duration != 2.8 || m.Channels != 1 || len(m.SHA256) != 64 || m.TransactionKey != "deprecated" || len(m.Models) != 1 {
			t.Errorf("metadata %+v", m)
		}
		channel := got.Results.Channels[0]
		heard := channel.Alternatives[0]
		if heard.Transcript != "Hello. Good day. Bye!" || len(heard.Words) != 4 || heard.Words[3] != (deepgram.Word{Word: "bye", Start: 2.4, End: 2.71, Confidence: heard.Words[3].Confidence, PunctuatedWord: "Bye!"}) {
			t.Errorf("heard %+v", heard)
		}
		if p := heard.Paragraphs; len(p.Paragraphs) != 2 || len(p.Paragraphs[0].Sentences) != 2 || p.Paragraphs[0].Sentences[1].Text != "Good day." || p.Transcript != "\nHello. Good day.\n\nBye!\n" {
			t.Errorf("paragraphs %+v", p)
		}
		if u := got.Results.Utterances; len(u) != 2 || u[1].Transcript != "Bye!" || u[1].Start != 2.4 || u[0].ID == u[1].ID {
			t.Errorf("utterances %+v", u)
		}
		if channel.DetectedLanguage != "en" {
			t.Errorf("language %q", channel.DetectedLanguage)
		}
		if e := r.Last(); e.Protocol != "deepgram file" || e.AudioIn != 2800*ms || e.First != 300*ms || e.Ended != 300*ms || e.Outcome != pipeline.OK {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

// TestDeepgramFileRaw: channels of raw samples are heard each for itself.
func TestDeepgramFileRaw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "left")
		defer r.Stop()
		both := make([]int16, 0, 2*voicetest.Rate)
		for _, s := range append(voicetest.Silent(300*ms, voicetest.Rate), append(voicetest.Voiced(400*ms, voicetest.Rate), voicetest.Silent(300*ms, voicetest.Rate)...)...) {
			both = append(both, s, 0)
		}
		a := r.Post("/v1/listen?encoding=linear16&sample_rate=16000&channels=2&multichannel=true", "application/octet-stream", string(audio.Encode(nil, both, audio.S16LE)))
		got := voicetest.Parsed[deepgram.ListenFile](t, a.Body)
		if c := got.Results.Channels; len(c) != 2 || c[0].Alternatives[0].Transcript != "left" || c[1].Alternatives[0].Transcript != "" || got.Metadata.Channels != 2 || got.Metadata.Duration != 1 {
			t.Errorf("the answer is %s", string(a.Body))
		}
	})
}

func TestDeepgramFileRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t)
		defer r.Stop()
		for _, c := range []struct{ query, kind, body, code, message string }{
			{"", "application/json", `{"url":"https://example.com/a.wav"}`, "REMOTE_CONTENT_ERROR", `url is "https://example.com/a.wav", but this mock server fetches nothing: send the audio itself as the body, with a Content-Type such as audio/wav`},
			{"", "application/json", `{}`, "PAYLOAD_ERROR", `the JSON body has no url; send the audio itself as the body, with a Content-Type such as audio/wav`},
			{"", "application/json; charset=utf-8", `{`, "Bad Request", `Content-type was application/json, but we could not process the JSON payload: unexpected end of JSON input`},
			{"", "audio/wav", `no audio`, "Bad Request", `Bad Request: failed to process audio: corrupt or unsupported data: unknown audio file: want WAV, FLAC, MP3 or Ogg Opus`},
			{"?encoding=opus&sample_rate=48000", "audio/opus", `x`, "Bad Request", `Bad Request: failed to process audio: corrupt or unsupported data: raw Opus packets cannot be told apart in a file: send Ogg Opus`},
			{"?callback=http://x", "audio/wav", `x`, "INVALID_QUERY_PARAMETER", `callback is not supported by this mock server, which calls nobody: the answer has the transcript`},
			{"?model=flux-general-en", "audio/wav", `x`, "INVALID_QUERY_PARAMETER", `model "flux-general-en" only hears streams, at /v2/listen`},
			{"?utt_split=0", "audio/wav", `x`, "INVALID_QUERY_PARAMETER", `utt_split is "0": want a number from 0.001 to 60`},
		} {
			a := r.Post("/v1/listen"+c.query, c.kind, c.body)
			e := voicetest.Parsed[deepgram.ErrorBody](t, a.Body)
			if a.Status != 400 || e.Code != c.code || e.Message != c.message || a.Header.Get("dg-error") != c.message {
				t.Errorf("%s %s is refused with %d %s\nwant %s: %s", c.query, c.body, a.Status, string(a.Body), c.code, c.message)
			}
		}
	})
}

// TestDeepgramFileTooLong: a small file that stands for days is refused at once.
func TestDeepgramFileTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t)
		defer r.Stop()
		a := r.Post("/v1/listen", "audio/flac", string(voicetest.Endless(t)))
		e := voicetest.Parsed[deepgram.ErrorBody](t, a.Body)
		if want := "the FLAC file is longer than 2h0m0s, the most that is decoded at 16000 Hz: want a shorter one, or a lower rate"; a.Status != 413 || e.Message != want {
			t.Errorf("got %d %s, want 413 %s", a.Status, a.Body, want)
		}
	})
}
