package roofline

import (
	"fmt"
	"strconv"
	"strings"

	"halfsecond/mockllm/catalog"
)

// Format is how weights are stored. The zero Format is Native.
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
	Native Format // that in which the model was published: see Of

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
// bits for the head. MXFP4_MOE is the GGUF file of a model published in mxfp4: all that
// is no expert has 8.5 bits, which makes 12.1 GB of gpt-oss-20b and 63.2 of
// gpt-oss-120b where the files have 12.1 and 63.4 (AlexsJones/llmfit pull request 1059,
// read 2026-11-29).
var formats = []struct {
	Format
	aliases []string
	readers readers
}{
	{FP16, []string{"bf16", "f16"}, servers | boards | gguf | mlx},
	{FP8, nil, servers},
	{INT8, nil, servers},
	{W8A8, nil, servers},
	{INT4, []string{"int4-g128", "awq", "gptq", "gptq-g128"}, servers | boards},
	{Format{name: "int4-g64", bits: 4.5, head: 16, compute: after16Bits}, nil, servers | boards},
	{Format{name: "int4-g32", bits: 5, head: 16, compute: after16Bits}, nil, servers | boards},
	{NVFP4, []string{"fp4"}, servers},
	{MXFP4, nil, servers},
	{mxfp4File, nil, gguf | mlx},
	{PackedFormat("Q8_0", 8.5), nil, gguf},
	{PackedFormat("Q6_K", 6.5625), nil, gguf},
	{PackedFormat("Q5_K_M", 5.7), nil, gguf},
	{PackedFormat("Q4_K_M", 4.85), nil, gguf},
	{PackedFormat("Q4_0", 4.5), []string{"q4f16_1"}, gguf | boards},
	{PackedFormat("q8", 8.5), nil, mlx},
	{PackedFormat("q6", 6.5), nil, mlx},
	{PackedFormat("q5", 5.5), nil, mlx},
	{PackedFormat("q4", 4.5), nil, mlx},
	{Format{name: "exl2", bits: 4, head: 6, compute: after16Bits}, nil, boards},
}

var mxfp4File = Format{name: "MXFP4_MOE", bits: 4.25, steady: 8.5, head: 8.5, compute: after16Bits}

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

// ParseFormat returns the format with that name or alias, in any case of letters. The
// average bits of a weight that a file is known to have can stand behind it, as in
// "Q4_K_M@4.7".
func ParseFormat(text string) (Format, error) {
	name, bits, stated := strings.Cut(text, "@")
	f, err := formatNamed(name)
	if err != nil || !stated {
		return f, err
	}
	v, err := strconv.ParseFloat(bits, 64)
	if err != nil || !(v > 0 && v <= mostBits) || f == Native {
		return Format{}, fmt.Errorf("weight format %q: want a format such as Q4_K_M before the @ and bits above 0 and at most %d behind it", text, mostBits)
	}
	f = f.WithBits(v)
	f.name = fmt.Sprintf("%s@%g", f.name, v)
	return f, nil
}

// mostBits is the widest a weight is stored.
const mostBits = 64

func formatNamed(name string) (Format, error) {
	var names []string
	for _, f := range formats {
		for _, alias := range append(f.aliases, f.name) {
			if strings.EqualFold(alias, name) {
				return f.Format, nil
			}
		}
		names = append(names, f.name)
	}
	if strings.EqualFold(name, nativeName) {
		return Native, nil
	}
	return Format{}, fmt.Errorf("unknown weight format %q: want one of %s, %s, or one with the bits of a weight behind it, such as Q4_K_M@4.7",
		name, strings.Join(names, ", "), nativeName)
}

const nativeName = "native"

// BitFormat returns the format in which every parameter takes that many bits,
// more than 0, and the hardware's 16-bit rate is the rate of whatever it does.
func BitFormat(bits float64) Format {
	return Format{name: fmt.Sprintf("%g-bit", bits), bits: bits, head: bits, compute: asTheyStated}
}

// WithBits returns the format with another average of bits a weight of the layers:
// what a file is known to have. A head that was packed like the layers, or like those of
// them that are no experts, is in the average.
func (f Format) WithBits(bits float64) Format {
	f = f.orFP16()
	if f.head == f.bits || f.head == f.steady && f.head < 16 {
		f.head = bits
	}
	f.bits, f.steady = bits, 0
	return f
}

// String returns the format's name.
func (f Format) String() string {
	if f == Native {
		return nativeName
	}
	return f.name
}

// Bits returns the bits of one weight of the layers, scales included; of the
// experts in a mixture of experts. Of Native, which depends on a model, it returns
// those of FP16, as SteadyBits and HeadBits do.
func (f Format) Bits() float64 { return f.orFP16().bits }

// SteadyBits returns the bits of one weight of m's layers that belongs to no expert,
// which some formats keep at 16.
func (f Format) SteadyBits(m catalog.Model) float64 { return f.orFP16().steadyPart(m).bits }

// HeadBits returns the bits of one weight of the embedding and the output head.
func (f Format) HeadBits() float64 { return f.orFP16().head }

func (f Format) orFP16() Format {
	if f == Native {
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
