package roofline

import (
	"slices"
	"strings"
	"testing"

	"halfsecond/mockllm/catalog"
)

// Whose code multiplies, how, and which constants follow from it.
func TestNames(t *testing.T) {
	for _, test := range []struct {
		engine, hardware    string
		weights             Format
		kernels, arithmetic string
		uses                string
	}{
		{"vllm", "H100-SXM", FP16, "serving", "16", "mfu.serving.16 mbu.serving layer.serving"},
		{"vllm", "H100-SXM", FP8, "serving", "8", "mfu.serving.8 mbu.serving mbu.serving-in-8 layer.serving"},
		{"vllm", "A100-80GB-SXM", FP8, "serving", "q", "mfu.serving.q mbu.serving layer.serving"}, // no FP8 there
		{"sglang", "A100-80GB-SXM", W8A8, "serving", "8", "mfu.serving.8 mbu.serving mbu.serving-in-8 layer.serving"},
		{"trtllm", "B200", NVFP4, "serving", "4",
			"mfu.serving.4 mfu.on-blackwell mbu.serving mbu.serving-in-4 mbu.on-blackwell layer.serving"},
		{"trtllm", "RTX-PRO-6000-Blackwell", FP16, "serving", "16", "mfu.serving.16 mbu.serving layer.serving"}, // not HBM
		{"vllm", "MI300X", FP8, "serving", "8",
			"mfu.serving.8 mfu.on-cdna mbu.serving mbu.serving-in-8 mbu.on-cdna layer.serving"},
		{"optimum-habana", "Gaudi3", FP16, "serving", "16", "mfu.serving.16 mfu.on-gaudi mbu.serving mbu.on-gaudi layer.serving"},
		{"lmdeploy", "A100-80GB-SXM", FP16, "serving-2023", "16", "mfu.serving.16 mbu.serving layer.serving-2023"},
		{"vllm-v0", "H100-SXM", FP16, "eager", "16", "mfu.eager.16 mbu.eager layer.eager sequence.eager activations.eager"},
		{"vllm-v0", "A100-80GB-SXM", FP16, "eager", "16",
			"mfu.eager.16 mbu.eager layer.eager layer.eager-on-ampere sequence.eager activations.eager"},
		{"transformers", "A40", FP16, "transformers", "16", "mfu.transformers.16 mbu.transformers layer.transformers activations.transformers"},
		{"gpt-fast", "A100-80GB-SXM", INT8, "gpt-fast", "q", "mfu.gpt-fast.q mbu.gpt-fast.q layer.gpt-fast.q"},
		{"tinychat", "RTX-4090", INT4, "local", "q", "mfu.local.q mbu.local layer.local"},
		{"mlc", "A100-80GB-SXM", INT4, "local", "q", "mfu.local.q mbu.local mbu.portable-on-hbm layer.local layer.portable-on-hbm"},
		{"autoawq", "RTX-4090", INT4, "autoawq", "q", "mfu.autoawq.q mbu.local layer.local layer.autoawq"},
		{"autoawq-gemv", "RTX-4090", INT4, "awq-gemv", "q", "mfu.awq-gemv.q mbu.local layer.local layer.autoawq"},
		{"llama.cpp", "RTX-4090", FP16, "llama.cpp", "16", "mfu.llama.cpp.16 mbu.llama.cpp.16 layer.llama.cpp.16"},
		{"ollama", "H100-SXM", PackedFormat("Q4_K_M", 4.85), "llama.cpp", "q",
			"mfu.llama.cpp.q mbu.llama.cpp.q mbu.portable-on-hbm layer.llama.cpp.q layer.portable-on-hbm"},
		{"llama.cpp-2024", "P40", PackedFormat("Q4_0", 4.5), "llama.cpp", "q",
			"mfu.llama.cpp.q mbu.llama.cpp.q mbu.on-pre-ampere layer.llama.cpp.q"},
		{"ik_llama.cpp", "RTX-4090", FP16, "llama.cpp", "16", "mfu.llama.cpp.16 mbu.llama.cpp.16 layer.llama.cpp.16"},
		// The back end decides on Apple hardware and on processors.
		{"mlx", "Apple-M4-Max-40c", PackedFormat("q4", 4.5), "metal", "q", "mfu.metal.q mbu.metal.q layer.metal.16"},
		{"vllm", "Apple-M1-Max-32c", FP16, "metal", "16", "mfu.metal.16 mfu.on-m1 mbu.metal.16 mbu.on-m1 layer.metal.16"},
		{"llama.cpp", "CPU-Ryzen-7950X-DDR5-5200", PackedFormat("Q4_0", 4.5), "cpu", "q", "mfu.cpu.q mbu.cpu layer.cpu"},
		{"ik_llama.cpp", "CPU-Ryzen-7950X-DDR5-5200", PackedFormat("Q4_0", 4.5), "ik", "q", "mfu.ik.q mbu.cpu layer.cpu"},
	} {
		d := Deployment{Hardware: hardware(t, test.hardware), Weights: test.weights}
		engineOf(t, test.engine)(&d)
		if k, a := d.kernels(), d.arithmetic(); k != test.kernels || a != test.arithmetic {
			t.Errorf("%s on %s in %s: kernels %s, arithmetic %s; want %s, %s", test.engine, test.hardware, test.weights, k, a, test.kernels, test.arithmetic)
		}
		if got := strings.Join(Uses(d), " "); got != test.uses {
			t.Errorf("%s on %s in %s uses %s\nwant %s", test.engine, test.hardware, test.weights, got, test.uses)
		}
	}
}

// A deployment that names neither engine nor format uses those of vllm in 16 bits.
func TestUsesOfTheDefaults(t *testing.T) {
	want := []string{"mfu.serving.16", "mbu.serving", "layer.serving"}
	if got := Uses(Deployment{Hardware: hardware(t, "L40S")}); !slices.Equal(got, want) {
		t.Errorf("Uses = %v, want %v", got, want)
	}
}

// What the kernels of each engine are like.
func TestKernelHabits(t *testing.T) {
	for kernels, want := range map[string]struct{ tuned, portable, serves, captured, overlapped bool }{
		"serving":      {tuned: true, serves: true, captured: true},
		"serving-2023": {tuned: true, serves: true},
		"eager":        {tuned: true, serves: true, overlapped: true},
		"transformers": {tuned: true, overlapped: true},
		"gpt-fast":     {tuned: true, captured: true},
		"local":        {portable: true, captured: true},
		"autoawq":      {captured: true},
		"awq-gemv":     {captured: true},
		"llama.cpp":    {portable: true, captured: true},
		"ik":           {captured: true},
	} {
		d := Deployment{Engine: catalog.Engine{Kernels: kernels}}
		if kernels == "ik" {
			d.Hardware.Family = "cpu"
		}
		got := struct{ tuned, portable, serves, captured, overlapped bool }{d.tuned(), d.portable(), d.serves(), d.captured(), d.overlapped()}
		if got != want {
			t.Errorf("%s: %+v, want %+v", kernels, got, want)
		}
	}
	if got := len(catalog.KernelNames()); got != 10 {
		t.Errorf("there are %d kinds of kernels, and this test knows 10", got)
	}
}

// computeRate on hardware of 100 operations a second in 16 bits, 200 in 8, and 200
// (or 50, as on Hopper) of portable code.
func TestComputeRate(t *testing.T) {
	board := catalog.Hardware{Family: "geforce", FP16: 100, INT8: 200, FP8: 200, Portable: 200}
	hopper := catalog.Hardware{Family: "hopper", FP16: 100, INT8: 200, FP8: 200, Portable: 50}
	without := catalog.Hardware{Family: "pre-ampere", FP16: 1, FP32: 60, INT8: 240, Portable: 240}
	user := catalog.Hardware{Family: "geforce", FP16: 100}
	for _, test := range []struct {
		name    string
		h       catalog.Hardware
		kernels string
		weights Format
		mfu     float64
		want    float64
	}{
		{"a server's share of the peak", catalog.Hardware{Family: "ampere", FP16: 100}, "serving", FP16, .8, 80},
		{"unpacked weights, likewise", catalog.Hardware{Family: "ampere", FP16: 100}, "serving", INT4, .8, 80},
		{"8 bits, likewise", catalog.Hardware{Family: "ampere", FP16: 100, INT8: 200}, "serving", W8A8, .8, 160},
		{"portable code's share of what it can reach", hopper, "llama.cpp", FP16, .4, 20},
		{"of unpacked weights too", hopper, "llama.cpp", INT4, .4, 20},
		{"of programs for one board too", hopper, "local", INT4, .8, 40},
		{"tuned code on the same hardware", hopper, "serving", FP16, .8, 80},
		{"a kernel that is neither", hopper, "awq-gemv", INT4, .1, 10},
		{"portable code on a GeForce board", board, "llama.cpp", FP16, .4, 80},
		// Tuned code would reach .8 of the whole chip's 200, and has half of it.
		{"tuned code nearly fills a GeForce board", board, "serving", FP16, .8, 95},
		{"unpacked weights, likewise", board, "serving", INT4, .8, 95},
		{"unless it reaches less than half", board, "serving", FP16, .3, 60},
		{"or a perfect engine fills it", board, "serving", FP16, 1, 100},
		{"8 bits are not halved", board, "serving", FP8, .8, 160},
		{"nor is other code", board, "autoawq", INT4, .4, 40},
		{"a user's GeForce board without a portable rate", user, "serving", FP16, .8, 95},
		{"and portable code on it", user, "llama.cpp", FP16, .4, 40},
		{"16 bits in 32 where that is faster", without, "llama.cpp", FP16, .5, 30},
		{"but unpacked weights in 8", without, "llama.cpp", INT4, .5, 120},
		{"tuned code in 32", without, "serving", INT4, .5, 30},
		{"a GeForce board without 16-bit products", func() catalog.Hardware { h := without; h.Family = "geforce"; return h }(), "serving", FP16, .5, 30},
		{"nothing where no rate is known", catalog.Hardware{Family: "cpu"}, "serving", FP16, .8, 0},
	} {
		p := Plan{d: Deployment{Hardware: test.h, Engine: catalog.Engine{Kernels: test.kernels}, Constants: Constants{MFU: test.mfu}}}
		if got := p.computeRate(test.weights); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
