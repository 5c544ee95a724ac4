package roofline

import (
	"slices"
	"strings"
	"testing"

	"halfsecond/mockllm/catalog"
)

func format(t *testing.T, name string) Format {
	t.Helper()
	f, err := ParseFormat(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func engine(t *testing.T, name string) catalog.Engine {
	t.Helper()
	e, err := catalog.FindEngine(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A deployment that names no format has the one its model was published in, as the
// engine reads it.
func TestNative(t *testing.T) {
	for _, test := range []struct{ model, engine, hardware, want string }{
		{"Llama-3.1-8B", "vllm", "H100-SXM", "fp16"},
		{"gpt-oss-20b", "vllm", "H100-SXM", "mxfp4"},
		{"gpt-oss-120b", "trtllm", "B200", "mxfp4"},
		{"gpt-oss-20b", "llama.cpp", "RTX-4090", "MXFP4_MOE"},
		{"gpt-oss-20b", "ollama", "Apple-M4-Max-40c", "MXFP4_MOE"},
		{"gpt-oss-20b", "mlx", "Apple-M4-Max-40c", "MXFP4_MOE"},
		{"DeepSeek-V3", "vllm", "H200-SXM", "fp8"},
		{"DeepSeek-V3", "sglang", "A100-80GB-SXM", "fp8"}, // unpacked there
		{"DeepSeek-V3", "llama.cpp", "Apple-M3-Ultra-80c", "fp16"},
		{"DeepSeek-V2-Lite", "vllm", "H100-SXM", "fp16"},
	} {
		d := Deployment{Model: model(t, test.model), Engine: engine(t, test.engine), Hardware: hardware(t, test.hardware)}
		if got := d.filled().Weights.String(); got != test.want {
			t.Errorf("%s by %s on %s: %s, want %s", test.model, test.engine, test.hardware, got, test.want)
		}
		if d.Weights = INT8; d.filled().Weights != INT8 {
			t.Errorf("%s by %s: %s, want int8 as it says", test.model, test.engine, d.filled().Weights)
		}
	}
}

// Whatever a model can be published in is a format, and every format is known.
func TestWeightFormatsAreFormats(t *testing.T) {
	for _, name := range catalog.WeightFormats() {
		if f := format(t, name); f == Native || f.String() != name {
			t.Errorf("%s is the format %s", name, f)
		}
	}
}

// The files of gpt-oss have the sizes that were published, in GB.
func TestSizeOfMXFP4Files(t *testing.T) {
	for _, test := range []struct {
		model, format string
		want          float64
	}{
		{"gpt-oss-20b", "MXFP4_MOE", 12.1},
		{"gpt-oss-120b", "MXFP4_MOE", 63.4},
		{"gpt-oss-20b", "MXFP4_MOE@4.63", 12.1}, // 12.1 GB over 20.9 billion
	} {
		p := plan(t, Deployment{Model: model(t, test.model), Hardware: hardware(t, "B300"), Weights: format(t, test.format)})
		if got := float64(p.WeightBytes()) / 1e9; got < .99*test.want || got > 1.01*test.want {
			t.Errorf("%s in %s: %.2f GB, want %v within 1 %%", test.model, test.format, got, test.want)
		}
	}
}

// What can be read, the closest to 16 bits first.
func TestReadable(t *testing.T) {
	for _, test := range []struct{ model, engine, hardware, want string }{
		{"Llama-3.1-8B", "vllm", "H100-SXM", "fp16 fp8 int8 w8a8 int4 int4-g64 int4-g32"},
		{"Llama-3.1-8B", "vllm", "A100-80GB-SXM", "fp16 int8 w8a8 int4 int4-g64 int4-g32"},
		{"gpt-oss-20b", "vllm", "B200", "fp16 fp8 int8 w8a8 int4 int4-g64 int4-g32 nvfp4 mxfp4"},
		{"Llama-3.1-8B", "vllm", "Apple-M4-Max-40c", "fp16 q8 q6 q5 q4"},
		{"Llama-3.1-8B", "mlx", "Apple-M4-Max-40c", "fp16 q8 q6 q5 q4"},
		{"gpt-oss-20b", "llama.cpp", "Apple-M4-Max-40c", "fp16 MXFP4_MOE Q8_0 Q6_K Q5_K_M Q4_K_M Q4_0"},
		{"Llama-3.1-8B", "ollama", "RTX-4090", "fp16 Q8_0 Q6_K Q5_K_M Q4_K_M Q4_0"},
		{"Llama-3.1-8B", "exllamav2", "RTX-4090", "fp16 int4 int4-g64 int4-g32 Q4_0 exl2"},
	} {
		d := Deployment{Model: model(t, test.model), Engine: engine(t, test.engine), Hardware: hardware(t, test.hardware)}
		var got []string
		for _, f := range d.Readable() {
			got = append(got, f.String())
		}
		if want := strings.Fields(test.want); !slices.Equal(got, want) {
			t.Errorf("%s by %s on %s: %q, want %q", test.model, test.engine, test.hardware, got, want)
		}
	}
}
