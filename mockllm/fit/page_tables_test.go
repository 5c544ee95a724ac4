package fit

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
)

func formatsPart(*testing.T) string {
	var rows [][]string
	for _, f := range roofline.Formats() {
		rows = append(rows, []string{"`" + f.String() + "`", fmt.Sprintf("%g", f.Bits()), fmt.Sprintf("%g", f.HeadBits())})
	}
	return markdown([]string{"weights", "bits of a weight of the layers:", "of embedding and head:"}, rows)
}

func cacheFormatsPart(*testing.T) string {
	var rows [][]string
	for _, f := range roofline.KVFormats() {
		rows = append(rows, []string{"`" + f.String() + "`", fmt.Sprintf("%.4g", f.Bytes())})
	}
	return markdown([]string{"cache", "bytes of a value:"}, rows)
}

// enginesPart is what the scheduler does when a family of engines serves a model on a
// device on which no limit of the family is the larger one of two: an L4, or a Gaudi2
// where the family is made for that.
func enginesPart(t *testing.T) string {
	var rows [][]string
	for _, e := range catalog.AllEngines() {
		device := "L4"
		if slices.Equal(e.RunsOn, []string{"gaudi"}) {
			device = "Gaudi2"
		}
		c := engine.Replica{Plan: llama(t, device, func(d *roofline.Deployment) { d.Engine = e })}.Config()
		name := "`" + e.Name + "`"
		if e.Unverified {
			name += " †"
		}
		rows = append(rows, []string{
			name, sequencesCell(c, e), limitCell(c.TokenBudget, e.LargeTokenBudget), orderCell(c), foundCell(c), fullCell(c), e.Split, frontCell(e),
		})
	}
	return markdown([]string{"family", "requests at once", "tokens a step", "order", "found again", "cache full", "split", "front end"}, rows)
}

func sequencesCell(c engine.BatchedConfig, e catalog.Engine) string {
	switch {
	case c.Slots == 1:
		return "1 slot"
	case c.Slots > 1:
		return fmt.Sprintf("%d slots", c.Slots)
	}
	return limitCell(c.MaxSequences, e.LargeMaxSequences)
}

// limitCell returns a limit, and the one on large devices where it is another.
func limitCell(most, large int) string {
	switch {
	case most == math.MaxInt32:
		return "no limit"
	case large > 0:
		return fmt.Sprintf("%d, large devices %d", most, large)
	}
	return fmt.Sprint(most)
}

func orderCell(c engine.BatchedConfig) string {
	prompts := "chunks"
	if c.WholePrompts {
		prompts = "whole prompts"
	}
	switch {
	case c.Slots == 1:
		return "one request after the other"
	case c.PrefillFirst:
		return prompts + " first and alone"
	}
	return "decodes first, " + prompts + " beside"
}

func foundCell(c engine.BatchedConfig) string {
	switch {
	case c.PrefixCache:
		return fmt.Sprintf("blocks of %d", c.BlockTokens)
	case c.SlotCache:
		return "a slot's last request"
	}
	return "nothing"
}

func fullCell(c engine.BatchedConfig) string {
	if c.Slots > 0 {
		return "cannot be"
	}
	return string(c.OnFull)
}

func frontCell(e catalog.Engine) string {
	if e.RequestFixed == 0 && e.TokenizeToken == 0 {
		return "none"
	}
	return fmt.Sprintf("%g ms + %g us a token", milliseconds(e.RequestFixed), micros(e.TokenizeToken))
}

// chunksPart is what a prompt of 8,192 tokens does to 16 streams, and what its chunks
// do to it.
func chunksPart(t *testing.T) string {
	const streams, context, prompt = 16, 1000, 8192
	p := llama(t, "RTX-4090", func(*roofline.Deployment) {})
	rows := [][]string{{"none", seconds(p.Decode(streams, context)), ""}}
	for _, size := range []int{256, 512, 1024, 2048, 4096, 8192} {
		var longest, sum time.Duration
		for done := 0; done < prompt; done += size {
			b := p.DecodeBatch(streams, context)
			b.Add(size, done, (done+size)/prompt)
			longest, sum = max(longest, p.Step(b)), sum+p.Step(b)
		}
		rows = append(rows, []string{fmt.Sprint(size), seconds(longest), seconds(sum)})
	}
	return markdown([]string{"chunk:", "longest gap between tokens:", "prompt takes:"}, rows)
}

// What the parts of a constant's name say.
var (
	constantKinds = map[string]string{
		"mfu": "share of the peak rate", "mbu": "share of the bandwidth", "layer": "us a layer",
		"sequence": "us a sequence", "activations": "vectors a layer and token",
	}
	constantWords = map[string]string{
		"16": "weights of 16 bits", "8": "products in 8 bits", "4": "products in 4 bits", "q": "weights that are unpacked",
		"on-blackwell": "on Blackwell with stacked memory", "on-cdna": "on AMD CDNA", "on-gaudi": "on Gaudi", "on-m1": "on Apple's M1",
		"on-pre-ampere": "on NVIDIA's before Ampere", "portable-on-hbm": "for code not written for stacked memory",
		"serving-in-8": "with products in 8 bits", "serving-in-4": "with products in 4 bits", "eager-on-ampere": "on Ampere",
	}
)

// constantMeaning says what a constant is. The names of kernels speak for themselves.
func constantMeaning(t *testing.T, name string) string {
	kind, rest, _ := strings.Cut(name, ".")
	meaning, ok := constantKinds[kind]
	if !ok {
		t.Errorf("nothing says what %s is", name)
	}
	if words, ok := constantWords[rest]; ok {
		return "factor " + words
	}
	if name == "layer.autoawq" {
		return "factor on `layer.local`"
	}
	if words, ok := constantWords[rest[strings.LastIndexByte(rest, '.')+1:]]; ok {
		meaning += ", " + words
	}
	return meaning
}

// fittedPart lists the built-in constants beside what they rest on.
func fittedPart(t *testing.T) string {
	all, _ := samples(catalog.Builtin(), Published())
	used, families := map[string]int{}, map[string][]string{}
	for _, s := range all {
		for _, name := range s.uses {
			used[name]++
			families[name] = append(families[name], s.family)
		}
	}
	var rows [][]string
	values := roofline.Fitted()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		rows = append(rows, []string{
			"`" + name + "`", fmt.Sprintf("%.3g", values[name]), fmt.Sprintf("%.3g", roofline.PriorOf(name).Value), fmt.Sprint(used[name]),
			constantMeaning(t, name), strings.Join(distinct(families[name]), ", "),
		})
	}
	return markdown([]string{"constant", "value:", "prior:", "rows:", "is", "measured with"}, rows) +
		fmt.Sprintf("\n%d numbers, fitted to %d measurements.\n", len(rows), len(all))
}

// otherPart lists the constants that no measurement of a whole engine was used for.
func otherPart(t *testing.T) string {
	on := func(hardware string, gpus int) roofline.Constants {
		return llama(t, hardware, func(d *roofline.Deployment) { d.GPUs = gpus }).Deployment().Constants
	}
	c, pair, pcie := on("A100-80GB-SXM", 1), on("A100-80GB-SXM", 2), on("A100-80GB-PCIe", 2)
	h2, h4, h8, a4, a8 := on("H100-SXM", 2), on("H100-SXM", 4), on("H100-SXM", 8), on("A100-80GB-SXM", 4), on("A100-80GB-SXM", 8)
	mi, mac, large := on("MI300X", 8), on("Apple-M4-Max-40c", 1), on("H100-SXM", 1)
	const gib = 1 << 30
	gb := func(bytes int64) string {
		return fmt.Sprintf("%.2f GB (%.2f GiB)", float64(bytes)/1e9, float64(bytes)/gib)
	}
	us := func(d time.Duration) string { return fmt.Sprintf("%g us", micros(d)) }
	const vidur, inferenceSim = "profiles of microsoft/vidur, commit 7d47513", "inference-sim/inference-sim, trained-physics model"
	return markdown([]string{"constant", "value:", "where from; read 2026-11-29"}, [][]string{
		{"`x`, exposed share", fmt.Sprint(c.Exposed), vidur + ": 312 timings of matrix products of one layer"},
		{"`MFU_att`", fmt.Sprint(c.AttentionMFU), "FlashAttention-2 reaches .50-.73 of A100 (arXiv 2307.08691), FlashAttention-3 .57 of H100 at 2,048 tokens (pytorch/benchmark, commit ff65cb6); the low end"},
		{"`MBU_exp`", fmt.Sprint(c.ExpertMBU), "Qwen3-30B-A3B reaches .40 of an M4 Max's bandwidth where a dense Qwen3-4B reaches .63 (mlx-lm, commit d78bf58)"},
		{"`dequant`", fmt.Sprint(c.KVDequant), "an estimate"},
		{"`a_act`, where it is not fitted", fmt.Sprint(c.Activations), vidur + ": pointwise work of a layer, rounded down because engines fuse more"},
		{"`a_step` of servers", us(c.StepFixed), inferenceSim + ", fitted on H100"},
		{"`a_seq` of servers", us(c.SequenceFixed), inferenceSim + ", fitted on H100"},
		{"`a_expert` of servers", us(c.ExpertFixed), "timings of expert layers for one token in a captured graph: 29.5 us on H100 (vllm-project/vllm pull request 44830), 31.7 on H200 (sgl-project/sglang 11730), 39.6 on B200 (vllm 31448), of which 25 are not reading; 5 for the router's product (vllm 44217, sglang 20848); less 10 for the two products and the activation of a dense layer (" + vidur + ")"},
		{"all-reduce latency, NVLink", us(pair.AllReduceLatency), vidur + ", all-reduce medians: 8-10 us"},
		{"all-reduce latency, PCIe", us(pcie.AllReduceLatency), vidur + ": 25-30 us; 25 us more on either where launches are not captured"},
		{"all-reduce latency, AMD's fabric", us(mi.AllReduceLatency), "an estimate: twice NVLink's"},
		{"bus share, A100 on NVLink, 2/4/8", fmt.Sprintf("%g / %g / %g", pair.BusShare, a4.BusShare, a8.BusShare), vidur + ", messages of 67 MB"},
		{"bus share, H100 on NVLink, 2/4/8", fmt.Sprintf("%g / %g / %g", h2.BusShare, h4.BusShare, h8.BusShare), vidur + ", messages of 67 MB; Blackwell is taken as H100"},
		{"bus share, PCIe", fmt.Sprint(pcie.BusShare), vidur + ": 24 GB/s of PCIe 4, 49 of PCIe 5"},
		{"bus share, AMD's fabric", fmt.Sprintf("%.3g", mi.BusShare), "AMD, \"Understanding RCCL Bandwidth and xGMI Performance\", 2025-03-02: 48 of 64 GB/s are usable; three quarters of them are taken as reached"},
		{"memory use", fmt.Sprint(c.MemoryUse), "gpu_memory_utilization of vLLM, its default"},
		{"memory use, Apple", fmt.Sprint(mac.MemoryUse), "the system's limit for a GPU, from memory, to be verified"},
		{"working memory, large devices", gb(large.WorkingMemory), "inference-sim/inference-sim, dense models on H100; large is 70 GiB and more, A100 excepted, as for vLLM's budget"},
		{"working memory, others", gb(c.WorkingMemory), "what leaves the 41,408 cached tokens that vLLM 0.19 logged on an RTX 4090 (casys-kaist/LLMServingSim, commit 5daddb2)"},
		{"working memory, Apple", gb(mac.WorkingMemory), "an estimate"},
		{"driver and communication, alone / in a group", gb(c.NonTorch) + " / " + gb(pair.NonTorch), "inference-sim/inference-sim; a device"},
	})
}
