package arrival

import (
	"math"

	"halfsecond/pipeline/dist"
)

// gamma draws from the gamma distribution of a shape and the scale 1, so that its mean
// is the shape and its coefficient of variation 1/sqrt(shape).
//
// From shape 1 on it is the method of Marsaglia and Tsang, "A simple method for
// generating gamma variables", ACM Transactions on Mathematical Software 26, 2000:
//
//	d = shape - 1/3,  c = 1/sqrt(9d),  v = (1 + c x)^3 of a normal x,
//	accepted where ln u < x^2/2 + d - d v + d ln v of a uniform u; the draw is d v
//
// and below 1, as they say, that of shape + 1 times u^(1/shape).
func gamma(shape float64, r *dist.Rand) float64 {
	if shape < 1 {
		return gamma(shape+1, r) * math.Pow(r.Float64(), 1/shape)
	}
	d := shape - 1./3
	c := 1 / math.Sqrt(9*d)
	for {
		x := normal(r)
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		if math.Log(r.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// normal draws from the standard normal distribution, by inversion.
func normal(r *dist.Rand) float64 { return math.Sqrt2 * math.Erfinv(2*r.Float64()-1) }

// exponential draws from the exponential distribution of mean 1, by inversion.
func exponential(r *dist.Rand) float64 { return -math.Log(r.Float64()) }
