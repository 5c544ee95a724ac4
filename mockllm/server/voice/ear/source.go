package ear

import (
	"errors"
	"fmt"

	"halfsecond/mockllm/speech/audio"
)

// Source is what the bytes of a client mean.
type Source struct {
	Packaging Packaging
	Format    audio.Format // of raw samples; of packets the rate alone
}

// Packaging is how samples are wrapped.
type Packaging uint8

// The ways to wrap samples.
const (
	Container   Packaging = iota // a file that says what it is
	RawSamples                   // as they are, in a Format
	OpusPackets                  // each in a frame of its own
)

// decoding turns bytes into samples of one channel.
type decoding interface {
	Decode(dst []int16, b []byte) ([]int16, error)
	Rate() int // 0 while it is not known
}

// decoding returns a decoder of one channel, or of audio.Mix. Of what is not raw all
// channels are mixed.
func (s Source) decoding(channel int) decoding {
	switch s.Packaging {
	case RawSamples:
		return audio.NewDecoder(s.Format, channel)
	case OpusPackets:
		p, err := audio.NewPackets(s.Format.Rate)
		if err != nil {
			panic(fmt.Sprintf("ear: %v", err)) // Check has seen it
		}
		return p
	}
	return &audio.Stream{}
}

// Check says what is wrong with the source.
func (s Source) Check() error {
	switch s.Packaging {
	case RawSamples:
		return s.Format.Validate()
	case OpusPackets:
		_, err := audio.NewPackets(s.Format.Rate)
		return err
	}
	return nil
}

// Clips decodes a file of such bytes: a clip for each channel that is heard for itself,
// a single one being the mix of all.
func (s Source) Clips(data []byte, channels int) ([]audio.Clip, error) {
	switch s.Packaging {
	case OpusPackets:
		return nil, errors.New("raw Opus packets cannot be told apart in a file: send Ogg Opus")
	case Container:
		c, err := audio.Read(data)
		return []audio.Clip{c}, err
	}
	clips := make([]audio.Clip, channels)
	for i, in := range s.Decoders(channels).all {
		samples, err := in.Decode(nil, data)
		if err != nil {
			return nil, err
		}
		clips[i] = audio.Clip{Rate: s.Format.Rate, Samples: samples}
	}
	return clips, nil
}
