package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"halfsecond/budgets/versus"
	"halfsecond/pipeline/trace"
)

// The verdict is that of the budgets and of the comparison, whichever is worse; a run that did
// not finish has none.
func TestCheckVerdict(t *testing.T) {
	const kept, broken, untold = "p95(reply) < 900ms", "p95(reply) < 300ms", "p99.9(reply) < 900ms"
	slow := func(n int, expr string) trace.Run { // 60 ms slower, by the seed another sample
		run := voiceRun(n, 160*time.Millisecond, expr)
		run.Header.Seed = 8
		return run
	}
	for _, c := range []struct {
		name     string
		run      trace.Run
		before   int // turns of the run before, 0 for none
		sentence string
		suites   int
	}{
		{"kept", voiceRun(120, 100*ms, kept), 0, "Check: pass. Budgets: pass.", 1},
		{"broken", voiceRun(120, 100*ms, broken), 0, "Check: fail. Budgets: fail.", 1},
		{"too few", voiceRun(120, 100*ms, untold), 0, "Check: unmeasured. Budgets: unmeasured.", 1},
		{"cut off", cutOff(voiceRun(120, 100*ms, broken)), 0, "Check: unmeasured. Budgets: fail of the part that was run.", 1},
		{"kept and worse", slow(120, kept), 120, "Check: fail. Budgets: pass. Beside base: worse.", 2},
		{"too few and worse", slow(120, untold), 120, "Check: fail. Budgets: unmeasured. Beside base: worse.", 2},
		{"kept, and nothing told", slow(120, kept), 3, "Check: unmeasured. Budgets: pass. Beside base: cannot tell.", 2},
		{"broken, and nothing told", slow(120, broken), 3, "Check: fail. Budgets: fail. Beside base: cannot tell.", 2},
	} {
		check := NewCheck(report(t, c.run), "")
		if c.before > 0 {
			before := report(t, voiceRun(c.before, 100*ms, kept))
			if err := check.Beside("base", versus.Of(before.analysis), versus.Settings{}); err != nil {
				t.Fatal(c.name, err)
			}
		}
		if got := check.sentence(); got != c.sentence {
			t.Errorf("%s: %q, want %q", c.name, got, c.sentence)
		}
		if got := len(parsed(t, check.JUnit).Suites); got != c.suites {
			t.Errorf("%s: %d suites, want %d", c.name, got, c.suites)
		}
		if data := encoded(t, check); data["verdict"] != strings.TrimSuffix(strings.Fields(c.sentence)[1], ".") {
			t.Errorf("%s: the document says %v, the page %q", c.name, data["verdict"], c.sentence)
		}
	}
}

func cutOff(run trace.Run) trace.Run {
	run.Footer.Finished, run.Footer.Reason = false, "interrupted"
	return run
}

func encoded(t *testing.T, c *Check) (data map[string]any) {
	t.Helper()
	var b bytes.Buffer
	if err := c.JSON(&b); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &data); err != nil {
		t.Fatal(err)
	}
	return data
}
