package speech

import (
	"strings"
	"time"
	"unicode"

	"halfsecond/mockllm/speech/audio"
)

// usualPace is how many characters are spoken in a second between pauses. With the
// pauses at the marks of ordinary English, seven characters' time in a hundred, that is
// the 1,000 characters a minute at which ElevenLabs counts its limits (40,000
// characters are about 40 minutes of audio: help.elevenlabs.io, "What's the maximum
// amount of characters and text I can generate?", read 2026-11-29).
const usualPace = 18.

// Character is a character of a spoken text and when it is said, from the first sample
// of its audio on. A character that is not said, such as a comma, is the pause there.
type Character struct {
	Text       string
	Start, End time.Duration
}

// Speech is a spoken text.
type Speech struct {
	audio.Clip
	Characters []Character // all those of the text, in order
}

// Words returns what lies between spaces, with its times and a confidence of 1.
func (s Speech) Words() []Word { return Words(s.Characters) }

// Words returns what lies between the spaces of a text, with its times and a
// confidence of 1.
func Words(text []Character) []Word {
	var words []Word
	inside := false
	for _, c := range text {
		if strings.TrimSpace(c.Text) == "" {
			inside = false
			continue
		}
		if !inside {
			words = append(words, Word{Start: c.Start, Confidence: 1})
			inside = true
		}
		w := &words[len(words)-1]
		w.Text += c.Text
		w.End = c.End
	}
	return words
}

// Say speaks a whole text at a rate: audible, with syllables and pauses, the same for
// the same text. It takes as long as the profile's pace says. A text with nothing to
// say has no samples.
func Say(text string, p TTS, rate int) Speech {
	v := newVoice(text, p, rate)
	return Speech{audio.Clip{Rate: rate, Samples: v.speak(v.left())}, v.characters}
}

// Length returns how long a text takes, with the profile's lead and tail.
func Length(text string, p TTS) time.Duration {
	_, length := align(text, p)
	return length
}

// align returns when each character is said, and how long it all takes. Characters
// before the first and after the last that is spoken take no time.
func align(text string, p TTS) ([]Character, time.Duration) {
	first := strings.IndexFunc(text, spokenCharacter)
	last := strings.LastIndexFunc(text, spokenCharacter)
	pace := p.Pace
	if pace <= 0 {
		pace = usualPace
	}
	characters := make([]Character, 0, len(text))
	units := 0.
	end := p.Lead
	for i, c := range text {
		start := end
		if first <= i && i <= last && first >= 0 {
			units += weightOf(c)
			end = p.Lead + time.Duration(units/pace*float64(time.Second)).Round(time.Millisecond)
		}
		characters = append(characters, Character{string(c), start, end})
	}
	if first < 0 {
		return characters, 0
	}
	return characters, end + p.Tail
}

func spokenCharacter(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// weightOf returns how many usual characters' time a character takes: a pause at a
// mark, a syllable for a character that is one.
func weightOf(c rune) float64 {
	switch c {
	case '.', '!', '?', '。', '！', '？', '\n':
		return 5
	case ',', ';', ':', '—', '、', '，', '；', '：':
		return 3
	}
	switch {
	case c < unicode.MaxASCII:
		return 1
	case unicode.Is(unicode.Han, c):
		return 4
	case unicode.In(c, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return 3
	}
	return 1
}
