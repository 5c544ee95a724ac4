package audio

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// wave decodes a WAV as it arrives: chunks, of which the first "fmt " says what the
// samples of the first "data" are. A length of data of 0 or 0xFFFFFFFF, which writers
// leave that do not know the end, means to the end.
type wave struct {
	head    []byte // bytes of a header that is not complete
	skip    int    // bytes of a chunk that are of no interest
	samples *Decoder
	left    int // bytes of data, or ToTheEnd
	ended   bool
	only    int // as in a Stream
}

const riffHeader, chunkHeader = 12, 8

func (w *wave) Rate() int {
	if w.samples == nil {
		return 0
	}
	return w.samples.Rate()
}

// Decode appends the samples that b completes. The first bytes are the file's.
func (w *wave) Decode(dst []int16, b []byte) ([]int16, error) {
	for w.left == 0 && !w.ended {
		n := min(w.skip, len(b))
		w.skip, b = w.skip-n, b[n:]
		w.head, b = append(w.head, b...), nil
		used, err := w.chunk(w.head)
		if err != nil {
			return dst, err
		}
		if used == 0 {
			return dst, nil
		}
		b, w.head = w.head[used:], nil
	}
	if w.left != ToTheEnd {
		b = b[:min(w.left, len(b))]
		w.left -= len(b)
		w.ended = w.left == 0
	}
	return w.samples.Decode(dst, b)
}

// lacks returns how much sound of what the header says has not come. Beyond a GiB the length
// is a writer's guess: sox leaves 0x7FFFF000 where it cannot go back.
func (w *wave) lacks() time.Duration {
	if w.left <= 0 || w.left > 1<<30 {
		return 0
	}
	return Duration(w.left/w.samples.format.Frame(), w.Rate())
}

// chunk handles the header that begins b and returns its length, or 0 when there is
// more of it to come.
func (w *wave) chunk(b []byte) (int, error) {
	if len(b) < chunkHeader {
		return 0, nil
	}
	size := int(binary.LittleEndian.Uint32(b[4:]))
	switch string(b[:4]) {
	case "RIFF":
		if len(b) < riffHeader {
			return 0, nil
		}
		return riffHeader, nil
	case "data":
		return chunkHeader, w.begin(size)
	case "fmt ":
		if size > 1<<10 {
			return 0, fmt.Errorf("the WAV header has a format of %d bytes: want 16 to 40", size)
		}
		if len(b) < chunkHeader+size {
			return 0, nil
		}
		w.skip = size % 2
		return chunkHeader + size, w.format(b[chunkHeader : chunkHeader+size])
	}
	w.skip = size + size%2
	return chunkHeader, nil
}

func (w *wave) begin(size int) error {
	if w.samples == nil {
		return fmt.Errorf("the WAV has data before its format")
	}
	w.left = size
	if size == 0 || size == math.MaxUint32 {
		w.left = ToTheEnd
	}
	return nil
}

// Format tags of WAV.
const (
	tagPCM        = 1
	tagFloat      = 3
	tagALaw       = 6
	tagMuLaw      = 7
	tagExtensible = 0xFFFE // the tag is in the first bytes of a GUID
)

func (w *wave) format(b []byte) error {
	if len(b) < 16 {
		return fmt.Errorf("the WAV header has a format of %d bytes: want 16 or more", len(b))
	}
	tag, width := binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[14:])
	if tag == tagExtensible && len(b) >= 26 {
		tag = binary.LittleEndian.Uint16(b[24:])
	}
	e, known := waveEncodings[[2]uint16{tag, width}]
	if !known {
		return fmt.Errorf("the WAV has samples of format %d with %d bits: want PCM of 8, 16, 24 or 32 bits, float of 32, A-law or mu-law", tag, width)
	}
	f := Format{e, int(binary.LittleEndian.Uint32(b[4:])), int(binary.LittleEndian.Uint16(b[2:]))}
	if err := f.Validate(); err != nil || f.Channels == 0 {
		return fmt.Errorf("the WAV header is wrong: %d channels at %d Hz", f.Channels, f.Rate)
	}
	if w.only > f.Channels {
		return noChannel(w.only-1, f.Channels)
	}
	w.samples = NewDecoder(f, w.only-1)
	return nil
}

// waveEncodings are the encodings by format tag and bits of a sample.
var waveEncodings = map[[2]uint16]Encoding{
	{tagPCM, 8}: U8, {tagPCM, 16}: S16LE, {tagPCM, 24}: S24LE, {tagPCM, 32}: S32LE,
	{tagFloat, 32}: F32LE, {tagALaw, 8}: ALaw, {tagMuLaw, 8}: MuLaw,
}

// ToTheEnd is the length of a WAV whose end is not known.
const ToTheEnd = -1

// AppendWAVHeader appends the header of a WAV with so many bytes of samples, or
// ToTheEnd.
func AppendWAVHeader(dst []byte, f Format, bytes int) []byte {
	riff, data := uint32(bytes+36), uint32(bytes)
	if bytes == ToTheEnd {
		riff, data = math.MaxUint32, math.MaxUint32
	}
	u16, u32 := binary.LittleEndian.AppendUint16, binary.LittleEndian.AppendUint32
	tag := uint16(tagPCM)
	switch f.Encoding {
	case F32LE:
		tag = tagFloat
	case ALaw:
		tag = tagALaw
	case MuLaw:
		tag = tagMuLaw
	}
	dst = append(u32(append(dst, "RIFF"...), riff), "WAVEfmt "...)
	dst = u16(u16(u32(dst, 16), tag), uint16(max(1, f.Channels)))
	dst = u32(u32(dst, uint32(f.Rate)), uint32(f.Rate*f.Frame()))
	dst = u16(u16(dst, uint16(f.Frame())), uint16(8*f.Encoding.Size()))
	return u32(append(dst, "data"...), data)
}
