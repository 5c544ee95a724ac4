package runner

import (
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/scenario"
)

// TestExamplesLand runs the voice examples, whose every stage is a constant, and
// compares each turn with the sum worked out by hand.
func TestExamplesLand(t *testing.T) {
	for name, want := range map[string]time.Duration{
		"classic-chain":            300 * ms,
		"classic-chain-real":       830 * ms,
		"stack-framework-defaults": 1681 * ms,
		"stack-tuned-cloud":        793 * ms,
		"stack-local":              469 * ms,
	} {
		s, err := scenario.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Run(t.Context(), s, Settings{Target: Sim, Seed: 1, N: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, tr := range got.Traces {
			if reply := pipeline.Since(tr.Due, tr.Mark("reply_heard")); reply != want {
				t.Errorf("%s: the reply lands at %s, want %s", name, reply, want)
			}
		}
	}
}
