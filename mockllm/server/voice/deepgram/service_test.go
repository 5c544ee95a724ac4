package deepgram

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech"
)

const ms = time.Millisecond

// start runs a service with a recognizer that hears those texts.
func start(t *testing.T, stt func(string) speech.STT, texts ...string) *voicetest.Rig {
	return voicetest.Start(t, talk.Config{}, func(h *talk.Host, mux *http.ServeMux) {
		s := &Service{Host: h, Ears: &ear.Models{Host: h, STT: stt, Transcript: texts}, Mouths: &mouth.Models{Host: h, TTS: voicetest.Steady}}
		s.Handle(mux)
	})
}

// listening is a service with a patient model that hears those texts.
func listening(t *testing.T, texts ...string) *voicetest.Rig {
	return start(t, voicetest.Patient, texts...)
}

// speaking runs a test of steady voices inside a bubble.
func speaking(t *testing.T, test func(r *voicetest.Rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := listening(t)
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
	p := &talk.Params{Values: url.Values{"encoding": {"linear16"}, "sample_rate": {"16000"}, "model": {"nova-3"}}}
	listen := newListenSession(v, s.Ears, listenOptionsOf(p), time.Time{})
	voicetest.Chopped(t, listen.Binary(make([]byte, voicetest.Long)), 16_000, listen.ears[0].Heard)
	s, v = fuzzed()
	p.Values.Set("model", "flux-general-en")
	flux := newFluxSession(v, s.Ears, fluxOptionsOf(p))
	voicetest.Chopped(t, flux.Binary(make([]byte, voicetest.Long)), 16_000, flux.ear.Heard)
	if p.Fault != nil {
		t.Error(p.Fault)
	}
}

// FuzzListening: no handshake and no message makes a session panic.
func FuzzListening(f *testing.F) {
	for _, s := range [][2]string{
		{"model=nova-3&interim_results=true&endpointing=300&vad_events=true", `{"type":"Finalize"}`},
		{"encoding=linear16&sample_rate=16000&channels=2&multichannel=true&utterance_end_ms=1000", `{"type":"CloseStream"}`},
		{"model=flux-general-en&eager_eot_threshold=.4&encoding=opus&sample_rate=48000", `{"type":"Configure","thresholds":{"eot_threshold":null},"keyterms":null}`},
		{"model=flux-general-multi&language_hint=en&encoding=mulaw&sample_rate=8000", `{"type":"ForceEndTurn"}`},
		{"encoding=opus&sample_rate=1", `{"type":"ForceEndpoint"}`},
		{"mock_answer=", "null"}, {"%zz", "[]"}, {"model=a;b", `{"type":1}`},
	} {
		f.Add(s[0], s[1], []byte("OggS\x00\x02 and RIFF"))
	}
	f.Add("", "", []byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, query, message string, audio []byte) {
		u := &url.URL{RawQuery: query}
		p := &talk.Params{Values: u.Query()}
		if o := listenOptionsOf(p); p.Fault == nil {
			s, v := fuzzed()
			voicetest.Fuzz(newListenSession(v, s.Ears, o, time.Time{}), audio, []byte(message))
		}
		p = &talk.Params{Values: u.Query()}
		if o := fluxOptionsOf(p); p.Fault == nil {
			s, v := fuzzed()
			voicetest.Fuzz(newFluxSession(v, s.Ears, o), audio, []byte(message))
		}
	})
}

// FuzzSpeaking: no message of a client breaks a session.
func FuzzSpeaking(f *testing.F) {
	f.Add(`{"type":"Speak","text":"a"}`, `{"type":"Flush"}`)
	f.Add(`{"type":"Clear"}`, `{"type":"Close"}`)
	f.Add(`null`, `[1`)
	f.Fuzz(func(t *testing.T, first, second string) {
		s, v := fuzzed()
		session := newSpeakSession(v, s.Mouths, speakOptionsOf(&talk.Params{}))
		voicetest.Do(session.Text([]byte(first)))
		voicetest.Do(session.Text([]byte(second)))
		session.Gone()
	})
}
