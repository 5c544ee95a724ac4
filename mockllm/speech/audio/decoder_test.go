package audio

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDecodersTakeAnyCut: how bytes are cut does not matter.
func TestDecodersTakeAnyCut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	bytes := make([]byte, 5000)
	for i := range bytes {
		bytes[i] = byte(r.Uint32())
	}
	for e := range encodings {
		for _, channels := range []int{1, 2, 5} {
			f := Format{Encoding(e), 8000, channels}
			want, _ := NewDecoder(f, Mix).Decode(nil, bytes)
			if len(want) != len(bytes)/f.Frame() {
				t.Fatalf("%v: %d samples of %d bytes", f, len(want), len(bytes))
			}
			d := NewDecoder(f, Mix)
			var got []int16
			for rest := bytes; len(rest) > 0; {
				n := min(len(rest), r.IntN(12))
				got, _ = d.Decode(got, rest[:n])
				rest = rest[n:]
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v: cut into pieces, the samples differ", f)
			}
		}
	}
}

func TestChannels(t *testing.T) {
	bytes := Encode(nil, []int16{100, -300, 32767, 32767, -5, 4}, S16LE) // of two channels
	for channel, want := range map[int][]int16{
		0: {100, 32767, -5}, 1: {-300, 32767, 4}, Mix: {-100, 32767, 0},
	} {
		if got, _ := NewDecoder(Format{S16LE, 8000, 2}, channel).Decode(nil, bytes); !slices.Equal(got, want) {
			t.Errorf("channel %d: %v, want %v", channel, got, want)
		}
	}
}
