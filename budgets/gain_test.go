package budgets

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// spread returns a run of turns whose models take very different times, each so much longer
// as the function says.
func spread(t *testing.T, n int, longer func(i int) time.Duration) *Analysis {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var traces []pipeline.Trace
	for i := range n {
		traces = append(traces, talk(i, 0, time.Duration(rng.IntN(2000))*ms+longer(i), pipeline.Fact{Name: pipeline.FactCutIn, Value: yesIf(longer(i) > 0)}))
	}
	return analysed(t, traces...)
}

func yesIf(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// A gain is of the same turns: what all of them gain alike has no interval at all, however
// much they differ from each other, and what comes and goes at random does not matter.
func TestGain(t *testing.T) {
	b := aimAt(t, "p50(reply) < 500ms").Budget
	same := func(int) time.Duration { return 0 }
	was := spread(t, 300, same)
	if g := GainOf(was, spread(t, 300, same), b, 1); !g.Known || g.Value != 0 || g.Matters() {
		t.Errorf("of the same run: %+v", g)
	}
	g := GainOf(spread(t, 300, func(int) time.Duration { return 25 * ms }), was, b, 1)
	if g.Value != float64(25*ms) || !g.HasInterval || g.Low != g.Value || g.High != g.Value || !g.Matters() {
		t.Errorf("25 ms less in each turn: %+v", g)
	}
	luck := rand.New(rand.NewPCG(3, 4))
	g = GainOf(was, spread(t, 300, func(int) time.Duration { return time.Duration(luck.IntN(801)-400) * ms }), b, 1)
	if !g.Known || !g.HasInterval || g.Matters() || g.Low >= 0 || g.High <= 0 {
		t.Errorf("what comes and goes at random: %+v, want an interval that holds 0", g)
	}
	if again := GainOf(was, was, b, 2); again.Matters() {
		t.Errorf("of itself: %+v", again)
	}
}

// A mean, a share and a largest value have gains too; the last without an interval. What is
// better depends on the side of the limit.
func TestGainOfOthers(t *testing.T) {
	no, half := spread(t, 200, func(int) time.Duration { return 0 }), spread(t, 200, func(i int) time.Duration { return time.Duration(i%2) * ms })
	g := GainOf(half, no, aimAt(t, "mean(cut_in_share) < 10%").Budget, 1)
	if g.Value != .5 || !g.HasInterval || g.Low < .4 || g.High > .6 || !g.Matters() {
		t.Errorf("half of the cut-ins gone: %+v", g)
	}
	if g = GainOf(half, no, aimAt(t, "mean(cut_in_share) > 10%").Budget, 1); g.Value != -.5 || g.High >= 0 {
		t.Errorf("of a budget that asks for more: %+v", g)
	}
	if g = GainOf(half, no, aimAt(t, "max(reply) < 1s").Budget, 1); !g.Known || g.HasInterval {
		t.Errorf("of the largest: %+v", g)
	}
	if g = GainOf(half, no, aimAt(t, "share(reply < 1s) >= 90%").Budget, 1); !g.HasInterval || math.Abs(g.Value) > .01 {
		t.Errorf("of a share: %+v", g)
	}
	if g = GainOf(half, no, aimAt(t, "p95(barge_in_stop) < 1s").Budget, 1); g.Known || g.Matters() {
		t.Errorf("of what nobody did: %+v", g)
	}
}

// What is outside its limit is to get better, the reply first; of a run that keeps
// everything it is the percentile of the reply that a budget limits.
func TestAims(t *testing.T) {
	for _, c := range []struct {
		budgets []string
		want    []string
		limited bool
	}{
		{nil, []string{"p50(reply)"}, false},
		{[]string{"p50(reply) < 9s", "p95(reply) < 9s"}, []string{"p95(reply)"}, true},
		{[]string{"mean(cut_in_share) < 10%", "p50(reply) < 9s"}, []string{"mean(cut_in_share)"}, true},
		{[]string{"mean(cut_in_share) < 10%", "p50(reply) < 10ms"}, []string{"p50(reply)", "mean(cut_in_share)"}, true},
	} {
		var traces []pipeline.Trace
		for i := range 40 {
			traces = append(traces, talk(i, 0, 90*ms, pipeline.Fact{Name: pipeline.FactCutIn, Value: "yes"}))
		}
		a, err := Analyse(trace.Run{Header: trace.Header{Kind: pipeline.KindVoice, Budgets: c.budgets}, Traces: traces})
		if err != nil {
			t.Fatal(err)
		}
		aims := a.Aims()
		if len(aims) != len(c.want) {
			t.Fatalf("%v: %d aims, want %v", c.budgets, len(aims), c.want)
		}
		for i, m := range aims {
			if m.Budget.Name() != c.want[i] || m.Limited != c.limited {
				t.Errorf("%v: aim %d is %s, limited %t; want %s", c.budgets, i, m.Budget.Name(), m.Limited, c.want[i])
			}
		}
	}
}

// TestWorth: a change is worth a setting from 10 ms on, or a tenth of what is brief, or where it
// crosses the limit; of a count from a hundredth on, and of a share any is.
func TestWorth(t *testing.T) {
	for _, tt := range []struct {
		aim        string
		now, would float64
		want       bool
	}{
		{"p50(reply) < 800ms", 833e6, 831e6, false},
		{"p50(reply) < 800ms", 833e6, 823.1e6, false},
		{"p50(reply) < 800ms", 833e6, 823e6, true},
		{"p50(reply) < 800ms", 833e6, 843e6, true}, // for the worse
		{"p50(reply) < 800ms", 801e6, 799e6, true}, // inside
		{"p50(reply) < 800ms", 799e6, 801e6, true}, // no longer
		{"p50(llm_queue) < 1ms", 20e6, 18e6, true},
		{"p50(llm_queue) < 1ms", 20e6, 18.1e6, false},
		{"p50(llm_queue) < 1ms", 0, 0, false},
		{"mean(cut_in_share) < 1%", .2, .1999, true},
		{"mean(wasted_tokens) < 500", 606, 605.675, false},
		{"mean(wasted_tokens) < 500", 606, 599.9, true},
		{"mean(wasted_tokens) < 606", 606, 605.9, true}, // inside
		{"mean(wasted_tokens) < 500", 0, 0, false},
		{"mean(cut_in_share) < 1%", .2, .2, false},
	} {
		m := aimAt(t, tt.aim)
		now, would := Figure{tt.now, true}, Figure{tt.would, true}
		if got := m.Worth(now, would); got != tt.want {
			t.Errorf("%s from %v to %v is worth it: %t, want %t", tt.aim, tt.now, tt.would, got, tt.want)
		}
		by := m.Gained(now, would)
		chance := Gain{Value: by, Known: true, Low: -1e9, High: 1e9, HasInterval: true}
		if m.Matters(now, would, chance) || m.Matters(now, would, Gain{Value: by, Known: true}) != tt.want {
			t.Errorf("%s from %v to %v: what may be chance matters, or what is not does not", tt.aim, tt.now, tt.would)
		}
	}
	if m := aimAt(t, "p50(reply) < 800ms"); m.Worth(Figure{}, Figure{1, true}) || m.Worth(Figure{1, true}, Figure{}) {
		t.Error("what is not known is worth it")
	}
}
