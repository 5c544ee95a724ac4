package study

import (
	"testing"

	"halfsecond/budgets/grid"
	"halfsecond/simulators/scenario"
)

// example runs an example that compares and returns what its variants gain and cost.
func example(t *testing.T, name string) func(variant string, m grid.Metric) grid.Effect {
	t.Helper()
	s, err := scenario.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	g, err := grid.New(compare(t, s, onSim(10)))
	if err != nil {
		t.Fatal(err)
	}
	return func(variant string, m grid.Metric) grid.Effect {
		e, ok := g.Effect(grid.Key{Model: g.Models[0], Variant: variant}, g.Baseline(g.Models[0]), m)
		if !ok {
			t.Fatalf("%s: no %v of %s", name, m, variant)
		}
		return e
	}
}

// Drafts gain from token to token, the more of them are right, and cost time to the
// first token, which the draft model reads the prompt in.
func TestExampleSpeculation(t *testing.T) {
	effect := example(t, "speculation")
	good, poor := effect("drafts", grid.TPOT), effect("poor drafts", grid.TPOT)
	if good.Change != grid.Gain || poor.Change != grid.Gain || good.Overall.High > poor.Overall.Low {
		t.Errorf("TPOT with drafts %+v, with poor ones %+v: want gains, the larger with good ones", good.Overall, poor.Overall)
	}
	if first := effect("drafts", grid.TTFT); first.Change != grid.Cost {
		t.Errorf("TTFT with drafts %+v, want a cost", first.Overall)
	}
}

// The smaller the chunks, the shorter the stall of the answer beside, and the longer the
// prompt itself takes.
func TestExampleChunkSize(t *testing.T) {
	effect := example(t, "chunk-size")
	stall, first := 1.0, 1.0
	for _, variant := range []string{"chunks of 8192", "chunks of 2048", "chunks of 512"} {
		s, f := effect(variant, grid.Stall), effect(variant, grid.TTFT)
		if s.Change != grid.Gain || s.Overall.High >= stall {
			t.Errorf("%s: the stall is %+v of that of whole prompts, want less than %v", variant, s.Overall, stall)
		}
		if f.Overall.Low <= first {
			t.Errorf("%s: TTFT is %+v of that of whole prompts, want more than %v", variant, f.Overall, first)
		}
		stall, first = s.Overall.Low, f.Overall.High
	}
}
