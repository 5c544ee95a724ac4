package roofline

import (
	"errors"
	"math"
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
		{"Llama-3.1-8B", W8A8, 6_979_321_856 + 2*2*525_336_576},
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

// Sizes of files that makers publish, in GB: of all weights in the format.
func TestWeightsOfPublishedFiles(t *testing.T) {
	for _, test := range []struct {
		model   string
		weights Format
		gb      float64
	}{
		{"gpt-oss-20b", MXFP4, 13.76},  // 12.8 GiB checkpoint
		{"gpt-oss-120b", MXFP4, 65.28}, // 60.8 GiB checkpoint
		{"Mixtral-8x7B", FP16, 93.4},   // 46.7 billion parameters
		{"Qwen3-30B-A3B", FP16, 61.0},  // 30.5 billion
		{"DeepSeek-V3", FP16, 1342},    // 671 billion
		// What llama.cpp's table of May 2024 gives: 4.58 and 39.59 GiB.
		{"Llama-3.1-8B", PackedFormat("Q4_K_M", 4.85), 4.92},
		{"Llama-3.1-70B", PackedFormat("Q4_K_M", 4.85), 42.5},
	} {
		p := plan(t, Deployment{Model: model(t, test.model), Hardware: hardware(t, "B300"), Weights: test.weights})
		if got := float64(p.WeightBytes()) / 1e9; math.Abs(got/test.gb-1) > .02 {
			t.Errorf("%s in %s: %.2f GB, want %v within 2 %%", test.model, test.weights, got, test.gb)
		}
	}
}

// KiB a token in 16 bits of models whose caches are well known.
func TestKVBytesPerToken(t *testing.T) {
	h := hardware(t, "B200")
	for name, kib := range map[string]int64{
		"TinyLlama-1.1B": 22, "Qwen2.5-1.5B": 28, "StarCoder2-3B": 30, "Qwen2.5-7B": 56, "Llama-3.1-8B": 128, "Qwen3-32B": 256,
		"Qwen3-30B-A3B": 96, "Mixtral-8x7B": 128, "gpt-oss-120b": 36, // and as much in windows
		"Llama-3.1-70B": 320, "Phi-3-mini-4k": 384, "Llama-2-7B": 512, "Llama-3.1-405B": 504, "Llama-2-13B": 800, "BLOOM-176B": 3920,
	} {
		p := plan(t, Deployment{Model: model(t, name), Hardware: h})
		if got := p.KVBytesPerToken(); got != kib<<10 {
			t.Errorf("%s: KVBytesPerToken() = %d, want %d KiB", name, got, kib)
		}
	}
}

// Latent attention keeps 61 layers of 576 values.
func TestKVBytesOfLatentAttention(t *testing.T) {
	d := Deployment{Model: model(t, "DeepSeek-V3"), Hardware: hardware(t, "B300"), GPUs: 8}
	if got := plan(t, d).KVBytesPerToken(); got != 70_272 {
		t.Errorf("KVBytesPerToken() = %d, want 70272", got)
	}
	if d.KV = KVFP8; plan(t, d).KVBytesPerToken() != 35_136 {
		t.Errorf("KVBytesPerToken() in fp8 = %d, want 35136", plan(t, d).KVBytesPerToken())
	}
}

// gpt-oss-120b keeps 18 layers of 128 tokens of 2 * 8 * 64 values: 4.5 MiB.
func TestKVBytesPerSequence(t *testing.T) {
	windowed := plan(t, Deployment{Model: model(t, "gpt-oss-120b"), Hardware: hardware(t, "B300")})
	if got := windowed.KVBytesPerSequence(); got != 18*128*2048 {
		t.Errorf("KVBytesPerSequence() = %d, want %d", got, 18*128*2048)
	}
	if got := llama(t, 1).KVBytesPerSequence(); got != 0 {
		t.Errorf("KVBytesPerSequence() without windows = %d, want 0", got)
	}
}

func TestKVTokensOfSplitModels(t *testing.T) {
	llama70, deepseek := model(t, "Llama-3.1-70B"), model(t, "DeepSeek-V3")
	weights, pressed := 2*deepseek.TotalParams(), 2*deepseek.CachedParams()
	for _, test := range []struct {
		name  string
		p     *Plan
		bytes int64 // of all devices, less the weights
		token int64
	}{
		{"four stages hold each token once", counting(t, llama70, stages(4)), 4*unit.Memory - 2*llama70.TotalParams(), 320 << 10},
		{"so do four devices with split layers", counting(t, llama70, gpus(4), func(d *Deployment) { d.Split = catalog.SplitLayer }),
			4*unit.Memory - 2*llama70.TotalParams(), 320 << 10},
		{"every device repeats latent attention's", counting(t, deepseek, gpus(8)), 8*unit.Memory - weights - 7*pressed, 8 * 70_272},
		{"every device of a stage", counting(t, deepseek, gpus(2), stages(4)), 8*unit.Memory - weights - pressed, 2 * 70_272},
	} {
		if got, err := test.p.KVTokens(); err != nil || int64(got) != test.bytes/test.token/16*16 {
			t.Errorf("%s: KVTokens() = %d, %v; want %d", test.name, got, err, test.bytes/test.token/16*16)
		}
	}
}

// What a run logged is taken as it is.
func TestKVTokensThatAreKnown(t *testing.T) {
	d := Deployment{Model: model(t, "Llama-3.1-70B"), Hardware: hardware(t, "RTX-4090"), KVTokens: 41_410}
	if got, err := plan(t, d).KVTokens(); err != nil || got != 41_408 {
		t.Errorf("KVTokens() = %d, %v; want 41408", got, err)
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
		// Sixteen devices hold each of the 8 heads twice, and the .54 GB of matrices that
		// make them: what one has free, of 1/8.
		// (.9 * 80 - .25 - 1/16) GiB - (16.06 + .54) GB / 16, over 16 KiB = 4634800.
		{"sixteen of them", llama(t, 16).d, 4_634_800},
		// (80 GiB - 16.06 GB) / 128 KiB = 532832.
		{"a perfect engine", Deployment{
			Model: model(t, "Llama-3.1-8B"), Hardware: hardware(t, "H100-SXM"), Constants: Ideal()}, 532_832},
		{"a cache of 8-bit values", Deployment{
			Model: model(t, "Llama-3.1-8B"), Hardware: hardware(t, "H100-SXM"), Constants: Ideal(), KV: KVFP8}, 1_065_664},
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
	p, err := Partial(Deployment{Model: model(t, "Llama-3.1-8B"), Hardware: hardware(t, "CPU-EPYC-12ch-DDR5-4800")})
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
