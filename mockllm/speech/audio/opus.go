package audio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/pion/opus"
	"github.com/pion/opus/pkg/oggreader"
)

// Packets turns packets of Opus (RFC 6716), each given whole, into samples of one
// channel. It is for one goroutine.
type Packets struct {
	rate  int
	inner opus.Decoder
	frame []float32
}

// longestPacket is how much audio an Opus packet has at most: 120 ms at 48 kHz.
const longestPacket = 5760

// NewPackets returns a decoder of Opus packets into samples at one of Opus's rates:
// 8000, 12000, 16000, 24000 or 48000.
func NewPackets(rate int) (*Packets, error) {
	inner, err := opus.NewDecoderWithOutput(rate, 1)
	if err != nil {
		return nil, fmt.Errorf("sample rate %d: Opus has 8000, 12000, 16000, 24000 and 48000", rate)
	}
	return &Packets{rate: rate, inner: inner, frame: make([]float32, longestPacket)}, nil
}

// Rate returns the rate of the samples.
func (p *Packets) Rate() int { return p.rate }

// Decode appends the samples of one packet to dst. A packet that is none gives an
// error and no samples; the next may be decoded all the same.
func (p *Packets) Decode(dst []int16, packet []byte) (out []int16, err error) {
	defer func() {
		if recover() != nil { // the library indexes past what a broken packet has
			out, err = dst, errors.New("broken Opus packet")
		}
	}()
	n, err := p.inner.DecodeToFloat32(packet, p.frame)
	if err != nil {
		return dst, fmt.Errorf("broken Opus packet: %w", err)
	}
	for _, x := range p.frame[:n] {
		dst = append(dst, fromFloat(x))
	}
	return dst, nil
}

// oggOpus decodes Opus in Ogg (RFC 7845) as it arrives, at 48 kHz.
type oggOpus struct {
	page    []byte // one that is not complete
	whole   bytes.Buffer
	pages   *oggreader.OggReader
	packets *Packets
	number  int // packets so far, headers included
	preskip int // samples at the start that are not played
	gain    float64
	made    int // samples so far
}

func (o *oggOpus) Rate() int {
	if o.packets == nil {
		return 0
	}
	return o.packets.rate
}

// Decode appends the samples that b completes.
func (o *oggOpus) Decode(dst []int16, b []byte) ([]int16, error) {
	o.page = append(o.page, b...)
	for n := pageLength(o.page); n > 0; n = pageLength(o.page) {
		o.whole.Write(o.page[:n])
		o.page = o.page[n:]
	}
	if o.pages == nil && o.whole.Len() > 0 {
		if err := o.begin(); err != nil {
			return dst, err
		}
	}
	for o.pages != nil {
		packet, page, err := o.pages.ParseNextPacket()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return dst, fmt.Errorf("broken Ogg page: %w", err)
		}
		if dst, err = o.packet(dst, packet, page); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// pageLength returns the length of the Ogg page that begins b, or 0 when there is more
// of it to come: 27 bytes, a length for each segment, and the segments.
func pageLength(b []byte) int {
	if len(b) < 27 || len(b) < 27+int(b[26]) {
		return 0
	}
	n := 27 + int(b[26])
	for _, segment := range b[27:n] {
		n += int(segment)
	}
	if len(b) < n {
		return 0
	}
	return n
}

func (o *oggOpus) begin() error {
	const rate = 48_000
	pages, header, err := oggreader.NewWith(&o.whole)
	if err != nil {
		return errors.New("this Ogg file holds no Opus: of Ogg only Opus can be decoded")
	}
	if header.Channels > 2 {
		return fmt.Errorf("this Ogg Opus file has %d channels: want 1 or 2", header.Channels)
	}
	o.pages, o.preskip = pages, int(header.PreSkip)
	o.gain = math.Pow(10, float64(int16(header.OutputGain))/256/20)
	o.packets, err = NewPackets(rate)
	return err
}

// packet decodes a packet; the one after the header holds tags.
func (o *oggOpus) packet(dst []int16, packet []byte, page *oggreader.OggPageHeader) ([]int16, error) {
	o.number++
	if o.number == 1 {
		return dst, nil
	}
	start := len(dst)
	dst, err := o.packets.Decode(dst, packet)
	if err != nil {
		return dst, err
	}
	fresh := dst[start:]
	for i, s := range fresh {
		fresh[i] = clip(float64(s) * o.gain)
	}
	o.made += len(fresh)
	skip := min(len(fresh), max(0, o.preskip-o.made+len(fresh)))
	return append(dst[:start], fresh[skip:max(skip, len(fresh)-o.beyond(page))]...), nil
}

// beyond returns how many of the samples so far lie behind the end of the page, which
// only the last page of a file cuts short.
func (o *oggOpus) beyond(page *oggreader.OggPageHeader) int {
	const unknown = math.MaxUint64
	if page.GranulePosition == unknown || page.GranulePosition > math.MaxInt32 {
		return 0
	}
	return max(0, o.made-int(page.GranulePosition))
}
