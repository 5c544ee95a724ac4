package dist

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// Rand is a stream of random numbers, made by Stream. It is a value: a copy
// goes on from the same place, independently. It must not be used by two
// goroutines at once. It is a math/rand/v2 Source.
type Rand struct{ pcg rand.PCG }

// Stream returns the random numbers for one purpose. The same seed, name and
// indices give the same numbers on every platform and in every build; streams
// that differ in any of the three share nothing. The indices tell apart the
// streams of one name, such as (user, turn).
//
// The generator is PCG-DXSM (math/rand/v2). Its 128 bits of state are a hash of
// the arguments: SplitMix64's mixing function over the seed, the name's length
// and bytes (little-endian words of eight, the last one padded with zeros), the
// number of indices and each index. Every step is a bijection, so two streams
// that differ in their last index alone can never collide.
func Stream(seed uint64, name string, index ...int) Rand {
	h := mix(seed + golden)
	h = absorb(h, uint64(len(name)))
	for ; len(name) >= 8; name = name[8:] {
		h = absorb(h, binary.LittleEndian.Uint64([]byte(name[:8])))
	}
	var tail [8]byte
	copy(tail[:], name)
	h = absorb(h, binary.LittleEndian.Uint64(tail[:]))
	h = absorb(h, uint64(len(index)))
	for _, i := range index {
		h = absorb(h, uint64(i))
	}
	return Rand{*rand.NewPCG(h, mix(h+golden))}
}

// Uint64 returns 64 random bits.
func (r *Rand) Uint64() uint64 { return r.pcg.Uint64() }

// Float64 returns a number evenly spread over the open interval (0, 1): it is
// never 0 and never 1, and 1-u is as likely as u. The step is 2^-52.
func (r *Rand) Float64() float64 {
	return (float64(r.pcg.Uint64()>>12) + 0.5) / (1 << 52)
}

// IntN returns a whole number from 0 to n-1, each equally likely. It panics
// when n is below 1.
func (r *Rand) IntN(n int) int {
	if n < 1 {
		panic("dist: IntN of a number below 1")
	}
	// Lemire's method: the high word of a product, redrawn in the few cases
	// where the low word would favour some values.
	bound := uint64(n)
	hi, lo := bits.Mul64(r.pcg.Uint64(), bound)
	for lo < bound && lo < -bound%bound {
		hi, lo = bits.Mul64(r.pcg.Uint64(), bound)
	}
	return int(hi)
}

// golden is 2^64 divided by the golden ratio, SplitMix64's increment.
const golden = 0x9e3779b97f4a7c15

func absorb(h, word uint64) uint64 { return mix((h ^ word) + golden) }

// mix is the mixing function of SplitMix64 (Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators", OOPSLA 2014, with the constants
// of Vigna's public-domain splitmix64.c).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
