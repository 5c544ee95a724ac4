package voice

import (
	"fmt"
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
)

// source is what the bytes of a client mean.
type source struct {
	packaging packaging
	format    audio.Format // of raw samples; of packets the rate alone
}

// packaging is how samples are wrapped.
type packaging uint8

const (
	container packaging = iota // a file that says what it is
	rawSamples
	opusPackets
)

// decoding turns bytes into samples of one channel.
type decoding interface {
	Decode(dst []int16, b []byte) ([]int16, error)
	Rate() int // 0 while it is not known
}

// decoding returns a decoder of one channel, or of audio.Mix. Of what is not raw all
// channels are mixed.
func (s source) decoding(channel int) decoding {
	switch s.packaging {
	case rawSamples:
		return audio.NewDecoder(s.format, channel)
	case opusPackets:
		p, err := audio.NewPackets(s.format.Rate)
		if err != nil {
			panic(fmt.Sprintf("voice: %v", err)) // check has seen it
		}
		return p
	}
	return &audio.Stream{}
}

// check says what is wrong with the source.
func (s source) check() error {
	switch s.packaging {
	case rawSamples:
		return s.format.Validate()
	case opusPackets:
		_, err := audio.NewPackets(s.format.Rate)
		return err
	}
	return nil
}

// ear hears one channel of a stream.
type ear struct {
	begin func(rate int) *speech.Recognizer
	inner *speech.Recognizer // nil until the rate is known
}

// hear hears samples that arrive now; the rate is 0 while there are none.
func (e *ear) hear(samples []int16, rate int) {
	if e.inner == nil && rate > 0 {
		e.inner = e.begin(rate)
	}
	if len(samples) > 0 {
		e.inner.Feed(samples)
	}
}

// heard returns how much audio there was.
func (e *ear) heard() time.Duration {
	if e.inner == nil {
		return 0
	}
	return e.inner.Heard()
}

// unheard is the rate of a stream whose rate nobody came to know.
const unheard = 16_000

// recognizer returns the recognizer, and one that has heard nothing when no audio came.
func (e *ear) recognizer() *speech.Recognizer {
	if e.inner == nil {
		e.inner = e.begin(unheard)
	}
	return e.inner
}

// stop takes everything back that is still to be told.
func (e *ear) stop() {
	if e.inner != nil {
		e.inner.Stop()
	}
}

// hearing returns what a recognizer of a profile hears: the given texts, else those of
// the service from the first on. Every stream begins with the first, whatever other
// streams have heard.
func (s *Service) hearing(p speech.STT, texts []string) speech.Hearing {
	if len(texts) == 0 {
		texts = s.config.Transcript
	}
	return speech.Hearing{Profile: p, Script: speech.Script{Texts: texts}, Seed: s.config.Seed, Stream: s.stream()}
}

// dictated is the query parameter, and the form field of an upload, with which a client
// tells the mock what it shall hear, an utterance each time that it is given; services
// ignore it as they do what they do not know. It is our addition.
const dictated = "mock_answer"
