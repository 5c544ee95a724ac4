package audio

import (
	"bytes"
	"fmt"

	"github.com/mewkiz/flac"
	"github.com/mewkiz/flac/frame"
	"github.com/mewkiz/flac/meta"
)

// flacWriter writes FLAC of 16 bits in blocks of so many samples. The number of samples
// in its header is 0, which is unknown, and so is the checksum.
type flacWriter struct {
	out     bytes.Buffer
	inner   *flac.Encoder
	rate    int
	pending []int32
}

const flacBlock = 4096

func newFLACWriter(rate int) (*flacWriter, error) {
	w := &flacWriter{rate: rate}
	info := &meta.StreamInfo{
		BlockSizeMin: flacBlock, BlockSizeMax: flacBlock,
		SampleRate: uint32(rate), NChannels: 1, BitsPerSample: 16,
	}
	var err error
	w.inner, err = flac.NewEncoder(&w.out, info)
	if err != nil {
		return nil, fmt.Errorf("write FLAC: %w", err)
	}
	return w, nil
}

func (w *flacWriter) encode(dst []byte, samples []int16) []byte {
	for _, s := range samples {
		w.pending = append(w.pending, int32(s))
		if len(w.pending) == flacBlock {
			w.block()
		}
	}
	return w.take(dst)
}

func (w *flacWriter) close(dst []byte) []byte {
	if len(w.pending) > 0 {
		w.block()
	}
	return w.take(dst)
}

// block writes the pending samples as one frame. Writing to memory cannot fail, and
// neither can what it writes: one channel of 16 bits.
func (w *flacWriter) block() {
	n := len(w.pending)
	f := &frame.Frame{
		Header: frame.Header{
			HasFixedBlockSize: true, BlockSize: uint16(n), SampleRate: uint32(w.rate),
			Channels: frame.ChannelsMono, BitsPerSample: 16,
		},
		Subframes: []*frame.Subframe{{
			SubHeader: frame.SubHeader{Pred: frame.PredVerbatim}, Samples: w.pending, NSamples: n,
		}},
	}
	if err := w.inner.WriteFrame(f); err != nil {
		panic("audio: " + err.Error())
	}
	w.pending = w.pending[:0]
}

func (w *flacWriter) take(dst []byte) []byte {
	dst = append(dst, w.out.Bytes()...)
	w.out.Reset()
	return dst
}
