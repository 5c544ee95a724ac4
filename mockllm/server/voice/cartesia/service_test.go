package cartesia

import (
	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"testing"
	"testing/synctest"
	"time"
)

const ms = time.Millisecond

// start runs a service with a recognizer, which hears those texts, and steady voices.
func start(t *testing.T, stt func(string) speech.STT, texts ...string) *voicetest.Rig {
	return voicetest.Start(t, talk.Config{}, func(h *talk.Host, mux *http.ServeMux) {
		s := &Service{Host: h, Ears: &ear.Models{Host: h, STT: stt, Transcript: texts}, Mouths: &mouth.Models{Host: h, TTS: voicetest.Steady}}
		s.Handle(mux)
	})
}

var aRequest = regexp.MustCompile(`"request_id":"[0-9a-f-]{36}"`)

// speaking runs a test of steady voices inside a bubble.
func speaking(t *testing.T, test func(r *voicetest.Rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, voicetest.Verbal)
		defer r.Stop()
		test(r)
	})
}

// fuzzed is a service whose loop does not run, and who visits it.
func fuzzed() (*Service, talk.Visit) {
	h := voicetest.Alone()
	s := &Service{Host: h, Ears: &ear.Models{Host: h, STT: voicetest.Patient, Transcript: []string{"Good day."}}, Mouths: &mouth.Models{Host: h, TTS: voicetest.Steady}}
	return s, h.Visit(talk.NewSocket(h), httptest.NewRequest("GET", "/", nil), "fuzz", "m", "id")
}

// TestLongFrames: a frame as long as may be takes the loop many short times.
func TestLongFrames(t *testing.T) {
	s, v := fuzzed()
	p := &talk.Params{Values: url.Values{"model": {"ink-2"}, "encoding": {"pcm_s16le"}, "sample_rate": {"16000"}}}
	ink := newInkSession(v, s.Ears, inkOptionsOf(p))
	voicetest.Chopped(t, ink.Binary(make([]byte, voicetest.Long)), 16_000, ink.ear.Heard)
}

// FuzzListening: no handshake and no message makes a session panic.
func FuzzListening(f *testing.F) {
	for _, s := range [][2]string{
		{"model=ink-2&encoding=pcm_s16le&sample_rate=16000&mock_answer=x", "finalize"},
		{"model=ink-whisper&encoding=pcm_f32le&sample_rate=8000&max_silence_duration_secs=1e300", `{"type":"config","turn_end_threshold":1e999}`},
		{"mock_answer=", "null"}, {"%zz", "[]"}, {"model=a;b", `{"type":1}`},
	} {
		f.Add(s[0], s[1], []byte("OggS\x00\x02 and RIFF"))
	}
	f.Fuzz(func(t *testing.T, query, message string, audio []byte) {
		p := &talk.Params{Values: (&url.URL{RawQuery: query}).Query()}
		o := inkOptionsOf(p)
		if p.Fault != nil {
			return
		}
		s, v := fuzzed()
		voicetest.Fuzz(newInkSession(v, s.Ears, o), audio, []byte(message))
		s, v = fuzzed()
		voicetest.Fuzz(newInkTurns(v, s.Ears, o), audio, []byte(message))
	})
}

// FuzzSpeaking: no message of a client breaks a session.
func FuzzSpeaking(f *testing.F) {
	f.Add(sonic("a", `,"context_id":"x","continue":true,"max_buffer_delay_ms":0`), `{"context_id":"x","cancel":true}`)
	f.Add(sonic("a. b", `,"context_id":"x","continue":true`), sonic("", `,"context_id":"x","flush":true`))
	f.Add(`null`, `[1`)
	f.Fuzz(func(t *testing.T, first, second string) {
		s, v := fuzzed()
		session := newSonicTalk(v, s.Mouths, "")
		voicetest.Do(session.Text([]byte(first)))
		voicetest.Do(session.Text([]byte(second)))
		session.Gone()
	})
}
