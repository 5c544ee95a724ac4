package mouth_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech/audio"
)

// TestQueued: a text waits until the last of it has been said, or it is dropped.
func TestQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := voicetest.Start(t, talk.Config{}, func(*talk.Host, *http.ServeMux) {})
		defer r.Stop()
		var entry ledger.Entry
		models := &mouth.Models{Host: r.Host, TTS: voicetest.Steady}
		m := models.Mouth(&entry, "m", 0, audio.Output{Format: audio.Format{Rate: 8000}}, func(mouth.Sound) {})
		queued := func(want int) {
			t.Helper()
			synctest.Wait()
			r.OnLoop(func() {
				if got := m.Queued(); got != want {
					t.Errorf("at %d ms %d characters are queued, want %d", r.Now(), got, want)
				}
			})
		}
		r.OnLoop(func() {
			m.Say("ab") // .3 s, the last of it after 200 and two times 50 ms
			m.Say("cde")
			m.Say("é")
		})
		queued(6)
		time.Sleep(299 * time.Millisecond)
		queued(6)
		time.Sleep(time.Millisecond)
		queued(4)
		r.OnLoop(func() { m.Cancel(2); m.Cancel(7) })
		queued(3)
		r.OnLoop(m.Clear)
		queued(0)
		if entry.Characters != 6 {
			t.Errorf("the entry counts %d characters, want 6", entry.Characters)
		}
	})
}
