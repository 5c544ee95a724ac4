package study

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"halfsecond/budgets/grid"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

// Phi-3-mini-4k has room for 4,096 tokens and TinyLlama-1.1B for 2,048.
func TestCells(t *testing.T) {
	s := parse(t, small)
	var got []string
	for i, c := range cells(s, onSim(2)) {
		if c.id != i {
			t.Errorf("cell %d has id %d", i, c.id)
		}
		skipped := ""
		if c.skipped != "" {
			skipped = " skipped"
		}
		if c.variant.Name != "baseline" {
			if c.variant.Name == "small steps" && c.serving.TokenBudget != 512 || c.serving.Model != c.model {
				t.Errorf("%s of %s is served by %+v", c.variant.Name, c.model, c.serving)
			}
			continue
		}
		got = append(got, fmt.Sprintf("%s %d%s", c.model, c.prompt, skipped))
	}
	want := []string{
		"Phi-3-mini-4k 128", "Phi-3-mini-4k 1024", "Phi-3-mini-4k 2048", "Phi-3-mini-4k 4064", "Phi-3-mini-4k 4096 skipped",
		"TinyLlama-1.1B 128", "TinyLlama-1.1B 1024", "TinyLlama-1.1B 2016", "TinyLlama-1.1B 2048 skipped", "TinyLlama-1.1B 4096 skipped",
	}
	if !slices.Equal(got, want) {
		t.Errorf("cells\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	all := cells(s, onSim(2))
	const why = "with the answer of 32 that is more than the 4,096 tokens that Phi-3-mini-4k has room for; 4,064, the longest prompt that leaves room, is measured"
	if got := all[12].skipped; got != why {
		t.Errorf("skipped: %s, want %s", got, why)
	}
}

// A cell says how it is served, with its model in it; what nobody measured, it names.
func TestServed(t *testing.T) {
	s := parse(t, strings.Replace(small, "{name: small steps, token_budget: 512}", "{name: drafts, speculation: {draft: ngram, tokens: 3}}", 1))
	const far = " {model_error prefill unknown, over all 16.6 %; decode unknown, over all 12.1 %}]"
	want := map[string]string{
		"baseline":    "[{engine TinyLlama-1.1B (fp16) on 1 x RTX-4090 by vllm} {unverified model TinyLlama-1.1B, hardware RTX-4090} {chunk_tokens 2048}" + far,
		"drafts":      "[{engine TinyLlama-1.1B (fp16) on 1 x RTX-4090 by vllm, 3 tokens drafted by ngram, 40 % accepted} {changes speculation: {draft: ngram, tokens: 3, acceptance: 0.4}} {assumed acceptance} {unverified model TinyLlama-1.1B, hardware RTX-4090} {chunk_tokens 2048}" + far,
		"said before": "[{engine TinyLlama-1.1B (fp16) on 1 x RTX-4090 by vllm} {changes same_prompt: true} {unverified model TinyLlama-1.1B, hardware RTX-4090} {chunk_tokens 2048}" + far,
	}
	for _, c := range cells(s, onSim(2)) {
		if got := fmt.Sprint(c.served); c.model == "TinyLlama-1.1B" && got != want[c.variant.Name] {
			t.Errorf("%s is served with %s, want %s", c.variant.Name, got, want[c.variant.Name])
		}
	}
	run := compare(t, s, onSim(2))
	for _, tr := range run.Traces {
		if tr.Fact(grid.FactEngine) == "" || (tr.Fact(grid.FactAssumed) == "acceptance") != (tr.Fact(pipeline.FactVariant) == "drafts") {
			t.Errorf("session %d has the facts %v", tr.Session, tr.Facts)
		}
	}
}

// An answer that leaves no room for any prompt leaves nothing to measure.
func TestNoRoom(t *testing.T) {
	s := parse(t, strings.ReplaceAll(small, "output_tokens: 32", "output_tokens: 2048"))
	for _, c := range cells(s, onSim(2)) {
		if c.model == "TinyLlama-1.1B" && (c.skipped == "" || strings.Contains(c.skipped, "longest")) {
			t.Errorf("TinyLlama-1.1B at %d: %q, want it skipped without another in its place", c.prompt, c.skipped)
		}
	}
}

const bound = small + `endpoints:
  llm: {url: "http://a/v1"}
  cells:
    - {model: Phi-3-mini-4k, name: "phi3:mini"}
    - {model: TinyLlama-1.1B, name: "tiny:1b"}
    - {variant: small steps, url: "http://b/v1"}
    - {model: TinyLlama-1.1B, variant: small steps, name: "tiny:chunked"}
`

// At an endpoint a model of the scenario has the context that it has in the scenario; one that
// is none of them gets every length.
func TestLengthsAtAnEndpoint(t *testing.T) {
	s := parse(t, small)
	set := Settings{Settings: runner.Settings{Target: runner.Endpoint, N: 2, Endpoint: endpoint.Config{URL: "http://a/v1", Protocol: dialect.OpenAIChat}}}
	set.Models = append(AtMost(s)[1:], Model{Name: "another"})
	var got []string
	for _, c := range cells(s, set) {
		if c.variant.Name == "baseline" {
			got = append(got, fmt.Sprintf("%s %d %t", c.model, c.prompt, c.skipped != ""))
		}
	}
	want := []string{
		"TinyLlama-1.1B 128 false", "TinyLlama-1.1B 1024 false", "TinyLlama-1.1B 2016 false", "TinyLlama-1.1B 2048 true", "TinyLlama-1.1B 4096 true",
		"another 128 false", "another 1024 false", "another 2048 false", "another 4096 false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("cells %q, want %q", got, want)
	}
}

func TestCellsAtAnEndpoint(t *testing.T) {
	s := parse(t, bound)
	set := Settings{Settings: runner.Settings{Target: runner.Endpoint, N: 2, Endpoint: endpoint.Config{URL: "http://a/v1", Protocol: dialect.OpenAIChat}}}
	set.Models, set.Cells = Stated(s, set.Endpoint), s.Endpoints.Cells
	var got []string
	for _, c := range cells(s, set) {
		if c.prompt == 1024 {
			got = append(got, fmt.Sprintf("%s, %s: %s at %s %q", c.model, c.variant.Name, c.place.Model, c.place.URL, c.skipped))
		}
	}
	want := []string{
		`phi3:mini, baseline: phi3:mini at http://a/v1 ""`,
		`phi3:mini, small steps: phi3:mini at http://b/v1 ""`,
		`phi3:mini, said before: phi3:mini at http://a/v1 ""`,
		`tiny:1b, baseline: tiny:1b at http://a/v1 ""`,
		`tiny:1b, small steps: tiny:chunked at http://b/v1 ""`,
		`tiny:1b, said before: tiny:1b at http://a/v1 ""`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("cells\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	set.Cells = nil // now nobody has small steps
	for _, c := range cells(s, set) {
		if c.prompt <= 1024 && (c.skipped != "") != (c.variant.Name == "small steps") {
			t.Errorf("%s: %q, want only small steps skipped", c.variant.Name, c.skipped)
		}
		if c.served != nil {
			t.Errorf("%s: %v says how a real service does it", c.variant.Name, c.served)
		}
	}
}

func TestModels(t *testing.T) {
	named, unnamed := parse(t, bound), parse(t, small)
	for _, c := range []struct {
		name  string
		s     *scenario.Scenario
		e     endpoint.Config
		names []string
		want  string
	}{
		{"named by flags", named, endpoint.Config{Model: "x"}, []string{"a", "TinyLlama-1.1B"}, "[{a } {TinyLlama-1.1B TinyLlama-1.1B}]"},
		{"named by the scenario", named, endpoint.Config{}, nil, "[{phi3:mini Phi-3-mini-4k} {tiny:1b TinyLlama-1.1B}]"},
		{"a single name", unnamed, endpoint.Config{Model: "x"}, nil, "[{x }]"},
		{"twice", unnamed, endpoint.Config{}, []string{"a", "a"}, `model name "a" is empty or given twice`},
	} {
		got, err := Models(t.Context(), c.s, c.e, c.names)
		words := fmt.Sprint(got)
		if err != nil {
			words = err.Error()
		}
		if words != c.want {
			t.Errorf("%s: %s, want %s", c.name, words, c.want)
		}
	}
}
