package sound

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// header reads the header of a WAV as it arrives: chunks, of which "fmt " says what the
// samples of "data" are. Other chunks are skipped.
type header struct {
	bytes  []byte // of a chunk that has not come whole
	skip   int64  // bytes of a chunk that are of no interest
	format Format
	known  bool
	left   int64 // bytes of samples; toTheEnd when the header does not know
}

const (
	riffBytes, chunkBytes = 12, 8
	// longestFormat is the longest "fmt " that is taken: it has 40 bytes at most
	// (Microsoft, WAVEFORMATEXTENSIBLE, read 2026-11-29).
	longestFormat = 1 << 10
	toTheEnd      = -1
)

// read takes bytes and returns those that follow the header, once it is whole.
func (h *header) read(p []byte) (samples []byte, whole bool, err error) {
	for {
		n := min(h.skip, int64(len(p)))
		h.skip, p = h.skip-n, p[n:]
		h.bytes, p = append(h.bytes, p...), nil
		used, data, err := h.chunk(h.bytes)
		if err != nil || used == 0 {
			return nil, false, err
		}
		p, h.bytes = h.bytes[used:], nil
		if data {
			return p, true, nil
		}
	}
}

// chunk reads the chunk that begins b. It returns how many bytes its header is, 0 when
// there is more to come, and whether samples follow.
func (h *header) chunk(b []byte) (used int, data bool, err error) {
	if len(b) < chunkBytes {
		return 0, false, nil
	}
	size := int64(binary.LittleEndian.Uint32(b[4:]))
	switch string(b[:4]) {
	case "RIFF":
		if len(b) < riffBytes {
			return 0, false, nil
		}
		if string(b[8:12]) != "WAVE" {
			return 0, false, fmt.Errorf("a RIFF file of type %q: want WAVE", b[8:12])
		}
		return riffBytes, false, nil
	case "data":
		return chunkBytes, true, h.begin(size)
	case "fmt ":
		if size < 16 || size > longestFormat {
			return 0, false, fmt.Errorf("the WAV header has a format of %d bytes: want 16 to 40", size)
		}
		if int64(len(b)) < chunkBytes+size {
			return 0, false, nil
		}
		h.skip = size % 2
		return chunkBytes + int(size), false, h.read16(b[chunkBytes : chunkBytes+size])
	}
	h.skip = size + size%2
	return chunkBytes, false, nil
}

// begin takes the size of the samples. 0 and 0xFFFFFFFF are what writers leave that do not
// know it.
func (h *header) begin(size int64) error {
	if !h.known {
		return errors.New("the WAV has samples before it says what they are")
	}
	h.left = size
	if size == 0 || size >= 1<<32-1-44 {
		h.left = toTheEnd
	}
	return nil
}

// Codes of a WAV's format (Microsoft, mmreg.h, read 2026-11-29).
const (
	wavPCM, wavFloat, wavALaw, wavMuLaw, wavExtensible = 1, 3, 6, 7, 0xfffe
)

// read16 reads a "fmt " of 16 bytes or more.
func (h *header) read16(b []byte) error {
	le := binary.LittleEndian
	code, bits := le.Uint16(b), le.Uint16(b[14:])
	if code == wavExtensible && len(b) >= 26 {
		code = le.Uint16(b[24:])
	}
	h.format = Format{Channels: int(le.Uint16(b[2:])), Rate: int(min(le.Uint32(b[4:]), 1<<30))}
	encoding, ok := map[[2]uint16]Encoding{
		{wavPCM, 8}: U8, {wavPCM, 16}: S16, {wavPCM, 24}: S24, {wavPCM, 32}: S32,
		{wavFloat, 32}: F32, {wavALaw, 8}: ALaw, {wavMuLaw, 8}: MuLaw,
	}[[2]uint16{code, bits}]
	if !ok {
		return fmt.Errorf("a WAV of format %d with %d bits a sample cannot be measured", code, bits)
	}
	h.format.Encoding, h.known = encoding, true
	return h.format.Check()
}
