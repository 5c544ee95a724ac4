package audio

import (
	"math"
	"strconv"
)

// spectrum is a granule's lines as whole numbers: pairs of any size, then quadruples of
// -1, 0 and 1, then zeros. A line is value^(4/3) * 2^((gain-210)/4).
type spectrum struct {
	values     [granule]int16
	gain       int
	pairs      int
	quadruples int
	table      int // of the pairs
	bits       int // in all
}

const (
	longestPart = 1<<12 - 1 // bits of a granule
	mostValue   = 15 + 1<<13 - 1
	leastGain   = 0
	mostGain    = 255
)

// quantize makes the finest spectrum of the lines that takes at most so many bits: at
// the coarsest gain every line is zero, which takes none.
func quantize(lines *[granule]float64, bits int) spectrum {
	var power [granule]float64 // |line|^(3/4)
	most := 0.
	for i, x := range lines {
		power[i] = math.Pow(math.Abs(x), .75)
		most = max(most, power[i])
	}
	low, high := leastGain-1, mostGain
	for high-low > 1 {
		gain := (low + high) / 2
		if most*step(gain) < mostValue && roundTo(&power, gain).bits <= bits {
			high = gain
		} else {
			low = gain
		}
	}
	s := roundTo(&power, high)
	for i, x := range lines {
		if x < 0 {
			s.values[i] = -s.values[i]
		}
	}
	return s
}

// step returns what a line's power of 3/4 is multiplied by at a gain.
func step(gain int) float64 { return math.Exp2(-.1875 * float64(gain-210)) }

// roundTo rounds the lines, without their signs, at a gain, and counts the bits.
func roundTo(power *[granule]float64, gain int) spectrum {
	s := spectrum{gain: gain}
	scale := step(gain)
	for i, p := range power {
		s.values[i] = int16(p*scale + .4054) // between two values, in the power of 4/3
	}
	end := granule
	for end > 0 && s.values[end-1] == 0 && s.values[end-2] == 0 {
		end -= 2
	}
	for end >= 4 && max(s.values[end-1], s.values[end-2], s.values[end-3], s.values[end-4]) <= 1 {
		end -= 4
		s.quadruples++
	}
	s.pairs = end / 2
	s.choose()
	s.count()
	return s
}

// choose picks the table of the pairs by the largest of their values.
func (s *spectrum) choose() {
	most := int16(0)
	for _, v := range s.values[:2*s.pairs] {
		most = max(most, v)
	}
	switch {
	case most == 0:
		s.table = 0
	case most <= 1:
		s.table = 1
	case most <= 5:
		s.table = 7
	case most <= 15:
		s.table = 13
	default:
		s.table = 24
		for int(most) > 14+1<<beyond[s.table-24] {
			s.table++
		}
	}
}

// beyond is how many bits tables 24 to 31 have for what a value is above 15.
var beyond = [...]int{4, 5, 6, 7, 8, 9, 11, 13}

// count counts the bits of the spectrum.
func (s *spectrum) count() {
	for i := 0; i < 2*s.pairs; i += 2 {
		x, y := s.values[i], s.values[i+1]
		s.bits += s.code(x, y).length + s.extra(x) + s.extra(y)
	}
	for _, v := range s.values[2*s.pairs:] {
		s.bits += int(v)
	}
	s.bits += 4 * s.quadruples
}

// extra returns the bits of a value beside its code.
func (s *spectrum) extra(v int16) int {
	n := min(1, int(v))
	if v >= 15 && s.table >= 24 {
		n += beyond[s.table-24]
	}
	return n
}

// code returns the code of a pair of values without signs.
func (s *spectrum) code(x, y int16) code {
	return mp3Codes[s.table][min(x, 15)<<4|min(y, 15)]
}

// write writes the codes, each followed by what its values are above 15 and by signs.
func (s *spectrum) write(w *bitWriter) {
	for i := 0; i < 2*s.pairs; i += 2 {
		x, y := s.values[i], s.values[i+1]
		c := s.code(max(x, -x), max(y, -y))
		w.put(c.bits, c.length)
		s.writeExtra(w, x)
		s.writeExtra(w, y)
	}
	for i := 2 * s.pairs; i < 2*s.pairs+4*s.quadruples; i += 4 {
		four := s.values[i : i+4]
		bits := uint32(0)
		for _, v := range four {
			bits = bits<<1 | uint32(1-v*v) // table B: a zero is a one
		}
		w.put(bits, 4)
		for _, v := range four {
			writeSign(w, v)
		}
	}
}

func (s *spectrum) writeExtra(w *bitWriter, v int16) {
	if m := max(v, -v); m >= 15 && s.table >= 24 {
		w.put(uint32(m-15), beyond[s.table-24])
	}
	writeSign(w, v)
}

func writeSign(w *bitWriter, v int16) {
	switch {
	case v < 0:
		w.put(1, 1)
	case v > 0:
		w.put(0, 1)
	}
}

// code is a Huffman code.
type code struct {
	bits   uint32
	length int
}

// mp3Codes are the codes of a table by its number and a pair of values, four bits each.
var mp3Codes = func() (tables [32][256]code) {
	branch(mp3Tree1, code{}, &tables[1])
	branch(mp3Tree7, code{}, &tables[7])
	branch(mp3Tree13, code{}, &tables[13])
	branch(mp3Tree24, code{}, &tables[24])
	for t := 25; t < len(tables); t++ {
		tables[t] = tables[24]
	}
	return tables
}()

// branch reads the codes of a tree that begin with a code, and returns what follows it.
func branch(tree string, c code, table *[256]code) string {
	if tree[0] != '*' {
		pair, err := strconv.ParseUint(tree[:2], 16, 8)
		if err != nil {
			panic("audio: " + err.Error())
		}
		table[pair] = c
		return tree[2:]
	}
	rest := branch(tree[1:], code{c.bits << 1, c.length + 1}, table)
	return branch(rest, code{c.bits<<1 | 1, c.length + 1}, table)
}

// bitWriter appends bits to bytes, the highest first.
type bitWriter struct {
	out  []byte
	held uint64 // the last count bits are not written yet
	n    int
}

func (w *bitWriter) reset(out []byte) { *w = bitWriter{out: out} }

// put appends the last n bits of x.
func (w *bitWriter) put(x uint32, n int) {
	w.held = w.held<<n | uint64(x)
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.out = append(w.out, byte(w.held>>(w.n-8)))
	}
}

// fill appends zeros until there are so many bytes.
func (w *bitWriter) fill(length int) {
	if w.n > 0 {
		w.put(0, 8-w.n)
	}
	for len(w.out) < length {
		w.out = append(w.out, 0)
	}
}
