package openai

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

// form is an upload: name=value for each field, and a file.
func form(t *testing.T, fileName string, file []byte, fields ...string) (contentType string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range fields {
		name, value, _ := strings.Cut(f, "=")
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if file != nil {
		part, err := w.CreateFormFile("file", fileName)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write(file); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), b.Bytes()
}

// TestTranscriptions: the answer is there 300 ms after the upload, in each format.
func TestTranscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "Hello there, good day.")
		defer r.Stop()
		file := voicetest.WAV(t, voicetest.Silent(500*ms, voicetest.Rate), voicetest.Voiced(1000*ms, voicetest.Rate), voicetest.Silent(500*ms, voicetest.Rate))
		for i, c := range []struct {
			fields []string
			kind   string
			want   string
		}{
			{[]string{"model=gpt-4o-transcribe", "prompt=two words"}, "application/json", `{"text":"Hello there, good day.","usage":{"type":"tokens","input_tokens":22,"input_token_details":{"text_tokens":2,"audio_tokens":20},"output_tokens":6,"total_tokens":28}}`},
			{[]string{"model=gpt-transcribe"}, "application/json", `{"text":"Hello there, good day.","languages":[{"code":"en"}],"usage":{"type":"duration","seconds":2}}`},
			{[]string{"model=whisper-1", "stream=true"}, "application/json", `{"text":"Hello there, good day.","usage":{"type":"duration","seconds":2}}`},
			{[]string{"model=whisper-1", "response_format=text"}, "text/plain; charset=utf-8", "Hello there, good day.\n"},
			{[]string{"model=whisper-1", "response_format=srt"}, "text/plain; charset=utf-8", "1\n00:00:00,500 --> 00:00:01,510\nHello there, good day.\n\n"},
			{[]string{"model=whisper-1", "response_format=vtt"}, "text/plain; charset=utf-8", "WEBVTT\n\n00:00:00.500 --> 00:00:01.510\nHello there, good day.\n\n"},
			{[]string{"model=whisper-1", "response_format=verbose_json", "language=de", "timestamp_granularities[]=word"}, "application/json", `{"task":"transcribe","language":"german","duration":2,"text":"Hello there, good day.","words":[{"word":"Hello","start":0.5,"end":0.819},{"word":"there,","start":0.819,"end":1.085},{"word":"good","start":1.085,"end":1.351},{"word":"day.","start":1.351,"end":1.51}],"usage":{"type":"duration","seconds":2}}`},
			{[]string{"model=whisper-1", "response_format=verbose_json"}, "application/json", `{"task":"transcribe","language":"english","duration":2,"text":"Hello there, good day.","segments":[{"id":0,"seek":0,"start":0.5,"end":1.51,"text":" Hello there, good day.","tokens":[0,1,2,3,4,5],"temperature":0,"avg_logprob":-0.0502,"compression_ratio":1.2,"no_speech_prob":0.01}],"usage":{"type":"duration","seconds":2}}`},
			{[]string{"model=gpt-4o-transcribe-diarize", "response_format=diarized_json", "chunking_strategy=auto"}, "application/json", `{"task":"transcribe","duration":2,"text":"Hello there, good day.","segments":[{"type":"transcript.text.segment","id":"seg_000","start":0.5,"end":1.51,"text":"Hello there, good day.","speaker":"A"}],"usage":{"type":"tokens","input_tokens":20,"input_token_details":{"text_tokens":0,"audio_tokens":20},"output_tokens":6,"total_tokens":26}}`},
			{[]string{"model=gpt-4o-mini-transcribe", "include[]=logprobs", "mock_answer=Hé"}, "application/json", `{"text":"Hé","logprobs":[{"token":"Hé","logprob":-0.045,"bytes":[72,195,169]}],"usage":{"type":"tokens","input_tokens":20,"input_token_details":{"text_tokens":0,"audio_tokens":20},"output_tokens":1,"total_tokens":21}}`},
		} {
			contentType, body := form(t, "a.wav", file, c.fields...)
			a := r.Post("/v1/audio/transcriptions", contentType, string(body))
			want := fmt.Sprintf("%d %s", 300*(i+1), c.want)
			if a.Status != 200 || a.Header.Get("Content-Type") != c.kind || len(a.Parts) != 1 || a.Parts[0] != want {
				t.Errorf("%s: %d %s %q\nwant %q", c.fields, a.Status, a.Header.Get("Content-Type"), a.Parts, want)
			}
		}
		e := r.Last()
		if e.Protocol != "openai transcribe" || e.Model != "gpt-4o-mini-transcribe" || e.AudioIn != 2*time.Second || e.First-e.Arrived != 300*ms || e.Ended != e.First || e.Outcome != pipeline.OK {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

// TestTranscriptionStream: words come evenly in the second half of the 300 ms.
func TestTranscriptionStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "Good day, sir.")
		defer r.Stop()
		contentType, body := form(t, "a.wav", voicetest.WAV(t, voicetest.Silent(500*ms, voicetest.Rate), voicetest.Voiced(1000*ms, voicetest.Rate)), "model=gpt-4o-transcribe", "stream=true")
		a := r.Post("/v1/audio/transcriptions", contentType, string(body))
		want := []string{
			`150 data: {"type":"transcript.text.delta","delta":"Good"}`,
			`200 data: {"type":"transcript.text.delta","delta":" day,"}`,
			`250 data: {"type":"transcript.text.delta","delta":" sir."}`,
			`300 data: {"type":"transcript.text.done","text":"Good day, sir.","usage":{"type":"tokens","input_tokens":15,"input_token_details":{"text_tokens":0,"audio_tokens":15},"output_tokens":5,"total_tokens":20}}`,
		}
		for i := range max(len(want), len(a.Parts)) {
			if i >= len(want) || i >= len(a.Parts) || a.Parts[i] != want[i]+"\n\n" {
				t.Fatalf("the answer is %q\nwant %q", a.Parts, want)
			}
		}
		if kind := a.Header.Get("Content-Type"); kind != "text/event-stream; charset=utf-8" {
			t.Errorf("content type %q", kind)
		}
	})
}

// TestTranscriptionSegments: with a chunking strategy each chunk is an utterance of its
// own, and segments follow them.
func TestTranscriptionSegments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "One, two.", "Three four five six.")
		defer r.Stop()
		file := voicetest.WAV(t, voicetest.Silent(500*ms, voicetest.Rate), voicetest.Voiced(600*ms, voicetest.Rate), voicetest.Silent(700*ms, voicetest.Rate), voicetest.Voiced(1000*ms, voicetest.Rate))
		contentType, body := form(t, "a.wav", file, "model=whisper-1", "response_format=srt", `chunking_strategy={"type":"server_vad","silence_duration_ms":300}`)
		a := r.Post("/v1/audio/transcriptions", contentType, string(body))
		want := "1\n00:00:00,500 --> 00:00:01,110\nOne, two.\n\n2\n00:00:01,800 --> 00:00:02,800\nThree four five six.\n\n"
		if string(a.Body) != want {
			t.Errorf("the answer is %q\nwant %q", string(a.Body), want)
		}
		contentType, body = form(t, "a.wav", file, "model=gpt-4o-transcribe-diarize", "response_format=diarized_json", "chunking_strategy=auto", "stream=true")
		a = r.Post("/v1/audio/transcriptions", contentType, string(body))
		if got := strings.Count(string(a.Body), wire.TranscriptSegmentType); got != 2 || strings.Count(string(a.Body), `"segment_id":"seg_001"`) != 4 {
			t.Errorf("the answer has %d segments: %s", got, string(a.Body))
		}
	})
}

// TestTranslations: a translation is what was heard, in the shapes of its endpoint.
// TestTranscriptionUtterances: what is heard of an upload are all its utterances when
// several are to be heard, and one across its pauses when one is.
func TestTranscriptionUtterances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "A table for four.", "At seven, please.", "Never said.")
		defer r.Stop()
		voice, silence := voicetest.Voiced(1000*ms, voicetest.Rate), voicetest.Silent(700*ms, voicetest.Rate)
		file := voicetest.WAV(t, silence, voice, silence, voice, silence)
		for want, fields := range map[string][]string{
			"A table for four. At seven, please.\n": {"model=whisper-1", "response_format=text"},
			"One\n":                                 {"model=whisper-1", "response_format=text", "mock_answer=One"},
			"One Two\n":                             {"model=whisper-1", "response_format=text", "mock_answer=One", "mock_answer=Two"},
		} {
			contentType, body := form(t, "a.wav", file, fields...)
			a := r.Post("/v1/audio/transcriptions", contentType, string(body))
			if len(a.Parts) != 1 || !strings.HasSuffix(a.Parts[0], " "+want) {
				t.Errorf("%s: %q, want %q", fields, a.Parts, want)
			}
		}
	})
}

func TestTranslations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "Good day.")
		defer r.Stop()
		contentType, body := form(t, "a.wav", voicetest.WAV(t, voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(500*ms, voicetest.Rate)), "model=whisper-1")
		if a := r.Post("/v1/audio/translations", contentType, string(body)); string(a.Body) != `{"text":"Good day."}` {
			t.Errorf("the answer is %q", string(a.Body))
		}
	})
}

// TestTranscriptionFiles: every kind of file that can be decoded is.
func TestTranscriptionFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "Good day.")
		defer r.Stop()
		samples := append(voicetest.Silent(400*ms, voicetest.Rate), append(voicetest.Voiced(800*ms, voicetest.Rate), voicetest.Silent(400*ms, voicetest.Rate)...)...)
		for name, container := range map[string]audio.Container{"a.wav": audio.WAV, "a.flac": audio.FLAC, "A.MP3": audio.MP3} {
			file, err := audio.Write(audio.Clip{Rate: voicetest.Rate, Samples: samples}, audio.Output{Container: container, Format: audio.Format{Channels: 1}})
			if err != nil {
				t.Fatal(err)
			}
			contentType, body := form(t, name, file, "model=whisper-1", "response_format=text")
			if a := r.Post("/v1/audio/transcriptions", contentType, string(body)); string(a.Body) != "Good day.\n" {
				t.Errorf("%s: %q", name, string(a.Body))
			}
		}
	})
}

func TestTranscriptionRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t)
		defer r.Stop()
		file := voicetest.WAV(t, voicetest.Silent(100*ms, voicetest.Rate))
		formats := `Supported formats: ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm']`
		for _, c := range []struct {
			name    string
			file    []byte
			fields  []string
			param   string
			code    string
			message string
		}{
			{"a.wav", file, nil, "model", "", "you must provide a model parameter"},
			{"", nil, []string{"model=m"}, "file", "", "you must provide a file parameter: a part with the audio and a file name"},
			{"a.wav", []byte{}, []string{"model=m"}, "file", "invalid_value", "Audio file is empty."},
			{"audio", file, []string{"model=m"}, "file", "unsupported_value", "Unrecognized file format. The file needs a name with an extension. " + formats},
			{"a.bin", file, []string{"model=m"}, "file", "unsupported_value", "Unsupported file format bin. " + formats},
			{"a.wav", []byte("no audio at all"), []string{"model=m"}, "file", "invalid_value", "Audio file might be corrupted or unsupported: unknown audio file: want WAV, FLAC, MP3 or Ogg Opus"},
			{"a.m4a", []byte("\x00\x00\x00\x20ftypM4A "), []string{"model=m"}, "file", "invalid_value", "Audio file might be corrupted or unsupported: MP4 or M4A cannot be decoded here: want WAV, FLAC, MP3 or Ogg Opus"},
			{"a.wav", file, []string{"model=gpt-4o-transcribe", "response_format=verbose_json"}, "response_format", "unsupported_value", "response_format 'verbose_json' is not compatible with model 'gpt-4o-transcribe'. Use 'json' or 'text' instead."},
			{"a.wav", file, []string{"model=m", "response_format=xml"}, "response_format", "unsupported_value", "response_format 'xml' is not compatible with model 'm'. Use 'json' or 'text' or 'srt' or 'verbose_json' or 'vtt' instead."},
			{"a.wav", file, []string{"model=m", "temperature=hot"}, "temperature", "invalid_value", `Invalid 'temperature': "hot": want a number from 0 to 1.`},
			{"a.wav", file, []string{"model=m", "stream=perhaps"}, "stream", "invalid_value", `Invalid 'stream': "perhaps": want true or false.`},
			{"a.wav", file, []string{"model=m", "language=English"}, "language", "invalid_language_format", "Invalid language 'English'. Language parameter must be specified in ISO-639-1 format."},
			{"a.wav", file, []string{"model=m", `chunking_strategy={"type":"semantic_vad"}`}, "chunking_strategy", "invalid_value", "Invalid 'chunking_strategy': want the type server_vad, a silence_duration_ms of at least 1 and a threshold from 0 to 1."},
			{"a.wav", file, []string{"model=m", `chunking_strategy=none`}, "chunking_strategy", "invalid_value", "Invalid 'chunking_strategy': want \"auto\" or a server_vad object: invalid character 'o' in literal null (expecting 'u')"},
		} {
			contentType, body := form(t, c.name, c.file, c.fields...)
			a := r.Post("/v1/audio/transcriptions", contentType, string(body))
			e := voicetest.Parsed[wire.ErrorBody](t, a.Body).Error
			code := ""
			if e.Code != nil {
				code = *e.Code
			}
			if a.Status != 400 || e.Type != "invalid_request_error" || e.Param == nil || *e.Param != c.param || code != c.code || e.Message != c.message {
				t.Errorf("%q %s is refused with %d %s\nwant %s, %s: %s", c.name, c.fields, a.Status, string(a.Body), c.param, c.code, c.message)
			}
		}
		for contentType, want := range map[string]string{
			"application/json":                     `The Content-Type of your request is "application/json": want multipart/form-data with a boundary.`,
			"multipart/form-data":                  `The Content-Type of your request is "multipart/form-data": want multipart/form-data with a boundary.`,
			"multipart/form-data; boundary=absent": `you must provide a model parameter`,
		} {
			if a := r.Post("/v1/audio/transcriptions", contentType, "{}"); a.Status != 400 || voicetest.Parsed[wire.ErrorBody](t, a.Body).Error.Message != want {
				t.Errorf("%s is refused with %d %s\nwant %s", contentType, a.Status, string(a.Body), want)
			}
		}
	})
}

// TestTranscriptionTooLarge: the limit holds for the whole body.
func TestTranscriptionTooLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, talk.Config{MaxBody: 10_000})
		defer r.Stop()
		contentType, body := form(t, "a.wav", make([]byte, 10_000), "model=whisper-1")
		a := r.Post("/v1/audio/transcriptions", contentType, string(body))
		want := fmt.Sprintf(`{"error":{"message":"Maximum content size limit (10000) exceeded (%d bytes read)","type":"server_error","param":null,"code":null}}`, len(body))
		if a.Status != 413 || strings.TrimSpace(string(a.Body)) != want {
			t.Errorf("refused with %d %s\nwant %s", a.Status, string(a.Body), want)
		}
		time.Sleep(time.Second) // the server lets the client read that before it hangs up
	})
}

// TestTranscriptionGone: an answer that the client did not wait for is given up.
func TestTranscriptionGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "Good day.")
		defer r.Stop()
		contentType, body := form(t, "a.wav", voicetest.WAV(t, voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(500*ms, voicetest.Rate)), "model=whisper-1")
		client := &http.Client{Transport: &http.Transport{DialContext: r.DialContext, DisableKeepAlives: true}, Timeout: 120 * ms}
		if _, err := client.Post("http://mock/v1/audio/transcriptions", contentType, bytes.NewReader(body)); err == nil {
			t.Fatal("the client did not give up")
		}
		synctest.Wait()
		if e := r.Last(); e.Outcome != pipeline.Cancelled || e.Left != 120*ms || e.Ended != 120*ms || e.First != pipeline.Unknown {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

// FuzzForm: no upload is refused without a word.
func FuzzForm(f *testing.F) {
	f.Add([]byte("--b\r\nContent-Disposition: form-data; name=\"chunking_strategy\"\r\n\r\n{\"type\":\"server_vad\",\"threshold\":2}\r\n--b--"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, fault := readTranscriptionForm(body, "multipart/form-data; boundary=b", "transcribe"); fault != nil && fault.ErrorBody.Error.Message == "" {
			t.Error("a form is refused without a word")
		}
	})
}

// TestTranscriptionTooLong: a small file that stands for days is refused at once.
func TestTranscriptionTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t)
		defer r.Stop()
		contentType, body := form(t, "a.flac", voicetest.Endless(t), "model=whisper-1")
		a := r.Post("/v1/audio/transcriptions", contentType, string(body))
		a.Refused(t, 400, `{"error":{"message":"Audio file is too long: the FLAC file is longer than 2h0m0s, the most that is decoded at 16000 Hz: want a shorter one, or a lower rate","type":"invalid_request_error","param":"file","code":"invalid_value"}}`)
	})
}
