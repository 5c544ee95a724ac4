package fit

import (
	"bytes"
	"os"
	"testing"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
)

// recorded is a run of a real vLLM server; testdata/README.md says where it is from.
type recorded struct {
	file, hardware      string
	kvTokens, sequences int
}

var recordings = []recorded{
	{"testdata/e2e/vllm-rtx4090-llama-3.1-8b.csv", "RTX-4090", 41_408, 256},
	{"testdata/e2e/vllm-rtxpro6000-llama-3.1-8b.csv", "RTX-PRO-6000-Blackwell", 0, 128},
}

func (r recorded) read(t testing.TB) []Timed {
	t.Helper()
	data, err := os.ReadFile(r.file)
	if err != nil {
		t.Fatal(err)
	}
	run, err := ReadTimed(r.file, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func (r recorded) replica(t testing.TB, c roofline.Constants) engine.Replica {
	t.Helper()
	return engine.Replica{Plan: plan(t, "Llama-3.1-8B", r.hardware, r.kvTokens, c), MaxSequences: r.sequences, TokenBudget: 2048}
}

func plan(t testing.TB, model, hardware string, kvTokens int, c roofline.Constants) *roofline.Plan {
	t.Helper()
	m, err := catalog.FindModel(model)
	if err != nil {
		t.Fatal(err)
	}
	h, err := catalog.FindHardware(hardware)
	if err != nil {
		t.Fatal(err)
	}
	p, err := roofline.New(roofline.Deployment{Model: m, Hardware: h, KVTokens: kvTokens, Constants: c})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Blind: the constants are those of the built-in table, which no run was used for.
// Only what the run logged of its own set-up is given: its limits, and on the first
// machine the blocks of its cache.
func TestBlind(t *testing.T) {
	limits := map[string]float64{"ttft": .30, "tpot": .15, "latency": .15}
	for _, r := range recordings {
		run := r.read(t)
		got, err := Replay(t.Context(), r.replica(t, roofline.Constants{}), run)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d preemptions, %d tokens found in the cache", r.file, got.Stats.Preemptions, got.Stats.PrefixHits)
		for _, c := range Compare(run, got.Run) {
			logCompared(t, c)
			if e := c.MeanError(); !(e > -limits[c.Name] && e < limits[c.Name]) {
				t.Errorf("%s: mean %s is off by %+.1f %%, want within %.0f %%", r.file, c.Name, 100*e, 100*limits[c.Name])
			}
		}
	}
}

func logCompared(t *testing.T, c Compared) {
	t.Helper()
	mean, median, worst := c.Errors()
	t.Logf("%-8s measured %s, simulated %s: %+.1f %%; of single requests mean %.1f, median %.1f, p90 %.1f %%",
		c.Name, c.Measured.Mean, c.Simulated.Mean, 100*c.MeanError(), 100*mean, 100*median, 100*worst)
}
