package runner

import (
	"fmt"
	"strings"
	"testing"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/scenario"
)

// TestGhostPresets: with each preset everybody types to the end, requests end once, and the example
// that sets them side by side says what comes of them.
func TestGhostPresets(t *testing.T) {
	text, ok := scenario.Source("ghost-presets")
	if !ok {
		t.Fatal("there is no example ghost-presets")
	}
	for _, p := range plugin.Presets() {
		s := parse(t, strings.Replace(text, "preset: restart_75", "preset: "+p.Name, 1))
		run, err := Run(t.Context(), s, Settings{Target: Sim, Seed: s.Run.Seed, N: s.Run.N})
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		requests, keys := 0, 0
		seen := map[int64]bool{}
		for i := range run.Traces {
			x := &run.Traces[i]
			if x.Kind == pipeline.KindIDE {
				keys++
			}
			for j := range x.Requests {
				r := &x.Requests[j]
				if requests++; seen[r.ID] || r.End == pipeline.Unknown {
					t.Errorf("%s: request %d is there twice or has no end", p.Name, r.ID)
				}
				seen[r.ID] = true
			}
		}
		if keys != s.Run.N || requests < keys/50 {
			t.Errorf("%s: %d keys and %d requests, want %d keys", p.Name, keys, requests, s.Run.N)
		}
		a, err := budgets.Analyse(run)
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("# %-33s %9.2f %11.0f %%\n", p.Name, float64(requests)/float64(keys), 100*a.Judgements[0].Value)
		if !strings.Contains(text, line) {
			t.Errorf("the example does not say\n%s", line)
		}
	}
}
