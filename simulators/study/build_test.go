package study

import (
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

const small = `
halfsecond: 1
kind: grid
name: small
warm_up: 1
grid:
  models: [Phi-3-mini-4k, TinyLlama-1.1B]
  hardware: RTX-4090
  prompts: [128, 1024, 2048, 4096]
  output_tokens: 32
  variants:
    - {name: baseline}
    - {name: small steps, token_budget: 512}
    - {name: said before, same_prompt: true}
`

func parse(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("test.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func onSim(n int) Settings {
	return Settings{Settings: runner.Settings{Target: runner.Sim, Seed: 1, N: n, Version: "test"}}
}

func compare(t *testing.T, s *scenario.Scenario, set Settings) trace.Run {
	t.Helper()
	run, err := Compare(t.Context(), s, set)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// in returns the traces of a cell, with or without company.
func in(run trace.Run, model, variant, prompt, beside string) []pipeline.Trace {
	var out []pipeline.Trace
	for _, t := range run.Traces {
		if t.Fact(pipeline.FactModel) == model && t.Fact(pipeline.FactVariant) == variant &&
			t.Fact(pipeline.FactPrompt) == prompt && t.Fact(pipeline.FactBeside) == beside {
			out = append(out, t)
		}
	}
	return out
}
