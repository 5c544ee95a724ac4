package transport

import (
	"time"

	"halfsecond/pipeline/dist"
)

// Codec is what sound is sent as.
type Codec uint8

// Codecs.
const (
	// PCM is samples as they are, 16 bits each.
	PCM Codec = iota
	// PCMU is G.711 mu-law: 8 kHz, 8 bits a sample, without look-ahead.
	PCMU
	// Opus at 48 kHz looks 6.5 ms ahead: its delay is 26.5 ms at its usual frames of 20 ms.
	//
	// Source: RFC 6716, 2012, as docs.oracle.com/cd/E92503_01 (Opus Codec Transcoding Support)
	// has it, read 2026-11-30.
	Opus
)

// String returns the name, as scenario files have it.
func (c Codec) String() string { return [...]string{"pcm", "pcmu", "opus"}[c] }

// LookAhead returns how far an encoder looks ahead of what it sends.
func (c Codec) LookAhead() time.Duration {
	if c == Opus {
		return 6500 * time.Microsecond
	}
	return 0
}

// Line is what sound is sent as, and how much of it is lost.
type Line struct {
	Codec Codec
	Frame time.Duration // of sound that is sent at once, above 0
	Loss  Loss
}

// Capture returns how long a sample takes until the frame that it is in leaves: it falls
// anywhere in it.
func (l Line) Capture() dist.Dist {
	return dist.Uniform(l.Codec.LookAhead(), l.Codec.LookAhead()+l.Frame)
}

// Egress returns how long audio waits for its turn with an agent that sends a frame in each
// time that one plays. Over TCP it is sent as it comes, ahead of its playing.
func (l Line) Egress() dist.Dist {
	if l.Loss.Repair == Resent {
		return dist.Constant(0)
	}
	return dist.Uniform(0, l.Frame)
}
