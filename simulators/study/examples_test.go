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

// Past 95 % of the KV cache the pace collapses with a disk beside it, and the wait for the
// first token where requests wait for room; below, no policy matters. Requests give way
// only where they may, and tokens are moved only where there is a place for them.
func TestExampleKVExhaustion(t *testing.T) {
	s, err := scenario.Load("kv-exhaustion")
	if err != nil {
		t.Fatal(err)
	}
	g, err := grid.New(compare(t, s, onSim(s.Run.N)))
	if err != nil {
		t.Fatal(err)
	}
	median := func(c *grid.Cell, m grid.Metric) float64 {
		v, _ := c.Sample(m).Median()
		return v
	}
	for variant, want := range map[string]struct {
		gaveWay, moved bool
		worse          grid.Metric // is by this factor at least
		factor         float64
	}{
		"compute again":    {true, false, grid.TTFT, 4},
		"move to the host": {true, true, grid.TTFT, 4},
		"read from an SSD": {false, true, grid.TPOT, 15},
		"keep room":        {false, false, grid.TTFT, 40},
	} {
		row := g.Row(grid.Key{Model: g.Models[0], Variant: variant}, grid.TPOT)
		short, long := row[0], row[len(row)-1]
		if e := short.Cache; e.Full != 0 || e.Preemptions != 0 || e.TokensMoved != 0 || e.Peak*100 > e.Blocks*80 {
			t.Errorf("%s, short prompts: %+v, want a cache that is never full", variant, e)
		}
		e := long.Cache
		if full := float64(e.Full) / float64(e.Steps); full < .75 || (e.Preemptions > 0) != want.gaveWay || (e.TokensMoved > 0) != want.moved {
			t.Errorf("%s, long prompts: %+v, want a full cache, requests that give way: %t, tokens moved: %t", variant, e, want.gaveWay, want.moved)
		}
		if got := median(long, want.worse) / median(short, want.worse); got < want.factor {
			t.Errorf("%s: %v is %.1f times as long with a full cache, want %g or more", variant, want.worse, got, want.factor)
		}
	}
}
