package budgets

import (
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

func aimAt(t *testing.T, text string) Aim {
	t.Helper()
	b, err := Parse(text, Metrics(pipeline.KindVoice))
	if err != nil {
		t.Fatal(err)
	}
	return Aim{b, true}
}

// Changes are ranked by what they leave; what is unknown comes last, and of equals what cuts
// in less comes first. By what is no latency of the reply, what is inside its limit comes
// first, and of that what lands soonest.
func TestRanked(t *testing.T) {
	state := func(p50, p95 time.Duration, figure Figure, cutIn float64) State {
		return State{P50: p50, P95: p95, Figures: []Figure{figure}, CutIn: Proportion{Value: cutIn}, CutInKnown: true}
	}
	known := func(v time.Duration) Figure { return Figure{float64(v), true} }
	for _, c := range []struct {
		aim  string
		all  []Change
		want string
	}{
		{"p95(reply) < 500ms", []Change{
			{What: "unknown", Would: state(pipeline.Unknown, pipeline.Unknown, Figure{}, 0)},
			{What: "slow", Would: state(300*ms, 900*ms, known(900*ms), 0)},
			{What: "cuts in", Would: state(400*ms, 800*ms, known(800*ms), .2)},
			{What: "quick", Would: state(400*ms, 800*ms, known(800*ms), .1)},
		}, "quick; cuts in; slow; unknown"},
		{"mean(cut_in_share) < 10%", []Change{
			{What: "nearly", Would: state(200*ms, 300*ms, Figure{.12, true}, .12)},
			{What: "far", Would: state(100*ms, 200*ms, Figure{.3, true}, .3)},
			{What: "slow", Would: state(900*ms, 990*ms, Figure{.01, true}, .01)},
			{What: "quick", Would: state(400*ms, 800*ms, Figure{.09, true}, .09)},
		}, "quick; slow; nearly; far"},
		{"mean(guess_hit_share) >= 90%", []Change{
			{What: "worse", Would: state(200*ms, 300*ms, Figure{.5, true}, 0)},
			{What: "better", Would: state(400*ms, 800*ms, Figure{.8, true}, 0)},
		}, "better; worse"},
	} {
		changes := Changes{Metric: "reply", Aims: []Aim{aimAt(t, c.aim)}, All: c.all}
		if got := (&Best{Parts: changes.Ranked()}).Words(); got != c.want {
			t.Errorf("by %s: %s, want %s", c.aim, got, c.want)
		}
	}
}

// A budget is broken by a change only if it was kept before and its value is known after.
func TestBreaks(t *testing.T) {
	b := aimAt(t, "p95(reply) < 500ms").Budget
	state := func(f Figure) State { return State{Budgets: []Kept{{b, f}}} }
	in, out, unknown := state(Figure{4e8, true}), state(Figure{6e8, true}), state(Figure{})
	for _, c := range []struct {
		before, after State
		want          bool
	}{{in, out, true}, {in, in, false}, {out, out, false}, {in, unknown, false}, {unknown, out, true}} {
		if got := c.before.Breaks(c.after) != nil; got != c.want {
			t.Errorf("from %+v to %+v breaks: %t, want %t", c.before, c.after, got, c.want)
		}
	}
	if (State{CutIn: Proportion{Value: .1}, CutInKnown: true}).CutsInMore(State{CutIn: Proportion{Value: .2}}) {
		t.Error("what is not known is more")
	}
	at := func(p50, p95 time.Duration) State { return State{P50: p50, P95: p95} }
	for after, want := range map[[2]time.Duration]bool{{300, 1000}: false, {300, 1300}: true, {300, 1150}: false, {600, 700}: false, {600, 950}: true, {600, 1100}: false} {
		if got := at(500, 1000).Trades(at(after[0], after[1])); got != want {
			t.Errorf("from 500 and 1000 to %d: trades %t, want %t", after, got, want)
		}
	}
	if q := (State{P50: 1, P95: 2}); q.At(quantile.P95) != 2 || q.At(quantile.P50) != 1 {
		t.Error("the wrong percentile")
	}
}
