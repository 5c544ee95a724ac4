package voice

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
)

// mouth speaks texts, one after the other, and counts what it says in an entry of the
// ledger. Its methods run on the loop.
type mouth struct {
	inner   *speech.Synthesizer
	profile speech.TTS // the client's speed included
	loop    pipeline.Scheduler
	entry   *ledger.Entry
	output  audio.Output
	encoder *audio.Encoder // of the text under way
	tell    func(sound)
}

// sound is a chunk that a mouth has made now.
type sound struct {
	speech.Chunk
	// encode returns the bytes that the chunk adds to its text's audio: the header comes
	// with the first of them, and what only makes sense together waits for the rest of
	// it. It is to be called once for each chunk, in their order, by whoever writes them.
	encode func() []byte
	// weight is about how many bytes that will be.
	weight int
}

// mouth returns a mouth of a model, whose pace is multiplied by the speed; 0 is 1. The
// output must be one that can be written. A text's audio ends with its last chunk; of a
// text with nothing to say that is the only one.
func (s *Service) mouth(entry *ledger.Entry, model string, speed float64, o audio.Output, tell func(sound)) *mouth {
	m := &mouth{profile: hurried(s.config.TTS(model), speed), loop: s.config.Loop, entry: entry, output: o, tell: tell}
	m.inner = speech.NewSynthesizer(s.config.Loop, speech.Speaking{
		Rate: o.Format.Rate, Profile: m.profile, Seed: s.config.Seed, Stream: s.stream(),
	}, m.told)
	return m
}

// hurried returns a profile at a speed.
func hurried(p speech.TTS, speed float64) speech.TTS {
	if p.Pace <= 0 {
		usual, _ := speech.FindTTS(speech.DefaultTTS)
		p.Pace = usual.Pace
	}
	if speed > 0 {
		p.Pace *= speed
	}
	return p
}

// say speaks a text after those before it, and returns its number, from 0.
func (m *mouth) say(text string) int {
	m.entry.Characters += utf8.RuneCountInString(text)
	return m.inner.Speak(text)
}

// busy reports whether there is audio still to come.
func (m *mouth) busy() bool { return m.inner.Busy() }

func (m *mouth) told(c speech.Chunk) {
	if c.Start == 0 {
		m.encoder = mustEncode(m.output)
	}
	encoder := m.encoder
	encode := func() []byte {
		encoded := encoder.Encode(nil, c.Samples())
		if c.Last {
			encoded = encoder.Close(encoded)
		}
		return encoded
	}
	if m.entry.First == pipeline.Unknown && c.Length > 0 {
		m.entry.First = m.loop.Now()
	}
	m.entry.AudioOut += m.duration(c)
	m.tell(sound{c, encode, c.Length * max(1, m.output.Format.Encoding.Size())})
}

// duration returns how long a chunk plays.
func (m *mouth) duration(c speech.Chunk) time.Duration {
	return audio.Duration(c.Length, m.output.Format.Rate)
}

// mustEncode returns an encoder for an output that is known to be one that can be
// written.
func mustEncode(o audio.Output) *audio.Encoder {
	e, err := audio.NewEncoder(o)
	if err != nil {
		panic(fmt.Sprintf("voice: %v", err))
	}
	return e
}

// writable says what is wrong with an output.
func writable(o audio.Output) error {
	_, err := audio.NewEncoder(o)
	return err
}

// speakable reports whether a text has anything to say.
func speakable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
