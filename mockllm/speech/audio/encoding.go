package audio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"
)

// Encoding is how one sample is written as bytes, little end first.
type Encoding uint8

const (
	S16LE Encoding = iota // signed 16 bits
	S24LE                 // signed 24 bits
	S32LE                 // signed 32 bits
	F32LE                 // a float of 32 bits from -1 to 1
	U8                    // unsigned 8 bits, silence being 128
	MuLaw                 // G.711 mu-law, 8 bits
	ALaw                  // G.711 A-law, 8 bits
)

var encodings = [...]struct {
	name string
	size int
}{
	S16LE: {"s16le", 2},
	S24LE: {"s24le", 3},
	S32LE: {"s32le", 4},
	F32LE: {"f32le", 4},
	U8:    {"u8", 1},
	MuLaw: {"mulaw", 1},
	ALaw:  {"alaw", 1},
}

// Size returns the bytes of one sample.
func (e Encoding) Size() int { return encodings[e].size }

// String returns the encoding's short name, such as "s16le".
func (e Encoding) String() string { return encodings[e].name }

// Format says what raw bytes of audio mean.
type Format struct {
	Encoding Encoding
	Rate     int // samples a second of one channel
	Channels int // interleaved; 0 is 1
}

// Rates and channels that are taken.
const (
	LowestRate  = 4_000
	HighestRate = 192_000
	Most        = 32 // channels
)

// Validate reports everything that is wrong with the format.
func (f Format) Validate() error {
	var errs []error
	if int(f.Encoding) >= len(encodings) {
		errs = append(errs, fmt.Errorf("unknown encoding %d", f.Encoding))
	}
	if f.Rate < LowestRate || f.Rate > HighestRate {
		errs = append(errs, fmt.Errorf("sample rate %d: want %d to %d", f.Rate, LowestRate, HighestRate))
	}
	if f.Channels < 0 || f.Channels > Most {
		errs = append(errs, fmt.Errorf("%d channels: want 1 to %d", f.Channels, Most))
	}
	return errors.Join(errs...)
}

// Frame returns the bytes of one sample of every channel.
func (f Format) Frame() int { return f.Encoding.Size() * max(1, f.Channels) }

// Duration returns how long so many bytes of the format play.
func (f Format) Duration(bytes int) time.Duration { return Duration(bytes/f.Frame(), f.Rate) }

// Duration returns how long n samples at a rate play, to the nanosecond below.
func Duration(n, rate int) time.Duration {
	whole, rest := n/rate, n%rate
	return time.Duration(whole)*time.Second + time.Duration(rest)*time.Second/time.Duration(rate)
}

// Samples returns how many whole samples at a rate play in d. It is the inverse of
// Duration: Samples(Duration(n, r), r) is n.
func Samples(d time.Duration, rate int) int {
	whole, rest := d/time.Second, d%time.Second
	return int(whole)*rate + int((rest*time.Duration(rate)+time.Duration(rate)-1)/time.Second)
}

// Clip is a stretch of audio: one channel.
type Clip struct {
	Rate    int
	Samples []int16
}

// Duration returns how long the clip plays.
func (c Clip) Duration() time.Duration {
	if c.Rate == 0 {
		return 0
	}
	return Duration(len(c.Samples), c.Rate)
}

// At returns the clip at another rate.
func (c Clip) At(rate int) Clip {
	if c.Rate == rate || c.Rate == 0 {
		return Clip{rate, c.Samples}
	}
	r := NewResampler(c.Rate, rate)
	out := r.Resample(nil, c.Samples)
	return Clip{rate, r.Flush(out)}
}

// Encode appends the samples to dst in an encoding.
func Encode(dst []byte, samples []int16, e Encoding) []byte {
	switch e {
	case S16LE:
		for _, s := range samples {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(s))
		}
	case S24LE:
		for _, s := range samples {
			dst = append(dst, 0, byte(s), byte(s>>8))
		}
	case S32LE:
		for _, s := range samples {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(s)<<16)
		}
	case F32LE:
		for _, s := range samples {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(s)/(1<<15)))
		}
	case U8:
		for _, s := range samples {
			dst = append(dst, byte(s>>8)+128)
		}
	case MuLaw:
		for _, s := range samples {
			dst = append(dst, muLaw(s))
		}
	case ALaw:
		for _, s := range samples {
			dst = append(dst, aLaw(s))
		}
	}
	return dst
}

// decode returns the sample that begins b.
func decode(b []byte, e Encoding) int16 {
	switch e {
	case S24LE:
		return int16(binary.LittleEndian.Uint16(b[1:]))
	case S32LE:
		return int16(binary.LittleEndian.Uint16(b[2:]))
	case F32LE:
		return fromFloat(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case U8:
		return int16(int(b[0])-128) << 8
	case MuLaw:
		return fromMuLaw[b[0]]
	case ALaw:
		return fromALaw[b[0]]
	}
	return int16(binary.LittleEndian.Uint16(b))
}

// fromFloat takes -1 to 1 to the range of a sample; what is beyond is cut off, and what
// is no number is silence.
func fromFloat(x float32) int16 {
	if x != x {
		return 0
	}
	return clip(float64(x) * (1 << 15))
}

// clip rounds to the nearest sample.
func clip(x float64) int16 {
	return int16(math.Round(max(math.MinInt16, min(math.MaxInt16, x))))
}
