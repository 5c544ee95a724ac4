package audio

import (
	"errors"
	"fmt"
)

// Container is how samples are wrapped into a file or a stream.
type Container uint8

const (
	Raw  Container = iota // nothing but the samples
	WAV                   // a header of 44 bytes and the samples
	MP3                   // MPEG-1 Layer III at 32, 44.1 and 48 kHz, MPEG-2 at 16, 22.05 and 24 kHz
	FLAC                  // 16 bits
)

var containers = [...]string{Raw: "raw", WAV: "wav", MP3: "mp3", FLAC: "flac"}

// String returns the container's usual name, such as "wav".
func (c Container) String() string { return containers[c] }

// Output says what is sent.
type Output struct {
	Container Container
	Format    Format // one channel; MP3 and FLAC ignore the encoding
	Kbps      int    // of MP3; 0 is 64
}

// Encoder writes samples as they are made. Bytes that belong together, such as those of
// one MP3 frame, come out when their last sample is there. It is for one goroutine.
type Encoder struct{ inner writing }

// writing is an Encoder for one container.
type writing interface {
	encode(dst []byte, samples []int16) []byte
	close(dst []byte) []byte
}

// NewEncoder returns an encoder. The error says what of the output cannot be written.
func NewEncoder(o Output) (*Encoder, error) {
	if err := o.Format.Validate(); err != nil {
		return nil, err
	}
	if o.Format.Channels > 1 {
		return nil, fmt.Errorf("%d channels: only one is written", o.Format.Channels)
	}
	var inner writing
	var err error
	switch o.Container {
	case Raw:
		inner = &rawWriter{format: o.Format, begun: true}
	case WAV:
		inner = &rawWriter{format: o.Format}
	case MP3:
		inner, err = newMP3Writer(o.Format.Rate, o.Kbps)
	case FLAC:
		inner, err = newFLACWriter(o.Format.Rate)
	default:
		err = errors.New("unknown container")
	}
	return &Encoder{inner}, err
}

// Encode appends the samples to dst, in front of the first ones the container's header.
// A WAV header says a length of 0xFFFFFFFF, which readers take as "to the end".
func (e *Encoder) Encode(dst []byte, samples []int16) []byte { return e.inner.encode(dst, samples) }

// Close appends what is left. An encoder that was given no samples writes the header
// of an empty file. It comes last.
func (e *Encoder) Close(dst []byte) []byte { return e.inner.close(dst) }

// Write encodes a whole clip at its rate, whatever the output's; a WAV header then says
// the true length.
func Write(c Clip, o Output) ([]byte, error) {
	o.Format.Rate = c.Rate
	if o.Container == WAV {
		size := len(c.Samples) * o.Format.Encoding.Size()
		o.Container = Raw
		e, err := NewEncoder(o)
		if err != nil {
			return nil, err
		}
		return e.Encode(AppendWAVHeader(nil, o.Format, size), c.Samples), nil
	}
	e, err := NewEncoder(o)
	if err != nil {
		return nil, err
	}
	return e.Close(e.Encode(nil, c.Samples)), nil
}

// rawWriter writes samples, after a WAV header unless begun.
type rawWriter struct {
	format Format
	begun  bool
}

func (w *rawWriter) encode(dst []byte, samples []int16) []byte {
	return Encode(w.close(dst), samples, w.format.Encoding)
}

func (w *rawWriter) close(dst []byte) []byte {
	if !w.begun {
		w.begun = true
		dst = AppendWAVHeader(dst, w.format, ToTheEnd)
	}
	return dst
}
