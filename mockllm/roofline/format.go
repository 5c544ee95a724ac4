package roofline

import (
	"fmt"
	"strings"

	"halfsecond/mockllm/catalog"
)

// Format is how weights are stored. The zero Format is FP16.
type Format struct {
	name string
	bits float64 // of one weight of the layers, scales included
	// steady is the bits of what is not an expert in a mixture of experts; 0 means
	// the same.
	steady float64
	// head is the bits of a weight of the embedding and the output head, which some
	// formats keep at 16.
	head    float64
	compute precision
}

// precision is what the matrix units multiply in.
type precision uint8

const (
	in16Bits     precision = iota // weights are 16-bit
	inFP8                         // FP8 where the hardware can
	inINT8                        // INT8 where the hardware can
	inFP4                         // FP4 where the hardware can
	after16Bits                   // weights are unpacked to 16 bits first
	asTheyStated                  // the peak rate given is already the right one
)

// Formats that code names. Those whose name does not say what is multiplied (int4,
// int8, mxfp4) store weights only; w8a8, fp8 and nvfp4 turn the activations into the
// same format.
var (
	FP16  = Format{name: "fp16", bits: 16, head: 16, compute: in16Bits}
	FP8   = Format{name: "fp8", bits: 8, head: 16, compute: inFP8}
	INT8  = Format{name: "int8", bits: 8, head: 16, compute: after16Bits}
	W8A8  = Format{name: "w8a8", bits: 8, head: 16, compute: inINT8}
	NVFP4 = Format{name: "nvfp4", bits: 4.5, head: 16, compute: inFP4}
	MXFP4 = Format{name: "mxfp4", bits: 4.25, steady: 16, head: 16, compute: after16Bits}
	INT4  = Format{name: "int4", bits: 4.25, head: 16, compute: after16Bits}
)

// formats are all that have a name. Bits follow from the layout of a group: 16
// weights and an 8-bit scale (nvfp4), 32 and 8 bits (mxfp4), 32, 64 or 128 and a
// 16-bit scale with a zero point of as many bits (int4), 64 and a 16-bit scale and
// bias (q4 to q8, of mlx), 32 and a 16-bit scale (Q4_0, Q8_0). Those of Q4_K_M,
// Q5_K_M and Q6_K are sizes of files of Llama-3-8B over its parameters: XiongjieDai's
// benchmarks, commit aa72e0e, and tools/quantize/README.md of ggml-org/llama.cpp, read
// 2026-11-29. GGUF and mlx quantise the embedding and the head as well; exl2 keeps 6
// bits for the head.
var formats = []struct {
	Format
	aliases []string
}{
	{FP16, []string{"bf16", "f16"}},
	{FP8, nil},
	{INT8, nil},
	{W8A8, nil},
	{INT4, []string{"int4-g128", "awq", "gptq", "gptq-g128"}},
	{Format{name: "int4-g64", bits: 4.5, head: 16, compute: after16Bits}, nil},
	{Format{name: "int4-g32", bits: 5, head: 16, compute: after16Bits}, nil},
	{NVFP4, []string{"fp4"}},
	{MXFP4, nil},
	{PackedFormat("Q8_0", 8.5), nil},
	{PackedFormat("Q6_K", 6.5625), nil},
	{PackedFormat("Q5_K_M", 5.7), nil},
	{PackedFormat("Q4_K_M", 4.85), nil},
	{PackedFormat("Q4_0", 4.5), []string{"q4f16_1"}},
	{PackedFormat("q8", 8.5), nil},
	{PackedFormat("q6", 6.5), nil},
	{PackedFormat("q5", 5.5), nil},
	{PackedFormat("q4", 4.5), nil},
	{Format{name: "exl2", bits: 4, head: 6, compute: after16Bits}, nil},
}

// PackedFormat returns a format of that name which stores every weight, those of the
// embedding and the head too, in so many bits, more than 0, and unpacks them to 16 to
// multiply.
func PackedFormat(name string, bits float64) Format {
	return Format{name: name, bits: bits, head: bits, compute: after16Bits}
}

// Formats lists the named formats.
func Formats() []Format {
	var out []Format
	for _, f := range formats {
		out = append(out, f.Format)
	}
	return out
}

// ParseFormat returns the format with that name or alias, in any case of letters.
func ParseFormat(name string) (Format, error) {
	var names []string
	for _, f := range formats {
		for _, alias := range append(f.aliases, f.name) {
			if strings.EqualFold(alias, name) {
				return f.Format, nil
			}
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

// WithBits returns the format with another average of bits a weight of the layers:
// what a file is known to have. A head that was stored like the layers still is.
func (f Format) WithBits(bits float64) Format {
	f = f.orDefault()
	if f.head == f.bits {
		f.head = bits
	}
	f.bits, f.steady = bits, 0
	return f
}

// String returns the format's name.
func (f Format) String() string { return f.orDefault().name }

// Bits returns the bits of one weight of the layers, scales included; of the
// experts in a mixture of experts.
func (f Format) Bits() float64 { return f.orDefault().bits }

// SteadyBits returns the bits of one weight of m's layers that belongs to no expert,
// which some formats keep at 16.
func (f Format) SteadyBits(m catalog.Model) float64 { return f.orDefault().steadyPart(m).bits }

// HeadBits returns the bits of one weight of the embedding and the output head.
func (f Format) HeadBits() float64 { return f.orDefault().head }

func (f Format) orDefault() Format {
	if f == (Format{}) {
		return FP16
	}
	return f
}

// steadyPart returns the format of the layers of m without their experts.
func (f Format) steadyPart(m catalog.Model) Format {
	if f.steady == 0 || m.Experts == 0 {
		return f
	}
	f.bits = f.steady
	if f.bits == 16 {
		f.compute = in16Bits
	}
	return f
}

// headPart returns the format of the output head.
func (f Format) headPart() Format {
	if f.head == 16 && f.compute != asTheyStated {
		f.compute = in16Bits
	}
	f.bits = f.head
	return f
}

// rate returns the peak rate at which h multiplies weights of this format, and
// whether they are unpacked to 16 bits first, which they are where h has no products
// in fewer bits or only slower ones. It is 0 when h's is not published.
func (f Format) rate(h catalog.Hardware) (flops float64, unpacked bool) {
	sixteen := max(h.FP16, h.FP32)
	narrow := 0.
	switch f.compute {
	case in16Bits, asTheyStated:
		return sixteen, false
	case inFP8:
		narrow = h.FP8
	case inINT8:
		narrow = h.INT8
	case inFP4:
		narrow = h.FP4
	}
	if narrow > 0 && narrow >= sixteen {
		return narrow, false
	}
	return sixteen, true
}

// narrow reports whether this format is multiplied in 8 bits or fewer by hardware
// that can.
func (f Format) narrow() bool {
	return f.compute == inFP8 || f.compute == inINT8 || f.compute == inFP4
}
