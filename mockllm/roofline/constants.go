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
	Dequant      float64 // factor on MFU when weights are unpacked to 16 bits, 0..1
	KVDequant    float64 // factor on AttentionMBU when cached values take less than 2 bytes, 0..1
	HalfTokens   float64 // T_half: with this many tokens in a step, half of MFU is reached

	StepFixed     time.Duration // a_step, once a step
	LayerFixed    time.Duration // a_layer, once a layer
	SequenceFixed time.Duration // a_seq, once a sequence of the step

	AllReduceLatency time.Duration // once an all-reduce, of which a layer has two
	BusShare         float64       // share of the link's rate that an all-reduce reaches, 0..1

	MemoryUse   float64 // share of the device memory that the engine takes, 0..1
	Activations int64   // bytes that a replica needs to work in, beside weights and cache
	NonTorch    int64   // bytes a device that the driver and the communication library take

	Note string // a caveat for those who read the result, or ""
}

// Ideal returns the constants of a perfect engine: every datasheet figure reached,
// no fixed cost, all memory usable.
func Ideal() Constants {
	return Constants{
		MFU: 1, AttentionMFU: 1, MBU: 1, AttentionMBU: 1, Dequant: 1, KVDequant: 1, BusShare: 1, MemoryUse: 1,
	}
}

// Values of a serving engine in the manner of vLLM V1, with graph capture, chunked
// prefill and paged attention, that do not depend on the hardware.
const (
	// The matrix products of a layer of Llama-2-7B on an A100 reach .47, .66 and .70
	// of peak at 128, 256 and 512 tokens; T/(T+60) of .70 says .48, .57 and .63.
	// Source: vidur profiling data, microsoft/vidur commit 7d47513, read 2026-11-29.
	maxHalfTokens = 60

	// Coefficients per step, layer and sequence that inference-sim fitted to vLLM
	// on H100. Source: inference-sim/inference-sim, trained-physics model, read
	// 2026-11-29.
	stepFixed     = 126 * time.Microsecond
	layerFixed    = 32 * time.Microsecond
	sequenceFixed = 4400 * time.Nanosecond

	// FlashAttention-2 reaches .50-.73 of an A100's peak (arXiv:2307.08691), and
	// FlashAttention-3 .57 of an H100's at 2,048 tokens (pytorch/benchmark commit
	// ff65cb6); the low end, because chunks are short. Read 2026-11-29.
	attentionMFU = .5

	// Weight-only kernels prefill at .4-.9 of the 16-bit rate, by the published
	// speeds of AutoAWQ, TinyChat and exllamav2 (casper-hansen/AutoAWQ commit
	// 88e4c76, mit-han-lab/llm-awq commit d6e797a, turboderp/exllamav2 commit
	// b9c025b): the middle. Read 2026-11-29.
	dequant = .65

	// Reading a quantised cache costs about a tenth of the bandwidth. An estimate.
	kvDequant = .9

	// gpu_memory_utilization of vLLM, its default; read 2026-11-29.
	memoryUse = .9

	mib = 1 << 20
)

// family holds what depends on the kind of hardware.
type family struct {
	mfu, mfu8  float64 // for 16-bit and 8-bit arithmetic
	mbu        float64
	layerFixed time.Duration // 0 for the common one
	note       string
}

const assumed = "efficiencies of this kind of hardware are assumed: no measurement of a serving engine on it was read"

// Shares of the datasheet's figures that serving engines reach, by family, read
// 2026-11-29:
//   - MFU .65 on A100, .70 on H100 and .6 on Ada workstation boards, MBU .75-.85 on
//     NVIDIA: fits to the speeds that TensorRT-LLM publishes (commits 138f96d and
//     00f3768) and that ai-dynamo/aiconfigurator measured (commit 095f58a).
//   - 8-bit MFU .5 on L40S, and on H100 .33-.42 in TensorRT-LLM 0.5 but .5-.6 in
//     version 1.0: same sources.
//   - GeForce: 2,048 tokens of Llama-3.1-8B take 230-250 ms on an RTX 4090, .75 of
//     its rate with 32-bit accumulation (casys-kaist/LLMServingSim commit 5daddb2).
//   - CDNA: MI300X in FP8 only (ROCm/vllm commit 040de12). Gaudi: Gaudi 2 in FP8
//     only (Intel's model performance pages, 2024-10).
var familyConstants = map[string]family{
	"hopper":     {mfu: .70, mfu8: .55, mbu: .85},
	"ampere":     {mfu: .65, mfu8: .45, mbu: .80},
	"ada":        {mfu: .60, mfu8: .50, mbu: .80},
	"blackwell":  {mfu: .60, mfu8: .55, mbu: .80},
	"geforce":    {mfu: .75, mfu8: .50, mbu: .80},
	"cdna":       {mfu: .50, mfu8: .25, mbu: .75, layerFixed: 50 * time.Microsecond},
	"gaudi":      {mfu: .50, mfu8: .55, mbu: .85, layerFixed: 50 * time.Microsecond},
	"pre-ampere": {mfu: .50, mfu8: .40, mbu: .75, note: assumed},
	"rdna":       {mfu: .50, mfu8: .40, mbu: .70, note: assumed},
	"tpu":        {mfu: .50, mfu8: .40, mbu: .75, note: assumed},
	"groq":       {mfu: .50, mfu8: .40, mbu: .75, note: assumed},
	"cpu":        {mfu: .50, mfu8: .40, mbu: .70, note: assumed},
}

// Defaults returns the constants of a serving engine in the manner of vLLM V1 on
// gpus devices of h, or of llama.cpp and mlx on Apple hardware.
func Defaults(h catalog.Hardware, gpus int, weights Format) Constants {
	if h.Family == "apple" {
		return appleDefaults(h, weights)
	}
	f, ok := familyConstants[h.Family]
	if !ok {
		f = family{mfu: .6, mfu8: .4, mbu: .8, note: "efficiencies are those of a typical NVIDIA board"}
	}
	c := Constants{
		MFU: f.mfu, AttentionMFU: attentionMFU, MBU: f.mbu, AttentionMBU: f.mbu,
		Dequant: dequant, KVDequant: kvDequant,
		StepFixed: stepFixed, LayerFixed: layerFixed, SequenceFixed: sequenceFixed,
		MemoryUse: memoryUse, Activations: activations(h), NonTorch: nonTorch(gpus),
		Note: f.note,
	}
	if weights.eightBit(h) {
		c.MFU = f.mfu8
	}
	c.HalfTokens = halfTokens(h, weights, c)
	if f.layerFixed > 0 {
		c.LayerFixed = f.layerFixed
	}
	c.AllReduceLatency, c.BusShare = allReduce(h, gpus)
	return c
}

// appleDefaults are those of llama.cpp's and mlx's Metal back ends: MFU .5-.85, MBU
// .58-.8, 15 us a layer for 16-bit weights and 50-200 us for quantised ones, which
// stands for unpacking. Fits to the published speeds of llama.cpp and mlx-lm
// (XiongjieDai/GPU-Benchmarks-on-LLM-Inference commit aa72e0e, mlx-lm commit
// d78bf58, results in llama.cpp's issues up to 2026-03), read 2026-11-29. That three
// quarters of the memory are usable is the system's default limit for a GPU; half a
// GiB to work in is an estimate.
func appleDefaults(h catalog.Hardware, weights Format) Constants {
	c := Constants{
		MFU: .70, AttentionMFU: attentionMFU, MBU: .75, AttentionMBU: .75,
		Dequant: 1, KVDequant: kvDequant,
		LayerFixed: 15 * time.Microsecond,
		BusShare:   1,
		MemoryUse:  .75, Activations: 512 * mib,
		Note: "constants of llama.cpp and mlx on Metal, which serve few sequences at a time",
	}
	c.HalfTokens = halfTokens(h, weights, c)
	if weights.quantised() {
		c.LayerFixed = 120 * time.Microsecond
	}
	return c
}

// halfTokens returns T_half: maxHalfTokens, but never more than half the tokens at
// which multiplying takes as long as reading the weights, for below that a step is
// measured to take as long as reading does (vidur's profiles again: the weights of
// an A100 are read at .71-.80 of its bandwidth up to 64 tokens).
func halfTokens(h catalog.Hardware, weights Format, c Constants) float64 {
	flops, unpacked := weights.rate(h)
	if unpacked {
		flops *= c.Dequant
	}
	knee := flops * c.MFU * weights.Bits() / 8 / (2 * h.Bandwidth * c.MBU)
	return min(maxHalfTokens, knee/2)
}

// activations returns the bytes a replica works in. They grow with the tokens that
// a step may have: vLLM's default is 8,192 on devices of 70 GiB and more other than
// A100, 2,048 elsewhere (vllm/engine/arg_utils.py, read 2026-11-29). 5.5 GiB is
// inference-sim's figure for dense models on H100; 1.43 GiB is what an RTX 4090
// with Llama-3.1-8B must have used to leave the 41,408 cached tokens that vLLM 0.19
// logged (casys-kaist/LLMServingSim commit 5daddb2, read 2026-11-29).
func activations(h catalog.Hardware) int64 {
	if h.Memory >= 70*1024*mib && !strings.HasPrefix(h.Name, "A100") {
		return 5632 * mib // 5.5 GiB
	}
	return 1464 * mib // 1.43 GiB
}

// nonTorch returns the bytes a device that the driver and the communication library
// take: .15 GiB alone, .6 GiB in a group. Source: inference-sim/inference-sim, read
// 2026-11-29.
func nonTorch(gpus int) int64 {
	if gpus > 1 {
		return 614 * mib
	}
	return 154 * mib
}

// Latency of an all-reduce inside a captured graph: 8-10 us over NVLink, 25-30 us
// over PCIe. Fits to vidur's all-reduce medians, microsoft/vidur commit 7d47513,
// read 2026-11-29.
const (
	nvlinkLatency = 9 * time.Microsecond
	pcieLatency   = 27 * time.Microsecond
)

// allReduce returns the latency of an all-reduce and the share of the link that it
// reaches. Shares are those of vidur's medians at 67 MB: A100 over NVLink .52, .56
// and .58 at 2, 4 and 8 devices, H100 .61, .70 and .81, PCIe .75 (24 GB/s of PCIe 4,
// 49 of PCIe 5). AMD's fabric is taken as A100's NVLink, everything else as PCIe.
func allReduce(h catalog.Hardware, gpus int) (time.Duration, float64) {
	shares := [3]float64{.52, .56, .58}
	if h.Family == "hopper" || h.Family == "blackwell" {
		shares = [3]float64{.61, .70, .81}
	}
	share := shares[2]
	switch {
	case gpus <= 2:
		share = shares[0]
	case gpus <= 4:
		share = shares[1]
	}
	switch {
	case bridged(h) && gpus > 2:
		return pcieLatency, bridgedBus(h) / h.Link
	case strings.HasPrefix(h.Interconnect, "NVLink"), h.Interconnect == "Infinity Fabric":
		return nvlinkLatency, share
	default:
		return pcieLatency, .75
	}
}

// bridged reports whether NVLink joins the devices only in pairs.
func bridged(h catalog.Hardware) bool { return h.Interconnect == "NVLink bridge" }

// bridgedBus is the rate of an all-reduce over PCIe between pairs: 24 GB/s measured
// on A100, 49 GB/s on H100, by the same source.
func bridgedBus(h catalog.Hardware) float64 {
	if h.Family == "hopper" {
		return 49e9
	}
	return 24e9
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
	share("dequant factor", c.Dequant)
	share("KV dequant factor", c.KVDequant)
	share("bus share", c.BusShare)
	share("memory use", c.MemoryUse)
	notNegative := func(name string, v float64) {
		if !(v >= 0) {
			errs = append(errs, fmt.Errorf("%s %g: must not be negative", name, v))
		}
	}
	notNegative("half tokens", c.HalfTokens)
	notNegative("fixed cost a step", c.StepFixed.Seconds())
	notNegative("fixed cost a layer", c.LayerFixed.Seconds())
	notNegative("fixed cost a sequence", c.SequenceFixed.Seconds())
	notNegative("all-reduce latency", c.AllReduceLatency.Seconds())
	notNegative("activations", float64(c.Activations))
	notNegative("non-torch memory", float64(c.NonTorch))
	return errors.Join(errs...)
}
