package sound

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// OtherError is the error of bytes that are no samples.
type OtherError struct {
	What string // such as "MP3"
	// Text is what came so far of words where audio was to come; nil is compressed audio.
	Text []byte
}

func (e *OtherError) Error() string {
	return fmt.Sprintf("what comes is %s: want audio that can be measured", e.What)
}

// longestOpening is how many bytes of the beginning are looked at: two frames of MPEG audio,
// of which none is longer than 1441 bytes, and what precedes them.
const longestOpening = 4 << 10

// magics are how compressed audio and containers that are not read begin (RFC 3533 for Ogg, RFC 9639 for
// FLAC, id3.org for ID3v2, RFC 8794 for EBML, which is WebM's; EBU Tech 3306 for RF64, a WAV of
// 64-bit lengths; read 2026-11-30).
var magics = []struct {
	at   int
	name string
	what string
}{
	{0, "ID3", "MP3"}, {0, "OggS", "Ogg"}, {0, "fLaC", "FLAC"}, {0, "\x1aE\xdf\xa3", "WebM"}, {4, "ftyp", "MP4"}, {0, "RF64", "RF64"},
}

// other looks at the beginning of what should be samples. It returns what it is instead, nil
// for samples or while that is open.
func other(b []byte) *OtherError {
	for _, m := range magics {
		if len(b) >= m.at+len(m.name) && string(b[m.at:m.at+len(m.name)]) == m.name {
			return &OtherError{What: m.what}
		}
	}
	switch {
	case frames(b, MP3Frame):
		return &OtherError{What: "MP3"}
	case frames(b, aacFrame):
		return &OtherError{What: "AAC"}
	case worded(b):
		return &OtherError{What: "text", Text: bytes.Clone(b)}
	}
	return nil
}

// leastText is how many characters in a row are text and no chance.
const leastText = 16

// worded reports whether bytes are the beginning of an object of JSON, or of a page.
func worded(b []byte) bool {
	if len(b) < leastText {
		return false
	}
	for _, c := range b[:leastText] {
		if (c < ' ' || c > '~') && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	text := bytes.TrimLeft(b[:leastText], " \r\n\t")
	if len(text) == 0 {
		return false
	}
	rest := bytes.TrimLeft(text[1:], " \r\n\t")
	switch {
	case len(rest) == 0:
		return false
	case text[0] == '{':
		return rest[0] == '"'
	}
	return text[0] == '<' && (rest[0] == '!' || rest[0] == '?' || rest[0]|0x20 >= 'a' && rest[0]|0x20 <= 'z')
}

// frames reports whether bytes begin with two frames, of which one says how long it is.
func frames(b []byte, length func([]byte) int) bool {
	n := length(b)
	return n > 0 && len(b) > n && length(b[n:]) > 0 && b[1] == b[n+1]
}

// Tables of the header of a frame of Layer III (ISO/IEC 11172-3, 2.4.2.3, and 13818-3):
// thousands of bits a second by MPEG's version 1, and 2 or 2.5, and samples a second.
var (
	mp3Rates = [2][16]int{
		{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0},
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0},
	}
	mp3Samples = [4][4]int{{11_025, 12_000, 8_000}, {}, {22_050, 24_000, 16_000}, {44_100, 48_000, 32_000}}
)

// MP3Frame returns the length of the frame of Layer III of MPEG audio that begins b, 0 when none
// does.
func MP3Frame(b []byte) int {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe6 != 0xe2 {
		return 0
	}
	version := b[1] >> 3 & 3
	table, factor := 1, 72
	if version == 3 {
		table, factor = 0, 144
	}
	rate, samples := mp3Rates[table][b[2]>>4], mp3Samples[version][b[2]>>2&3]
	if rate == 0 || samples == 0 {
		return 0
	}
	return factor*1000*rate/samples + int(b[2]>>1&1)
}

// aacFrame returns the length of the frame of AAC in ADTS (ISO/IEC 13818-7, 6.2) that begins
// b, 0 when none does.
func aacFrame(b []byte) int {
	const header = 7
	if len(b) < header || b[0] != 0xff || b[1]&0xf6 != 0xf0 {
		return 0
	}
	n := int(binary.BigEndian.Uint32(b[3:])>>13) & 0x1fff
	if n < header {
		return 0
	}
	return n
}
