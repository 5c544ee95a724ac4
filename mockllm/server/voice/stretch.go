package voice

import (
	"iter"

	"halfsecond/mockllm/speech/audio"
)

// stretch is a part of the audio of a binary frame, short enough for the loop to hear
// at once.
type stretch struct {
	frame   int       // bytes of the frame, of its first stretch; 0 of others
	bytes   []byte    // that were decoded; nil of what is a part of them
	samples [][]int16 // of each decoder
	rate    int       // of them; 0 while it is not known
	err     error     // why there is no audio any more: this stretch is the last
}

// The most that a stretch has: it is decoded and heard in a quarter of a millisecond.
const (
	stretchBytes   = 32 << 10
	stretchSamples = 16 << 10
)

// decoders decode the same bytes, each a channel of them. They are for the goroutine
// that reads from the client: decoding may take longer than the loop may stand still.
type decoders struct {
	all   []decoding
	whole bool // a frame is a packet, which cannot be cut
}

// stretches decodes a frame.
func (d decoders) stretches(b []byte) iter.Seq[stretch] {
	return func(yield func(stretch) bool) {
		frame := len(b)
		for n := 0; len(b) > 0; b = b[n:] {
			if n = len(b); !d.whole {
				n = min(n, stretchBytes)
			}
			s := d.decode(b[:n])
			s.frame, frame = frame, 0
			for !s.short() {
				if !yield(s.cut()) {
					return
				}
			}
			if !yield(s) || s.err != nil {
				return
			}
		}
	}
}

// decode decodes bytes that follow on those before.
func (d decoders) decode(b []byte) stretch {
	s := stretch{bytes: b}
	for _, in := range d.all {
		samples, err := in.Decode(nil, b)
		s.samples, s.rate = append(s.samples, samples), in.Rate()
		if err != nil {
			s.err = err
		}
	}
	return s
}

func (s *stretch) short() bool { return len(s.samples[0]) <= stretchSamples }

// cut takes the beginning off a stretch that is too long. Every channel has as much.
func (s *stretch) cut() stretch {
	first := stretch{frame: s.frame, bytes: s.bytes, rate: s.rate}
	s.frame, s.bytes = 0, nil
	for i, samples := range s.samples {
		first.samples, s.samples[i] = append(first.samples, samples[:stretchSamples]), samples[stretchSamples:]
	}
	return first
}

// decoders returns decoders of the channels of a source that are heard each for itself;
// a single one is the mix of all.
func (s source) decoders(channels int) decoders {
	d := decoders{whole: s.packaging == opusPackets}
	for c := range channels {
		if channels == 1 {
			c = audio.Mix
		}
		d.all = append(d.all, s.decoding(c))
	}
	return d
}
