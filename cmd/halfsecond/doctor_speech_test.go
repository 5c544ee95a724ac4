package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"halfsecond/mockllm/mock"
	"halfsecond/mockllm/server"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/endpoint/audition"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/exchange"
)

// wav writes a recording: silence, a tone, silence.
func wav(t *testing.T, name string, rate, channels int, before, sound, after time.Duration) string {
	t.Helper()
	var samples []int16
	for i := range audio.Samples(before+sound+after, rate) {
		at := audio.Duration(i, rate)
		s := 0.
		if at >= before && at < before+sound {
			x := float64(i) / float64(rate)
			s = 6000 * (.65 + .35*math.Sin(2*math.Pi*9*x)) * math.Sin(2*math.Pi*220*x)
		}
		for range channels {
			samples = append(samples, int16(s))
		}
	}
	pcm := audio.Encode(nil, samples, audio.S16LE)
	file := audio.AppendWAVHeader(nil, audio.Format{Encoding: audio.S16LE, Rate: rate, Channels: channels}, len(pcm))
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, append(file, pcm...), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSentence: where speech is in what is said. Ours is there for every protocol, at the
// rate that it takes.
func TestSentence(t *testing.T) {
	for _, p := range audition.Protocols() {
		if audition.KindOf(p) == "speaks" {
			continue
		}
		r, v, err := sentence("", p)
		if err != nil || r.Rate != audition.Rate(p, 16_000) || r.SpeechFrom != 250*time.Millisecond || r.SpeechTo != 3060*time.Millisecond || r.Length != 3245*time.Millisecond || v.SpeechEnd != r.SpeechTo {
			t.Errorf("%s: %+v, %v", p, r, err)
		}
	}
	r, v, err := sentence(wav(t, "mine.wav", 44_100, 2, 300*time.Millisecond, time.Second, 500*time.Millisecond), "openai-realtime")
	if err != nil || r.Rate != 24_000 || r.Name != "mine.wav" || (r.SpeechFrom-300*time.Millisecond).Abs() > 20*time.Millisecond || (r.SpeechTo-1300*time.Millisecond).Abs() > 20*time.Millisecond || len(v.Samples) != 43_200 {
		t.Errorf("%+v with %d samples, %v", r, len(v.Samples), err)
	}
	if r, _, err := sentence(wav(t, "at-once.wav", 16_000, 1, 0, time.Second, 500*time.Millisecond), "deepgram-listen"); err != nil || r.SpeechFrom != 0 || (r.SpeechTo-time.Second).Abs() > 20*time.Millisecond {
		t.Errorf("speech that begins the file: %+v, %v", r, err)
	}
	whole, err := os.ReadFile(wav(t, "cut.wav", 16_000, 1, 300*time.Millisecond, time.Second, 500*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.wav")
	if err := os.WriteFile(cut, whole[:len(whole)-16_000], 0o644); err != nil {
		t.Fatal(err)
	}
	if r, _, err := sentence(cut, "deepgram-listen"); err != nil || r.Lacks != 500*time.Millisecond {
		t.Errorf("a file that was cut: %+v, %v", r, err)
	}
	text := filepath.Join(t.TempDir(), "text.wav")
	if err := os.WriteFile(text, []byte("no audio at all"), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, name := range map[string]string{
		"there is no speech in it: nothing that lasts 60 ms":  wav(t, "silence.wav", 8000, 1, time.Second, 0, 0),
		"it plays 1m1s: want 1m0s at most":                    wav(t, "long.wav", 8000, 1, time.Second, 59*time.Second, time.Second),
		"unknown audio file: want WAV, FLAC, MP3 or Ogg Opus": text,
		"no such file": filepath.Join(t.TempDir(), "missing.wav"),
	} {
		if _, _, err := sentence(name, "deepgram-listen"); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "--wav") {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
	}
}

// spokenMock starts a mock whose speech is quick, and hears or says the texts.
func spokenMock(t *testing.T, options ...mock.Option) *mock.Mock {
	t.Helper()
	quick := mock.Configured(func(c *server.Config) {
		c.STT = func(string) speech.STT {
			return speech.STT{Final: dist.Constant(100 * time.Millisecond), Interim: dist.Constant(40 * time.Millisecond), Every: 200 * time.Millisecond, MaxSpan: 5 * time.Second, Turn: speech.Turn{Silence: 200 * time.Millisecond}}
		}
		c.TTS = func(string) speech.TTS {
			return speech.TTS{FirstByte: dist.Constant(100 * time.Millisecond), Speed: 10, Lead: 50 * time.Millisecond}
		}
	})
	return mock.Start(t, append([]mock.Option{quick, mock.Hears("hello there")}, options...)...)
}

// TestSpeechDoctor asks a mock over real sockets, keeps what went over the wire, and makes
// the same document of the bytes alone.
func TestSpeechDoctor(t *testing.T) {
	m := spokenMock(t)
	tone := wav(t, "tone.wav", 16_000, 1, 100*time.Millisecond, 400*time.Millisecond, 100*time.Millisecond)
	for _, args := range [][]string{
		{"--protocol", "deepgram-listen", "--wav", tone}, {"--protocol", "openai-transcriptions", "--wav", tone},
		{"--protocol", "openai-speech", "--voice", "alloy", "--samples", "wav"}, {"--protocol", "elevenlabs-socket", "--voice", "v"},
		{"--protocol", "openai-realtime", "--wav", tone},
	} {
		t.Run(args[1], func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "kept")
			args := append([]string{m.URL, "--model", "m", "--requests", "2", "--out", dir, "--format", "json"}, args...)
			code, out, errs := doctor(t, args...)
			var d speechDocument
			if err := json.Unmarshal([]byte(out), &d); err != nil || code == exitUsage || code == exitUnmeasured {
				t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errs)
			}
			if len(d.Sessions) != 2 || d.Sessions[0].Outcome != "ok" || d.Sessions[1].Outcome != "ok" || d.Sessions[0].Connection.ConnectMS == nil {
				t.Errorf("%s", out)
			}
			again, outAgain, errs := doctor(t, dir, "--format", "json")
			if again != code || outAgain != out || !strings.Contains(errs, "read again from the bytes of 2 sessions: every value the same") {
				t.Errorf("exit code %d, want %d\n%s\n got %s\nwant %s", again, code, errs, outAgain, out)
			}
			tampered(t, dir)
		})
	}
}

// tampered changes one number of a kept document: reading it again must notice.
func tampered(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(dir, doctorFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	at := regexp.MustCompile(`"(ttfs_ms|ttaa_ms)": [0-9.]+`)
	if err := os.WriteFile(file, at.ReplaceAll(text, []byte(`"$1": 1.5`)), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, errs := doctor(t, dir, "--format", "json")
	if code != exitUnmeasured || !strings.Contains(errs, "  sessions[0].") || !strings.Contains(errs, "  sessions[1].") || !strings.Contains(errs, "2 values not what the bytes in exchanges.jsonl.gz say:\n") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}

// TestSpeechDoctorWithoutDocument: what a killed program leaves is a log alone, whose end may
// be missing.
func TestSpeechDoctorWithoutDocument(t *testing.T) {
	m := spokenMock(t)
	tone := wav(t, "tone.wav", 16_000, 1, 100*time.Millisecond, 400*time.Millisecond, 100*time.Millisecond)
	whole, cut := filepath.Join(t.TempDir(), "whole"), t.TempDir()
	code, out, errs := doctor(t, m.URL, "--protocol", "deepgram-listen", "--model", "m", "--wav", tone, "--requests", "2", "--out", whole)
	if code != exitPassed {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	text, err := os.ReadFile(filepath.Join(whole, doctorFile))
	if err != nil || os.Remove(filepath.Join(whole, doctorFile)) != nil {
		t.Fatal(err)
	}
	again, outAgain, errs := doctor(t, whole)
	if again != code || outAgain != out || errs != "read from the bytes of 2 sessions; doctor.json is missing, so nothing was compared\n" {
		t.Errorf("exit code %d\n%s\n got %s\nwant %s", again, errs, outAgain, out)
	}

	log, file, err := openRaw(whole)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	x, err := log.Next()
	if err != nil {
		t.Fatal(err)
	}
	short, err := createRaw(filepath.Join(cut, rawFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(short.begin(log.Header), short.keep(x), short.close()); err != nil {
		t.Fatal(err)
	}
	code, out, _ = doctor(t, cut)
	if code != exitUnmeasured || !strings.Contains(out, "interrupted after 1 of 2") || !strings.Contains(out, "nothing seen to fix so far: 1 whole session of 2") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if err := os.WriteFile(filepath.Join(cut, doctorFile), text, 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := doctor(t, cut); code != exitUnmeasured || errs != "halfsecond: the log ends early, or lacks some: it holds 1 session, doctor.json 2\n" {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}

// TestSpeechDoctorFullDisk: what was heard is shown though it cannot be kept.
func TestSpeechDoctorFullDisk(t *testing.T) {
	dir := t.TempDir()
	k, err := keepSpeech(&speechOptions{out: dir}, &audition.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := k.raw.file.Close(); err != nil { // no disk to write to
		t.Fatal(err)
	}
	k.keep(&exchange.Exchange{})
	err = k.close(&speechDiagnosis{})
	var exit *exitError
	if !errors.As(err, &exit) || exit.code != exitUnmeasured || !strings.HasPrefix(err.Error(), "--out: not all of it is kept: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, doctorFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a document beside half a log: %v", err)
	}
}

// TestDifferences are told in a few words, whatever differs.
func TestDifferences(t *testing.T) {
	list := []any{1., map[string]any{}}
	was := map[string]any{"a": list, "b": map[string]any{"c": 1.}, "d": strings.Repeat("long ", 30), "e": nil}
	is := map[string]any{"a": list[:1], "b": nil, "d": "short", "e": 2.5}
	got := strings.Join(differences("", was, is), "\n")
	want := `a is a list of 2 in doctor.json, a list of 1 by its bytes
b is an object in doctor.json, missing by its bytes
d is "` + strings.Repeat("long ", 12) + `" in doctor.json, "short" by its bytes
e is missing in doctor.json, 2.5 by its bytes`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestSpeechDoctorFaults has the mock go wrong.
func TestSpeechDoctorFaults(t *testing.T) {
	tone := wav(t, "tone.wav", 16_000, 1, 100*time.Millisecond, 400*time.Millisecond, 100*time.Millisecond)
	hears, says := []string{"--protocol", "deepgram-listen", "--wav", tone}, []string{"--protocol", "openai-speech", "--voice", "alloy"}
	for name, tt := range map[string]struct {
		fault string
		args  []string
		code  int
		want  string
	}{
		"healthy":      {"", hears, exitPassed, "nothing to fix"},
		"healthy too":  {"", says, exitPassed, "nothing to fix"},
		"key":          {"status 401", hears, exitFailed, "asks for a key, and none was given"},
		"rate limit":   {"status 429 retry_after=2s", hears, exitFailed, "it asks to wait 2,000 ms"},
		"rate by HTTP": {"status 429 retry_after=2s", says, exitFailed, "it asks to wait 2,000 ms"},
		"overloaded":   {"status 503", says, exitFailed, "HTTP 503"},
		"cut":          {"cut at 1 how=reset", []string{"--protocol", "deepgram-speak"}, exitFailed, "broken: the session broke off"},
		"buffered":     {"rules:\n  - buffer: {mode: whole}\n  - slow_headers: 500ms\n", says, exitFailed, "the audio comes whole"},
		"dropped":      {"drop share=100%", hears, exitFailed, "the server accepted the session, and never said anything"},
		"twice":        {"rules:\n  - duplicate: 1\n  - duplicate: 2\n", []string{"--protocol", "cartesia-stt", "--wav", tone}, exitFailed, "comes twice"},
		"idle":         {"rules:\n  - idle_close: {after: 300ms, code: 1000}\n", append([]string{"--idle", "2s"}, hears...), exitFailed, "the server closed a session that was left alone"},
		"idle, speech": {"rules:\n  - idle_close: {after: 300ms, code: 1011, reason: NET-0001}\n", []string{"--protocol", "deepgram-speak", "--idle", "2s"}, exitFailed, "the server closed a session that was left alone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := spokenMock(t)
			if tt.fault != "" {
				m.Fault(tt.fault)
			}
			code, out, errs := doctor(t, append([]string{m.URL, "--model", "m", "--requests", "1"}, tt.args...)...)
			if code != tt.code || !strings.Contains(strings.Join(strings.Fields(out), " "), tt.want) {
				t.Errorf("exit code %d, want %d and %q\n%s%s", code, tt.code, tt.want, out, errs)
			}
		})
	}
}

// TestSpeechSessionLine: what is not known is a dash, and no number.
func TestSpeechSessionLine(t *testing.T) {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 1, ' ', 0)
	r := pipeline.NewSpeech(1, 0)
	r.Outcome = pipeline.Timeout
	writeSession(w, &heard.Session{ID: 1, Speech: &r})
	if w.Flush(); out.String() != "1 timeout - - - - - 0.0 - 0 0\n" {
		t.Errorf("%q", &out)
	}
}

// TestSpeechDoctorErrors: usage, and the messages of it.
func TestSpeechDoctorErrors(t *testing.T) {
	dir := t.TempDir()
	url := "http://127.0.0.1:9"
	for _, c := range []struct {
		args []string
		code int
		err  string
	}{
		{[]string{url, "--protocol", "deepgram-listen"}, exitUsage, "--model is missing: speech endpoints list none"},
		{[]string{url, "--protocol", "openai-speech", "--model", "m"}, exitUsage, "--voice is missing: openai-speech wants one"},
		{[]string{url, "--protocol", "openai-speech", "--model", "m", "--voice", "v", "--wav", "x"}, exitUsage, "--wav: not for openai-speech, which speaks"},
		{[]string{url, "--protocol", "deepgram-listen", "--model", "m", "--text", "x", "--rate", "8000"}, exitUsage, "--rate: not for deepgram-listen, which listens"},
		{[]string{url, "--protocol", "deepgram-speak", "--model", "m", "--samples", "mp3"}, exitUsage, `format "mp3": want pcm, mulaw, alaw from deepgram-speak`},
		{[]string{url, "--protocol", "deepgram-speak", "--model", "m", "--cold"}, exitUsage, "--cold: not for deepgram-speak"},
		{[]string{url, "--protocol", "deepgram-listen", "--model", "m", "--requests", "11"}, exitUsage, "11 sessions: want 1 to 10"},
		{[]string{url, "--protocol", "deepgram-listen", "--model", "m", "--hash-texts"}, exitUsage, "--hash-texts: for what --out keeps"},
		{[]string{url, "--protocol", "deepgram", "--model", "m"}, exitUsage, "did you mean deepgram-flux?"},
		{[]string{url, "--wav", "x", "--model", "m"}, exitUsage, "--wav: for speech endpoints; name their protocol with --protocol"},
		{[]string{url, "--protocol", "deepgram-listen", "--model", "m", "--max-tokens", "10"}, exitUsage, "--max-tokens: not for deepgram-listen"},
		{[]string{url, "--protocol", "openai-realtime", "--model", "m", "--answer", "128"}, exitUsage, "--answer: not for openai-realtime"},
		{[]string{url, "--protocol", "deepgram-speak", "--model", "m", "--text", ""}, exitUsage, "--text says nothing"},
		{[]string{url, "--protocol", "deepgram-speak", "--model", "m", "--rate", "0"}, exitUsage, "--rate says nothing"},
		{[]string{url, "--protocol", "deepgram-listen", "--model", "m", "--wav", ""}, exitUsage, "--wav says nothing"},
		{[]string{url, "--protocol", "deepgram-listen", "--model", "m", "--idle", "11m"}, exitUsage, "11m0s of silence before a session: want 0 to 10m0s"},
		{[]string{url, "--model", "m", "--text", ""}, exitUsage, "--text: for speech endpoints"},
		{[]string{"ws://127.0.0.1:9"}, exitUsage, "ws:// is for speech"},
		{[]string{dir}, exitUsage, "no doctor.json in this folder"},
		{[]string{url, "--protocol", "deepgram-listen", "--model", "m", "--format", "csv"}, exitUsage, `format "csv" is not available here`},
		{[]string{url, "--protocol", "deepgram-listen", "--model", "m"}, exitUnmeasured, ""},
	} {
		code, out, errs := doctor(t, c.args...)
		if code != c.code || !strings.Contains(errs, c.err) || c.code == exitUsage && out != "" {
			t.Errorf("doctor %s: exit code %d, want %d and %q\n%s%s", strings.Join(c.args, " "), code, c.code, c.err, out, errs)
		}
	}
}

// TestSpeechDoctorHidesTheKey: it is in no output and in no file, though the server says it.
func TestSpeechDoctorHidesTheKey(t *testing.T) {
	const key = "sk-0123456789abcdef"
	t.Setenv("DOCTOR_TEST_KEY", key)
	m := spokenMock(t, mock.Hears("the key is "+key))
	tone := wav(t, "tone.wav", 16_000, 1, 100*time.Millisecond, 2*time.Second, 100*time.Millisecond)
	for _, fault := range []string{"", `status 401 message="wrong: ` + key + `"`} {
		m.Fault()
		if fault != "" {
			m.Fault(fault)
		}
		dir := filepath.Join(t.TempDir(), "kept")
		_, out, errs := doctor(t, m.URL, "--key-env", "DOCTOR_TEST_KEY", "--model", "m", "--protocol", "deepgram-listen", "--wav", tone, "--requests", "1", "--out", dir)
		if strings.Contains(out+errs, key) || fault == "" && !strings.Contains(out, "the key is *******") {
			t.Errorf("fault %q: the key shows, or nothing came\n%s%s", fault, out, errs)
		}
		log, file, err := openRaw(dir)
		if err != nil {
			t.Fatal(err)
		}
		x, err := log.Next()
		if err != nil || file.Close() != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(x)
		if err != nil || bytes.Contains(text, []byte(key)) {
			t.Errorf("fault %q: the key is in the log, or %v", fault, err)
		}
		for _, m := range x.Messages {
			if strings.Contains(string(m.Data), key) {
				t.Errorf("fault %q: the key is in a message", fault)
			}
		}
		if document, err := os.ReadFile(filepath.Join(dir, doctorFile)); err != nil || bytes.Contains(document, []byte(key)) {
			t.Errorf("fault %q: the key is in the document, or %v", fault, err)
		}
	}
}

// TestSpeechHashed keeps sizes and hashes alone, of which nothing can be told again.
func TestSpeechHashed(t *testing.T) {
	m := spokenMock(t)
	dir := filepath.Join(t.TempDir(), "kept")
	code, out, errs := doctor(t, m.URL, "--model", "m", "--protocol", "deepgram-speak", "--requests", "1", "--text", "a secret thing that nobody may know", "--out", dir, "--hash-texts")
	if code != exitPassed {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	log, file, err := openRaw(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	x, err := log.Next()
	if err != nil || !log.Header.Hashed || len(x.Messages) == 0 || x.Messages[0].Sum == "" || len(x.Messages[0].Data) > 0 {
		t.Errorf("%+v, %v", x, err)
	}
	document, err := os.ReadFile(filepath.Join(dir, doctorFile))
	if err != nil || strings.Contains(string(document), "secret") {
		t.Errorf("the text is in the document, or %v", err)
	}
	if code, _, errs := doctor(t, dir); code != exitUsage || !strings.Contains(errs, "its bytes were not kept, since texts were not to be") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}

// TestSpeechDoctorPage: the page names every protocol and every member of the document.
func TestSpeechDoctorPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	names := audition.Protocols()
	document, err := json.Marshal(speechDocument{Recording: &recordingDocument{}, Sessions: []sessionDocument{{
		Sent: &paceDocument{}, Listened: &listenedDocument{}, Spoken: &spokenDocument{}, Answered: &answeredDocument{}, Events: []speechEvent{{}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`"(\w+)":`).FindAllStringSubmatch(string(document), -1) {
		names = append(names, m[1])
	}
	for _, name := range names {
		if !strings.Contains(string(page), name) {
			t.Errorf("docs/doctor.md says nothing of %s", name)
		}
	}
}
