package ear

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"halfsecond/mockllm/speech/audio"
)

const rate = 16_000

// broken decodes every byte as so many samples, until a 0.
type broken struct{ each int }

func (b broken) Rate() int { return rate }

func (b broken) Decode(dst []int16, raw []byte) ([]int16, error) {
	for _, x := range raw {
		if x == 0 {
			return dst, errors.New("a zero")
		}
		dst = append(dst, slices.Repeat([]int16{int16(x)}, b.each)...)
	}
	return dst, nil
}

// TestStretches: what is cut off a frame is the frame, in order, and short.
func TestStretches(t *testing.T) {
	long := make([]byte, 100_001) // half a sample is left, which the next frame completes
	for i := range long {
		long[i] = byte(i*7 + i/256)
	}
	pcm := Source{Packaging: RawSamples, Format: audio.Format{Rate: rate, Channels: 2}}
	for _, c := range []struct {
		name   string
		d      Decoders
		frames [][]byte
		want   string
	}{
		{"empty", pcm.Decoders(1), [][]byte{nil}, "[]"},
		{"short", pcm.Decoders(2), [][]byte{long[:8]}, "[8:8:2]"},
		{"stereo", pcm.Decoders(2), [][]byte{long, long[:3]}, "[100001:32768:8192 0:32768:8192 0:32768:8192 0:1697:424 3:3:1]"},
		{"mono", pcm.Decoders(1), [][]byte{long}, "[100001:32768:8192 0:32768:8192 0:32768:8192 0:1697:424]"},
		{"much of little", Decoders{all: []decoding{broken{20_000}}}, [][]byte{{1, 2}}, "[2:2:16384 0:0:16384 0:0:7232]"},
		{"packets", Decoders{all: []decoding{broken{1}}, whole: true}, [][]byte{bytes.Repeat([]byte{1}, 40_000)}, "[40000:40000:16384 0:0:16384 0:0:7232]"},
		{"an error", Decoders{all: []decoding{broken{20_000}}}, [][]byte{{1, 0, 2}}, "[3:3:16384 0:0:3616:a zero]"},
	} {
		var got []string
		var raw []byte
		samples := make([][]int16, len(c.d.all))
		for _, frame := range c.frames {
			for s := range c.d.stretches(frame) {
				line := fmt.Sprintf("%d:%d:%d", s.Frame, len(s.Bytes), len(s.Samples[0]))
				if s.Err != nil {
					line += ":" + s.Err.Error()
				}
				got = append(got, line)
				raw = append(raw, s.Bytes...)
				for i := range samples {
					samples[i] = append(samples[i], s.Samples[i]...)
				}
			}
		}
		if g := fmt.Sprint(got); g != c.want {
			t.Errorf("%s: got %s, want %s", c.name, g, c.want)
		}
		all := slices.Concat(c.frames...)
		if !bytes.Equal(raw, all) {
			t.Errorf("%s: %d bytes, want all %d in order", c.name, len(raw), len(all))
		}
		if c.name != "stereo" {
			continue
		}
		for channel := range samples {
			if whole, _ := audio.NewDecoder(pcm.Format, channel).Decode(nil, all); !slices.Equal(samples[channel], whole) {
				t.Errorf("channel %d is not what it is in one piece", channel)
			}
		}
	}
}
