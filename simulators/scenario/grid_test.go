package scenario

import (
	"reflect"
	"strings"
	"testing"
)

const gridHead = "halfsecond: 1\nkind: grid\nname: n\n"

func TestGrid(t *testing.T) {
	s := parse(t, gridHead+`warm_up: 2
arrivals: {process: closed, users: 2}
grid:
  models: [phi-3-mini-4k, TinyLlama-1.1B]
  hardware: rtx-4090
  weights: fp8
  max_sequences: 64
  variants:
    - {name: as it is}
    - {name: small steps, token_budget: 512}
    - {name: said before, same_prompt: true, weights: int4}
`)
	g := s.Grid
	if got := strings.Join(g.Models, " "); got != "Phi-3-mini-4k TinyLlama-1.1B" {
		t.Errorf("models %s, want them as the catalogue spells them", got)
	}
	if len(g.Prompts) != 4 || g.Prompts[3] != 2048 || g.OutputTokens != 128 || !g.Stream {
		t.Errorf("prompts %v, output %d, stream %t: want the defaults", g.Prompts, g.OutputTokens, g.Stream)
	}
	if len(g.Variants) != 3 {
		t.Fatalf("%d variants, want 3", len(g.Variants))
	}
	plain, small, before := g.Variants[0], g.Variants[1], g.Variants[2]
	if !reflect.DeepEqual(plain.Engine, g.Engine) || plain.SamePrompt || plain.Engine.Weights != "fp8" || plain.Engine.MaxSequences != 64 {
		t.Errorf("%+v is not the grid's engine, %+v", plain, g.Engine)
	}
	want := g.Engine
	want.TokenBudget = 512
	if !reflect.DeepEqual(small.Engine, want) || g.Engine.TokenBudget == 512 {
		t.Errorf("%+v: want the grid's engine with a budget of 512 tokens", small)
	}
	if !before.SamePrompt || before.Engine.Weights != "int4" || before.Engine.MaxSequences != 64 {
		t.Errorf("%+v: want the same prompt and int4", before)
	}
	if e := g.Serving("TinyLlama-1.1B", small); e.Model != "TinyLlama-1.1B" || e.TokenBudget != 512 || small.Engine.Model != "" {
		t.Errorf("Serving = %+v", e)
	}
}

// A canonical grid states every key of its engine, and of a variant what differs.
func TestGridCanonical(t *testing.T) {
	text := gridHead + `warm_up: 1
grid:
  models: [TinyLlama-1.1B]
  hardware: RTX-4090
  prompts: [10, 20]
  stream_beside: false
  variants:
    - {name: "with: a colon"}
    - {name: again, same_prompt: true, gpus: 2}
endpoints:
  llm: {url: "http://127.0.0.1:8000/v1"}
  cells: [{model: TinyLlama-1.1B, name: "tiny:1b"}, {variant: again, url: "http://127.0.0.1:8001/v1"}]
`
	s := parse(t, text)
	got := s.Canonical()
	for _, want := range []string{
		"\n  models:\n    - TinyLlama-1.1B\n  prompts:\n    - 10\n    - 20\n  output_tokens: 128\n  stream_beside: false\n  hardware: RTX-4090\n",
		"\n  variants:\n    - {name: \"with: a colon\"}\n    - {name: again, same_prompt: true, gpus: 2}\n",
		"\n  cells:\n    - {model: TinyLlama-1.1B, name: \"tiny:1b\"}\n    - {variant: again, url: \"http://127.0.0.1:8001/v1\"}\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the canonical text has no\n%s\nin\n%s", want, got)
		}
	}
	again := parse(t, got)
	if again.Canonical() != got || again.Hash() != s.Hash() {
		t.Errorf("the canonical text reads as\n%s", again.Canonical())
	}
	if bare := parse(t, strings.Split(text, "endpoints:")[0]); bare.Hash() != s.Hash() {
		t.Error("where the cells are served is part of the experiment")
	}
	if other := parse(t, strings.Replace(text, "gpus: 2", "gpus: 4", 1)); other.Hash() == s.Hash() {
		t.Error("a variant is no part of the experiment")
	}
}

// What a variant changes is said in keys of the file: beside the first one, and of the
// first one beside its engine alone.
func TestChanges(t *testing.T) {
	const head = gridHead + "warm_up: 1\ngrid:\n  models: [TinyLlama-1.1B]\n  hardware: RTX-4090\n"
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"  variants: [{name: a}, {name: b}]\n", []string{"", ""}},
		{"  chunked_prefill: false\n  variants: [{name: a}, {name: b, chunked_prefill: true, token_budget: 512}, {name: c, same_prompt: true}]\n",
			[]string{"chunked_prefill: false", "token_budget: 512, chunked_prefill: true", "same_prompt: true"}},
		{"  weights: fp8\n  variants: [{name: a}, {name: b, speculation: {draft: ngram}}]\n",
			[]string{"weights: fp8", "speculation: {draft: ngram, tokens: 4, acceptance: 0.4}"}},
		// Another engine brings habits of its own, which nobody changed.
		{"  weights: int8\n  variants: [{name: a}, {name: b, engine: llama.cpp}, {name: c, engine: llama.cpp, slots: 8}]\n",
			[]string{"weights: int8", "engine: llama.cpp", "engine: llama.cpp, slots: 8"}},
	} {
		g := parse(t, head+c.text).Grid
		for i, v := range g.Variants {
			if got := g.Changes(v); got != c.want[i] {
				t.Errorf("%s changes %q, want %q, with\n%s", v.Name, got, c.want[i], c.text)
			}
		}
	}
}

func TestGridProblems(t *testing.T) {
	const body = "grid:\n  models: [TinyLlama-1.1B]\n  hardware: RTX-4090\n"
	for _, c := range []struct{ name, text, want string }{
		{"no models", "grid: {hardware: L4, models: []}\n", "f:4:30: grid.models: want 1 to 20 models, each once"},
		{"a model twice", "grid: {hardware: L4, models: [TinyLlama-1.1B, tinyllama-1.1b]}\n", "f:4:30: grid.models: want 1 to 20 models, each once"},
		{"unknown model", "grid: {hardware: L4, models: [TinyLlamas-1.1B]}\n", `f:4:31: grid.models[0]: unknown model "TinyLlamas-1.1B"; nearest: TinyLlama-1.1B`},
		{"descending", body + "  prompts: [20, 10]\n", "f:7:12: grid.prompts: want 1 to 50 lengths, each once, in ascending order"},
		{"short answers", body + "  output_tokens: 8\n", "f:7:18: grid.output_tokens: 8 is not possible: it must be from 32 to 100000"},
		{"no room", "grid: {hardware: L4, models: [TinyLlama-1.1B, Llama-3.1-70B]}\n", "f:4:30: grid.models: Llama-3.1-70B, baseline: "},
		{"no room anywhere", "grid: {hardware: L4, models: [Llama-3.1-70B], variants: [{name: a}, {name: b, max_sequences: 8}]}\n", "f:4:30: grid.models: all models and variants: Llama-3.1-70B in fp16 does not fit: "},
		{"no name", body + "  variants: [{token_budget: 512}]\n", "f:7:14: grid.variants[0]: name is missing: want a line of up to 200 characters"},
		{"a name twice", body + "  variants: [{name: a}, {name: a}]\n", "f:7:13: grid.variants: want 1 to 20 variants, each of its own name"},
		{"unknown change", body + "  variants: [{name: a}, {name: b, token_budjet: 512}]\n", "f:7:35: grid.variants[1].token_budjet: unknown key; nearest: token_budget"},
		{"impossible change", body + "  variants: [{name: a}, {name: b, gpus: 0}]\n", "f:7:41: grid.variants[1].gpus: 0 is not possible: it must be from 1 to 1024"},
		{"cold", body + "  variants: [{name: a}, {name: b, same_prompt: true}]\n", `f:1:1: warm_up is missing: variant "b" has same_prompt: want at least 1, so that every request of the report finds its prompt in the cache`},
		{"too few are warm", "warm_up: 3\narrivals: {process: closed, users: 4}\n" + body + "  variants: [{name: b, same_prompt: true}]\n", `f:4:10: warm_up: 3 is too few: variant "b" has same_prompt: want at least 4, so that every request of the report finds its prompt in the cache`},
		{"budgets", body + "budgets: [p95(ttft) < 1s]\n", "f:7:1: budgets: goes with kind: voice or ide or bench, and kind is grid"},
		{"cells of nothing", body + "endpoints: {cells: [{name: x}]}\n", "f:7:21: endpoints.cells[0]: want model, variant or both, to say which cells, and url, name or both, to say what is theirs"},
		{"unknown cells", body + "endpoints: {cells: [{variant: baselines, name: x}]}\n", `f:7:12: endpoints: cells[0]: no variant "baselines" in the grid; nearest: baseline`},
	} {
		_, err := Parse("f", []byte(gridHead+c.text), nil)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	_, err := Parse("f", []byte("halfsecond: 1\nkind: bench\nname: n\nbench: {llm: {ttft: 1ms, tokens_per_second: 50}}\nendpoints: {cells: [{model: x, name: y}]}\n"), nil)
	if want := "f:5:12: endpoints: cells[0]: goes with kind: grid"; err == nil || err.Error() != want {
		t.Errorf("cells without a grid: %v, want %s", err, want)
	}
}
