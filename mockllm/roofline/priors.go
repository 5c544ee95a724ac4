package roofline

import "strings"

// Prior is what is known of a constant before anything is fitted: a value around
// which its logarithm is expected to spread, and Most, above which no value counts; 0
// when any does.
type Prior struct{ Value, Spread, Most float64 }

// How far off a prior is expected to be: a share or a factor by half its size, a
// fixed cost by as much as it is.
const (
	shareSpread = .5
	costSpread  = 1
)

// PriorOf returns the prior of a name that Uses gives; it panics at any other.
func PriorOf(name string) Prior {
	kind, rest, _ := strings.Cut(name, ".")
	p := Prior{Value: priorValue(name, kind, rest), Spread: shareSpread}
	switch {
	case kind != "mfu" && kind != "mbu":
		p.Spread = costSpread
	case kind == "mfu" && !isFactor(rest):
		p.Most = mostMFU
	case !isFactor(rest):
		p.Most = mostMBU
	}
	return p
}

// isFactor reports whether a name without its kind is a factor on another.
func isFactor(rest string) bool {
	return strings.HasPrefix(rest, "on-") || strings.Contains(rest, "-on-") || strings.Contains(rest, "-in-")
}

func priorValue(name, kind, rest string) float64 {
	if v, ok := priors[name]; ok {
		return v
	}
	mfu, known := arithmeticMFU[rest[strings.LastIndexByte(rest, '.')+1:]]
	switch {
	case isFactor(rest) && (kind == "mfu" || kind == "mbu" || kind == "layer"):
		return 1
	case kind == "mfu" && known:
		return mfu
	case kind == "mbu":
		return weightMBU
	case kind == "layer":
		return layerCost
	default:
		panic("roofline: no constant " + name)
	}
}

const (
	// Measured products of up to 64 tokens, which do little but read their weights,
	// reach .71-.78 of the bandwidth of A100, .63-.80 of A40's and .75-.89 of H100's
	// (vidur's profiles, microsoft/vidur commit 7d47513, read 2026-11-29).
	weightMBU = .75

	// 32 us a layer is inference-sim's coefficient of vLLM on H100
	// (inference-sim/inference-sim, trained-physics model, read 2026-11-29), one of the
	// fastest devices; somewhat more is taken.
	layerCost = 40
)

// arithmeticMFU is the share of the peak that matrix products are expected to reach,
// by arithmetic. Measured products reach .65-.76 in 16 bits (vidur's profiles,
// microsoft/vidur commit 7d47513) and about .65 of the 8-bit peak of H100 at best
// (SemiAnalysis, "MI300X vs H100 vs H200", 2024-12-22: 1,280 of 1,979 TFLOPS, as
// quoted by others); servers reach less of it. Unpacking weights costs 20-90 % more
// (QServe, arXiv:2405.04532), of which the middle is taken. Read 2026-11-29.
var arithmeticMFU = map[string]float64{"16": .65, "8": .5, "4": .4, "q": .65 * .65}

// priors are those that differ from the rest of their kind, in microseconds what is
// a cost.
var priors = map[string]float64{
	// Early vLLM and transformers launch every kernel from Python, some 300 us a layer:
	// the token times of Splitwise (Mutinifni/splitwise-sim commit 8f99e7d) divided by
	// layers. Sampling in Python takes a fraction of a millisecond a sequence.
	"layer.eager":        300,
	"layer.transformers": 300,
	"layer.autoawq":      1, // a factor on layer.local
	"sequence.eager":     100,

	// Unfused normalisation, rotation and residuals in 32 bits move several times what
	// fused kernels move. An estimate.
	"activations.eager":        40,
	"activations.transformers": 40,

	// llama.cpp's kernels reach about a third of what portable instructions allow, and
	// Apple's products as much as others'. Estimates.
	"mfu.llama.cpp.16": .35,
	"mfu.llama.cpp.q":  .35,
	"mfu.local.q":      .65,

	// AutoAWQ's kernel for a batch of one takes in prompts ten times more slowly than the
	// other one, by its author (casper-hansen/AutoAWQ pull request 40, 2023-09-08, on an
	// RTX 3090; 220 against 2,831 tokens a second in mit-han-lab/llm-awq issue 88). Read
	// 2026-11-29.
	"mfu.awq-gemv.q": .65 * .65 / 10,

	"mfu.metal.q": .65,
	"mfu.cpu.16":  .5,
	"mfu.cpu.q":   .5,
	"mfu.ik.16":   .5,
	"mfu.ik.q":    .5,

	// Threads of a processor meet some thirty times a layer, each time for about a
	// tenth of a microsecond a core. An estimate; in microseconds a core.
	"layer.cpu": 3,

	// Matrix products alone reach .38 of MI300X's 8-bit and .47 of its 16-bit peak where
	// they reach .65 and .73 of H100's (SemiAnalysis, as above), and BabelStream .81 of
	// its bandwidth where it reaches .90 of NVIDIA's (Ambati et al., "AMD MI300X GPU
	// Performance Analysis", 2025-10-31). Read 2026-11-29.
	"mfu.on-cdna": .6,
	"mbu.on-cdna": .9,
}
