package sound

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Encoding is how one sample is written, little end first.
type Encoding uint8

const (
	S16   Encoding = iota // signed 16 bits
	U8                    // unsigned 8 bits, silence being 128
	S24                   // signed 24 bits
	S32                   // signed 32 bits
	F32                   // a float of 32 bits from -1 to 1
	MuLaw                 // G.711 mu-law
	ALaw                  // G.711 A-law
)

// sizes are the bytes of a sample.
var sizes = [...]int{S16: 2, U8: 1, S24: 3, S32: 4, F32: 4, MuLaw: 1, ALaw: 1}

// Format is what samples are.
type Format struct {
	Encoding Encoding
	Rate     int // samples a second of one channel
	Channels int // interleaved
}

// Bounds of a format.
const (
	lowestRate, highestRate = 4_000, 192_000
	mostChannels            = 32
)

// Check says what is wrong with the format.
func (f Format) Check() error {
	switch {
	case int(f.Encoding) >= len(sizes):
		return fmt.Errorf("unknown encoding %d of samples", f.Encoding)
	case f.Rate < lowestRate || f.Rate > highestRate:
		return fmt.Errorf("%d samples a second: want %d to %d", f.Rate, lowestRate, highestRate)
	case f.Channels < 1 || f.Channels > mostChannels:
		return fmt.Errorf("%d channels: want 1 to %d", f.Channels, mostChannels)
	}
	return nil
}

// Bits returns the bits of one sample.
func (f Format) Bits() int { return 8 * sizes[f.Encoding] }

// frame returns the bytes of one sample of every channel.
func (f Format) frame() int { return sizes[f.Encoding] * f.Channels }

// loud reports whether a sample is as loud as one of 16 bits of magnitude least.
func (e Encoding) loud(b []byte, least int) bool {
	switch e {
	case S16:
		return beyond(int(int16(binary.LittleEndian.Uint16(b))), least)
	case U8:
		return beyond((int(b[0])-128)<<8, least)
	case S24:
		return beyond(int(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)>>8), least<<8)
	case S32:
		return beyond(int(int32(binary.LittleEndian.Uint32(b))), least<<16)
	case F32:
		return math.Abs(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))*32768 >= float64(least)
	case MuLaw:
		return muLaw(b[0]) >= least
	}
	return aLaw(b[0]) >= least
}

func beyond(sample, least int) bool { return sample >= least || -sample >= least }

// muLaw returns the magnitude of a code of G.711 mu-law in 16 bits, and aLaw that of one of
// A-law: the sign, the power of two that the sample lies in, and four bits of where within
// it. Tables 1 and 2 of ITU-T Recommendation G.711 (11/1988), read 2026-11-29 through their
// statement in RFC 3551, section 4.5.14.
func muLaw(code byte) int {
	const bias = 33 << 2
	code = ^code
	return (int(code&15)<<3+bias)<<(code>>4&7) - bias
}

// aLaw is described at muLaw.
func aLaw(code byte) int {
	code ^= 0x55
	magnitude := int(code&15)<<4 + 8
	if exponent := code >> 4 & 7; exponent > 0 {
		magnitude = (magnitude + 0x100) << (exponent - 1)
	}
	return magnitude
}
