package fit

import (
	"strings"
	"testing"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
)

// The family of an engine follows from its name as sources write it.
func TestEngineOf(t *testing.T) {
	for _, test := range []struct{ name, note, want string }{
		{"vllm", "", "vllm"},
		{"vllm-", "", "vllm"},
		{"vLLM-0.23", "", "vllm"},
		{"vllm-0.11.2", "", "vllm"},
		{"vLLM-v0.11.2", "", "vllm"}, // the v of a version, not the engine V0
		{"vLLM 0.6.3 CUDA", "", "vllm"},
		{"vllm_0.8", "", "vllm"},
		{"vLLM-0.10-rocm", "", "vllm"},
		{"vLLM-V1", "", "vllm"},
		{"vLLM-V0", "", "vllm-v0"},
		{"vLLM-2023", "", "vllm-v0"},
		{"trtllm-", "", "trtllm"},
		{"trtllm-1.0.0rc3", "", "trtllm"},
		{"TensorRT-LLM-1.2", "", "trtllm"},
		{"TensorRT LLM 1.0", "", "trtllm"},
		{"TensorRT-LLM-0.6", "", "trtllm-2023"},
		{"sglang", "", "sglang"},
		{"SGLang-0.5.8.post1", "", "sglang"},
		{"llama.cpp", "", "llama.cpp"},
		{"llama.cpp-cuda-2026", "", "llama.cpp"},
		{"llama.cpp-vulkan-2025-12", "", "llama.cpp"},
		{"llama.cpp-rocm-2026", "", "llama.cpp"},
		{"llama.cpp-2024-05", "", "llama.cpp-2024"},
		{"llama.cpp-vulkan-2024-02", "", "llama.cpp-2024"},
		{"llama.cpp-metal-2023-08", "", "llama.cpp-2024"},
		{"llama-server-b6000", "", "llama.cpp"},
		{"ik_llama.cpp-cpu-2024-12", "", "ik_llama.cpp"},
		{"ollama-2025", "", "ollama"},
		{"mlx-lm-0.30", "", "mlx"},
		{"MLC-LLM-2023-08", "", "mlc"},
		{"exllamav2-2023", "", "exllamav2"},
		{"HF-transformers", "", "transformers"},
		{"TinyChat-2024", "", "tinychat"},
		{"lmdeploy-0.1.0a1", "", "lmdeploy"},
		{"gpt-fast-2024", "", "gpt-fast"},
		{"FasterTransformer", "", "fastertransformer"},
		{"optimum-habana-1.18", "", "optimum-habana"},
		{"AutoAWQ-0.2", "", "autoawq"},
		{"AutoAWQ-0.2", "kernel GEMM", "autoawq"},
		{"AutoAWQ-0.2", "kernel GEMV; prompt and generation of equal length", "autoawq-gemv"},
		{"vllm-0.9", "kernel GEMV", "vllm"}, // it has no such family

		{"vllmx-1.0", "", ""},
		{"vllm2", "", ""},
		{"TGI-2.4", "", ""},
		{"exllamav3-0.1", "", ""},
		{"cuda", "", ""},
	} {
		got, err := engineOf(catalog.Builtin(), test.name, test.note)
		if got.Name != test.want || (err != nil) != (test.want == "") {
			t.Errorf("%q with note %q: %q, %v; want %q", test.name, test.note, got.Name, err, test.want)
		}
	}
	if _, err := engineOf(catalog.Builtin(), "exllamav3-0.1", ""); !strings.Contains(err.Error(), "nearest: exllamav2") {
		t.Errorf("the error does not name the nearest engine: %v", err)
	}
}

// Formats have their usual bits unless a row states others; of unknown names the row
// has to.
func TestFormatOf(t *testing.T) {
	for _, test := range []struct {
		name string
		bits float64
		like roofline.Format // "" bits mean those of the format
		want float64
		head float64
	}{
		{"fp16", 16, roofline.FP16, 16, 16},
		{"bf16", 0, roofline.FP16, 16, 16},
		{"f16", 16.1, roofline.FP16, 16, 16},
		{"fp8", 0, roofline.FP8, 8, 16},
		{"fp8_e4m3", 8, roofline.FP8, 8, 16},
		{"fp8-dynamic", 0, roofline.FP8, 8, 16},
		{"nvfp4", 4.5, roofline.NVFP4, 4.5, 16},
		{"awq", 0, roofline.INT4, 4.25, 16},
		{"int4-awq-g128", 4.15, roofline.INT4, 4.15, 16},
		{"Q5_K_M", 0, format(t, "Q5_K_M"), 5.7, 5.7},
		{"Q4_K_M", 4.83, format(t, "Q4_K_M"), 4.83, 4.83},
		{"Q4_K_M (mxfp4 experts)", 4.45, format(t, "Q4_K_M"), 4.45, 4.45},
		{"Q4_K_S", 0, format(t, "q4"), 4.5, 4.5},
		{"q4f16_1", 4.5, format(t, "Q4_0"), 4.5, 4.5},
		{"iq4_xs_r4", 4.3, roofline.PackedFormat("iq4_xs_r4", 4.3), 4.3, 4.3},
		{"ternary", 1.58, roofline.PackedFormat("ternary", 1.58), 1.58, 1.58},
		{"fp32", 32, roofline.FP16, 32, 32},
		{"bfloat16", 16, roofline.FP16, 16, 16},
	} {
		got, err := formatOf(test.name, test.bits)
		if err != nil || got.String() != test.like.String() || got.Bits() != test.want || got.HeadBits() != test.head {
			t.Errorf("%s of %g bits: %s of %g and head %g, %v; want %s of %g and %g",
				test.name, test.bits, got, got.Bits(), got.HeadBits(), err, test.like, test.want, test.head)
		}
	}
	for _, name := range []string{"iq4_xs", "Q3_K_M", "gguf", "-", "_"} {
		if got, err := formatOf(name, 0); err == nil || !strings.HasSuffix(err.Error(), ", or fill bits_per_weight") {
			t.Errorf("%s of unknown bits: %v, %v", name, got, err)
		}
	}
}

func format(t *testing.T, name string) roofline.Format {
	t.Helper()
	f, err := roofline.ParseFormat(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// simple is a row whose deployment is known to be fine.
func simple() Row {
	return Row{
		ID: "simple", Engine: "vllm-0.11", Model: "Llama-3.1-8B", GPU: "H100-SXM", WeightFormat: "bf16",
		GPUs: 1, Prompt: 512, Generated: 128, Batch: 1, Metric: TPOT, Value: 8,
	}
}

func TestDeployment(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Row)
		gpus   int
		split  string
		kv     roofline.KVFormat
	}{
		{"one device", func(*Row) {}, 1, "", roofline.KVFP16},
		{"none", func(r *Row) { r.Parallelism = "none" }, 1, "", roofline.KVFP16},
		{"tensor", func(r *Row) { r.GPUs, r.Parallelism = 4, "tp" }, 4, catalog.SplitTensor, roofline.KVFP16},
		{"layers", func(r *Row) { r.GPUs, r.Parallelism = 4, "layer" }, 4, catalog.SplitLayer, roofline.KVFP16},
		{"as the engine does", func(r *Row) { r.GPUs = 4 }, 4, "", roofline.KVFP16},
		{"replicas", func(r *Row) { r.GPUs, r.Parallelism = 4, "dp" }, 1, "", roofline.KVFP16},
		{"a narrow cache", func(r *Row) { r.Note = "static batch; fp8 KV" }, 1, "", roofline.KVFP8},
		{"Gaudi", func(r *Row) { r.Engine, r.GPU, r.WeightFormat = "optimum-habana-1.18", "Gaudi2", "fp8" }, 1, "", roofline.KVFP8},
		{"Gaudi in 16 bits", func(r *Row) { r.Engine, r.GPU = "optimum-habana-1.18", "Gaudi2" }, 1, "", roofline.KVFP16},
	} {
		r := simple()
		test.change(&r)
		d, err := r.Deployment(catalog.Builtin())
		if err != nil || d.GPUs != test.gpus || d.Split != test.split || d.KV != test.kv {
			t.Errorf("%s: %d GPUs, split %q, cache %s, %v; want %d, %q, %s", test.name, d.GPUs, d.Split, d.KV, err, test.gpus, test.split, test.kv)
		}
	}
}

// A row without a prediction says everything that is in the way.
func TestDeploymentRefuses(t *testing.T) {
	r := Row{Engine: "TGI", Model: "Llama-3.1-8", GPU: "H10", WeightFormat: "iq3", GPUs: 1, Batch: Unstated, Metric: "itl_ms"}
	_, err := r.Deployment(catalog.Builtin())
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{`unknown engine "TGI"`, `unknown model "Llama-3.1-8"`, `unknown hardware "H10"`, `unknown weight format "iq3"`, `metric "itl_ms"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %s", err, want)
		}
	}
}
