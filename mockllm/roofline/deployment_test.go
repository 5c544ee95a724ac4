package roofline

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"halfsecond/mockllm/catalog"
)

func TestModelsThatAreNotModelled(t *testing.T) {
	for name, kind := range map[string]string{
		"Mixtral-8x7B": "a mixture of experts", "gpt-oss-20b": "a mixture of experts", "DeepSeek-V3": "multi-head latent attention",
	} {
		_, err := New(Deployment{Model: model(t, name), Hardware: hardware(t, "H100-SXM"), GPUs: 8})
		var unsupported *UnsupportedError
		if !errors.As(err, &unsupported) || unsupported.Kind != kind {
			t.Errorf("New(%s) gave %v, want it refused for %s", name, err, kind)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	llama, h100 := model(t, "Llama-3.1-8B"), hardware(t, "H100-SXM")
	for _, test := range []struct {
		name string
		d    Deployment
		want string
	}{
		{"GPUs that do not divide the heads", Deployment{Model: llama, Hardware: h100, GPUs: 3},
			"3 GPUs: Llama-3.1-8B has 32 attention heads, which divide among 1, 2, 4, 8, 16 GPUs"},
		{"KV heads that do not fit the GPUs", Deployment{Model: model(t, "Phi-4"), Hardware: h100, GPUs: 4},
			"4 GPUs: Phi-4 has 10 KV heads, which neither divide among them nor fill them evenly"},
		{"negative GPUs", Deployment{Model: llama, Hardware: h100, GPUs: -1}, "-1 GPUs: want at least 1"},
		{"no interconnect", Deployment{Model: llama, Hardware: hardware(t, "Apple-M4-Max-40c"), GPUs: 2},
			"2 GPUs: Apple-M4-Max-40c has no interconnect, so a model runs on 1"},
		{"no compute rate", Deployment{Model: llama, Hardware: hardware(t, "CPU-M2-Pro")},
			"Llama-3.1-8B on CPU-M2-Pro: unknown: compute rate"},
		{"no shape", Deployment{Model: catalog.Model{Name: "X", Published: 1e9}, Hardware: h100}, "X on H100-SXM: unknown: model shape"},
		{"no shape on two GPUs", Deployment{Model: catalog.Model{Name: "X", Published: 1e9}, Hardware: h100, GPUs: 2},
			"2 GPUs: a model of unknown shape runs on 1"},
		{"everything", Deployment{Weights: BitFormat(-1), KVBytes: -1, Constants: Ideal()}, strings.Join([]string{
			"model: 0 parameters: want more than 0", "memory bandwidth 0: want more than 0",
			"weights of -1 bits: want more than 0", "cached values of -1 bytes: want more than 0"}, "\n")},
		{"constants out of range", Deployment{Model: llama, Hardware: h100, Constants: Constants{
			MFU: 1.5, AttentionMFU: 1, MBU: -1, AttentionMBU: 1, Dequant: 1, KVDequant: 1, BusShare: 1, MemoryUse: 1, HalfTokens: -1}},
			"MFU 1.5: want more than 0 and at most 1\nMBU -1: want more than 0 and at most 1\nhalf tokens -1: must not be negative"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := New(test.d); err == nil || err.Error() != test.want {
				t.Errorf("error:\n%v\nwant:\n%v", err, test.want)
			}
		})
	}
}

func TestPartialSaysWhatIsMissing(t *testing.T) {
	p, err := Partial(Deployment{Model: catalog.Model{Published: 70e9}, Hardware: catalog.Hardware{Bandwidth: 1e12}, Weights: BitFormat(4)})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"compute rate", "model shape"}; !slices.Equal(p.Missing(), want) {
		t.Errorf("Missing() = %v, want %v", p.Missing(), want)
	}
}

func TestNotes(t *testing.T) {
	for _, test := range []struct {
		model, hardware string
		gpus            int
		weights         Format
		want            []string // how each note begins
	}{
		{"Llama-3.1-8B", "H100-SXM", 1, FP16, nil},
		{"Llama-3.1-8B", "A100-80GB-SXM", 1, INT4, nil},
		{"Gemma-2-9B", "H100-SXM", 1, FP16, []string{"Gemma-2-9B has a sliding window of 4096 tokens"}},
		{"Llama-3.1-8B", "A100-80GB-SXM", 1, FP8, []string{"A100-80GB-SXM does not multiply faster in fp8"}},
		{"Llama-3.1-8B", "B300", 1, INT8, []string{"B300 does not multiply faster in int8"}},
		{"Llama-3.1-8B", "RTX-4090", 2, FP16, []string{"consumer boards have no peer-to-peer copies"}},
		{"Llama-3.1-8B", "A40", 4, FP16, []string{"NVLink bridges join A40 in pairs"}},
		{"Llama-3.1-8B", "P40", 1, FP16, []string{"P40 multiplies faster in 32 bits", "efficiencies of this kind"}},
		{"Llama-3.1-8B", "CPU-M2-Pro", 1, FP16, []string{"the compute rate is unknown", "efficiencies of this kind"}},
	} {
		p, err := Partial(Deployment{
			Model: model(t, test.model), Hardware: hardware(t, test.hardware), GPUs: test.gpus, Weights: test.weights})
		if err != nil {
			t.Fatal(err)
		}
		notes := p.Notes()
		if !slices.EqualFunc(notes, test.want, strings.HasPrefix) {
			t.Errorf("%s on %s: notes %q, want %q", test.model, test.hardware, notes, test.want)
		}
	}
}

// Every pair of a dense model and some hardware gives a step of at least a
// nanosecond, however little is known.
func TestEveryRowCanBePlanned(t *testing.T) {
	for _, h := range catalog.AllHardware() {
		for _, m := range catalog.AllModels() {
			for _, w := range Formats() {
				p, err := Partial(Deployment{Model: m, Hardware: h, Weights: w})
				if supported(m) != nil {
					continue
				}
				if err != nil {
					t.Fatalf("%s in %s on %s: %v", m.Name, w, h.Name, err)
				}
				if p.Decode(1, 1) <= 0 {
					t.Errorf("%s in %s on %s: decode takes %v", m.Name, w, h.Name, p.Decode(1, 1))
				}
			}
		}
	}
}
