package audio

import (
	"fmt"
	"math"
	"slices"
)

// mp3Writer writes MPEG audio layer III of one channel, of constant rate: MPEG-1 at 32,
// 44.1 and 48 kHz, MPEG-2 at half of those (ISO/IEC 11172-3:1993 and 13818-3:1998, read
// 2026-11-29). It is the plainest encoder that the standard allows: long blocks, one
// step of quantization for all bands, no reservoir of bits. At the rates that speech
// services send, its noise is 30 to 70 dB below speech. Decoders give the samples back
// 1057 later: 481 by the filters, 576 by the transform.
type mp3Writer struct {
	header   uint32
	granules int // of 576 samples, in a frame
	side     int // bytes of side information
	rate     int
	bitrate  int

	pending []int16
	fed     int // samples, those of the end included
	filter  subbands
	spare   int // 1/rate bytes by which the frames so far are short of the rate
	bits    bitWriter
}

// granule is how many samples are transformed together.
const granule = 576

// mp3Delay is how many samples later a decoder gives a sample back.
const mp3Delay = 481 + granule

// Rates that a header can say, in its order.
var (
	mp3Rates    = [2][]int{{22050, 24000, 16000}, {44100, 48000, 32000}}
	mp3Bitrates = [2][]int{
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
		{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	}
)

const usualKbps = 64

func newMP3Writer(rate, kbps int) (*mp3Writer, error) {
	if kbps == 0 {
		kbps = usualKbps
	}
	version := 0
	if rate >= mp3Rates[1][2] {
		version = 1
	}
	r, b := slices.Index(mp3Rates[version], rate), slices.Index(mp3Bitrates[version], kbps)
	if r < 0 {
		return nil, fmt.Errorf("MP3 at %d Hz: want 16000, 22050, 24000, 32000, 44100 or 48000", rate)
	}
	if b <= 0 {
		return nil, fmt.Errorf("MP3 of %d kbit/s at %d Hz: want one of %v", kbps, rate, mp3Bitrates[version][1:])
	}
	w := &mp3Writer{granules: 1 + version, side: 9 + 8*version, rate: rate, bitrate: kbps * 1000}
	w.header = 0xFFF<<20 | uint32(version)<<19 | 1<<17 | 1<<16 | uint32(b)<<12 | uint32(r)<<10 | 3<<6
	return w, nil
}

func (w *mp3Writer) encode(dst []byte, samples []int16) []byte {
	w.pending = append(w.pending, samples...)
	w.fed += len(samples)
	size := w.granules * granule
	done := 0
	for ; len(w.pending)-done >= size; done += size {
		dst = w.frame(dst, w.pending[done:done+size])
	}
	w.pending = append(w.pending[:0], w.pending[done:]...)
	return dst
}

// close writes silence until a decoder has given all samples back.
func (w *mp3Writer) close(dst []byte) []byte {
	size := w.granules * granule
	end := (w.fed + mp3Delay + size - 1) / size * size
	return w.encode(dst, make([]int16, end-w.fed))
}

// frame writes one frame: header, side information, the spectra of its granules, and
// zeros up to its length.
func (w *mp3Writer) frame(dst []byte, samples []int16) []byte {
	length, padding := w.length()
	w.bits.reset(dst)
	w.bits.put(w.header|padding<<9, 32)
	var spectra [2]spectrum
	room := 8 * (length - 4 - w.side)
	for g := range w.granules {
		share := min(room/(w.granules-g), longestPart)
		spectra[g] = quantize(w.filter.transform(samples[g*granule:(g+1)*granule]), share)
		room -= spectra[g].bits
	}
	w.sideInfo(spectra[:w.granules])
	for g := range w.granules {
		spectra[g].write(&w.bits)
	}
	w.bits.fill(len(dst) + length)
	return w.bits.out
}

// length returns the bytes of the next frame, and the header's bit that says whether it
// is one longer than others, as some are to keep the rate.
func (w *mp3Writer) length() (bytes int, padding uint32) {
	exact := w.granules*granule/8*w.bitrate + w.spare // over rate
	bytes = exact / w.rate
	w.spare = exact % w.rate
	plain := w.granules * granule / 8 * w.bitrate / w.rate
	return bytes, uint32(bytes - plain)
}

// sideInfo writes how the granules are coded. All scale factors are zero and take no
// bits; all three regions of a spectrum have one table, so that it does not matter
// where they begin.
func (w *mp3Writer) sideInfo(spectra []spectrum) {
	version := w.granules - 1
	w.bits.put(0, 9+9*version) // no reservoir; MPEG-1: 9 bits, 5 private, 4 of shared factors
	for _, s := range spectra {
		w.bits.put(uint32(s.bits), 12)
		w.bits.put(uint32(s.pairs), 9)
		w.bits.put(uint32(s.gain), 8)
		w.bits.put(0, 9-5*version) // lengths of scale factors
		w.bits.put(0, 1)           // long blocks
		for range 3 {
			w.bits.put(uint32(s.table), 5)
		}
		w.bits.put(0, 7+version) // regions; MPEG-1: and no emphasis of high bands
		w.bits.put(1, 2)         // scale of factors; quadruples by table B
	}
}

// subbands turn samples into spectra: 32 bands by a polyphase filter, each of which is
// transformed to 18 lines.
type subbands struct {
	recent [512]float64    // samples, the newest first
	before [32][18]float64 // of each band, in the granule before
}

// transform returns the spectrum of a granule. Samples of 16 bits become values within
// about -1 and 1.
func (f *subbands) transform(samples []int16) *[granule]float64 {
	var bands [32][18]float64
	for t := range 18 {
		copy(f.recent[32:], f.recent[:480])
		for i, s := range samples[32*t : 32*t+32] {
			f.recent[31-i] = float64(s) / (1 << 15)
		}
		f.split(t, &bands)
	}
	var lines [granule]float64
	for b := range 32 {
		for k := range 18 {
			sum := 0.
			for i := range 18 {
				sum += mp3Transform[k][i]*f.before[b][i] + mp3Transform[k][18+i]*bands[b][i]
			}
			lines[18*b+k] = sum
		}
	}
	f.before = bands
	for b := 1; b < 32; b++ {
		for i, c := range mp3Aliases {
			low, high := &lines[18*b-1-i], &lines[18*b+i]
			*low, *high = *low*c.cos+*high*c.sin, *high*c.cos-*low*c.sin
		}
	}
	return &lines
}

// split filters the newest 32 samples into one of each band. Every other one of every
// other band is negative, which turns its spectrum the right way round.
func (f *subbands) split(t int, bands *[32][18]float64) {
	var folded [64]float64
	for i := range folded {
		for j := i; j < 512; j += 64 {
			folded[i] += mp3Analysis[j] * f.recent[j]
		}
	}
	for b := range 32 {
		sum := 0.
		for i, x := range folded {
			sum += mp3Matrix[b][i] * x
		}
		if b%2 == 1 && t%2 == 1 {
			sum = -sum
		}
		bands[b][t] = sum
	}
}

var (
	mp3Analysis  = mp3AnalysisWindow()
	mp3Matrix    = mp3BandMatrix()
	mp3Transform = mp3LineMatrix()
	mp3Aliases   = mp3Butterflies()
)

// mp3AnalysisWindow is the synthesis window over 32.
func mp3AnalysisWindow() (c [512]float64) {
	for i := range c {
		switch {
		case i < len(mp3Window):
			c[i] = mp3Window[i]
		case i%64 == 0:
			c[i] = mp3Window[512-i]
		default:
			c[i] = -mp3Window[512-i]
		}
		c[i] /= 65536 * 32
	}
	return c
}

func mp3BandMatrix() (m [32][64]float64) {
	for b := range m {
		for i := range m[b] {
			m[b][i] = math.Cos(float64((2*b+1)*(i-16)) * math.Pi / 64)
		}
	}
	return m
}

// mp3LineMatrix is the transform of 36 samples of a band to 18 lines, under its sine
// window, so that the inverse of the standard gives the samples back.
func mp3LineMatrix() (m [18][36]float64) {
	for k := range m {
		for i := range m[k] {
			window := math.Sin(math.Pi / 36 * (float64(i) + .5))
			m[k][i] = window * math.Cos(math.Pi/72*float64((2*i+19)*(2*k+1))) / 9
		}
	}
	return m
}

type butterfly struct{ cos, sin float64 }

// mp3Butterflies are the rotations of lines beside the border of two bands, by table
// B.9.
func mp3Butterflies() (all [8]butterfly) {
	for i, c := range [8]float64{-.6, -.535, -.33, -.185, -.095, -.041, -.0142, -.0037} {
		all[i] = butterfly{1 / math.Sqrt(1+c*c), c / math.Sqrt(1+c*c)}
	}
	return all
}
