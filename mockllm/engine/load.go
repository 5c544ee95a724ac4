package engine

import (
	"math"
	"time"
)

// Load is what it takes to bring a model into memory. A rate of 0 means that
// there is no such limit, a time of 0 that there is no such work.
type Load struct {
	// Start is the time from the order to start until weights are read: container,
	// process, imports, device context. vLLM 0.10.1.1 without a container: 17.6 s,
	// of which 10.2 are told by its own log.
	Start time.Duration
	// Weights is what is read, in bytes.
	Weights float64
	// Storage is the rate of the disk or the network, in bytes a second: 2-6e9 for
	// NVMe, .2-1e9 for object stores.
	Storage float64
	// Host is the rate at which the loader takes weights that are in the host's
	// memory (the page cache) and does with them what it must, in bytes a second.
	// vLLM 0.10.1.1: 1.8e9.
	Host float64
	// Link is the rate between the host and all devices of the model together, in
	// bytes a second. Unified memory has none.
	Link float64
	// Prepare is the time to compile, to measure how much memory is left and to
	// capture graphs. vLLM 0.10.1.1 with its compile cache warm: 14.8 s for .5B
	// parameters, 19.5 s for 7B, 26.4 s for 13B; 7.5 s of them for 7B load the compiled
	// graphs, and the capture takes .35 s for one batch size and 7.6 s for 1,024.
	Prepare time.Duration
	// WarmUp is what the first request pays beyond its own time: kernels that are
	// compiled or loaded when first used.
	WarmUp time.Duration
}

// LoadTime returns the time from the order to load until the first request is
// served as every other:
//
//	Start + Weights/min(Storage, Host, Link) + Prepare + WarmUp
//
// The weights stream through all three at once, so the slowest counts. When the
// host has them cached already, Storage does not.
//
// Measured figures: vLLM 0.10.1.1 on one A100, mean of five starts with a warm
// compile cache and, it seems, the files in the page cache; source:
// upb-cn/vllm-startup-profiler, avg_comparison_results.json of model_size and
// batch_size in experiments/A100/examples, commit 9ef96f47, the data of H. S.
// Kabakibo, A. Trivedi and L. Wang, "Breaking the Ice: Analyzing Cold Start Latency
// in vLLM", MLSys 2026, arXiv 2606.07362, read 2026-11-29.
func LoadTime(l Load, cached bool) time.Duration {
	rate := slowest(l.Host, l.Link)
	if !cached {
		rate = slowest(rate, l.Storage)
	}
	transfer := 0.0
	if rate > 0 {
		transfer = l.Weights / rate
	}
	return l.Start + time.Duration(math.Round(transfer*float64(time.Second))) + l.Prepare + l.WarmUp
}

// slowest returns the lower rate, 0 being none.
func slowest(a, b float64) float64 {
	if a == 0 || b == 0 {
		return a + b
	}
	return min(a, b)
}
