package roofline

import (
	"fmt"
	"strings"

	"halfsecond/mockllm/catalog"
)

// Format is how weights are stored. The zero Format is FP16.
type Format struct {
	name string
	bits float64
	// head is the bits of a weight of the embedding and the output head, which
	// quantised models keep at 16.
	head    float64
	compute precision
}

// precision is what the matrix units multiply in.
type precision uint8

const (
	in16Bits     precision = iota // weights are 16-bit
	inFP8                         // FP8 where the hardware can
	inINT8                        // INT8 where that is faster than 16 bits
	after16Bits                   // weights are unpacked to 16 bits first
	asTheyStated                  // the peak rate given is already the right one
)

// The formats of the catalogue's models. Bits count the scales that belong to the
// weights: AWQ and GPTQ with groups of 128 take 4.15 to 4.25.
var (
	FP16 = Format{name: "fp16", bits: 16, head: 16, compute: in16Bits}
	FP8  = Format{name: "fp8", bits: 8, head: 16, compute: inFP8}
	INT8 = Format{name: "int8", bits: 8, head: 16, compute: inINT8}
	INT4 = Format{name: "int4", bits: 4.25, head: 16, compute: after16Bits}
)

// Formats lists the named formats.
func Formats() []Format { return []Format{FP16, FP8, INT8, INT4} }

// ParseFormat returns the format with that name: fp16, fp8, int8 or int4.
func ParseFormat(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.name == name {
			return f, nil
		}
		names = append(names, f.name)
	}
	return Format{}, fmt.Errorf("unknown weight format %q: want one of %s", name, strings.Join(names, ", "))
}

// BitFormat returns the format in which every parameter takes that many bits,
// more than 0, and the hardware's 16-bit rate is the rate of whatever it does.
func BitFormat(bits float64) Format {
	return Format{name: fmt.Sprintf("%g-bit", bits), bits: bits, head: bits, compute: asTheyStated}
}

// String returns the format's name.
func (f Format) String() string { return f.orDefault().name }

// Bits returns the bits of one weight of the layers, scales included.
func (f Format) Bits() float64 { return f.orDefault().bits }

func (f Format) orDefault() Format {
	if f == (Format{}) {
		return FP16
	}
	return f
}

// quantised reports whether weights take fewer bits than they were trained in.
func (f Format) quantised() bool { return f.Bits() < 16 }

// rate returns the peak rate at which h multiplies weights of this format, and
// whether they are unpacked to 16 bits first. It is 0 when h's is not published.
func (f Format) rate(h catalog.Hardware) (flops float64, unpacked bool) {
	sixteen := max(h.FP16, h.FP32)
	switch f.compute {
	case inFP8:
		if h.FP8 > 0 {
			return h.FP8, false
		}
		return sixteen, true
	case inINT8:
		if h.INT8 > sixteen {
			return h.INT8, false
		}
		return sixteen, true
	case after16Bits:
		return sixteen, true
	default:
		return sixteen, false
	}
}

// eightBit reports whether h multiplies this format in 8 bits.
func (f Format) eightBit(h catalog.Hardware) bool {
	_, unpacked := f.rate(h)
	return !unpacked && (f.compute == inFP8 || f.compute == inINT8)
}
