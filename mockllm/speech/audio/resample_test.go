package audio

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var speechRates = []int{8000, 16000, 22050, 24000, 32000, 44100, 48000}

func tone(hertz float64, rate, n int) []int16 {
	out := make([]int16, n)
	for i := range out {
		out[i] = int16(math.Round(10_000 * math.Sin(2*math.Pi*hertz*float64(i)/float64(rate))))
	}
	return out
}

// TestResamplersKeepPlace: of every pair of rates, a tone below .82 of the lower one's
// half comes out as that tone, in its place, and one above that half does not come out.
func TestResamplersKeepPlace(t *testing.T) {
	for _, from := range speechRates {
		for _, to := range speechRates {
			half := float64(min(from, to)) / 2
			for _, share := range []float64{.1, .5, .8} {
				got := Clip{from, tone(share*half, from, from/4)}.At(to).Samples
				if want := (from/4*to + from - 1) / from; len(got) != want {
					t.Errorf("%d to %d Hz: %d samples, want %d", from, to, len(got), want)
				}
				want := tone(share*half, to, len(got))
				if n := noise(got[to/20:len(got)-to/20], want[to/20:len(got)-to/20]); n < 60 {
					t.Errorf("%d to %d Hz: a tone at %.0f Hz differs by %.1f dB, want 60 or more", from, to, share*half, n)
				}
			}
			if to >= from {
				continue
			}
			for _, s := range (Clip{from, tone(1.02*half, from, from/4)}).At(to).Samples[to/10 : to/6] {
				if s > 4 || s < -4 { // 68 dB below
					t.Errorf("%d to %d Hz: of a tone at %.0f Hz %d is left", from, to, 1.02*half, s)
					break
				}
			}
		}
	}
}

func TestResamplersTakeAnyCut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	in := make([]int16, 60_000)
	for i := range in {
		in[i] = int16(r.Uint32())
	}
	for _, rates := range [][2]int{{44100, 16000}, {8000, 24000}, {48000, 22050}, {16000, 16000}} {
		want := Clip{rates[0], in}.At(rates[1]).Samples
		s := NewResampler(rates[0], rates[1])
		for range 2 { // a flushed one is as new
			var got []int16
			for rest := in; len(rest) > 0; {
				n := min(len(rest), r.IntN(2000))
				got = s.Resample(got, rest[:n])
				rest = rest[n:]
			}
			if got = s.Flush(got); !slices.Equal(got, want) {
				t.Errorf("%d to %d Hz: in pieces differs from the whole", rates[0], rates[1])
			}
		}
	}
}

func BenchmarkResample(b *testing.B) {
	in := tone(440, 24000, 2400)
	r := NewResampler(24000, 8000)
	var out []int16
	for b.Loop() {
		out = r.Resample(out[:0], in)
	}
}
