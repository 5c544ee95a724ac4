package roofline

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"halfsecond/mockllm/catalog"
)

// Constants are the efficiencies and fixed costs of an engine on some hardware:
// everything in the equation that no datasheet tells. The zero Constants stand
// for Defaults.
type Constants struct {
	MFU          float64 // share of the peak rate that large matrix products reach, 0..1
	AttentionMFU float64 // share of the 16-bit peak rate that attention reaches, 0..1
	MBU          float64 // share of the memory bandwidth at which weights are read, 0..1
	AttentionMBU float64 // share of the memory bandwidth at which the cache is read, 0..1
	KVDequant    float64 // factor on AttentionMBU when cached values take less than 2 bytes, 0..1
	Exposed      float64 // share of the shorter of multiplying and reading weights that the longer does not hide, 0..1
	ExpertMBU    float64 // factor on MBU when the weights of many small experts are read, 0..1

	// Activations is how often a layer moves a vector of the hidden width to or from
	// memory for each token, beside its matrix products, on every device. What is
	// divided among the devices of a tensor split comes on top, 1.4 times as much.
	Activations float64

	StepFixed     time.Duration // a_step, once a step
	LayerFixed    time.Duration // a_layer, once a layer
	SequenceFixed time.Duration // a_seq, once a sequence of the step
	ExpertFixed   time.Duration // a_expert, once a layer with experts, beside LayerFixed
	// Overlapped says that the host spends LayerFixed while the device works, so that
	// the longer of the two counts.
	Overlapped bool

	AllReduceLatency time.Duration // once an all-reduce, of which a layer has two
	BusShare         float64       // share of the link's rate that an all-reduce reaches, 0..1

	MemoryUse     float64 // share of the device memory that the engine takes, 0..1
	WorkingMemory int64   // bytes that a replica needs to work in, beside weights and cache
	NonTorch      int64   // bytes a device that the driver and the communication library take

	Note string // a caveat for those who read the result, or ""
}

// Ideal returns the constants of a perfect engine: every datasheet figure reached,
// no fixed cost, all memory usable.
func Ideal() Constants {
	return Constants{
		MFU: 1, AttentionMFU: 1, MBU: 1, AttentionMBU: 1, KVDequant: 1, ExpertMBU: 1, BusShare: 1, MemoryUse: 1,
	}
}

// Constants that are the same everywhere, from sources other than the measurements
// of whole engines to which the table of Fitted was fitted.
const (
	// Of matrix products alone (vidur's profiles of layers of Llama-2 on A100, H100 and
	// A40, microsoft/vidur commit 7d47513, read 2026-11-29): the longer of multiplying
	// and reading, and .4 of the shorter, is within 4 % at the median of 312 cases.
	exposed = .4

	// The pointwise work of a layer in the same profiles: at 2,048 tokens of Llama-2-7B
	// on A40 it takes .642, .452 and .358 ms on 1, 2 and 4 devices, which at the
	// datasheet's bandwidth is the time of 11 reads or writes of the hidden width on
	// each device and of 16 divided among them. On A100 and H100 it takes half as much
	// again, for these kernels do not reach their bandwidth. Somewhat fewer are taken:
	// engines fuse more than the profile does.
	activationReads   = 10
	dividedActivation = 1.4

	// Coefficients per step and sequence that inference-sim fitted to vLLM on H100.
	// Source: inference-sim/inference-sim, trained-physics model, read 2026-11-29.
	stepFixed     = 126 * time.Microsecond
	sequenceFixed = 4400 * time.Nanosecond

	// What a layer with experts costs beside reading and a dense layer's fixed cost, on
	// servers. The kernels of an expert layer for one token, top-k and sum included,
	// repeated in a captured graph, take 29.5 us on H100 (512 experts of width 128, 10
	// chosen, vllm-project/vllm pull request 44830), 31.7 us on H200 (128 of 192, 8,
	// sgl-project/sglang pull request 11730) and 39.6 us on B200 (128 of 768, 8, 16 bits,
	// vllm pull request 31448); at this model's rate reading takes 3.9, 6.5 and 16.5 us of
	// it, which leaves 25. The router's product before them takes 4.3 to 6.6 us (vllm pull
	// request 44217, sglang 20848). A dense layer has two products and an activation in
	// their place, 10 us beside reading: products take 3.1 to 4.3 us on H100 and pointwise
	// kernels some 3 (vidur's profiles, microsoft/vidur commit 7d47513). 25 + 5 - 10. Read
	// 2026-11-29.
	expertFixed = 20 * time.Microsecond

	// FlashAttention-2 reaches .50-.73 of an A100's peak (arXiv:2307.08691), and
	// FlashAttention-3 .57 of an H100's at 2,048 tokens (pytorch/benchmark commit
	// ff65cb6); the low end, because chunks are short. Read 2026-11-29.
	attentionMFU = .5

	// Reading a quantised cache costs about a tenth of the bandwidth. An estimate.
	kvDequant = .9

	// A 4-bit Qwen3-30B-A3B on an M4 Max reaches .40 of the bandwidth, a dense Qwen3-4B
	// .63 (mlx-lm commit d78bf58, read 2026-11-29).
	expertMBU = .65

	// gpu_memory_utilization of vLLM, its default; read 2026-11-29.
	memoryUse = .9

	// A program for one user's board takes what it needs instead of a share: nearly all
	// of the memory is usable, half a GiB goes to its buffers. Llama-3.1-70B of 42.5 GB
	// runs on two cards of 24 GiB (XiongjieDai/GPU-Benchmarks-on-LLM-Inference commit
	// aa72e0e, read 2026-11-29). Estimates.
	localMemoryUse     = .97
	localWorkingMemory = 512 * mib

	// Three quarters of the memory is the system's limit for a GPU of Apple's (from
	// memory, to be verified); half a GiB to work in is an estimate.
	appleMemoryUse     = .75
	appleWorkingMemory = 512 * mib

	mib = 1 << 20
)

// Defaults returns the constants of a deployment by the built-in table.
func Defaults(d Deployment) Constants { return builtIn().Constants(d) }

// workingMemory returns the bytes a replica works in. They grow with the tokens that
// a step may have: vLLM's default is 8,192 on devices of 70 GiB and more other than
// A100, 2,048 elsewhere (vllm/engine/arg_utils.py, read 2026-11-29). 5.5 GiB is
// inference-sim's figure for dense models on H100; 1.43 GiB is what an RTX 4090
// with Llama-3.1-8B must have used to leave the 41,408 cached tokens that vLLM 0.19
// logged (casys-kaist/LLMServingSim commit 5daddb2, read 2026-11-29).
func workingMemory(h catalog.Hardware) int64 {
	if h.Memory >= 70*1024*mib && !strings.HasPrefix(h.Name, "A100") {
		return 5632 * mib // 5.5 GiB
	}
	return 1464 * mib // 1.43 GiB
}

// nonTorch returns the bytes a device that the driver and the communication library
// take: .15 GiB alone, .6 GiB in a group. Source: inference-sim/inference-sim, read
// 2026-11-29.
func nonTorch(devices int) int64 {
	if devices > 1 {
		return 614 * mib
	}
	return 154 * mib
}

// validate reports every constant that is out of range.
func (c Constants) validate() error {
	var errs []error
	share := func(name string, v float64) {
		if !(v > 0 && v <= 1) {
			errs = append(errs, fmt.Errorf("%s %g: want more than 0 and at most 1", name, v))
		}
	}
	share("MFU", c.MFU)
	share("attention MFU", c.AttentionMFU)
	share("MBU", c.MBU)
	share("attention MBU", c.AttentionMBU)
	share("KV dequant factor", c.KVDequant)
	share("expert MBU factor", c.ExpertMBU)
	share("bus share", c.BusShare)
	share("memory use", c.MemoryUse)
	if !(c.Exposed >= 0 && c.Exposed <= 1) {
		errs = append(errs, fmt.Errorf("exposed share %g: want 0 to 1", c.Exposed))
	}
	notNegative := func(name string, v float64) {
		if !(v >= 0) {
			errs = append(errs, fmt.Errorf("%s %g: must not be negative", name, v))
		}
	}
	notNegative("activations", c.Activations)
	notNegative("fixed cost a step", c.StepFixed.Seconds())
	notNegative("fixed cost a layer", c.LayerFixed.Seconds())
	notNegative("fixed cost a sequence", c.SequenceFixed.Seconds())
	notNegative("fixed cost a layer of experts", c.ExpertFixed.Seconds())
	notNegative("all-reduce latency", c.AllReduceLatency.Seconds())
	notNegative("working memory", float64(c.WorkingMemory))
	notNegative("non-torch memory", float64(c.NonTorch))
	return errors.Join(errs...)
}
