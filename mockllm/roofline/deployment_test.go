package roofline

import (
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
)

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
		{"negative stages", Deployment{Model: llama, Hardware: h100, Stages: -1}, "-1 stages: want at least 1"},
		{"another split", Deployment{Model: llama, Hardware: h100, Split: "row"}, `split "row": want tensor or layer`},
		{"more stages than layers", Deployment{Model: llama, Hardware: h100, Stages: 33}, "33 stages: Llama-3.1-8B has only 32 layers"},
		{"a cache of less than a block", Deployment{Model: llama, Hardware: h100, KVTokens: 15}, "a cache of 15 tokens: want at least a block of 16"},
		{"negative GPUs", Deployment{Model: llama, Hardware: h100, GPUs: -1}, "-1 GPUs: want at least 1"},
		{"no interconnect", Deployment{Model: llama, Hardware: hardware(t, "Apple-M4-Max-40c"), GPUs: 2},
			"2 GPUs: Apple-M4-Max-40c has no interconnect, so a model runs on 1"},
		{"no compute rate", Deployment{Model: llama, Hardware: hardware(t, "CPU-EPYC-12ch-DDR5-4800")},
			"Llama-3.1-8B on CPU-EPYC-12ch-DDR5-4800: unknown: compute rate; state it as fp32_TFLOPS, and cores, of hardware of your own, in a file that --catalog or the key catalog names"},
		{"software for other hardware", Deployment{Model: llama, Hardware: hardware(t, "MI300X"), Engine: engine(t, "trtllm")}, "trtllm does not run on MI300X: it is made for NVIDIA"},
		{"no shape", Deployment{Model: catalog.Model{Name: "X", Published: 1e9}, Hardware: h100}, "X on H100-SXM: unknown: model shape"},
		{"no shape on two GPUs", Deployment{Model: catalog.Model{Name: "X", Published: 1e9}, Hardware: h100, GPUs: 2},
			"2 GPUs: a model of unknown shape runs on 1"},
		{"everything", Deployment{Weights: BitFormat(-1), Constants: Ideal()}, strings.Join([]string{
			"model: 0 parameters: want more than 0", "memory bandwidth 0: want more than 0",
			"weights of -1 bits: want more than 0"}, "\n")},
		{"constants out of range", Deployment{Model: llama, Hardware: h100, Constants: Constants{
			MFU: 1.5, AttentionMFU: 1, MBU: -1, AttentionMBU: 1, KVDequant: 1, ExpertMBU: 1, BusShare: 1, MemoryUse: 1,
			Exposed: 1.1, Activations: -1, LayerFixed: -time.Second, WorkingMemory: -1}},
			"MFU 1.5: want more than 0 and at most 1\nMBU -1: want more than 0 and at most 1\nexposed share 1.1: want 0 to 1\n" +
				"activations -1: must not be negative\nfixed cost a layer -1: must not be negative\nworking memory -1: must not be negative"},
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
	noted := Ideal()
	noted.Note = "a caveat of the constants"
	for _, test := range []struct {
		model, hardware string
		gpus            int
		weights         Format
		constants       Constants
		want            []string // how each note begins
	}{
		{"Llama-3.1-8B", "H100-SXM", 1, FP16, Ideal(), nil},
		{"Llama-3.1-8B", "H100-SXM", 1, FP16, noted, []string{"a caveat of the constants"}},
		{"Llama-3.1-8B", "A100-80GB-SXM", 1, INT4, Ideal(), nil},
		{"Gemma-2-9B", "H100-SXM", 1, FP16, Ideal(), []string{"Gemma-2-9B has a sliding window of 4096 tokens"}},
		{"Mixtral-8x7B", "H100-SXM", 2, FP16, Constants{}, []string{"each of the 32 layers with experts costs 20µs more than a dense one", "Mixtral-8x7B has 8 experts a layer, of which each token reads 2"}},
		{"Llama-3.1-405B", "H100-SXM", 16, FP16, Ideal(), []string{"16 devices are joined as if they were in one machine"}},
		{"Llama-3.1-8B", "A100-80GB-SXM", 1, FP8, Ideal(), []string{"A100-80GB-SXM does not multiply faster in fp8"}},
		{"Llama-3.1-8B", "B300", 1, W8A8, Ideal(), []string{"B300 does not multiply faster in w8a8"}},
		{"Llama-3.1-8B", "RTX-4090", 2, FP16, Ideal(), []string{"consumer boards have no peer-to-peer copies"}},
		{"Llama-3.1-8B", "A40", 4, FP16, Ideal(), []string{"NVLink bridges join A40 in pairs"}},
		{"Llama-3.1-8B", "P40", 1, FP16, Ideal(), []string{"P40 multiplies faster in 32 bits"}},
		{"Llama-3.1-8B", "CPU-M2-Pro", 1, FP16, Ideal(), nil},
		{"Llama-3.1-8B", "CPU-EPYC-12ch-DDR5-4800", 1, FP16, Ideal(), []string{"the compute rate is unknown", "the memory of CPU-EPYC-12ch-DDR5-4800 is unknown"}},
		{"DeepSeek-V3", "H200-SXM", 8, Native, Constants{}, []string{"each of the 58 layers", "what the kernels of latent attention cost", "DeepSeek-V3 has"}},
		{"Llama-3.1-8B", "H100-SXM", 1, format(t, "Q4_K_M"), Ideal(), []string{"Q4_K_M is not a format that vllm usually reads on H100-SXM"}},
		{"Llama-3.1-8B", "Apple-M4-Max-40c", 1, FP16, Ideal(), []string{"vllm runs on Apple-M4-Max-40c by a port of which no measurement was read"}},
	} {
		p, err := Partial(Deployment{
			Model: model(t, test.model), Hardware: hardware(t, test.hardware), GPUs: test.gpus, Weights: test.weights, Constants: test.constants})
		if err != nil {
			t.Fatal(err)
		}
		notes := p.Notes()
		if !slices.EqualFunc(notes, test.want, strings.HasPrefix) {
			t.Errorf("%s on %s: notes %q, want %q", test.model, test.hardware, notes, test.want)
		}
	}
}

// Every pair of a model and some hardware gives a step of at least a
// nanosecond, however little is known.
func TestEveryRowCanBePlanned(t *testing.T) {
	for _, h := range catalog.AllHardware() {
		for _, m := range catalog.AllModels() {
			for _, w := range Formats() {
				p, err := Partial(Deployment{Model: m, Hardware: h, Weights: w})
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

// The devices of a layer split need not divide the heads.
func TestLayerSplitOverAnyNumber(t *testing.T) {
	d := Deployment{Model: model(t, "Llama-3.1-70B"), Hardware: hardware(t, "RTX-4090"), Weights: INT4, GPUs: 3, Split: catalog.SplitLayer}
	p := plan(t, d)
	if n := p.Notes(); !slices.ContainsFunc(n, func(s string) bool { return strings.HasPrefix(s, "layers are divided among 3 devices") }) {
		t.Errorf("notes %q do not tell of the split", n)
	}
	if got := p.Deployment().Devices(); got != 3 {
		t.Errorf("Devices() = %d, want 3", got)
	}
}

func TestEngineSetsItsLimitsOnTheHardware(t *testing.T) {
	p := plan(t, Deployment{Model: model(t, "Llama-3.1-8B"), Hardware: hardware(t, "H100-SXM")})
	if e := p.Deployment().Engine; e.Name != "vllm" || e.TokenBudget != 8192 || e.MaxSequences != 1024 {
		t.Errorf("engine %s with %d tokens and %d sequences, want vllm with 8192 and 1024", e.Name, e.TokenBudget, e.MaxSequences)
	}
}
