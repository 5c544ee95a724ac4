package runner

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"halfsecond/budgets"
	"halfsecond/simulators/scenario"
)

// TestSessionExample: what docs/session.md says of the example is what comes of it.
func TestSessionExample(t *testing.T) {
	s, err := scenario.Load("ide-session")
	if err != nil {
		t.Fatal(err)
	}
	run, err := Run(t.Context(), s, Settings{Target: Sim, Seed: s.Run.Seed, N: s.Run.N})
	if err != nil {
		t.Fatal(err)
	}
	a, err := budgets.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/session.md")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%.0f %% of what it shows is there within 150 ms", 100*a.Judgements[0].Value)
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), want) {
		t.Errorf("docs/session.md does not say: %s", want)
	}
}
