package grid

import (
	"math"
	"slices"
	"testing"
)

func TestEffect(t *testing.T) {
	var m made
	for range 3 {
		m.ask("a", "base", 100, 10*ms, 4*ms)
		m.ask("a", "base", 400, 40*ms, 4*ms)
		m.ask("a", "base", 900, 90*ms, 4*ms) // not measured with the option
		m.ask("a", "option", 100, 20*ms, 2*ms)
		m.ask("a", "option", 400, 20*ms, 4*ms+10_000)
		m.ask("b", "base", 100, 30*ms, 4*ms)
	}
	g := m.grid(t)
	e, ok := g.Effect(Key{"a", "option"}, Key{"a", "base"}, TTFT)
	if !ok || !slices.Equal(e.Prompts, []int{100, 400}) || !near(e.Ratios[0].Value, 2) || !near(e.Ratios[1].Value, .5) {
		t.Fatalf("effect on TTFT %+v, want 2 at 100 and a half at 400", e)
	}
	if !near(e.Overall.Value, 1) || e.Overall.Varies || e.Change != Same {
		t.Errorf("overall %+v, %v: want the same on the geometric mean", e.Overall, e.Change)
	}
	e, _ = g.Effect(Key{"a", "option"}, Key{"a", "base"}, TPOT)
	if want := math.Sqrt(.5 * 4.01 / 4); !near(e.Overall.Value, want) || e.Change != Gain {
		t.Errorf("overall %v, %v; want %v, a gain", e.Overall.Value, e.Change, want)
	}
	e, _ = g.Effect(Key{"b", "base"}, Key{"a", "base"}, TTFT)
	if !slices.Equal(e.Prompts, []int{100}) || !near(e.Overall.Value, 3) || e.Change != Cost {
		t.Errorf("b beside a %+v, want three times at 100", e)
	}
	if _, ok := g.Effect(Key{"b", "option"}, Key{"b", "base"}, TTFT); ok {
		t.Error("an option that was not measured has an effect")
	}
	if n := len(g.Options(TTFT, TPOT, Stall)); n != 2 {
		t.Errorf("%d effects of options, want TTFT and TPOT of a", n)
	}
	if d := g.Duels(TTFT); len(d) != 1 || d[0].Of.Model != "a" || d[0].Beside.Model != "b" || !near(d[0].Overall.Value, 1.0/3) {
		t.Errorf("duels %+v, want a in a third of b's time", d)
	}
}

func TestChanges(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      Change
	}{
		{.5, .98, Gain}, {.5, .99, Undecided}, {.99, 1.01, Same}, {.97, 1.03, Undecided}, {1.005, 1.02, Undecided}, {1.011, 2, Cost},
	} {
		if got := changeOf(Estimate{Low: c.low, High: c.high}); got != c.want {
			t.Errorf("a ratio from %v to %v is %v, want %v", c.low, c.high, got, c.want)
		}
	}
}

// No ratio is of nothing: where a median is 0 on either side, there is none.
func TestEffectOfZero(t *testing.T) {
	var m made
	for range 2 {
		m.ask("at once", "base", 100, ms, 0)
		m.ask("b", "base", 100, ms, 4*ms)
		m.ask("at once", "base", 200, ms, 2*ms)
		m.ask("b", "base", 200, ms, 4*ms)
	}
	g := m.grid(t)
	for _, pair := range [][2]string{{"at once", "b"}, {"b", "at once"}} {
		e, ok := g.Effect(Key{pair[0], "base"}, Key{pair[1], "base"}, TPOT)
		if !ok || !slices.Equal(e.Prompts, []int{200}) || math.IsInf(e.Overall.Value, 0) || e.Overall.Value == 0 {
			t.Errorf("%s beside %s: %+v, want a ratio at 200 alone", pair[0], pair[1], e)
		}
	}
}
