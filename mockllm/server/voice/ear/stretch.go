package ear

import (
	"iter"

	"halfsecond/mockllm/speech/audio"
)

// Stretch is a part of the audio of a binary frame, short enough for the loop to hear
// at once.
type Stretch struct {
	Frame   int       // bytes of the frame, of its first stretch; 0 of others
	Bytes   []byte    // that were decoded; nil of what is a part of them
	Samples [][]int16 // of each decoder
	Rate    int       // of them; 0 while it is not known
	Err     error     // why there is no audio any more: this stretch is the last
}

// The most that a stretch has, in bytes and samples: it is decoded and heard in a quarter
// of a millisecond.
const (
	StretchBytes   = 32 << 10
	stretchSamples = 16 << 10
)

// Decoders decode the same bytes, each a channel of them. They are for the goroutine
// that reads from the client: decoding may take longer than the loop may stand still.
type Decoders struct {
	all   []decoding
	whole bool // a frame is a packet, which cannot be cut
}

// Decoders returns decoders of the channels of a source that are heard each for itself;
// a single one is the mix of all.
func (s Source) Decoders(channels int) Decoders {
	d := Decoders{whole: s.Packaging == OpusPackets}
	for c := range channels {
		if channels == 1 {
			c = audio.Mix
		}
		d.all = append(d.all, s.decoding(c))
	}
	return d
}

// Hearing decodes a frame, off the loop, and returns what hears it there. What comes
// after audio that cannot be decoded is not heard.
func (d Decoders) Hearing(b []byte, hear func(Stretch)) iter.Seq[func()] {
	return func(yield func(func()) bool) {
		for s := range d.stretches(b) {
			if !yield(func() { hear(s) }) {
				return
			}
		}
	}
}

// stretches decodes a frame.
func (d Decoders) stretches(b []byte) iter.Seq[Stretch] {
	return func(yield func(Stretch) bool) {
		frame := len(b)
		for n := 0; len(b) > 0; b = b[n:] {
			if n = len(b); !d.whole {
				n = min(n, StretchBytes)
			}
			s := d.decode(b[:n])
			s.Frame, frame = frame, 0
			for !s.short() {
				if !yield(s.cut()) {
					return
				}
			}
			if !yield(s) || s.Err != nil {
				return
			}
		}
	}
}

// decode decodes bytes that follow on those before.
func (d Decoders) decode(b []byte) Stretch {
	s := Stretch{Bytes: b}
	for _, in := range d.all {
		samples, err := in.Decode(nil, b)
		s.Samples, s.Rate = append(s.Samples, samples), in.Rate()
		if err != nil {
			s.Err = err
		}
	}
	return s
}

func (s *Stretch) short() bool { return len(s.Samples[0]) <= stretchSamples }

// cut takes the beginning off a stretch that is too long. Every channel has as much.
func (s *Stretch) cut() Stretch {
	first := Stretch{Frame: s.Frame, Bytes: s.Bytes, Rate: s.Rate}
	s.Frame, s.Bytes = 0, nil
	for i, samples := range s.Samples {
		first.Samples, s.Samples[i] = append(first.Samples, samples[:stretchSamples]), samples[stretchSamples:]
	}
	return first
}
