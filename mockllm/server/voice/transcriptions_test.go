package voice

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

// wav returns samples as a file.
func wav(t *testing.T, parts ...[]int16) []byte {
	t.Helper()
	var c audio.Clip
	c.Rate = hearingRate
	for _, p := range parts {
		c.Samples = append(c.Samples, p...)
	}
	file, err := audio.Write(c, audio.Output{Container: audio.WAV, Format: audio.Format{Channels: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// reply is an answer, each of its stretches with its instant in ms.
type reply struct {
	status int
	header http.Header
	parts  []string
}

func (a reply) body() string {
	var all strings.Builder
	for _, p := range a.parts {
		_, text, _ := strings.Cut(p, " ")
		all.WriteString(text)
	}
	return all.String()
}

// submit posts a body.
func (r *rig) submit(path, contentType string, body []byte) (a reply) {
	r.t.Helper()
	client := &http.Client{Transport: &http.Transport{DialContext: r.ln.DialContext, DisableKeepAlives: true}}
	answer, err := client.Post("http://mock"+path, contentType, bytes.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	a = reply{status: answer.StatusCode, header: answer.Header}
	for buffer := make([]byte, 1<<16); err == nil; {
		var n int
		if n, err = answer.Body.Read(buffer); n > 0 {
			a.parts = append(a.parts, fmt.Sprintf("%d %s", time.Since(r.from)/ms, buffer[:n]))
		}
	}
	if err != io.EOF {
		r.t.Fatal(err)
	}
	synctest.Wait()
	return a
}

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
		defer r.stop()
		file := wav(t, silent(500*ms), voiced(1000*ms), silent(500*ms))
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
			a := r.submit("/v1/audio/transcriptions", contentType, body)
			want := fmt.Sprintf("%d %s", 300*(i+1), c.want)
			if a.status != 200 || a.header.Get("Content-Type") != c.kind || len(a.parts) != 1 || a.parts[0] != want {
				t.Errorf("%s: %d %s %q\nwant %q", c.fields, a.status, a.header.Get("Content-Type"), a.parts, want)
			}
		}
		e := r.lastEntry()
		if e.Protocol != "openai transcribe" || e.Model != "gpt-4o-mini-transcribe" || e.AudioIn != 2*time.Second || e.First-e.Arrived != 300*ms || e.Ended != e.First || e.Outcome != pipeline.OK {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

// TestTranscriptionStream: words come evenly in the second half of the 300 ms.
func TestTranscriptionStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "Good day, sir.")
		defer r.stop()
		contentType, body := form(t, "a.wav", wav(t, silent(500*ms), voiced(1000*ms)), "model=gpt-4o-transcribe", "stream=true")
		a := r.submit("/v1/audio/transcriptions", contentType, body)
		want := []string{
			`150 data: {"type":"transcript.text.delta","delta":"Good"}`,
			`200 data: {"type":"transcript.text.delta","delta":" day,"}`,
			`250 data: {"type":"transcript.text.delta","delta":" sir."}`,
			`300 data: {"type":"transcript.text.done","text":"Good day, sir.","usage":{"type":"tokens","input_tokens":15,"input_token_details":{"text_tokens":0,"audio_tokens":15},"output_tokens":5,"total_tokens":20}}`,
		}
		for i := range max(len(want), len(a.parts)) {
			if i >= len(want) || i >= len(a.parts) || a.parts[i] != want[i]+"\n\n" {
				t.Fatalf("the answer is %q\nwant %q", a.parts, want)
			}
		}
		if kind := a.header.Get("Content-Type"); kind != "text/event-stream; charset=utf-8" {
			t.Errorf("content type %q", kind)
		}
	})
}

// TestTranscriptionSegments: with a chunking strategy each chunk is an utterance of its
// own, and segments follow them.
func TestTranscriptionSegments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "One, two.", "Three four five six.")
		defer r.stop()
		file := wav(t, silent(500*ms), voiced(600*ms), silent(700*ms), voiced(1000*ms))
		contentType, body := form(t, "a.wav", file, "model=whisper-1", "response_format=srt", `chunking_strategy={"type":"server_vad","silence_duration_ms":300}`)
		a := r.submit("/v1/audio/transcriptions", contentType, body)
		want := "1\n00:00:00,500 --> 00:00:01,110\nOne, two.\n\n2\n00:00:01,800 --> 00:00:02,800\nThree four five six.\n\n"
		if a.body() != want {
			t.Errorf("the answer is %q\nwant %q", a.body(), want)
		}
		contentType, body = form(t, "a.wav", file, "model=gpt-4o-transcribe-diarize", "response_format=diarized_json", "chunking_strategy=auto", "stream=true")
		a = r.submit("/v1/audio/transcriptions", contentType, body)
		if got := strings.Count(a.body(), wire.TranscriptSegmentType); got != 2 || strings.Count(a.body(), `"segment_id":"seg_001"`) != 4 {
			t.Errorf("the answer has %d segments: %s", got, a.body())
		}
	})
}

// TestTranslations: a translation is what was heard, in the shapes of its endpoint.
func TestTranslations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "Good day.")
		defer r.stop()
		contentType, body := form(t, "a.wav", wav(t, silent(200*ms), voiced(500*ms)), "model=whisper-1")
		if a := r.submit("/v1/audio/translations", contentType, body); a.body() != `{"text":"Good day."}` {
			t.Errorf("the answer is %q", a.body())
		}
	})
}

// TestTranscriptionFiles: every kind of file that can be decoded is.
func TestTranscriptionFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "Good day.")
		defer r.stop()
		samples := append(silent(400*ms), append(voiced(800*ms), silent(400*ms)...)...)
		for name, container := range map[string]audio.Container{"a.wav": audio.WAV, "a.flac": audio.FLAC, "A.MP3": audio.MP3} {
			file, err := audio.Write(audio.Clip{Rate: hearingRate, Samples: samples}, audio.Output{Container: container, Format: audio.Format{Channels: 1}})
			if err != nil {
				t.Fatal(err)
			}
			contentType, body := form(t, name, file, "model=whisper-1", "response_format=text")
			if a := r.submit("/v1/audio/transcriptions", contentType, body); a.body() != "Good day.\n" {
				t.Errorf("%s: %q", name, a.body())
			}
		}
	})
}

func TestTranscriptionRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t)
		defer r.stop()
		file := wav(t, silent(100*ms))
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
			a := r.submit("/v1/audio/transcriptions", contentType, body)
			e := parsed[wire.ErrorBody](t, []byte(a.body())).Error
			code := ""
			if e.Code != nil {
				code = *e.Code
			}
			if a.status != 400 || e.Type != "invalid_request_error" || e.Param == nil || *e.Param != c.param || code != c.code || e.Message != c.message {
				t.Errorf("%q %s is refused with %d %s\nwant %s, %s: %s", c.name, c.fields, a.status, a.body(), c.param, c.code, c.message)
			}
		}
		for contentType, want := range map[string]string{
			"application/json":                     `The Content-Type of your request is "application/json": want multipart/form-data with a boundary.`,
			"multipart/form-data":                  `The Content-Type of your request is "multipart/form-data": want multipart/form-data with a boundary.`,
			"multipart/form-data; boundary=absent": `you must provide a model parameter`,
		} {
			if a := r.submit("/v1/audio/transcriptions", contentType, []byte("{}")); a.status != 400 || parsed[wire.ErrorBody](t, []byte(a.body())).Error.Message != want {
				t.Errorf("%s is refused with %d %s\nwant %s", contentType, a.status, a.body(), want)
			}
		}
	})
}

// TestTranscriptionTooLarge: the limit holds for the whole body.
func TestTranscriptionTooLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, Config{STT: patient, MaxBody: 10_000}, func(s *Service, mux *http.ServeMux) { s.handleTranscriptions(mux) })
		defer r.stop()
		contentType, body := form(t, "a.wav", make([]byte, 10_000), "model=whisper-1")
		a := r.submit("/v1/audio/transcriptions", contentType, body)
		want := fmt.Sprintf(`{"error":{"message":"Maximum content size limit (10000) exceeded (%d bytes read)","type":"server_error","param":null,"code":null}}`, len(body))
		if a.status != 413 || a.body() != want {
			t.Errorf("refused with %d %s\nwant %s", a.status, a.body(), want)
		}
		time.Sleep(time.Second) // the server lets the client read that before it hangs up
	})
}

// TestTranscriptionGone: an answer that the client did not wait for is given up.
func TestTranscriptionGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "Good day.")
		defer r.stop()
		contentType, body := form(t, "a.wav", wav(t, silent(200*ms), voiced(500*ms)), "model=whisper-1")
		client := &http.Client{Transport: &http.Transport{DialContext: r.ln.DialContext, DisableKeepAlives: true}, Timeout: 120 * ms}
		if _, err := client.Post("http://mock/v1/audio/transcriptions", contentType, bytes.NewReader(body)); err == nil {
			t.Fatal("the client did not give up")
		}
		synctest.Wait()
		if e := r.lastEntry(); e.Outcome != pipeline.Cancelled || e.Left != 120*ms || e.Ended != 120*ms || e.First != pipeline.Unknown {
			t.Errorf("the ledger has %+v", e)
		}
	})
}
