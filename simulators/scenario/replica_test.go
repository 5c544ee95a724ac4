package scenario

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
)

// served returns a scenario with that language model.
func served(llm string) string {
	return "halfsecond: 1\nkind: bench\nname: n\nbench:\n  llm: " + llm + "\n"
}

func config(t *testing.T, llm string) engine.BatchedConfig {
	t.Helper()
	r, err := parse(t, served(llm)).Bench.LLM.Engine.Replica()
	if err != nil {
		t.Fatal(err)
	}
	return r.Config()
}

// TestWeightFormat: a file that names no format has the one of the model as the engine
// reads it.
func TestWeightFormat(t *testing.T) {
	for keys, want := range map[string]string{
		"{model: Llama-3.1-8B, hardware: H100-SXM}":                       "fp16",
		"{model: gpt-oss-20b, hardware: H100-SXM}":                        "mxfp4",
		"{model: gpt-oss-20b, hardware: RTX-4090, engine: llama.cpp}":     "MXFP4_MOE",
		"{model: gpt-oss-20b, hardware: H100-SXM, weights: fp8}":          "fp8",
		"{model: Llama-3.1-8B, hardware: RTX-4090, weights: q4_k_m@4.90}": "Q4_K_M@4.9",
		"{model: DeepSeek-V3, hardware: H200-SXM, gpus: 8}":               "fp8",
		"{model: Llama-3.1-8B, hardware: H100-SXM, weights: Native}":      "fp16",
	} {
		e := parse(t, served(keys)).Bench.LLM.Engine
		if got := e.WeightFormat(); got != want || !strings.Contains(e.String(), "("+want+")") {
			t.Errorf("%s: %s in %q, want %s", keys, got, e, want)
		}
	}
}

// TestHabits: what the canonical text says of a family of engines is what its
// replica does, and says the same when it is read again.
func TestHabits(t *testing.T) {
	for _, f := range catalog.AllEngines() {
		hardware := "H100-SXM"
		if f.Name == "optimum-habana" {
			hardware = "Gaudi3" // it runs on nothing else
		}
		s := parse(t, served(fmt.Sprintf("{model: Llama-3.1-8B, hardware: %s, engine: %s}", hardware, f.Name)))
		text := s.Canonical()
		if again := parse(t, text); again.Canonical() != text || again.Hash() != s.Hash() {
			t.Errorf("%s: read again it is\n%s\nwant\n%s", f.Name, again.Canonical(), text)
		}
		r, err := s.Bench.LLM.Engine.Replica()
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		c := r.Config()
		want := []string{"engine: " + f.Name, fmt.Sprintf("prefix_cache: %v", c.PrefixCache || c.SlotCache)}
		if c.Slots > 0 {
			want = append(want, fmt.Sprintf("slots: %d", c.Slots))
		} else {
			want = append(want, fmt.Sprintf("max_sequences: %d", c.MaxSequences), fmt.Sprintf("token_budget: %d", c.TokenBudget),
				fmt.Sprintf("chunked_prefill: %v", !c.WholePrompts), fmt.Sprintf("on_full: %s", c.OnFull))
		}
		for _, line := range want {
			if !strings.Contains(text, "    "+line+"\n") {
				t.Errorf("%s: want the line %q in\n%s", f.Name, line, text)
			}
		}
		if strings.Contains(text, "max_sequences") == (c.Slots > 0) {
			t.Errorf("%s: %d slots, and the text is\n%s", f.Name, c.Slots, text)
		}
	}
}

// TestReplica: every key reaches the engine.
func TestReplica(t *testing.T) {
	const llm = "{model: Llama-3.1-8B, hardware: H100-SXM"
	base := config(t, llm+"}")
	for _, c := range []struct {
		keys string
		want func(c engine.BatchedConfig) bool
	}{
		{"gpus: 2", func(c engine.BatchedConfig) bool { return c.KVBlocks > 2*base.KVBlocks }},
		{"stages: 2", func(c engine.BatchedConfig) bool { return c.KVBlocks > 2*base.KVBlocks }},
		{"weights: fp8", func(c engine.BatchedConfig) bool { return c.KVBlocks > base.KVBlocks }},
		{"kv_cache: fp8", func(c engine.BatchedConfig) bool {
			return c.KVBlocks == 2*base.KVBlocks || c.KVBlocks == 2*base.KVBlocks+1
		}},
		{"kv_tokens: 3200", func(c engine.BatchedConfig) bool { return c.KVBlocks == 200 }},
		{"max_sequences: 7", func(c engine.BatchedConfig) bool { return c.MaxSequences == 7 }},
		{"token_budget: 4096", func(c engine.BatchedConfig) bool { return c.TokenBudget == 4096 }},
		{"chunked_prefill: false", func(c engine.BatchedConfig) bool { return c.WholePrompts && !base.WholePrompts }},
		{"prefix_cache: false", func(c engine.BatchedConfig) bool { return !c.PrefixCache && base.PrefixCache }},
		{"prefix_ttl: 5m", func(c engine.BatchedConfig) bool { return c.PrefixTTL == 5*time.Minute }},
		{"on_full: swap", func(c engine.BatchedConfig) bool { return c.OnFull == engine.Swap && c.Overflow.Rate == 24e9 }},
		{"on_full: swap, swap_gb_s: 50", func(c engine.BatchedConfig) bool { return c.Overflow.Rate == 50e9 }},
		{"on_full: spill", func(c engine.BatchedConfig) bool { return c.OnFull == engine.Spill && c.Overflow.Rate == 5e9 }},
		{"on_full: spill, spill_gb_s: 2.5", func(c engine.BatchedConfig) bool { return c.Overflow.Rate == 2.5e9 }},
		{"engine: sglang", func(c engine.BatchedConfig) bool { return c.PrefillFirst && c.BlockTokens == 1 }},
		{"engine: llama.cpp, slots: 3, prefix_cache: false", func(c engine.BatchedConfig) bool { return c.Slots == 3 && !c.SlotCache }},
		{"replicas: 2, failures: [{replica: 1, at: 5s, for: 1m}, {replica: 0, at: 2m, for: 1m}], router: prefix, slow_start: 9s", func(engine.BatchedConfig) bool { return true }},
		{"engine: ollama, cold_start: 3s", func(engine.BatchedConfig) bool { return true }},
		{"speculation: {draft: ngram, tokens: 3}", func(c engine.BatchedConfig) bool {
			return c.Speculation.Drafter == nil && c.Speculation.Tokens == 3 && c.Speculation.Acceptance == engine.LookupAcceptance
		}},
		{"speculation: {draft: eagle, acceptance: 80%}", func(c engine.BatchedConfig) bool {
			head, err := base.Steps.(*roofline.Plan).Head()
			return err == nil && reflect.DeepEqual(c.Speculation.Drafter, head) && c.Speculation.Tokens == 4 && c.Speculation.Acceptance == .8
		}},
		{"speculation: {draft: mtp}", func(c engine.BatchedConfig) bool {
			return c.Speculation.Drafter != nil && c.Speculation.Acceptance == engine.HeadAcceptance
		}},
		{"speculation: {draft: Llama-3.2-1B}", func(c engine.BatchedConfig) bool {
			return c.Speculation.Drafter != nil && c.Speculation.Acceptance == engine.ModelAcceptance && c.KVBlocks < base.KVBlocks
		}},
		{"cold_start: auto, loaded: true", func(engine.BatchedConfig) bool { return true }},
	} {
		if got := config(t, llm+", "+c.keys+"}"); !c.want(got) {
			t.Errorf("%s: %+v", c.keys, got)
		}
		s := parse(t, served(llm+", "+c.keys+"}"))
		if again := parse(t, s.Canonical()); !reflect.DeepEqual(again, s) {
			t.Errorf("%s: the canonical text\n%s\nreads as another scenario", c.keys, s.Canonical())
		}
	}
}

func TestImpossibleReplicas(t *testing.T) {
	const where = "f:5:"
	for _, c := range []struct{ keys, want string }{
		{"slots: 2", "bench.llm.slots: goes with an engine of slots, and engine is vllm"},
		{"engine: ollama, max_sequences: 2", "bench.llm.max_sequences: goes with an engine without slots, and engine is ollama"},
		{"engine: ollama, on_full: swap", "bench.llm.on_full: goes with an engine without slots, and engine is ollama"},
		{"swap_gb_s: 2", "bench.llm.swap_gb_s: goes with on_full: swap, and on_full is recompute"},
		{"on_full: swap, spill_gb_s: 2", "bench.llm.spill_gb_s: goes with on_full: spill, and on_full is swap"},
		{"engine: vlm", `bench.llm.engine: unknown engine "vlm"; nearest: vllm`},
		{"engine: vlm, slots: 2", `bench.llm.engine: unknown engine "vlm"; nearest: vllm`},
		{"weights: fp7", `bench.llm.weights: unknown weight format "fp7": want one of fp16, fp8`},
		{"kv_tokens: 5", "bench.llm.model: a cache of 5 tokens: want at least a block of 16"},
		{"weights: Q4_K_M@x", `bench.llm.weights: weight format "Q4_K_M@x": want a format such as Q4_K_M before the @`},
		{"gpus: 3", "bench.llm.model: 3 GPUs: Llama-3.1-8B has 32 attention heads, which divide among 1, 2, 4, 8, 16 GPUs"},
		{"speculation: {draft: Llama-3.2-1T}", `bench.llm.speculation.draft: unknown model "Llama-3.2-1T"; nearest: Llama-3.2-1B`},
		{"speculation: {tokens: 2}", "bench.llm.speculation: draft is missing: want ngram, eagle, mtp or a name from `halfsecond catalog models`"},
		{"cold_start: soon", "bench.llm.cold_start: want auto or a duration with its unit, such as 18s; found \"soon\""},
		{"cold_start: 2h", "bench.llm.cold_start: 2h is not possible: it must be from 0s to 1h0m0s"},
		{"engine: trtllm, cold_start: auto", "bench.llm.cold_start: how long trtllm takes to start was not measured: want a duration"},
		{"router: prefix", "bench.llm.router: goes with several replicas, or failures, and replicas is 1"},
		{"idle_unload: 5m", "bench.llm.idle_unload: goes with cold_start above 0, and cold_start is 0s"},
		{"failures: [{replica: 1, at: 5s, for: 1s}]", "bench.llm.model: failure of replica 1: there are 0 to 0"},
		{"replicas: 2, failures: [{replica: 1, at: 5s}]", "bench.llm.failures[0]: for is missing: want a duration with its unit, such as 180ms"},
		{"replicas: 2, router: leastloaded", `bench.llm.router: found "leastloaded"; nearest: least_loaded`},
		{"scheduler: slots", "bench.llm.scheduler: unknown key; want one of model, hardware, engine"},
	} {
		_, err := Parse("f", []byte(served("{model: Llama-3.1-8B, hardware: L40S, "+c.keys+"}")), nil)
		if err == nil || !strings.HasPrefix(err.Error(), where) || !strings.Contains(err.Error(), ": "+c.want) {
			t.Errorf("%s: %v, want %s", c.keys, err, c.want)
		}
	}
}

const ours = `[hardware]
name,memory_GB,mem_bandwidth_GB_s,dense_fp16_bf16_TFLOPS
Our-Card,48,900,250
[engines]
name,max_sequences
our-fork,32
`

// TestUsersCatalog: rows of the user's own file can be named, and the experiment is
// another one when the file says something else.
func TestUsersCatalog(t *testing.T) {
	files := map[string]string{"ours.txt": ours, "bad.txt": "[hardware]\nname,memory_GB\nBad-Card,much\n"}
	read := func(catalog, llm string) (*Scenario, error) {
		text := strings.Replace(served(llm), "bench:", "catalog: "+catalog+"\nbench:", 1)
		return Parse("f", []byte(text), holding(files))
	}
	const llm = "{model: llama-3.1-8b, hardware: our-card, engine: our-fork}"
	s, err := read("ours.txt", llm)
	if err != nil {
		t.Fatal(err)
	}
	text := s.Canonical()
	for _, line := range []string{"catalog: ours.txt # sha256 ", "    model: Llama-3.1-8B\n", "    hardware: Our-Card\n", "    engine: our-fork\n", "    max_sequences: 32\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("want %q in\n%s", line, text)
		}
	}
	if r, err := s.Bench.LLM.Engine.Replica(); err != nil || r.Config().MaxSequences != 32 || r.Plan.Deployment().Hardware.Bandwidth != 900e9 {
		t.Errorf("replica %+v, error %v; want 32 sequences on 900 GB/s", r, err)
	}
	hash := s.Hash()
	files["ours.txt"] = strings.Replace(ours, "900", "950", 1)
	if again, err := read("ours.txt", llm); err != nil || again.Hash() == hash {
		t.Errorf("error %v; want another hash when a row says something else", err)
	}
	for _, c := range []struct{ catalog, want string }{
		{"missing.txt", "f:4:10: catalog: file does not exist"},
		{"bad.txt", "f:4:10: catalog: bad.txt:3: "},
		{"3", "f:4:10: catalog: want a line of up to 200 characters; found 3"},
	} {
		if _, err := read(c.catalog, "{ttft: 1ms, tokens_per_second: 50}"); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("catalog %s: %v, want %s", c.catalog, err, c.want)
		}
	}
	if _, err := Parse("f", []byte(served(llm)), nil); err == nil || !strings.Contains(err.Error(), `unknown hardware "our-card"`) {
		t.Errorf("without the file: %v, want the hardware unknown", err)
	}
	if _, err := Parse("f", []byte(strings.Replace(served(llm), "bench:", "catalog: ours.txt\nbench:", 1)), nil); err == nil || !strings.Contains(err.Error(), `catalog: no file "ours.txt"`) {
		t.Errorf("where there are no files: %v, want it said", err)
	}
}
