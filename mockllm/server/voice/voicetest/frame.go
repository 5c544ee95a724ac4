package voicetest

import (
	"iter"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech/audio"
)

// Long is the length of a frame that is nearly as long as may be, in bytes.
const Long = 6 << 20

// Chopped checks that Long bytes of samples of 16 bits take the loop many short times, so
// that what others are owed comes in between; heard is how much was heard.
func Chopped(t testing.TB, handles iter.Seq[func()], rate int, heard func() time.Duration) {
	t.Helper()
	n := 0
	for handle := range handles {
		handle()
		if n++; heard() != audio.Duration(n*ear.StretchBytes/2, rate) {
			t.Fatalf("%s heard after %d steps", heard(), n)
		}
	}
	if n != Long/ear.StretchBytes {
		t.Errorf("%d steps, want %d", n, Long/ear.StretchBytes)
	}
}

// Fuzz has a session handle frames of audio and text, twice, and then its end.
func Fuzz(s talk.Session, sound, text []byte) {
	for range 2 {
		Do(s.Binary(sound))
		Do(s.Text(text))
	}
	Do(s.Binary(nil))
	s.Gone()
}
