package audio

import "math"

// The kernel of a resampler is a sinc under a Kaiser window. It passes what lies below
// .82 of the lower rate's half within .1 dB and takes what lies above that half down by
// 70 dB or more.
const (
	crossings = 24  // of zero, on either side
	fineness  = 512 // of the table, points from crossing to crossing
	rolloff   = .91 // where the sinc cuts off, as a share of the lower rate's half
	beta      = 7   // of the window
)

var kernel = func() (table [crossings*fineness + 2]float64) {
	for i := range crossings * fineness {
		x := float64(i) / fineness
		w := x / crossings
		table[i] = sinc(x) * bessel(beta*math.Sqrt(1-w*w)) / bessel(beta)
	}
	return table
}()

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// bessel is the modified Bessel function of the first kind and order zero.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-12; k++ {
		term *= x * x / (4 * k * k)
		sum += term
	}
	return sum
}

// Resampler changes the rate of a stream of samples. It is for one goroutine.
type Resampler struct {
	from, to int
	scale    float64 // crossings of zero in one sample of the input
	reach    int     // samples of the input that matter on either side
	window   []int16 // of the input, from sample first on
	first    int
	fed      int // samples of the input
	made     int // samples of the output
}

// NewResampler returns a resampler from one rate to another. It panics unless both are
// above zero.
func NewResampler(from, to int) *Resampler {
	if from <= 0 || to <= 0 {
		panic("audio: no such sample rate")
	}
	scale := rolloff * min(1, float64(to)/float64(from))
	return &Resampler{from: from, to: to, scale: scale, reach: int(crossings/scale) + 1}
}

// Resample appends to dst what the samples complete. Sample k of the output lies at k
// times from/to of the input, however the input is cut; it comes out when the input
// around it is there, which is some samples later.
func (r *Resampler) Resample(dst, samples []int16) []int16 {
	if r.from == r.to {
		return append(dst, samples...)
	}
	r.window = append(r.window, samples...)
	r.fed += len(samples)
	for r.position()+r.reach < r.fed {
		dst = append(dst, r.next())
	}
	r.forget()
	return dst
}

// Flush appends the end of the output: in all, the input's duration at the new rate,
// rounded up to a whole sample. The resampler is then as new.
func (r *Resampler) Flush(dst []int16) []int16 {
	for r.from != r.to && r.position() < r.fed {
		dst = append(dst, r.next())
	}
	*r = *NewResampler(r.from, r.to)
	return dst
}

// position returns the sample of the input at or before the next one of the output.
func (r *Resampler) position() int { return r.made * r.from / r.to }

// next makes a sample of the output. Beyond both ends of the input is silence.
func (r *Resampler) next() int16 {
	at := r.position()
	past := float64(r.made*r.from%r.to) / float64(r.to)
	r.made++
	sum := 0.0
	for i := max(r.first, at-r.reach); i <= at+r.reach && i < r.fed; i++ {
		sum += float64(r.window[i-r.first]) * weight(math.Abs(float64(i-at)-past)*r.scale)
	}
	return clip(sum * r.scale)
}

// weight returns the kernel so many crossings from its middle.
func weight(x float64) float64 {
	x *= fineness
	if x >= crossings*fineness {
		return 0
	}
	i := int(x)
	return kernel[i] + (x-float64(i))*(kernel[i+1]-kernel[i])
}

// forget drops the input that no later sample of the output needs.
func (r *Resampler) forget() {
	if n := r.position() - r.reach - r.first; n > 4096 {
		r.window = append(r.window[:0], r.window[n:]...)
		r.first += n
	}
}
