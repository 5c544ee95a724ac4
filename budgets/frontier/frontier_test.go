package frontier

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
	"halfsecond/pipeline/price"
	"halfsecond/pipeline/trace"
)

const ms = time.Millisecond

// made is a cell of one setting, with a run of 1,000 keys, 100 of them opportunities, for each
// group of inside, seconds of the card, flashes of 100, and characters saved.
func made(value string, place int, runs ...[4]int) Cell {
	c := Cell{Values: []string{value}, Place: []int{place}, Rate: Rate{Unit: "L4", Accelerators: 1}}
	for _, r := range runs {
		f := Figures{
			Keys: 1000, Opportunities: 100, Inside: ghost.Share{N: r[0], Of: 100}, Requests: 100 + r[1], Busy: time.Duration(r[1]) * time.Second,
			Flashes: ghost.Share{N: r[2], Of: 100}, Saved: r[3],
		}
		if r[0] < 90 {
			f.Missed = []Missed{{Budget: "share(ttfc < 150ms) >= 90%", Value: fmt.Sprint(r[0], " %"), Gap: fmt.Sprint(90-r[0], " points")}}
		}
		c.Runs = append(c.Runs, f)
	}
	return c
}

func judged(repeats int, cells ...Cell) *Frontier {
	l := budgets.Limit{Value: float64(150 * ms)}
	f := &Frontier{Names: []string{"debounce"}, Ordered: []bool{true}, Repeats: repeats, Limit: l, Saves: true, Cells: cells}
	f.Judge()
	return f
}

func efficient(f *Frontier) string {
	var names []string
	for i := range f.Cells {
		if c := &f.Cells[i]; c.Efficient {
			names = append(names, c.Values[0])
		}
	}
	return strings.Join(names, " ")
}

func TestFrontier(t *testing.T) {
	for _, c := range []struct {
		name    string
		repeats int
		cells   []Cell
		want    string
	}{
		{"better in one, worse in none", 1, []Cell{made("a", 0, [4]int{90, 10, 5, 7}), made("b", 1, [4]int{91, 10, 5, 7})}, "b"},
		{"each has something", 1, []Cell{made("a", 0, [4]int{90, 10, 5, 7}), made("b", 1, [4]int{91, 11, 5, 7})}, "a b"},
		{"flashes", 1, []Cell{made("a", 0, [4]int{90, 10, 5, 7}), made("b", 1, [4]int{90, 10, 4, 7})}, "b"},
		{"saved", 1, []Cell{made("a", 0, [4]int{90, 10, 5, 7}), made("b", 1, [4]int{90, 10, 5, 8})}, "b"},
		{"alike", 1, []Cell{made("a", 0, [4]int{90, 10, 5, 7}), made("b", 1, [4]int{90, 10, 5, 7})}, "a b"},
		{"less than a step", 1, []Cell{made("a", 0, [4]int{90, 1000, 5, 7}), made("b", 1, [4]int{90, 991, 5, 7})}, "a b"},
		{"a step", 1, []Cell{made("a", 0, [4]int{90, 1000, 5, 7}), made("b", 1, [4]int{90, 990, 5, 7})}, "b"},
		{"runs disagree", 2, []Cell{made("a", 0, [4]int{90, 10, 5, 7}, [4]int{92, 10, 5, 7}), made("b", 1, [4]int{99, 10, 5, 7}, [4]int{91, 10, 5, 7})}, "a b"},
		{"runs agree, seed by seed", 2, []Cell{made("a", 0, [4]int{80, 10, 5, 7}, [4]int{92, 10, 5, 7}), made("b", 1, [4]int{81, 10, 5, 7}, [4]int{93, 10, 5, 7})}, "b"},
		{"worse by chance is not worse", 2, []Cell{made("a", 0, [4]int{80, 10, 5, 7}, [4]int{80, 10, 4, 7}), made("b", 1, [4]int{85, 10, 4, 7}, [4]int{85, 10, 5, 7})}, "b"},
		{"not run to the end", 2, []Cell{made("a", 0, [4]int{80, 10, 5, 7}), made("b", 1, [4]int{70, 10, 5, 7}, [4]int{70, 10, 5, 7})}, "b"},
	} {
		if got := efficient(judged(c.repeats, c.cells...)); got != c.want {
			t.Errorf("%s: on the frontier %q, want %q", c.name, got, c.want)
		}
	}
}

// What is not known wins nothing and loses nothing: no flashes of no suggestions, and the tokens
// for each useful answer where there was none.
func TestUnknownWinsNothing(t *testing.T) {
	known := func(name string, place, inside int) Cell {
		c := made(name, place, [4]int{inside, 10, 5, 7})
		c.Runs[0].UsefulAnswers, c.Runs[0].WastedPrompt = 10, 500
		return c
	}
	quiet := known("quiet", 1, 90)
	quiet.Runs[0].Flashes, quiet.Runs[0].UsefulAnswers, quiet.Runs[0].WastedPrompt = ghost.Share{}, 0, 3
	if got := efficient(judged(1, known("a", 0, 91), quiet)); got != "a" {
		t.Errorf("on the frontier %q, want a: nothing flashed of nothing, and 3 tokens for no useful answer are not few", got)
	}
	if got := efficient(judged(1, known("a", 0, 90), quiet)); got != "a quiet" {
		t.Errorf("on the frontier %q, want both: neither is better in what is known of both", got)
	}
	s := quiet.Sum()
	for name, v := range map[string]float64{"flashes": s.Flashes, "wasted": s.Wasted, "wasted of prompts": s.WastedPrompt, "wasted of answers": s.WastedOutput, "useful": s.Useful} {
		if !math.IsNaN(v) {
			t.Errorf("%s %g, want it not known", name, v)
		}
	}
	none := made("none", 2, [4]int{0, 1, 5, 7})
	none.Runs[0].Inside, none.Runs[0].Opportunities = ghost.Share{}, 0
	if f := judged(1, none, made("a", 0, [4]int{50, 10, 5, 7})); f.Advice[0].Cell != 1 {
		t.Errorf("advice %+v, want what is known to have the most inside", f.Advice)
	}
}

// Cells that beat each other in a circle are alike: not all of them fall.
func TestCircle(t *testing.T) {
	// Costs of 1,000, 992 and 984 s differ by less than a step from one to the next, but by one
	// and a half from the first to the last.
	a, b, c := made("a", 0, [4]int{90, 1000, 5, 7}), made("b", 1, [4]int{91, 992, 5, 7}), made("c", 2, [4]int{91, 984, 5, 7})
	a.Runs[0].Flashes.N, b.Runs[0].Flashes.N, c.Runs[0].Flashes.N = 5, 5, 5
	if got := efficient(judged(1, a, b, c)); got != "b c" {
		t.Errorf("on the frontier %q, want b c", got)
	}
	// a beats b by inside, b beats c by flashes, and c beats a by cost: in each pair the rest
	// differs by less than a step.
	third := func(name string, inside, seconds, flashes int) Cell {
		x := made(name, 0, [4]int{0, seconds, 0, 7})
		x.Runs[0].Inside, x.Runs[0].Flashes, x.Runs[0].Missed = ghost.Share{N: inside, Of: 1000}, ghost.Share{N: flashes, Of: 1000}, nil
		return x
	}
	circle := []Cell{third("a", 906, 1000, 100), third("b", 900, 992, 100), third("c", 903, 984, 104)}
	circle[1].Runs[0].Flashes.N = 98
	f := judged(1, circle...)
	if !f.beats(&f.Cells[0], &f.Cells[1]) || !f.beats(&f.Cells[1], &f.Cells[2]) || !f.beats(&f.Cells[2], &f.Cells[0]) {
		t.Fatal("the three do not beat each other in a circle")
	}
	if got := efficient(f); got != "a b c" {
		t.Errorf("on the frontier %q, want all of a circle", got)
	}
}

func TestCostsThatCannotBeCompared(t *testing.T) {
	a, b := made("a", 0, [4]int{95, 10, 5, 7}), made("b", 1, [4]int{96, 5, 4, 7})
	b.Rate.Unit = "H100"
	f := judged(1, a, b)
	if got := efficient(f); got != "a b" || len(f.Advice) != 2 || f.Advice[0].Cell != 0 || f.Advice[1].Cell != 1 {
		t.Errorf("on the frontier %q, advice %+v, want both, each for its own card", got, f.Advice)
	}
}

func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		name  string
		cells []Cell
		want  string
		lacks string
	}{
		{"the cheapest that holds", []Cell{made("a", 0, [4]int{99, 30, 5, 7}), made("b", 1, [4]int{91, 20, 5, 7}), made("c", 2, [4]int{89, 10, 5, 7})}, "b", ""},
		{"as cheap, more inside", []Cell{made("a", 0, [4]int{91, 1000, 5, 9}), made("b", 1, [4]int{95, 1005, 5, 7})}, "b", ""},
		{"what holds is not beaten by what does not", []Cell{made("a", 0, [4]int{90, 20, 5, 7}), made("b", 1, [4]int{89, 10, 5, 7})}, "a", ""},
		{"though that be no worse in anything", []Cell{thousandths("a", 900, 20), thousandths("b", 898, 10)}, "a", ""},
		{"nor when it holds a budget in one run of two", []Cell{made("a", 0, [4]int{90, 20, 5, 7}, [4]int{90, 20, 5, 7}), made("b", 1, [4]int{99, 10, 5, 7}, [4]int{89, 10, 5, 7})}, "a", ""},
		{"none holds: the most inside", []Cell{made("a", 0, [4]int{70, 10, 5, 7}), made("b", 1, [4]int{82, 30, 5, 7})}, "b", "share(ttfc < 150ms) >= 90% is missed by 8 points (82 %)"},
	} {
		f := judged(len(c.cells[0].Runs), c.cells...)
		a := f.Advice[0]
		if f.Holds() != (c.lacks == "") {
			t.Errorf("%s: some hold every budget: %v", c.name, f.Holds())
		}
		if got := f.Cells[a.Cell].Values[0]; got != c.want || a.Holds != (c.lacks == "") || Lacks(a.Missed) != c.lacks || !f.Cells[a.Cell].Advised {
			t.Errorf("%s: %s, %+v, want %s", c.name, got, a, c.want)
		}
	}
	if f := judged(1, Cell{Impossible: "it does not fit"}); len(f.Advice) != 0 {
		t.Errorf("advice %+v of nothing that can be run", f.Advice)
	}
}

// Why settings with more inside than those that are recommended fall is said, and by which of
// those on the frontier.
func TestBeaten(t *testing.T) {
	// b beats a by cost, and c, which is on the frontier, beats both.
	f := judged(1, thousandths("a", 942, 30), thousandths("b", 940, 20), thousandths("c", 939, 10))
	if f.Cells[0].Beats != 2 || f.Cells[1].Beats != 2 || f.Cells[2].Beats != -1 {
		t.Errorf("beaten by %d, %d, %d; want 2, 2, -1", f.Cells[0].Beats, f.Cells[1].Beats, f.Cells[2].Beats)
	}
	want := "debounce a has the most inside, 94.2 %, and is beaten by debounce c, with 93.9 %: what it has more is not half a point in every run; debounce a → c: 0.11 requests a key instead of 0.13, 0.33x accelerator time"
	if got := f.Beaten("L4"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := judged(1, thousandths("a", 950, 30), thousandths("b", 940, 20)).Beaten("L4"); got != "" {
		t.Errorf("on the frontier: %q", got)
	}
	if got := f.Beaten("H100"); got != "" {
		t.Errorf("of another card: %q", got)
	}
}

// thousandths is a cell of one run with so many of 1,000 opportunities inside.
func thousandths(value string, inside, seconds int) Cell {
	c := made(value, 0, [4]int{90, seconds, 5, 7})
	c.Runs[0].Inside = ghost.Share{N: inside, Of: 1000}
	if inside < 900 {
		c.Runs[0].Missed = []Missed{{Budget: "share(ttfc < 150ms) >= 90%"}}
	}
	return c
}

// The scenario's own settings hold every budget and none of those that were tried does.
func TestOwnSettingsHold(t *testing.T) {
	now := made("now", -1, [4]int{95, 10, 5, 7})
	now.Now, now.Beside = true, true
	if f := judged(1, made("a", 0, [4]int{80, 10, 5, 7}), now); f.Holds() || f.Advice[0].Cell != 0 || f.Advice[0].Holds || !f.Advice[0].Now {
		t.Errorf("holds %v, advice %+v", f.Holds(), f.Advice)
	}
	now.Rate.Unit = "H100" // what it is told of is another card
	if f := judged(1, made("a", 0, [4]int{80, 10, 5, 7}), now); f.Holds() || f.Advice[0].Now {
		t.Errorf("on another card: holds %v, advice %+v", f.Holds(), f.Advice)
	}
}

func TestTrade(t *testing.T) {
	f := judged(1, made("75ms", 0, [4]int{95, 120, 30, 7}), made("200ms", 1, [4]int{60, 70, 30, 7}), made("350ms", 2, [4]int{54, 50, 20, 7}))
	for _, c := range []struct {
		from, to int
		want     string
	}{
		{2, 0, "debounce 350ms → 75ms: +41 points inside 150 ms (54 % → 95 %), 0.22 requests a key instead of 0.15, 2.4x accelerator time, flashes 30 % instead of 20 %, and every budget holds in 1 of 1 runs instead of 0"},
		{0, 1, "debounce 75ms → 200ms: -35 points inside 150 ms (95 % → 60 %), 0.17 requests a key instead of 0.22, 0.58x accelerator time, and every budget holds in 0 of 1 runs instead of 1"},
	} {
		if got := f.Trade(c.from, c.to); got != c.want {
			t.Errorf("trade of %d for %d:\n%s\nwant\n%s", c.from, c.to, got, c.want)
		}
	}
	if got := fmt.Sprint(f.Neighbours(0), f.Neighbours(1)); got != "[1] [0 2]" {
		t.Errorf("neighbours %s, want [1] [0 2]", got)
	}
	f.Ordered[0] = false
	if got := fmt.Sprint(f.Neighbours(0)); got != "[1 2]" {
		t.Errorf("neighbours by name %s, want [1 2]", got)
	}
}

// keys is a run by hand: of four opportunities one lands in time, one late, one is given up
// and one never comes.
func keys(t *testing.T) trace.Run {
	t.Helper()
	run := trace.Run{Header: trace.Header{Scenario: "by hand", Kind: pipeline.KindIDE, Target: "sim", Budgets: []string{"share(ttfc < 150ms) >= 90%"}}, Footer: trace.Footer{Finished: true}}
	key := func(due, scheduled, end, first time.Duration) *pipeline.Trace {
		q := pipeline.NewRequest(int64(len(run.Traces)+1), due)
		q.Simulated, q.Sent, q.Scheduled, q.FirstOutput, q.End, q.PromptTokens, q.CachedTokens, q.OutputTokens = true, due, scheduled, scheduled+ms, end, 100, 40, 10
		tr := pipeline.Trace{Kind: pipeline.KindIDE, Index: len(run.Traces), Due: due, End: end, Requests: []pipeline.Request{q}, Facts: []pipeline.Fact{
			{Name: pipeline.FactOpportunity, Value: "yes"}, {Name: pipeline.FactVerdict, Value: "exact"}, {Name: pipeline.FactSource, Value: pipeline.SourceNetwork},
		}}
		if first != 0 {
			tr.Marks = []pipeline.Mark{{Name: pipeline.MarkFirstCharacter, At: first}, {Name: pipeline.MarkShown, At: first}, {Name: pipeline.MarkHiddenByKey, At: first + 100*ms}}
		}
		run.Traces = append(run.Traces, tr)
		return &run.Traces[len(run.Traces)-1]
	}
	key(0, 10*ms, 110*ms, 100*ms)
	key(1000*ms, 1010*ms, 1300*ms, 1200*ms)
	key(1100*ms, 1200*ms, 1400*ms, 0) // beside the one before
	key(2000*ms, pipeline.Unknown, 2001*ms, 0)
	return run
}

func TestFigures(t *testing.T) {
	run := keys(t)
	unsent := pipeline.NewRequest(5, 3000*ms) // the tester never let it go: it was not asked
	unsent.Outcome = pipeline.Dropped
	run.Traces = append(run.Traces, pipeline.Trace{Kind: pipeline.KindStep, Due: 3000 * ms, End: 3000 * ms, Outcome: pipeline.Dropped, Requests: []pipeline.Request{unsent}})
	f, err := Of(run, budgets.Limit{Value: float64(150 * ms)})
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(f.Keys, f.Opportunities, f.Inside, f.First, f.Useful, f.Flashes, f.Requests, f.Busy, f.Tokens)
	want := "4 4 {1 4} [100ms 200ms] {2 4} {2 2} 4 490ms {400 160 40}"
	if got != want {
		t.Errorf("figures %s, want %s", got, want)
	}
	if len(f.Missed) != 1 || f.Missed[0].Value != "25 %" || f.Missed[0].Gap != "65 points" {
		t.Errorf("missed %+v", f.Missed)
	}
}

// What accelerators did for a warm-up costs as much as the rest, though nobody asked for it
// with a key; at an instant of two requests they work once.
func TestWarmUpsCost(t *testing.T) {
	run := keys(t)
	q := pipeline.NewRequest(99, 0)
	q.Simulated, q.Sent, q.Scheduled, q.FirstOutput, q.End, q.PromptTokens, q.CachedTokens, q.OutputTokens = true, 0, 0, 50*ms, 60*ms, 1000, 0, 1
	run.Traces = append(run.Traces, pipeline.Trace{Kind: pipeline.KindStep, End: q.End, Requests: []pipeline.Request{q}, Facts: []pipeline.Fact{{Name: pipeline.FactClass, Value: pipeline.ClassFocus}}})
	f, err := Of(run, budgets.Limit{Value: float64(150 * ms)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(f.Keys, f.Requests, f.Busy, f.Tokens), "4 4 500ms {1400 160 41}"; got != want {
		t.Errorf("figures %s, want %s", got, want)
	}
}

func TestCosts(t *testing.T) {
	f := Figures{Keys: 500, Busy: 18 * time.Second, Tokens: price.Tokens{Prompt: 1_000_000}}
	for _, c := range []struct {
		rate Rate
		want float64
	}{
		{Rate{Unit: "L4", Accelerators: 2}, 72},
		{Rate{Unit: Dollars, Accelerators: 2, Hour: price.Dollar / 2}, .01},
		{Rate{Unit: Dollars, Hosted: price.Price{Input: 3 * price.Dollar / price.Million, Source: "typed"}}, 6},
	} {
		if got, known := c.rate.per1000(&f); !known || got != c.want {
			t.Errorf("%+v: %g for 1,000 keys, known %v, want %g", c.rate, got, known, c.want)
		}
	}
	if _, known := (&Rate{}).per1000(&f); known {
		t.Error("a cost is known of a model without a price")
	}
	if _, known := (&Rate{Unit: "L4", Accelerators: 1}).per1000(&Figures{}); known {
		t.Error("a cost is known of 1,000 keys where there was none")
	}
}
