package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"

	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/simulators/voice/utterance"
)

// keptSession returns a folder with one session of the mock, and what else doctor printed.
func keptSession(t *testing.T, args ...string) (dir string) {
	t.Helper()
	m := spokenMock(t)
	dir = filepath.Join(t.TempDir(), "kept")
	if code, out, errs := doctor(t, append([]string{m.URL, "--model", "m", "--requests", "1", "--out", dir, "--quiet"}, args...)...); code != exitPassed {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	return dir
}

// edited changes values of a folder's document, and of the log's first line.
func edited(t *testing.T, dir string, document, subject map[string]any) {
	t.Helper()
	change := func(text []byte, values map[string]any) []byte {
		var all map[string]any
		err := json.Unmarshal(text, &all)
		for name, value := range values {
			into := all
			if parent, child, ok := strings.Cut(name, "."); ok {
				into, name = all[parent].(map[string]any), child
			}
			into[name] = value
		}
		changed, err2 := json.Marshal(all)
		if err = errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		return changed
	}
	file := filepath.Join(dir, doctorFile)
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, change(text, document), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if subject == nil {
		return
	}
	log, old, err := openRaw(dir)
	if err != nil {
		t.Fatal(err)
	}
	x, err := log.Next()
	if err = errors.Join(err, old.Close(), os.Remove(old.Name())); err != nil {
		t.Fatal(err)
	}
	header := log.Header
	if header.Subject = change(header.Subject, subject); len(subject) == 0 {
		header.Subject = nil
	}
	again, err := createRaw(old.Name())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(again.begin(header), again.keep(x), again.close()); err != nil {
		t.Fatal(err)
	}
}

// TestSpeechDoctorEdited: whatever was changed in what was asked is named, be it in the document,
// or in the log's first line as well.
func TestSpeechDoctorEdited(t *testing.T) {
	tone := wav(t, "tone.wav", 16_000, 1, 100*time.Millisecond, 400*time.Millisecond, 100*time.Millisecond)
	hears, says := []string{"--protocol", "deepgram-listen", "--wav", tone}, []string{"--protocol", "elevenlabs-socket", "--voice", "v"}
	for name, tt := range map[string]struct {
		args              []string
		document, subject map[string]any
		want              []string
	}{
		"hears": {hears, map[string]any{
			"model": "other", "url": "http://other", "protocol": "deepgram-flux", "planned": 7, "key_given": true, "idle_ms": 5,
			"recording.name": "other", "recording.rate": 8000, "recording.length_ms": 1, "recording.speech_from_ms": 1, "recording.speech_to_ms": 1, "recording.cut": true,
		}, nil, []string{
			"12 values not", `model is "other" in doctor.json, "m" by its bytes`, `url is "http://other" in doctor.json`, `protocol is "deepgram-flux"`, "planned is 7 in doctor.json, 1 by its bytes",
			"key_given is true", "idle_ms is 5", "recording.name is", "recording.rate is 8000", "recording.length_ms is 1", "recording.speech_from_ms is 1", "recording.speech_to_ms is 1", "recording.cut is true",
		}},
		"says": {says, map[string]any{"text": "other", "voice": "other", "samples": "wav", "rate": 8000, "kind": "listens"}, nil, []string{
			"5 values not", `text is "other"`, `voice is "other"`, `samples is "wav"`, "rate is 8000", `kind is "listens"`,
		}},
		"hears, both": {hears, map[string]any{"model": "other", "recording.speech_to_ms": 123}, map[string]any{"model": "other", "recording.speech_to_ms": 123}, []string{
			`model is "other", "m" by the bytes of session 1`, `recording.speech_to_ms is "123", "`,
		}},
		"says, both": {says, map[string]any{"text": "other", "voice": "other", "samples": "mulaw", "rate": 8000}, map[string]any{"text": "other", "voice": "other", "samples": "mulaw", "rate": 8000}, []string{
			`text is "other", "Your table is booked.`, `voice is "other", "v" by`, `samples is "mulaw", "pcm" by`, `rate is "8000", "24000" by`,
		}},
		"no first line": {hears, nil, map[string]any{}, []string{"1 value not", "subject, what was asked, is missing in the log's first line"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := keptSession(t, tt.args...)
			edited(t, dir, tt.document, tt.subject)
			code, _, errs := doctor(t, dir, "--format", "json")
			for _, want := range tt.want {
				if code != exitUnmeasured || !strings.Contains(errs, want) {
					t.Errorf("exit code %d, want %d and %s\n%s", code, exitUnmeasured, want, errs)
				}
			}
			if len(tt.subject) == 0 {
				return
			}
			if err := os.Remove(filepath.Join(dir, doctorFile)); err != nil { // the first line alone
				t.Fatal(err)
			}
			if code, _, errs := doctor(t, dir); code != exitUnmeasured || !strings.Contains(errs, tt.want[0]) {
				t.Errorf("without the document: exit code %d\n%s", code, errs)
			}
		})
	}
}

// TestMostDiffer: of very many values that differ some are named.
func TestMostDiffer(t *testing.T) {
	all := slices.Repeat([]string{"x is 1"}, mostDiffer+5)
	err := (&speechDiagnosis{}).agree(newProgram(), all, false)
	if err == nil || strings.Count(err.Error(), "x is 1") != mostDiffer || !strings.HasSuffix(err.Error(), "and 5 more") {
		t.Errorf("%v", err)
	}
}

// TestSpeechDoctorFolderFlags: what says what is to be asked does not go with a folder. Every flag
// of doctor is one of these, but that for help.
func TestSpeechDoctorFolderFlags(t *testing.T) {
	dir := t.TempDir()
	newDoctorCmd(newProgram()).Flags().VisitAll(func(f *pflag.Flag) {
		value := f.DefValue
		if value == "" || f.Value.Type() == "bool" {
			value = "true"
		}
		code, out, errs := doctor(t, dir, "--"+f.Name+"="+value)
		if f.Name != "help" && (code != exitUsage || out != "" || !strings.Contains(errs, "--"+f.Name+": not for a folder")) {
			t.Errorf("--%s: exit code %d\n%s%s", f.Name, code, out, errs)
		}
	})
}

// TestSpeechDoctorBadLogs: a log of another version, and lines that nobody can have written.
func TestSpeechDoctorBadLogs(t *testing.T) {
	const head = `{"halfsecond_exchanges":1,"scenario":"doctor","target":"endpoint","hashed":false}` + "\n"
	for want, text := range map[string]string{
		"line 1: it has version 99 of the format, want 1":          `{"halfsecond_exchanges":99,"new":1}` + "\n",
		"line 1 is longer than 64 MiB, the most that is read here": strings.Repeat("x", mostSpeechLine+1),
		"conversation 1: setting: unexpected end of JSON input":    head + `{"request":1,"protocol":"openai-speech","method":"POST","path":"/","headers":null,"reads":[],"end":"eof"}` + "\n",
		"line 2 is longer than 64 MiB, the most that is read here": head + strings.Repeat(" ", mostSpeechLine+1),
		"want a gzip file": "",
		"no doctor.json in this folder; 'halfsecond doctor URL --protocol N": "none",
	} {
		dir := t.TempDir()
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := io.WriteString(z, text)
		if err = errors.Join(err, z.Close()); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			b.Reset()
			b.WriteString("plain")
		}
		if text != "none" {
			err = os.WriteFile(filepath.Join(dir, rawFile), b.Bytes(), 0o644)
		}
		if strings.HasPrefix(text, head) {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, doctorFile), []byte(`{"kind":"speaks"}`), 0o644))
		}
		if err != nil {
			t.Fatal(err)
		}
		if code, _, errs := doctor(t, dir); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("exit code %d, want %d and %s\n%s", code, exitUsage, want, errs)
		}
	}
}

// TestCutShort: files that were cut are told from whole ones, in every format.
func TestCutShort(t *testing.T) {
	const data = "../../mockllm/speech/audio/testdata/"
	for _, name := range []string{"please.flac", "please.mp3", "please.opus", "tone.wav"} {
		path := data + name
		if name == "tone.wav" {
			path = wav(t, name, 16_000, 1, 300*time.Millisecond, time.Second, 300*time.Millisecond)
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for share, want := range map[int]bool{100: false, 60: true, 10: true} {
			part := file[:len(file)*share/100]
			clip, err := audio.Read(part)
			if err != nil && share == 100 {
				t.Fatal(err)
			}
			lacks, isCut := utterance.CutShort(part, clip)
			if known := name == "tone.wav" || name == "please.flac"; isCut != want || (lacks > 0) != (want && known && err == nil) {
				t.Errorf("%d %% of %s: cut %t, want %t; lacks %s", share, name, isCut, want, lacks)
			}
		}
		if _, isCut := utterance.CutShort(append(file, "TAG and what follows"...), audio.Clip{}); name == "please.mp3" && isCut {
			t.Error("an MP3 with a tag at its end was cut")
		}
	}
	for _, text := range []string{"", "fLaC", "OggS", "RIFF", "ID3\x00\x00\x00\x00\x00\x00\x00", "\xff"} {
		if lacks, _ := utterance.CutShort([]byte(text), audio.Clip{Rate: 8000}); lacks != 0 {
			t.Errorf("%q lacks %s", text, lacks)
		}
	}
}

// TestWithoutSpeech: why there is no speech in a file, where that can be told.
func TestWithoutSpeech(t *testing.T) {
	whole, err := os.ReadFile(wav(t, "tone.wav", 16_000, 1, 300*time.Millisecond, time.Second, 500*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	clip, err := audio.Read(whole)
	if err != nil {
		t.Fatal(err)
	}
	var both []int16
	for _, s := range clip.Samples {
		both = append(both, s, -s)
	}
	pcm := audio.Encode(nil, both, audio.S16LE)
	opposite := append(audio.AppendWAVHeader(nil, audio.Format{Encoding: audio.S16LE, Rate: 16_000, Channels: 2}, len(pcm)), pcm...)
	flac, err := os.ReadFile("../../mockllm/speech/audio/testdata/please.flac")
	if err != nil {
		t.Fatal(err)
	}
	for want, file := range map[string][]byte{"broken FLAC file: unexpected EOF; the file was cut": flac[:len(flac)*6/10], "the channels cancel each other": opposite, "; the file was cut": whole[:8000]} {
		name := filepath.Join(t.TempDir(), "x.wav")
		if err := os.WriteFile(name, file, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := sentence(name, "deepgram-listen"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	flac[len(flac)/2] ^= 1
	name := filepath.Join(t.TempDir(), "flipped.flac")
	if err := os.WriteFile(name, flac, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := sentence(name, "deepgram-listen"); err == nil || strings.Contains(err.Error(), "cut") {
		t.Errorf("a whole file of which a bit is wrong: error %v, want one, and not that it was cut", err)
	}
}

// TestSpeechTable: a close code stands in the timeline, also of a session in which nothing else was
// said, and what was heard of no whole session counts for something.
func TestSpeechTable(t *testing.T) {
	r := pipeline.NewTranscription(1, 0)
	r.Outcome, r.Close, r.SpeechEnd, r.End, r.Transport.Status = pipeline.Truncated, 1000, time.Second, 2*time.Second, 101
	e := &heard.Endpoint{Kind: heard.Listens, Protocol: "deepgram-listen", Planned: 4, Stopped: heard.Interrupted, Sessions: []heard.Session{{ID: 1, Transcription: &r, Closing: "my own words"}}}
	print := func() string {
		d := &speechDiagnosis{heard: e}
		d.complete()
		var out bytes.Buffer
		if err := d.writeTable(&out, 0); err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(out.String()), " ")
	}
	if text := print(); !strings.Contains(text, `server close - code 1000 "my own words"`) {
		t.Error(text)
	}
	r.Outcome, r.Close = pipeline.Cancelled, 0
	if text := print(); !strings.HasSuffix(text, "nothing was measured") {
		t.Error(text)
	}
	e.Sessions[0].Events = []talk.Event{{At: time.Second, Kind: talk.KindFinal, Text: "hello"}}
	if text := print(); !strings.HasSuffix(text, "no session was whole: what came until then stands above") {
		t.Error(text)
	}
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 1, ' ', 0)
	(&speechDiagnosis{heard: &heard.Endpoint{Recording: &heard.Recording{Cut: true}}}).writeEndpoint(w)
	if !strings.Contains(out.String(), "the file was cut: it ends in the midst of a frame") {
		t.Error(out.String())
	}
}

// TestSpeechMeant: no protocol is suggested that is not like the one that was typed.
func TestSpeechMeant(t *testing.T) {
	if code, _, errs := doctor(t, "http://127.0.0.1:9", "--protocol", "wyoming"); code != exitUsage || strings.Contains(errs, "did you mean") || !strings.Contains(errs, "deepgram-listen") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}

// TestSpeechDoctorRefusedOnce: a refusal of the one session that was planned stopped nothing, and
// its folder says the same again.
func TestSpeechDoctorRefusedOnce(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"detail":"who are you?"}`, http.StatusUnauthorized)
	}))
	t.Cleanup(s.Close)
	for _, requests := range []string{"1", "3"} {
		dir := filepath.Join(t.TempDir(), "kept")
		code, out, _ := doctor(t, s.URL, "--protocol", "openai-speech", "--voice", "v", "--model", "m", "--requests", requests, "--out", dir)
		again, outAgain, errs := doctor(t, dir)
		if code != exitFailed || again != code || outAgain != out || errs != "read again from the bytes of 1 session: every value the same\n" {
			t.Errorf("%s planned: exit code %d, then %d\n%s\n got %s\nwant %s", requests, code, again, errs, outAgain, out)
		}
		text, err := os.ReadFile(filepath.Join(dir, doctorFile))
		if stopped := strings.Contains(string(text), `"stopped": "refused"`); err != nil || stopped != (requests == "3") {
			t.Errorf("%s planned: stopped %t, %v\n%s", requests, stopped, err, text)
		}
	}
}

// TestSpokenEnd: only of audio that ended well is it said that all of it has come.
func TestSpokenEnd(t *testing.T) {
	for o, want := range map[pipeline.Outcome]string{
		pipeline.OK: "all of it has come", pipeline.Timeout: "when it was given up, without an end", pipeline.Cancelled: "when it was given up, without an end",
		pipeline.Truncated: "when it broke off, without an end", pipeline.Error: "when it failed, without an end",
	} {
		r := pipeline.NewSpeech(1, 0)
		r.Outcome, r.End = o, time.Second
		all := clocksOf(&heard.Session{Speech: &r})
		if got := all[len(all)-1]; got.name != "end" || got.what != want {
			t.Errorf("%s: %q is %q, want %q", o, got.name, got.what, want)
		}
	}
}
