package phone

import (
	"encoding/binary"
	"math/bits"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/twilio"
)

const (
	rate = twilio.SampleRate
	// span is the audio of one message, and of one frame that is played.
	span = 20 * time.Millisecond
)

// Of G.711 mu-law: what is added to a magnitude of 16 bits before its power of two is taken,
// and the greatest that is written (ITU-T Recommendation G.711, 11/1988, table 2, by RFC
// 3551, section 4.5.14, read 2026-11-29).
const (
	bias     = 33 << 2
	greatest = 8158 << 2
)

// muLaw returns signed samples of 16 bits, little end first, in mu-law.
func muLaw(pcm []byte) []byte {
	codes := make([]byte, len(pcm)/2)
	for i := range codes {
		codes[i] = muLawOf(int16(binary.LittleEndian.Uint16(pcm[2*i:])))
	}
	return codes
}

func muLawOf(sample int16) byte {
	magnitude, sign := int(sample), byte(0)
	if magnitude < 0 {
		magnitude, sign = -magnitude, 0x80
	}
	magnitude = min(magnitude, greatest) + bias
	exponent := bits.Len(uint(magnitude)) - 8
	return ^(sign | byte(exponent)<<4 | byte(magnitude>>(exponent+3))&15)
}

// audible has the codes of samples that can be heard.
var audible = func() (heard [256]bool) {
	for code := range 256 {
		c := ^byte(code)
		heard[code] = (int(c&15)<<3+bias)<<(c>>4&7)-bias >= pipeline.Audible
	}
	return heard
}()
