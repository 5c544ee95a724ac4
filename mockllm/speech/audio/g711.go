package audio

import "math/bits"

// G.711 writes a sample in 8 bits: its sign, the power of two that it lies in and four
// bits of where within it (ITU-T Recommendation G.711, 11/1988, tables 1 and 2; read
// 2026-11-29 through their statement in RFC 3551, section 4.5.14, and Sun's public
// g711.c). A sample is written as the code whose decision interval it lies in.

var fromMuLaw, fromALaw = tables()

func tables() (mu, a [256]int16) {
	for code := range 256 {
		mu[code] = muLawSample(byte(code))
		a[code] = aLawSample(byte(code))
	}
	return mu, a
}

const (
	muLawBias = 33 << 2 // of 14 bits, in 16
	muLawMost = 8158 << 2
)

// muLawSample returns the value of a code: 14 bits in the recommendation, four times
// that here.
func muLawSample(code byte) int16 {
	code = ^code
	exponent, mantissa := code>>4&7, int16(code&15)
	magnitude := (mantissa<<3+muLawBias)<<exponent - muLawBias
	if code&0x80 != 0 {
		return -magnitude
	}
	return magnitude
}

func muLaw(s int16) byte {
	magnitude, sign := int(s), byte(0)
	if s < 0 {
		magnitude, sign = -magnitude, 0x80
	}
	magnitude = min(magnitude, muLawMost) + muLawBias
	exponent := bits.Len(uint(magnitude)) - 8
	return ^(sign | byte(exponent)<<4 | byte(magnitude>>(exponent+3))&15)
}

// aLawSample returns the value of a code: 13 bits in the recommendation, eight times
// that here.
func aLawSample(code byte) int16 {
	code ^= 0x55
	exponent, mantissa := code>>4&7, int16(code&15)
	magnitude := mantissa<<4 + 8
	if exponent > 0 {
		magnitude = (magnitude + 0x100) << (exponent - 1)
	}
	if code&0x80 == 0 {
		return -magnitude
	}
	return magnitude
}

func aLaw(s int16) byte {
	magnitude, sign := int(s), byte(0x80)
	if s < 0 {
		magnitude, sign = -magnitude-1, 0 // -1 lies in the first interval below zero
	}
	exponent := max(0, bits.Len(uint(magnitude))-8)
	shift := max(4, exponent+3)
	return (sign | byte(exponent)<<4 | byte(magnitude>>shift)&15) ^ 0x55
}
