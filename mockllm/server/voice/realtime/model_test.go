package realtime

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/pipeline/dist"
)

func TestFindRealtime(t *testing.T) {
	for _, c := range []struct {
		name, slug  string
		audio, lead time.Duration
		known       bool
	}{
		{"gpt-realtime", slugRealtime, 695 * ms, 341 * ms, true},
		{"gpt-realtime-2025-08-28", slugRealtime, 695 * ms, 341 * ms, true},
		{"GPT-Realtime-1.5", slugRealtime15, 556 * ms, 96 * ms, true},
		{"gpt-realtime-2.1", slugRealtime21, 929 * ms, 75 * ms, true},
		{"gpt-4o-mini-realtime-preview-2024-12-17", slugRealtime, 695 * ms, 341 * ms, true},
		{"llm-nova-2-sonic-speech-to-speech-v2v", "llm-nova-2-sonic-speech-to-speech-v2v", 701 * ms, 79 * ms, true},
		{"gpt-realtime2", slugRealtime, 695 * ms, 341 * ms, false},
		{"tts-rime-coda-self-hosted-concurrency-1", slugRealtime, 695 * ms, 341 * ms, false},
	} {
		p, known := FindModel(c.name)
		if known != c.known || p.Slug != c.slug || p.FirstAudio != dist.Constant(c.audio) || p.Voice.Lead != c.lead || p.Name != c.name {
			t.Errorf("FindModel(%q) = %+v, %t, want %+v", c.name, p, known, c)
		}
	}
	for _, a := range aliases {
		if p, known := FindModel(a.name); !known || p.Slug != a.slug || p.Reason == "" {
			t.Errorf("FindModel(%q) = %+v, %t, want %s", a.name, p, known, a.slug)
		}
	}
}

// TestRealtimeVoiceToVoice checks that the published time comes out, given the silence
// that it was measured with.
func TestRealtimeVoiceToVoice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, config{}, publishedSTT, nil)
		defer r.Stop()
		a := newAsk(r, "/v1/realtime?model=gpt-realtime-1.5", nil)
		defer a.conn.Close()
		a.begin(`{"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":{"type":"server_vad","silence_duration_ms":500}}}}}`)
		a.turn(time.Second, time.Second, 3*time.Second)
		var first int
		for _, m := range a.take() {
			if _, err := fmt.Sscanf(m, "%d response.output_audio.delta", &first); err == nil {
				break
			}
		}
		p, _ := FindModel("gpt-realtime-1.5")
		// The last sample comes at 2000, the detector hears it until 2010, and frames come
		// every 20 ms.
		if got := time.Duration(first)*ms + p.Voice.Lead - 2000*ms; got != 1172*ms {
			t.Errorf("voice to voice %s, want 1.152 s and 20 ms for frames", got)
		}
	})
}
