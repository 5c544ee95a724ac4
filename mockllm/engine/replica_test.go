package engine

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// deployment is a model of the catalogue on devices of it.
func deployment(t testing.TB, model, hardware string, gpus int) roofline.Deployment {
	t.Helper()
	m, err := catalog.FindModel(model)
	if err != nil {
		t.Fatal(err)
	}
	h, err := catalog.FindHardware(hardware)
	if err != nil {
		t.Fatal(err)
	}
	return roofline.Deployment{Model: m, Hardware: h, GPUs: gpus}
}

func planOf(t testing.TB, d roofline.Deployment) *roofline.Plan {
	t.Helper()
	p, err := roofline.New(d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func replica(t testing.TB, model, hardware string, gpus int) Replica {
	t.Helper()
	return Replica{Plan: planOf(t, deployment(t, model, hardware, gpus))}
}

// served returns the replica of Llama-3.1-8B on an H100 by a family of engines.
func served(t testing.TB, family string, set func(r *Replica)) Replica {
	t.Helper()
	d := deployment(t, "Llama-3.1-8B", "H100-SXM", 1)
	e, err := catalog.FindEngine(family)
	if err != nil {
		t.Fatal(err)
	}
	d.Engine = e
	r := Replica{Plan: planOf(t, d)}
	if set != nil {
		set(&r)
	}
	return r
}

// TestHabits: each family's habits become a configuration, and what is set differs
// from them.
func TestHabits(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		name   string
		family string
		set    func(r *Replica)
		is     func(c BatchedConfig) bool
	}{
		{"chunks, decodes first", "vllm", nil, func(c BatchedConfig) bool {
			return !c.WholePrompts && !c.PrefillFirst && c.PrefixCache && c.BlockTokens == 16 && c.OnFull == Recompute && c.Slots == 0
		}},
		{"prompts whole and first", "vllm-v0", nil, func(c BatchedConfig) bool {
			return c.WholePrompts && c.PrefillFirst && !c.PrefixCache && c.OnFull == Recompute
		}},
		{"room for the longest answer", "trtllm", nil, func(c BatchedConfig) bool { return c.OnFull == Reserve }},
		{"prompts first, blocks of a token", "sglang", nil, func(c BatchedConfig) bool {
			return c.PrefillFirst && !c.WholePrompts && c.PrefixCache && c.BlockTokens == 1
		}},
		{"slots and micro-batches", "llama.cpp", nil, func(c BatchedConfig) bool {
			return c.Slots >= 1 && c.SlotCache && c.TokenBudget == 512 && !c.WholePrompts && !c.PrefixCache
		}},
		{"what is set", "vllm", func(r *Replica) {
			r.MaxSequences, r.TokenBudget, r.Chunked, r.PrefixCache, r.PrefixTTL, r.OnFull = 7, 99, &no, &no, time.Minute, Refuse
		}, func(c BatchedConfig) bool {
			return c.MaxSequences == 7 && c.TokenBudget == 99 && c.WholePrompts && !c.PrefixCache && c.PrefixTTL == time.Minute && c.OnFull == Refuse
		}},
		{"what is set of one with other habits", "vllm-v0", func(r *Replica) { r.Chunked, r.PrefixCache = &yes, &yes }, func(c BatchedConfig) bool {
			return !c.WholePrompts && c.PrefillFirst && c.PrefixCache
		}},
		{"what is set of slots", "llama.cpp", func(r *Replica) { r.Slots, r.TokenBudget, r.PrefixCache = 4, 2048, &no }, func(c BatchedConfig) bool {
			return c.Slots == 4 && c.TokenBudget == 2048 && !c.SlotCache
		}},
		{"swap", "vllm", func(r *Replica) { r.OnFull = Swap }, func(c BatchedConfig) bool {
			// 4 GiB of blocks of 16 tokens of 128 KiB.
			return c.Overflow == Overflow{Blocks: 2048, TokenBytes: 128 << 10, Rate: 24e9}
		}},
		{"spill", "vllm", func(r *Replica) { r.OnFull, r.OverflowRate, r.OverflowBytes = Spill, 7e9, 1<<40 }, func(c BatchedConfig) bool {
			return c.Overflow == Overflow{Blocks: 1 << 19, TokenBytes: 128 << 10, Rate: 7e9, Latency: 80 * time.Microsecond}
		}},
		{"n-gram lookup", "vllm", func(r *Replica) { r.Drafting = &Drafting{Tokens: 3, Acceptance: .5, Seed: 4} }, func(c BatchedConfig) bool {
			return *c.Speculation == Speculation{Tokens: 3, Acceptance: .5, Seed: 4}
		}},
		{"a head", "vllm", func(r *Replica) { r.Drafting = &Drafting{Head: true, Tokens: 3} }, func(c BatchedConfig) bool {
			h, err := c.Steps.(*roofline.Plan).Head()
			return err == nil && reflect.DeepEqual(c.Speculation.Drafter, h)
		}},
		{"every logit", "transformers", nil, func(c BatchedConfig) bool { return c.AllLogits && !c.WholePrompts }},
		{"many drafts", "vllm", func(r *Replica) { r.MaxSequences, r.TokenBudget, r.Drafting = 256, 2048, &Drafting{Tokens: 9} }, func(c BatchedConfig) bool {
			return c.MaxSequences == 204 // of 10 tokens each
		}},
	} {
		r := served(t, c.family, c.set)
		if err := r.Validate(); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := r.Config(); !c.is(got) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// TestCacheSize: the cache is as large as the plan says, in blocks of the engine; a
// draft model takes its part.
func TestCacheSize(t *testing.T) {
	plain := served(t, "vllm", nil)
	tokens, err := plain.Plan.KVTokens()
	if err != nil {
		t.Fatal(err)
	}
	if got := plain.Config().KVBlocks; got != tokens/16 {
		t.Errorf("%d blocks, want %d for %d tokens", got, tokens/16, tokens)
	}
	if got := served(t, "sglang", nil).Config(); got.KVBlocks*got.BlockTokens < tokens*9/10 {
		t.Errorf("%d blocks of %d tokens", got.KVBlocks, got.BlockTokens)
	}
	draft := planOf(t, deployment(t, "Llama-3.2-1B", "H100-SXM", 1))
	r := served(t, "vllm", func(r *Replica) { r.Drafting = &Drafting{Model: draft, Tokens: 3} })
	beside, err := r.Plan.Room(16, draft)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Config().KVBlocks; got != beside.Blocks || got >= tokens/16 {
		t.Errorf("%d blocks beside a draft model, want %d of %d", got, beside.Blocks, tokens/16)
	}
}

// TestContextWithWindows: what a model with sliding windows serves is as long as its
// memory allows, with all that runs beside it gone.
func TestContextWithWindows(t *testing.T) {
	plan := planOf(t, deployment(t, "gpt-oss-120b", "H100-SXM", 1))
	c := Replica{Plan: plan}.Config()
	if got, want := c.Windows, (roofline.Windows{{Tokens: 128, Share: 1}}); !reflect.DeepEqual(got, want) {
		t.Errorf("windows %+v, want %+v", got, want)
	}
	tokens, err := plan.KVTokens()
	if err != nil || tokens < 131_072 || c.capacity()*16 != tokens || c.KVBlocks*16 != tokens+128 {
		t.Errorf("%d blocks, a sequence of %d, %d tokens by the plan, %v; want a window of 8 blocks beside the longest", c.KVBlocks, c.capacity(), tokens, err)
	}
	if got := (Replica{Plan: plan}).Context(); got != 131_072 {
		t.Errorf("context of %d tokens, want the model's 131072", got)
	}
}

func TestReplicaErrors(t *testing.T) {
	large := planOf(t, deployment(t, "Llama-3.1-8B", "H100-SXM", 1))
	for _, c := range []struct {
		name string
		r    Replica
		want string
	}{
		{"weights that do not fit", Replica{Plan: planOf(t, deployment(t, "Llama-3.1-70B", "H100-SXM", 1))}, "does not fit"},
		{"slots of an engine without", served(t, "vllm", func(r *Replica) { r.Slots = 2 }), "2 slots: vllm has none, it serves in batches"},
		{"too many slots", served(t, "llama.cpp", func(r *Replica) { r.Slots = 1 << 20 }), "1048576 slots share a cache that leaves 0 tokens to each, want at least 16"},
		{"a policy that is none", served(t, "vllm", func(r *Replica) { r.OnFull = "wait" }), `policy "wait" is unknown: want one of recompute, swap, spill, reserve, refuse`},
		{"a large draft model", Replica{Plan: planOf(t, deployment(t, "Phi-2", "RTX-4090", 1)), Drafting: &Drafting{Model: large, Tokens: 3}},
			"no room for a cache beside Phi-2 and Llama-3.1-8B, which drafts: Phi-2 in fp16 does not fit: it needs "},
		{"a budget too small for the drafts", served(t, "vllm", func(r *Replica) { r.TokenBudget, r.Drafting = 4, &Drafting{Tokens: 5} }),
			"token budget is 4, must be at least 6, max sequences of 5 drafted and 1 more tokens each, or some would never decode"},
		{"a cache below a block", served(t, "exllamav2", func(r *Replica) {
			d := r.Plan.Deployment()
			d.KVTokens = 200
			r.Plan = planOf(t, d)
		}), "the cache holds less than one block, of 256 tokens"},
		{"impossible drafts", served(t, "vllm", func(r *Replica) { r.Drafting = &Drafting{Acceptance: 2} }), "drafted tokens is 0, must be at least 1"},
	} {
		err := c.r.Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Validate = %v, want %s", c.name, err, c.want)
		}
	}
}

// TestBatchOfOne: a lone request takes what the plan says of its chunks and of each of
// its tokens, whatever the habits, and with drafts what the closed form says.
func TestBatchOfOne(t *testing.T) {
	draft := planOf(t, deployment(t, "Llama-3.2-1B", "H100-SXM", 1))
	for _, c := range []struct {
		name   string
		family string
		chunk  int // tokens at a time; 0 for whole prompts
		draft  *roofline.Plan
	}{
		{"vllm", "vllm", 2048, nil}, {"vllm-v0", "vllm-v0", 0, nil}, {"trtllm", "trtllm", 8192, nil},
		{"sglang", "sglang", 8192, nil}, {"llama.cpp", "llama.cpp", 512, nil}, {"drafts", "vllm", 2048, draft},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := served(t, c.family, func(r *Replica) {
				if c.chunk != 0 {
					r.TokenBudget = c.chunk
				}
				if c.draft != nil {
					r.Drafting = &Drafting{Model: c.draft, Tokens: 4, Acceptance: 1}
				}
			})
			const prompt, output = 5000, 11
			first := chunks(r.Plan, prompt, c.chunk, 1)
			if c.draft != nil {
				first += chunks(c.draft, prompt, c.chunk, 0)
			}
			if got := r.First(prompt); got != first {
				t.Errorf("First(%d) = %s, want %s", prompt, got, first)
			}
			last := first
			for computed := prompt; computed < prompt+output-1; {
				b := r.Plan.Batch()
				if c.draft == nil {
					b.Add(1, computed, 1)
					computed++
				} else {
					b.Add(5, computed, 5)
					for i := range 4 {
						pass := c.draft.Batch()
						pass.Add(1, computed+i, 1)
						last += c.draft.Step(pass)
					}
					computed += 5
				}
				last += r.Plan.Step(b)
			}
			var loop pipeline.Virtual
			e := r.Build(&loop)
			q := &Request{Prompt: prompt, Output: output, Done: func(pipeline.Outcome) {}}
			e.Submit(q)
			if err := loop.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if q.Last != last {
				t.Errorf("the last of %d tokens at %s, want %s", output, q.Last, last)
			}
		})
	}
}

// chunks is the time of a lone prompt in chunks, or whole, after which so many tokens
// need logits.
func chunks(p *roofline.Plan, prompt, chunk, logits int) (total time.Duration) {
	if chunk == 0 {
		chunk = prompt
	}
	for before := 0; before < prompt; before += chunk {
		b, n := p.Batch(), min(chunk, prompt-before)
		if before+n == prompt {
			b.Add(n, before, logits)
		} else {
			b.Add(n, before, 0)
		}
		total += p.Step(b)
	}
	return total
}

// TestOverflowOfDevices: every device has a part of the host's memory and a link to it,
// which it takes its own part of a token over, or a copy of it; a disk serves them all.
func TestOverflowOfDevices(t *testing.T) {
	const token = 320 << 10 // bytes of Llama-3.1-70B: 80 layers, 8 KV heads of 128, twice 2 bytes
	for _, c := range []struct {
		name         string
		gpus, stages int
		policy       Policy
		draft        bool
		want         Overflow
	}{
		{"swap", 4, 1, Swap, false, Overflow{Blocks: 4 << 30 * 4 / token / 16, TokenBytes: token, Rate: 4 * 24e9}},
		{"swap of stages", 2, 2, Swap, false, Overflow{Blocks: 4 << 30 * 4 / token / 16, TokenBytes: token, Rate: 4 * 24e9}},
		{"swap of copies", 16, 1, Swap, false, Overflow{Blocks: 4 << 30 * 16 / (2 * token) / 16, TokenBytes: 2 * token, Rate: 16 * 24e9}},
		{"swap with a head", 4, 1, Swap, true, Overflow{Blocks: 4 << 30 * 4 / (token / 80 * 81) / 16, TokenBytes: token / 80 * 81, Rate: 4 * 24e9}},
		{"spill of copies", 16, 1, Spill, false, Overflow{Blocks: 1_000_000_000_000 / (2 * token) / 16, TokenBytes: 2 * token, Rate: 5e9, Latency: 80 * time.Microsecond}},
	} {
		d := deployment(t, "Llama-3.1-70B", "H100-SXM", c.gpus)
		d.Stages = c.stages
		r := Replica{Plan: planOf(t, d), OnFull: c.policy}
		if c.draft {
			r.Drafting = &Drafting{Head: true, Tokens: 3}
		}
		if got := r.Config().Overflow; got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	r := replica(t, "Llama-3.1-70B", "H100-SXM", 4)
	r.OnFull, r.OverflowBytes, r.OverflowRate = Swap, 1<<30, 50e9
	if got, want := r.Config().Overflow, (Overflow{Blocks: 4 << 30 / token / 16, TokenBytes: token, Rate: 200e9}); got != want {
		t.Errorf("what is set: %+v, want %+v", got, want)
	}
}

// TestAllLogits: where the output head is computed for every token of a prompt, each
// chunk pays for its own, and the scheduler takes what a prediction says.
func TestAllLogits(t *testing.T) {
	var loop pipeline.Virtual
	steps := &recorder{}
	e := NewBatched(&loop, BatchedConfig{Steps: steps, MaxSequences: 1, TokenBudget: 8, KVBlocks: 10, AllLogits: true})
	var log []string
	ask(&loop, e, &log, "a", 0, 20, 2)
	expect(t, &loop, &log, "a1@30 a2@40 a:ok@40")
	want := make([]roofline.Batch, 4)
	want[0].Add(8, 0, 8)
	want[1].Add(8, 8, 8)
	want[2].Add(4, 16, 4)
	want[3].Add(1, 20, 1)
	if !slices.Equal(steps.batches, want) {
		t.Errorf("batches\n got %+v\nwant %+v", steps.batches, want)
	}
	r := served(t, "transformers", nil)
	last := r.Plan.Batch()
	last.Add(3000, 0, 1)
	if got, want := r.First(3000), r.Plan.Prefill(3000); got != want || got <= r.Plan.Step(last) {
		t.Errorf("First(3000) = %s, want %s as predicted, and more than %s for the last logit alone", got, want, r.Plan.Step(last))
	}
}

// TestContextOfSlotsWithWindows: a cache that is stated is that of all slots together, and
// each has its part of it, windows beside.
func TestContextOfSlotsWithWindows(t *testing.T) {
	d := deployment(t, "Gemma-3-27B", "H100-SXM", 1)
	d.Engine, d.KVTokens = served(t, "llama.cpp", nil).Plan.Deployment().Engine, 8192
	r := Replica{Plan: planOf(t, d), Slots: 4}
	if got := r.Context(); got != 2049 { // the last token is never written
		t.Errorf("a slot of %d tokens, want 2048 and one", got)
	}
	c := r.Config()
	if got := c.CacheTokens(); got != 8192 {
		t.Errorf("the slots hold %d tokens together, want 8192", got)
	}
	if got, want := c.KVBlocks, 4*(128+5*64); got != want {
		t.Errorf("%d blocks, want %d", got, want)
	}
}
