package runner

import (
	"strings"
	"testing"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
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

// TestExamplesShowTheirTrap: each of these scenarios is about one thing, and is
// another matter without it.
func TestExamplesShowTheirTrap(t *testing.T) {
	for _, c := range []struct {
		name, with, without string // what the file says, and what it says without the trap
		metric              string
		q                   quantile.Q
		worse               float64 // by which factor at least
	}{
		{"prefix-cache", "prefix_cache: true", "prefix_cache: false", "llm_first_token", quantile.P50, 1 / 3.},
		{"long-prompts-beside", "background:", "# background:", "gathering", quantile.P95, 3},
		{"cold-start", "idle_unload: 5m", "idle_unload: 0s", "ttft", quantile.P95, 10},
		{"router-failure", "retries: 0", "retries: 1", "ok_share", quantile.P50, .99},
		{"streams", "slots: 4", "slots: 1", "ttft", quantile.P50, 1 / 20.},
		{"sliding-window", "prefix_tokens: 700", "prefix_tokens: 3000", "llm_first_token", quantile.P50, 1.5},
	} {
		text, ok := scenario.Source(c.name)
		if !ok || !strings.Contains(text, c.with) {
			t.Errorf("%s is no example that says %q", c.name, c.with)
			continue
		}
		with, without := value(t, text, c.metric, c.q), value(t, strings.Replace(text, c.with, c.without, 1), c.metric, c.q)
		if factor := with / without; c.worse > 1 && factor < c.worse || c.worse < 1 && factor > c.worse {
			t.Errorf("%s: %s is %.1f ms, and %.1f ms with %q: a factor of %.2f, want %.2f or more extreme", c.name, c.metric, with/1e6, without/1e6, c.without, factor, c.worse)
		}
	}
}

// value returns a percentile of a metric of the scenario on the simulator, or its mean
// where that is all.
func value(t *testing.T, text, metric string, q quantile.Q) float64 {
	t.Helper()
	s := parse(t, text)
	got, err := Run(t.Context(), s, Settings{Target: Sim, Seed: s.Run.Seed, N: s.Run.N})
	if err != nil {
		t.Fatal(err)
	}
	a, err := budgets.Analyse(got)
	if err != nil {
		t.Fatal(err)
	}
	v, ok := a.Pool(metric).Quantile(q)
	if !a.Pool(metric).Percentiles() {
		v, ok = a.Pool(metric).Mean()
	}
	if !ok {
		t.Fatalf("%s has no %v", metric, q)
	}
	return v
}
