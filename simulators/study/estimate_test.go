package study

import (
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline/price"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

// TestCost: each cell has the price of the model that is asked for it, which a cell may have
// a name of its own for; what is not sent costs nothing and needs no price.
func TestCost(t *testing.T) {
	s := parse(t, strings.NewReplacer("prompts: [128, 1024, 2048, 4096]", "prompts: [100]", "grid:", "grid:\n  stream_beside: false").Replace(small))
	set := onSim(3)
	set.Target = runner.Endpoint
	set.Models = []Model{{Name: "cheap", Scenario: "Phi-3-mini-4k"}, {Name: "dear", Scenario: "TinyLlama-1.1B"}}
	set.Cells = []scenario.Cell{{Model: "Phi-3-mini-4k", Variant: "said before", Name: "cheap-cached"}}
	prices := map[string]price.Dollars{"cheap": 1, "cheap-cached": 10, "dear": 1000}
	set.PriceOf = func(model string) price.Price {
		if p := prices[model]; p > 0 {
			return price.Price{Input: p, Cached: price.Unpublished, Output: 2 * p, Source: "a test"}
		}
		return price.Price{}
	}
	if got, want := Asked(s, set), []string{"cheap", "cheap-cached", "dear"}; !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
	// A cell is 4 requests of 100 tokens with answers of 32: 656 of the price of a prompt's. The
	// variant with other steps is not sent.
	if cost, known := Cost(s, set); !known || cost != 656*(1+10+2*1000) {
		t.Errorf("%d, %v; want %d", cost, known, 656*(1+10+2*1000))
	}
	delete(prices, "cheap-cached")
	if _, known := Cost(s, set); known {
		t.Error("the cost is known, and one cell has no price")
	}
	set.Target = runner.Sim
	if cost, known := Cost(s, set); known || cost != 0 {
		t.Errorf("%d, %v on the simulator, want none", cost, known)
	}
}
