package roofline

import (
	"errors"
	"testing"

	"halfsecond/mockllm/catalog"
	"halfsecond/pipeline"
)

func TestWeightBytes(t *testing.T) {
	h := hardware(t, "H100-SXM")
	for _, test := range []struct {
		model   string
		weights Format
		want    int64
	}{
		{"Llama-3.1-8B", FP16, 2 * 8_029_995_008},
		// Layers in 8 bits, embedding and head in 16.
		{"Llama-3.1-8B", FP8, 6_979_321_856 + 2*2*525_336_576},
		{"Llama-3.1-8B", INT8, 6_979_321_856 + 2*2*525_336_576},
		{"Llama-3.1-8B", INT4, 6_979_321_856*425/800 + 2*2*525_336_576},
		// The embedding is the head, so it counts once.
		{"Qwen2.5-0.5B", FP16, 2 * (357_826_560 + 136_134_656)},
	} {
		p := plan(t, Deployment{Model: model(t, test.model), Hardware: h, Weights: test.weights})
		if got := p.WeightBytes(); got != test.want {
			t.Errorf("%s in %s: WeightBytes() = %d, want %d", test.model, test.weights, got, test.want)
		}
	}
}

// KiB a token in 16 bits of models whose caches are well known.
func TestKVBytesPerToken(t *testing.T) {
	h := hardware(t, "B200")
	for name, kib := range map[string]int64{
		"TinyLlama-1.1B": 22, "Qwen2.5-1.5B": 28, "StarCoder2-3B": 30, "Qwen2.5-7B": 56, "Llama-3.1-8B": 128, "Qwen3-32B": 256,
		"Llama-3.1-70B": 320, "Phi-3-mini-4k": 384, "Llama-2-7B": 512, "Llama-3.1-405B": 504, "Llama-2-13B": 800, "BLOOM-176B": 3920,
	} {
		p := plan(t, Deployment{Model: model(t, name), Hardware: h})
		if got := p.KVBytesPerToken(); got != kib<<10 {
			t.Errorf("%s: KVBytesPerToken() = %d, want %d KiB", name, got, kib)
		}
	}
}

func TestKVTokens(t *testing.T) {
	for _, test := range []struct {
		name string
		d    Deployment
		want int
	}{
		// vLLM 0.19 logged 41,408 tokens for this one, .15 % fewer
		// (casys-kaist/LLMServingSim commit 5daddb2).
		{"RTX 4090 with defaults", Deployment{Model: model(t, "Llama-3.1-8B"), Hardware: hardware(t, "RTX-4090")}, 41_472},
		// (.9 * 80 GiB - 2 * 8029995008 - 1 GiB - 256 MiB) / 128 KiB = 457056.
		{"H100 with round constants", llama(t, 1).d, 457_056},
		// ((.9 * 80 - .25) * 2 GiB - 16.06 GB - 1 GiB) / 128 KiB = 1044832.
		{"two of them", llama(t, 2).d, 1_044_832},
		// Sixteen devices hold each of the 8 heads twice: what one has free, of 1/8.
		// (.9 * 80 - .25 - 1/16) GiB - 16.06 GB / 16, over 16 KiB = 4636848.
		{"sixteen of them", llama(t, 16).d, 4_636_848},
		// (80 GiB - 16.06 GB) / 128 KiB = 532832.
		{"a perfect engine", Deployment{
			Model: model(t, "Llama-3.1-8B"), Hardware: hardware(t, "H100-SXM"), Constants: Ideal()}, 532_832},
		{"a cache of 8-bit values", Deployment{
			Model: model(t, "Llama-3.1-8B"), Hardware: hardware(t, "H100-SXM"), Constants: Ideal(), KVBytes: 1}, 1_065_664},
	} {
		got, err := plan(t, test.d).KVTokens()
		if err != nil || got != test.want {
			t.Errorf("%s: KVTokens() = %d, %v; want %d", test.name, got, err, test.want)
		}
	}
}

func TestWeightsThatDoNotFit(t *testing.T) {
	p := plan(t, Deployment{Model: model(t, "Llama-3.1-70B"), Hardware: hardware(t, "H100-SXM")})
	_, err := p.KVTokens()
	var fit *FitError
	if !errors.As(err, &fit) {
		t.Fatalf("KVTokens() gave %v, want a FitError", err)
	}
	want := "Llama-3.1-70B in fp16 does not fit: it needs 147.2 GB before any KV cache, and 1 x H100-SXM offers 77.3 GB"
	if err.Error() != want {
		t.Errorf("error = %q, want %q", err, want)
	}
}

func TestUnknownMemory(t *testing.T) {
	p, err := Partial(Deployment{Model: model(t, "Llama-3.1-8B"), Hardware: hardware(t, "CPU-i9-13900K-DDR5-6400")})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := p.KVTokens(); n != pipeline.UnknownCount || err != nil {
		t.Errorf("KVTokens() = %d, %v; want unknown", n, err)
	}
	bare, err := Partial(Deployment{Model: catalog.Model{Published: 1e9}, Hardware: hardware(t, "H100-SXM")})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := bare.KVTokens(); n != pipeline.UnknownCount || err != nil || bare.KVBytesPerToken() != pipeline.UnknownCount {
		t.Errorf("KVTokens() = %d, %v, KVBytesPerToken() = %d; want unknown", n, err, bare.KVBytesPerToken())
	}
}
