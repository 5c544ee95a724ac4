package roofline

import (
	"strings"
	"testing"
)

func TestParseFormat(t *testing.T) {
	for _, f := range Formats() {
		for _, name := range []string{f.String(), strings.ToUpper(f.String())} {
			if f.String() == "q8" || f.String() == "q6" || f.String() == "q5" || f.String() == "q4" {
				name = f.String()
			}
			if got, err := ParseFormat(name); err != nil || got != f {
				t.Errorf("ParseFormat(%q) = %v, %v", name, got, err)
			}
		}
	}
	for alias, want := range map[string]Format{
		"bf16": FP16, "F16": FP16, "fp4": NVFP4, "int4-g128": INT4, "AWQ": INT4, "gptq": INT4,
	} {
		if got, err := ParseFormat(alias); err != nil || got != want {
			t.Errorf("ParseFormat(%q) = %v, %v; want %v", alias, got, err, want)
		}
	}
	_, err := ParseFormat("fp3")
	if want := `unknown weight format "fp3": want one of fp16, fp8, int8, w8a8, int4, int4-g64, int4-g32, nvfp4, mxfp4, MXFP4_MOE, ` +
		`Q8_0, Q6_K, Q5_K_M, Q4_K_M, Q4_0, q8, q6, q5, q4, exl2, native, or one with the bits of a weight behind it, such as Q4_K_M@4.7`; err == nil || err.Error() != want {
		t.Errorf("ParseFormat(fp3) gave %v, want %s", err, want)
	}
	if got, err := ParseFormat("Native"); got != (Format{}) || err != nil || got.String() != "native" {
		t.Errorf("ParseFormat(Native) = %s, %v; want the zero format, native", got, err)
	}
}

// The bits of a file can stand behind its format.
func TestParseFormatWithBits(t *testing.T) {
	for text, want := range map[string]Format{
		"q4_k_m@4.7":     {name: "Q4_K_M@4.7", bits: 4.7, head: 4.7, compute: after16Bits},
		"MXFP4_MOE@4.45": {name: "MXFP4_MOE@4.45", bits: 4.45, head: 4.45, compute: after16Bits},
		"awq@4.15":       {name: "int4@4.15", bits: 4.15, head: 16, compute: after16Bits},
	} {
		got, err := ParseFormat(text)
		if err != nil || got != want {
			t.Errorf("ParseFormat(%q) = %+v, %v; want %+v", text, got, err, want)
		}
		if again, err := ParseFormat(got.String()); err != nil || again != got {
			t.Errorf("ParseFormat(%q) = %+v, %v; want what it names", got, again, err)
		}
	}
	for _, text := range []string{"Q4_K_M@", "Q4_K_M@0", "Q4_K_M@65", "Q4_K_M@NaN", "Q4_K_M@4@5", "native@4"} {
		if got, err := ParseFormat(text); err == nil || !strings.HasPrefix(err.Error(), "weight format \""+text+"\": want a format such as Q4_K_M before the @") {
			t.Errorf("ParseFormat(%q) = %v, %v", text, got, err)
		}
	}
	if _, err := ParseFormat("q3@3"); err == nil || !strings.HasPrefix(err.Error(), `unknown weight format "q3"`) {
		t.Errorf("ParseFormat(q3@3) gave %v", err)
	}
}

func TestWithBits(t *testing.T) {
	for _, test := range []struct {
		format, want Format
		bits         float64
	}{
		{INT4, Format{name: "int4", bits: 4.15, head: 16, compute: after16Bits}, 4.15},
		// A file that quantises everything still does.
		{PackedFormat("Q4_K_M", 4.85), PackedFormat("Q4_K_M", 4.9), 4.9},
		// What is known is the average, so nothing is left at 16 bits but the head.
		{MXFP4, Format{name: "mxfp4", bits: 4.45, head: 16, compute: after16Bits}, 4.45},
		{Format{}, Format{name: "fp16", bits: 15, head: 15, compute: in16Bits}, 15},
	} {
		if got := test.format.WithBits(test.bits); got != test.want {
			t.Errorf("%s.WithBits(%v) = %+v, want %+v", test.format, test.bits, got, test.want)
		}
	}
}

func TestBitsOfAFormat(t *testing.T) {
	dense, experts := model(t, "Llama-3.1-8B"), model(t, "gpt-oss-20b")
	for _, test := range []struct {
		format                                Format
		layers, steady, steadyOfExperts, head float64
	}{
		{Format{}, 16, 16, 16, 16},
		{FP8, 8, 8, 8, 16},
		{INT4, 4.25, 4.25, 4.25, 16},
		{MXFP4, 4.25, 4.25, 16, 16},
		{mxfp4File, 4.25, 4.25, 8.5, 8.5},
		{PackedFormat("Q4_0", 4.5), 4.5, 4.5, 4.5, 4.5},
		{BitFormat(4), 4, 4, 4, 4},
	} {
		f := test.format
		if f.Bits() != test.layers || f.SteadyBits(dense) != test.steady || f.SteadyBits(experts) != test.steadyOfExperts || f.HeadBits() != test.head {
			t.Errorf("%s: %v bits, %v in a dense model, %v beside experts, %v in the head; want %+v",
				f, f.Bits(), f.SteadyBits(dense), f.SteadyBits(experts), f.HeadBits(), test)
		}
	}
}

// What each format multiplies in, by generation of hardware: TFLOPS, and whether
// weights are unpacked first.
func TestRate(t *testing.T) {
	for _, test := range []struct {
		hardware string
		format   Format
		tflops   float64
		unpacked bool
	}{
		{"A100-80GB-SXM", FP16, 312, false},
		{"A100-80GB-SXM", INT8, 312, true},
		{"A100-80GB-SXM", W8A8, 624, false},
		{"A100-80GB-SXM", FP8, 312, true},
		{"H100-SXM", FP8, 1978, false},
		{"H100-SXM", NVFP4, 989, true},
		{"H100-SXM", INT4, 989, true},
		{"B200", NVFP4, 9000, false},
		{"B200", MXFP4, 2250, true},
		{"B300", W8A8, 2250, true}, // slower in 8-bit integers
		{"Gaudi3", FP8, 1835, false},
		{"P40", FP16, 11.8, false}, // in 32 bits
		{"P40", W8A8, 47, false},
		{"RX-7900XTX", W8A8, 122.8, false}, // as fast as 16 bits
		{"CPU-M2-Pro", FP16, .9, false},    // in 32 bits
		{"CPU-EPYC-12ch-DDR5-4800", FP16, 0, false},
		{"CPU-EPYC-12ch-DDR5-4800", FP8, 0, true},
	} {
		flops, unpacked := test.format.rate(hardware(t, test.hardware))
		if flops != test.tflops*1e12 || unpacked != test.unpacked {
			t.Errorf("%s in %s: %v TFLOPS, unpacked %v; want %v, %v", test.hardware, test.format, flops/1e12, unpacked, test.tflops, test.unpacked)
		}
	}
}

func TestKVFormats(t *testing.T) {
	for name, bytes := range map[string]float64{"fp16": 2, "fp8": 1, "int8": 1.03, "q8_0": 1.0625, "q4_0": .5625} {
		f, err := ParseKVFormat(name)
		if err != nil || f.Bytes() != bytes || f.String() != name {
			t.Errorf("ParseKVFormat(%q) = %v of %v bytes, %v; want %v bytes", name, f, f.Bytes(), err, bytes)
		}
	}
	if got := (KVFormat{}).Bytes(); got != 2 {
		t.Errorf("the zero format takes %v bytes a value, want 2", got)
	}
	_, err := ParseKVFormat("q5_0")
	if want := `unknown cache format "q5_0": want one of fp16, fp8, int8, q8_0, q4_0`; err == nil || err.Error() != want {
		t.Errorf("ParseKVFormat(q5_0) gave %v, want %s", err, want)
	}
}
