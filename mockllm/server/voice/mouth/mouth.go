package mouth

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
)

// Mouth speaks texts, one after the other, and counts what it says in an entry of the
// ledger. Its methods run on the loop.
type Mouth struct {
	inner   *speech.Synthesizer
	profile speech.TTS // the client's speed included
	loop    pipeline.Scheduler
	entry   *ledger.Entry
	output  audio.Output
	encoder *audio.Encoder // of the text under way
	tell    func(Sound)
	queue   []text // that have not been said to their end, in order
	queued  int    // characters of them
}

type text struct{ number, characters int }

// MostQueued is how many characters may wait to be said by a mouth: some three hours of
// speech. It is ours: the services document no such limit, and must have one.
const MostQueued = 200_000

// Sound is a chunk that a mouth has made now.
type Sound struct {
	speech.Chunk
	// Encode returns the bytes that the chunk adds to its text's audio: the header comes
	// with the first of them, and what only makes sense together waits for the rest of
	// it. It is to be called once for each chunk, in their order, by whoever writes them.
	Encode func() []byte
	// Weight is about how many bytes that will be.
	Weight int
}

// Say speaks a text after those before it, and returns its number, from 0.
func (m *Mouth) Say(words string) int {
	n := utf8.RuneCountInString(words)
	m.entry.Characters += n
	number := m.inner.Speak(words)
	m.queue, m.queued = append(m.queue, text{number, n}), m.queued+n
	return number
}

// Queued returns how many characters have not been said to their end.
func (m *Mouth) Queued() int { return m.queued }

// Busy reports whether there is audio still to come.
func (m *Mouth) Busy() bool { return m.inner.Busy() }

// Cancel drops a text by its number, if nothing of it has been made yet.
func (m *Mouth) Cancel(number int) {
	m.inner.Cancel(number)
	if i := slices.IndexFunc(m.queue, func(t text) bool { return t.number == number }); i >= 0 {
		m.queued -= m.queue[i].characters
		m.queue = slices.Delete(m.queue, i, i+1)
	}
}

// Clear drops everything that is still to be said.
func (m *Mouth) Clear() {
	m.inner.Clear()
	m.queue, m.queued = nil, 0
}

func (m *Mouth) told(c speech.Chunk) {
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
	m.entry.AudioOut += m.Duration(c)
	if c.Last {
		m.queued -= m.queue[0].characters
		m.queue = m.queue[1:] // texts are said in order
	}
	m.tell(Sound{c, encode, c.Length * max(1, m.output.Format.Encoding.Size())})
}

// Duration returns how long a chunk plays.
func (m *Mouth) Duration(c speech.Chunk) time.Duration {
	return audio.Duration(c.Length, m.output.Format.Rate)
}

// mustEncode returns an encoder for an output that is known to be one that can be
// written.
func mustEncode(o audio.Output) *audio.Encoder {
	e, err := audio.NewEncoder(o)
	if err != nil {
		panic(fmt.Sprintf("mouth: %v", err))
	}
	return e
}

// Writable says what is wrong with an output.
func Writable(o audio.Output) error {
	_, err := audio.NewEncoder(o)
	return err
}

// Speakable reports whether a text has anything to say.
func Speakable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
