package cluster

import (
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// TestLoadingOverAttempts: a request whose replica fails while it loads waited for both
// loads, that of the replica which serves it in the end included.
func TestLoadingOverAttempts(t *testing.T) {
	loads := func(l pipeline.Scheduler) engine.Engine {
		return engine.NewCold(l, engine.ColdConfig{Load: time.Second}, func(l pipeline.Scheduler) engine.Engine {
			return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: 50 * ms, TPOT: 10 * ms}, Slots: 1, MaxContext: 1000})
		})
	}
	r := newRig(t, Config{
		Replicas: []func(pipeline.Scheduler) engine.Engine{loads, loads}, Retries: 1, Failures: []Failure{{Replica: 0, At: 400 * ms, For: time.Hour}},
	})
	a := r.ask("a", 100*ms)
	r.run("a1@1450 a2@1460 a:ok@1460")
	if a.Loading != 1300*ms {
		t.Errorf("waited %s for a model, want 1.3s", a.Loading)
	}
}
