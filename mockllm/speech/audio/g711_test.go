package audio

import "testing"

// decisions returns the decision values of a G.711 law from zero up, in 16-bit samples:
// so many values at each step, the steps of the recommendation's tables.
func decisions(first int, steps []int, each int, unit int) []int {
	values := []int{0}
	if first > 0 {
		values = append(values, first*unit)
	}
	for _, step := range steps {
		for range each {
			values = append(values, values[len(values)-1]+step*unit)
		}
		each = 16
	}
	return values
}

// law is a G.711 law as the recommendation states it: a sample whose magnitude lies
// between two decision values has the code of that interval, and is decoded as the
// middle between them.
type law struct {
	name      string
	encoding  Encoding
	decisions []int
	invert    byte // bits of a code that are sent inverted
	positive  byte // the sign bit of a positive sample, before that
	onward    int  // of a negative sample, what is taken off the magnitude first
}

var laws = []law{
	// Table 2: 14 bits; intervals of 1, then 15 of 2, then 16 each of 4 to 256.
	{"mu-law", MuLaw, decisions(1, []int{2, 4, 8, 16, 32, 64, 128, 256}, 15, 4), 0xFF, 0, 0},
	// Table 1: 13 bits; 32 intervals of 2, then 16 each of 4 to 128.
	{"A-law", ALaw, decisions(0, []int{2, 2, 4, 8, 16, 32, 64, 128}, 16, 8), 0x55, 0x80, 1},
}

// TestG711 checks every sample and every code against the tables of the recommendation.
func TestG711(t *testing.T) {
	for _, l := range laws {
		if len(l.decisions) != 129 {
			t.Fatalf("%s has %d decision values, want 129", l.name, len(l.decisions))
		}
		for s := -1 << 15; s < 1<<15; s++ {
			if got, want := Encode(nil, []int16{int16(s)}, l.encoding)[0], l.code(s); got != want {
				t.Fatalf("%s of %d is %#x, want %#x", l.name, s, got, want)
			}
		}
		for n := range 128 {
			value := int16((l.decisions[n] + l.decisions[n+1]) / 2)
			if n == 0 && l.encoding == MuLaw {
				value = 0 // zero has an interval of its own, on both sides
			}
			plus := (byte(n) | l.positive) ^ l.invert
			if got := decode([]byte{plus}, l.encoding); got != value {
				t.Errorf("%s code %#x is %d, want %d", l.name, plus, got, value)
			}
			if got := decode([]byte{plus ^ 0x80}, l.encoding); got != -value {
				t.Errorf("%s code %#x is %d, want %d", l.name, plus^0x80, got, -value)
			}
		}
	}
}

func (l law) code(s int) byte {
	magnitude, sign := s, l.positive
	if s < 0 {
		magnitude, sign = -s-l.onward, l.positive^0x80
	}
	n := 0
	for n < 127 && magnitude >= l.decisions[n+1] {
		n++
	}
	return (byte(n) | sign) ^ l.invert
}

// Codes that everybody knows: those of silence and of the loudest samples.
func TestG711Landmarks(t *testing.T) {
	for _, c := range []struct {
		e    Encoding
		code byte
		want int16
	}{
		{MuLaw, 0x00, -32124}, {MuLaw, 0x80, 32124}, {MuLaw, 0x7F, 0}, {MuLaw, 0xFF, 0}, {MuLaw, 0xFE, 8}, {MuLaw, 0x7E, -8},
		{ALaw, 0xD5, 8}, {ALaw, 0x55, -8}, {ALaw, 0xAA, 32256}, {ALaw, 0x2A, -32256},
	} {
		if got := decode([]byte{c.code}, c.e); got != c.want {
			t.Errorf("%s code %#x is %d, want %d", c.e, c.code, got, c.want)
		}
	}
}
