package elevenlabs

import (
	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

const ms = time.Millisecond

// start runs a service with voices.
func start(t *testing.T, tts func(string) speech.TTS) *voicetest.Rig {
	return voicetest.Start(t, talk.Config{}, func(h *talk.Host, mux *http.ServeMux) {
		(&Service{Host: h, Mouths: &mouth.Models{Host: h, TTS: tts}}).Handle(mux)
	})
}

// speaking runs a test of steady voices inside a bubble.
func speaking(t *testing.T, test func(r *voicetest.Rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, voicetest.Steady)
		defer r.Stop()
		test(r)
	})
}

// clipped returns a reason as a close frame has it.
func clipped(reason string) string {
	if len(reason) > talk.LongestReason {
		return reason[:talk.LongestReason-3] + "..."
	}
	return reason
}

// FuzzSpeaking: no message of a client breaks a session.
func FuzzSpeaking(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"text":" ","voice_settings":{"speed":1.1},"generation_config":{"chunk_length_schedule":[50]}}`, `{"text":"a ","flush":true}`},
		{`{"text":" ","context_id":"x"}`, `{"context_id":"x","close_context":true}`},
		{`{"text":"a ","contextId":"x","flush":true}`, `{"close_socket":true}`},
		{`null`, `[1`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		for _, begin := range []func(*conversation) talk.Session{
			func(c *conversation) talk.Session { return &single{conversation: c} },
			func(c *conversation) talk.Session { c.o.auto, c.o.sync = true, true; return &multi{conversation: c} },
		} {
			h := voicetest.Alone()
			v := h.Visit(talk.NewSocket(h), httptest.NewRequest("GET", "/", nil), "fuzz", "", "")
			o := options{output: audio.Output{Format: audio.Format{Rate: 8000}}, inactivity: time.Second}
			session := begin(newConversation(v, &mouth.Models{Host: h, TTS: voicetest.Steady}, o))
			voicetest.Do(session.Text([]byte(first)))
			voicetest.Do(session.Text([]byte(second)))
			session.Gone()
		}
	})
}
