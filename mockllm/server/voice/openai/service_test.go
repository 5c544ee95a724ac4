package openai

import (
	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

const ms = time.Millisecond

// start runs a service with a patient recognizer, which hears those texts, and steady voices.
func start(t *testing.T, c talk.Config, texts ...string) *voicetest.Rig {
	return voicetest.Start(t, c, func(h *talk.Host, mux *http.ServeMux) {
		s := &Service{Host: h, Ears: &ear.Models{Host: h, STT: voicetest.Patient, Transcript: texts}, Mouths: &mouth.Models{Host: h, TTS: voicetest.Steady}}
		s.Handle(mux)
	})
}

func listening(t *testing.T, texts ...string) *voicetest.Rig {
	return start(t, talk.Config{}, texts...)
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
