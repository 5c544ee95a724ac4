package speech

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/speech/audio"
)

// TestLengths: characters at 18 a second, pauses at marks, silence around.
func TestLengths(t *testing.T) {
	p := TTS{Lead: 200 * ms, Tail: 300 * ms}
	for _, c := range []struct {
		text  string
		pace  float64
		units float64
	}{
		{"a", 0, 1},
		{"Hello, world", 0, 5 + 3 + 1 + 5},
		{"  Hello, world!\n", 0, 5 + 3 + 1 + 5}, // nothing is said before and after
		{"One. Two.", 0, 3 + 5 + 1 + 3},
		{"One. Two.", 9, 3 + 5 + 1 + 3},
		{"a b", 10, 3},
		{"你好，世界。", 0, 4 + 4 + 3 + 4 + 4},
		{"naïve café", 0, 10},
	} {
		p.Pace = c.pace
		pace := c.pace
		if pace == 0 {
			pace = 18
		}
		want := 500*ms + time.Duration(c.units/pace*float64(time.Second)).Round(ms)
		if got := Length(c.text, p); got != want {
			t.Errorf("%q at %v: %s, want %s", c.text, pace, got, want)
		}
	}
	for _, text := range []string{"", "  ", "...", "?!"} {
		if got := Say(text, p, 8000); got.Duration() != 0 || len(got.Characters) != len(text) {
			t.Errorf("%q: %s of audio and %d characters", text, got.Duration(), len(got.Characters))
		}
	}
}

// TestAThousandCharactersAMinute: that is the pace of ordinary English, pauses included.
func TestAThousandCharactersAMinute(t *testing.T) {
	const text = "We have your order here, and it left the house this morning. It should be with you by Thursday, or by Friday at the latest. " +
		"If nobody is at home, the driver leaves it with a neighbour. Is there anything else that I can do for you today?"
	minute := time.Duration(float64(time.Minute) * float64(len(text)) / 1000)
	if got := Length(text, TTS{}); got < minute*97/100 || got > minute*103/100 {
		t.Errorf("%d characters take %s, want %s within 3 %%", len(text), got, minute)
	}
}

// TestSilenceIsExact: the first sample that can be heard is the first one after the lead,
// and what follows the last character is zero, at every rate.
func TestSilenceIsExact(t *testing.T) {
	p := TTS{Lead: 200 * ms, Tail: 250 * ms}
	for _, text := range []string{"Hello there.", "seven", "Two", "(x) is it", "8 o'clock"} {
		for _, rate := range []int{8000, 16000, 22050, 24000, 44100, 48000} {
			s := Say(text, p, rate)
			lead := slices.IndexFunc(s.Samples, func(x int16) bool { return x != 0 })
			if want := audio.Samples(p.Lead, rate); lead != want {
				t.Errorf("%q at %d Hz: %d samples of silence first, want %d", text, rate, lead, want)
			} else if first := s.Samples[lead]; max(first, -first) < 328 {
				t.Errorf("%q at %d Hz: the first sample is %d, want one per cent of full scale", text, rate, first)
			}
			end := audio.Samples(Length(text, p)-p.Tail, rate)
			if slices.ContainsFunc(s.Samples[end:], func(x int16) bool { return x != 0 }) {
				t.Errorf("%q at %d Hz: the tail is not silent", text, rate)
			}
			if spoken := s.Samples[lead:end]; level(spoken) < 1000 || level(spoken[len(spoken)-audio.Samples(20*ms, rate):]) < 100 {
				t.Errorf("%q at %d Hz: too soft: %.0f in all", text, rate, level(spoken))
			}
		}
	}
}

// TestAVoiceInPieces: what is spoken in pieces is what is spoken at once.
func TestAVoiceInPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const text = "Please call me back after six, when the office is open again."
	p := TTS{Lead: 100 * ms}
	want := Say(text, p, 24000).Samples
	v := newVoice(text, p, 24000)
	var got []int16
	for v.left() > 0 {
		got = append(got, v.speak(r.IntN(700))...)
	}
	if !slices.Equal(got, want) {
		t.Error("spoken in pieces differs from the whole")
	}
}

// TestVoicesSpeakAnything: no text crashes, and times go on and on.
func TestVoicesSpeakAnything(t *testing.T) {
	for _, text := range []string{"\x00\xff\xfe", "é👩‍👩‍👧 \u200b", "مرحبا بالعالم", strings.Repeat("x", 1000), "\n\t\na\n", "ﷺ٣"} {
		s := Say(text, TTS{}, 8000)
		last := time.Duration(0)
		var all string
		for _, c := range s.Characters {
			if c.Start < last || c.End < c.Start || c.End > s.Duration() {
				t.Errorf("%q: %q from %s to %s", text, c.Text, c.Start, c.End)
			}
			last = c.End
			all += c.Text
		}
		if want := strings.ToValidUTF8(text, ""); len([]rune(all)) != len([]rune(text)) {
			t.Errorf("%q has the characters of %q", want, all)
		}
	}
}

func TestWords(t *testing.T) {
	s := Say("Hi, you two.", TTS{Lead: 100 * ms, Pace: 10}, 8000)
	want := []Word{
		{"Hi,", 100 * ms, 600 * ms, 1},
		{"you", 700 * ms, 1000 * ms, 1},
		{"two.", 1100 * ms, 1400 * ms, 1},
	}
	if got := s.Words(); !slices.Equal(got, want) {
		t.Errorf("words %v, want %v", got, want)
	}
}

func BenchmarkVoice(b *testing.B) {
	text := strings.Repeat("Please call me back after six. ", 10_000)
	v := newVoice(text, TTS{}, 24000)
	b.ReportAllocs()
	for b.Loop() {
		if len(v.speak(2400)) == 0 {
			v = newVoice(text, TTS{}, 24000)
		}
	}
}
