package catalog

import (
	"reflect"
	"testing"
	"time"
)

func engine(t *testing.T, name string) Engine {
	t.Helper()
	e, err := FindEngine(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEngineHabits(t *testing.T) {
	got := engine(t, "TensorRT-LLM")
	got.Source, got.Note, got.Unverified = "", "", false
	want := Engine{
		Name: "trtllm", Aliases: []string{"tensorrt-llm"}, RunsOn: []string{"NVIDIA"}, MaxSequences: 2048, TokenBudget: 8192,
		PrefixCache: true, PrefixBlock: 32, OnFull: OnFullReserve, FlashAttention: true, Kernels: "serving", Split: SplitTensor,
		RequestFixed: 2 * time.Millisecond, TokenizeToken: 2 * time.Microsecond,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	ollama := engine(t, "ollama")
	if ollama.Slots != 1 || !ollama.SlotCache || ollama.MicroBatch != 512 || !ollama.Chunked || ollama.OnFull != "" || ollama.IdleUnload != 5*time.Minute || ollama.Split != SplitLayer {
		t.Errorf("ollama: %+v", ollama)
	}
}

// Engines set themselves larger limits on larger devices.
func TestEngineOnADevice(t *testing.T) {
	for _, test := range []struct {
		engine, hardware  string
		sequences, budget int
	}{
		{"vllm", "H100-SXM", 1024, 8192},
		{"vllm", "A100-80GB-SXM", 256, 2048}, // excepted
		{"vllm", "RTX-4090", 256, 2048},
		{"vllm", "CPU-i9-13900K-DDR5-6400", 256, 2048}, // memory unknown
		{"sglang", "A100-80GB-SXM", 2048, 8192},
		{"sglang", "RTX-4090", 2048, 2048},
		{"trtllm", "H100-SXM", 2048, 8192},
		{"llama.cpp", "H100-SXM", 0, 0}, // it has slots and micro-batches
	} {
		h, err := FindHardware(test.hardware)
		if err != nil {
			t.Fatal(err)
		}
		e := engine(t, test.engine).On(h)
		if e.MaxSequences != test.sequences || e.TokenBudget != test.budget {
			t.Errorf("%s on %s: %d sequences, %d tokens; want %d, %d",
				test.engine, test.hardware, e.MaxSequences, e.TokenBudget, test.sequences, test.budget)
		}
	}
}

// Software runs on what it is made for, by a port on some more, and nowhere else; on
// hardware of which nothing is known it may.
func TestSupport(t *testing.T) {
	for _, test := range []struct {
		engine, hardware string
		want             Support
	}{
		{"vllm", "H100-SXM", Supported},
		{"vllm", "MI300X", Supported},
		{"vllm", "Gaudi3", Supported},
		{"vllm", "CPU-M2-Pro", Supported},
		{"vllm", "Apple-M4-Max-40c", Ported},
		{"sglang", "Apple-M4-Max-40c", Ported},
		{"trtllm", "RTX-4090", Supported},
		{"trtllm", "Apple-M4-Max-40c", Unsupported},
		{"trtllm", "MI300X", Unsupported},
		{"exllamav2", "RX-7900XTX", Supported},
		{"exllamav2", "Apple-M4-Max-40c", Unsupported},
		{"mlx", "Apple-M4-Max-40c", Supported},
		{"mlx", "CPU-M2-Pro", Supported}, // Apple's as well
		{"mlx", "CPU-Intel-N150", Ported},
		{"mlx", "RTX-4090", Ported},
		{"mlx", "MI300X", Unsupported},
		{"optimum-habana", "Gaudi2", Supported},
		{"optimum-habana", "H100-SXM", Unsupported},
		{"llama.cpp", "Apple-M4-Max-40c", Supported},
		{"trtllm", "Groq-LPU (GroqChip1)", Supported},
	} {
		h, err := FindHardware(test.hardware)
		if err != nil {
			t.Fatal(err)
		}
		if got := engine(t, test.engine).Support(h); got != test.want {
			t.Errorf("%s on %s: support %d, want %d", test.engine, test.hardware, got, test.want)
		}
	}
	ours := Engine{RunsOn: []string{"nvidia"}}
	if got := ours.Support(Hardware{Vendor: "Us"}); got != Supported {
		t.Errorf("hardware without a family: %d, want %d", got, Supported)
	}
	if got := ours.Support(Hardware{Vendor: "NVIDIA", Family: "ada"}); got != Supported {
		t.Errorf("a vendor in small letters: %d, want %d", got, Supported)
	}
}

// What means nothing to slots is not said of them, and a user's engine of slots has
// none of it from the usual engine, which has no slots.
func TestSlotsHaveNoLimits(t *testing.T) {
	c, err := Read("our.txt", []byte("[engines]\nname,slots,micro_batch_tokens\nours,3,128\nwhole,3,\n"))
	if err != nil {
		t.Fatal(err)
	}
	slotted := 0
	for _, e := range c.Engines() {
		if e.Slots == 0 {
			continue
		}
		slotted++
		if e.MaxSequences+e.TokenBudget != 0 || e.OnFull != "" || e.PrefillFirst || e.PlansAhead || e.PrefixCache || e.Chunked != (e.MicroBatch > 0) {
			t.Errorf("%+v", e)
		}
	}
	if slotted < 10 {
		t.Errorf("%d engines of slots", slotted)
	}
}

func TestEveryMeasuredEngineHasAFamily(t *testing.T) {
	for _, name := range []string{
		"vllm", "vllm-v0", "trtllm", "sglang", "llama.cpp", "ollama", "mlx", "exllamav2", "lmdeploy", "gpt-fast", "transformers",
		"autoawq", "autoawq-gemv", "tinychat", "mlc", "fastertransformer", "optimum-habana", "trtllm-2023", "ik_llama.cpp",
	} {
		if e := engine(t, name); e.Name != name {
			t.Errorf("FindEngine(%q) found %s", name, e.Name)
		}
	}
}
