package audio

import (
	"bytes"
	"errors"
	"fmt"
)

// Stream turns a file that arrives in pieces, such as a WAV that is sent while it is
// recorded, into samples of one channel: the mean of all. It finds out by itself what
// the file is: WAV and Ogg Opus are decoded as they arrive, FLAC and MP3 cannot be; see
// Read for those. The zero Stream has seen nothing. It is for one goroutine.
type Stream struct {
	head  []byte // of the file, until it is known what it is
	inner decoding
	err   error
	only  int // the channel, from 1; 0 is the mean of all
}

// decoding is a Stream once it is known what the file is.
type decoding interface {
	Decode(dst []int16, b []byte) ([]int16, error)
	Rate() int
}

// Rate returns the rate of the samples, and 0 before the file's header is complete.
func (s *Stream) Rate() int {
	if s.inner == nil {
		return 0
	}
	return s.inner.Rate()
}

// Decode appends the samples that b completes to dst. The error says what the file is
// when it is none that can be decoded as it arrives, and what can; after it nothing
// more is decoded.
func (s *Stream) Decode(dst []int16, b []byte) ([]int16, error) {
	if s.inner == nil && s.err == nil {
		s.head = append(s.head, b...)
		if len(s.head) < sniffed {
			return dst, nil
		}
		s.inner, s.err = begin(s.head, s.only)
		b, s.head = s.head, nil
	}
	if s.err == nil {
		dst, s.err = s.inner.Decode(dst, b)
	}
	return dst, s.err
}

// begin returns the decoding of a file that begins with those bytes, of one channel as in a
// Stream.
func begin(head []byte, only int) (decoding, error) {
	switch kind := sniff(head); kind {
	case "WAV":
		return &wave{only: only}, nil
	case "Ogg":
		return &oggOpus{}, nil
	case "":
		return nil, errors.New("unknown audio file: want WAV or Ogg Opus, or raw samples with their encoding and rate")
	default:
		return nil, fmt.Errorf("%s cannot be decoded as it arrives: want WAV or Ogg Opus", kind)
	}
}

// sniffed is how many bytes tell what a file is.
const sniffed = 12

// marks are how files begin that somebody may send.
var marks = []struct {
	kind   string
	offset int
	bytes  string
}{
	{"RF64", 0, "RF64"},
	{"RF64", 0, "BW64"},
	{"big-endian WAV (RIFX)", 0, "RIFX"},
	{"Wave64", 0, "riff\x2e\x91\xcf\x11"},
	{"WAV", 8, "WAVE"},
	{"FLAC", 0, "fLaC"},
	{"Ogg", 0, "OggS"},
	{"MP3", 0, "ID3"},
	{"WebM or Matroska", 0, "\x1a\x45\xdf\xa3"},
	{"MP4 or M4A", 4, "ftyp"},
	{"AMR", 0, "#!AMR"},
	{"AIFF", 8, "AIFF"},
	{"CAF", 0, "caff"},
	{"AU", 0, ".snd"},
}

// sniff says what a file is by its first bytes; it is empty when that is not known.
func sniff(b []byte) string {
	for _, m := range marks {
		if len(b) >= m.offset && bytes.HasPrefix(b[m.offset:], []byte(m.bytes)) {
			return m.kind
		}
	}
	switch {
	case len(b) < 2 || b[0] != 0xFF:
		return ""
	case b[1]&0xF6 == 0xF0: // the layer of AAC is 0
		return "AAC"
	case b[1]&0xE0 == 0xE0 && b[1]&0x06 == 0x02: // layer III
		return "MP3"
	}
	return ""
}
