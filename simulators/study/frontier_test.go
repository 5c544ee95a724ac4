package study

import (
	"context"
	"encoding/json"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"halfsecond/budgets/frontier"
	"halfsecond/pipeline/price"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

const ghostText = `
halfsecond: 1
kind: ide
name: one developer
arrivals: {process: closed, users: 1}
ide:
  typist: {profile: average, wpm: 60, text: go-handler, max_pause: 2s}
  plugin: {debounce: 50ms, prefix_tokens: 600, suffix_tokens: 100, max_tokens: 24}
  llm: {model: Qwen2.5-1.5B, hardware: L4}
budgets:
  - share(ttfc < 150ms) >= 80%
`

func vary(t *testing.T, name, key, list string) Varied {
	t.Helper()
	values, err := scenario.Values(list)
	if err != nil {
		t.Fatal(err)
	}
	v := Varied{Name: name, Key: key}
	for _, text := range values {
		v.Values = append(v.Values, Value{text, []scenario.Change{{Key: key, Value: text}}})
	}
	return v
}

func ghosts(varied ...Varied) FrontierSettings {
	return FrontierSettings{
		Settings: runner.Settings{Target: runner.Sim, Seed: 7, N: 60, Version: "test"}, Varied: varied, Repeats: 2,
		Load: func(changes []scenario.Change) (*scenario.Scenario, error) {
			return scenario.ParseWith("test.yaml", []byte(ghostText), nil, changes)
		},
	}
}

func frontierOf(t *testing.T, set FrontierSettings) *frontier.Frontier {
	t.Helper()
	p, err := PlanFrontier(set)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Frontier(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFrontier(t *testing.T) {
	f := frontierOf(t, ghosts(vary(t, "debounce", "ide.plugin.debounce", "0ms, 300ms"), vary(t, "model", "ide.llm.model", "Qwen2.5-1.5B, Qwen2.5-14B")))
	var names []string
	for i := range f.Cells {
		c := &f.Cells[i]
		name := f.Name(c)
		switch {
		case c.Impossible != "":
			name += " impossible"
		case c.Now:
			name += " now"
		}
		names = append(names, name)
	}
	want := []string{
		"debounce 0ms, model Qwen2.5-1.5B", "debounce 0ms, model Qwen2.5-14B impossible",
		"debounce 300ms, model Qwen2.5-1.5B", "debounce 300ms, model Qwen2.5-14B impossible",
		"debounce 50ms, model Qwen2.5-1.5B now",
	}
	if !reflect.DeepEqual(names, want) {
		t.Fatalf("cells %q, want %q", names, want)
	}
	if why := f.Cells[1].Impossible; !strings.HasPrefix(why, "Qwen2.5-14B in fp16 does not fit: it needs") {
		t.Errorf("impossible: %q", why)
	}
	if f.Ordered[0] != true || f.Ordered[1] != false || f.Assumed || f.Limit.Value != 150e6 {
		t.Errorf("ordered %v, limit %v", f.Ordered, f.Limit)
	}
	// A wait of 300 ms breaks a budget of 150 ms alone, and asks less.
	quick, slow := f.Cells[0].Sum(), f.Cells[2].Sum()
	if slow.Inside != 0 || quick.Inside < .5 || slow.RequestsPerKey >= quick.RequestsPerKey || slow.Cost >= quick.Cost {
		t.Errorf("0 ms: %+v\n300 ms: %+v", quick, slow)
	}
	if len(f.Advice) != 1 || f.Advice[0].Cell != 0 || f.Advice[0].Unit != "L4" {
		t.Errorf("advice %+v", f.Advice)
	}
	// A cell is what its scenario tells alone, with the same seeds.
	s, err := scenario.ParseWith("test.yaml", []byte(ghostText), nil, []scenario.Change{{Key: "ide.plugin.debounce", Value: "300ms"}})
	if err != nil {
		t.Fatal(err)
	}
	for repeat, got := range f.Cells[2].Runs {
		run, err := runner.Run(t.Context(), s, runner.Settings{Target: runner.Sim, Seed: seedOf(7, repeat), N: 60})
		if err != nil {
			t.Fatal(err)
		}
		if want, err := frontier.Of(run, f.Limit); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("repeat %d: %+v, alone %+v", repeat, got, want)
		}
	}
}

func TestFrontierIsTheSameOnAnyMachine(t *testing.T) {
	set := ghosts(vary(t, "debounce", "ide.plugin.debounce", "0ms, 50ms, 100ms"), vary(t, "cancel", "ide.plugin.cancel", "none, wire"))
	var all []string
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 4} {
		runtime.GOMAXPROCS(n)
		text, err := json.Marshal(frontierOf(t, set))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	if all[0] != all[1] {
		t.Error("the number of processors changes the frontier")
	}
}

func TestFrontierPrices(t *testing.T) {
	set := ghosts(vary(t, "hardware", "ide.llm.hardware", "L4, L40S"))
	if f := frontierOf(t, set); f.Cells[0].Rate.Unit != "L4" || f.Cells[1].Rate.Unit != "L40S" || len(f.Advice) != 2 {
		t.Errorf("without prices: %+v", f.Advice)
	}
	set.Hours = map[string]price.Dollars{"L4": price.Dollar}
	if _, err := PlanFrontier(set); err == nil || !strings.Contains(err.Error(), "there is none of L40S") {
		t.Errorf("one price of two: %v", err)
	}
	set.Hours["L40S"] = 2 * price.Dollar
	if f := frontierOf(t, set); f.Cells[1].Rate != (frontier.Rate{Unit: frontier.Dollars, Hour: 2 * price.Dollar, Accelerators: 1}) || len(f.Advice) != 1 {
		t.Errorf("with prices: %+v, %+v", f.Cells[1].Rate, f.Advice)
	}
}

func TestFrontierRefuses(t *testing.T) {
	debounce := vary(t, "debounce", "ide.plugin.debounce", "0ms, soon")
	many := Varied{Name: "debounce", Key: "ide.plugin.debounce", Values: make([]Value, 50)}
	more := Varied{Name: "suffix", Key: "ide.plugin.suffix_tokens", Values: make([]Value, 11)}
	for _, c := range []struct {
		set  FrontierSettings
		want string
	}{
		{ghosts(), "nothing is varied"},
		{ghosts(debounce), "debounce soon: ide.plugin.debounce: want a duration"},
		{ghosts(vary(t, "x", "ide.plugin.debounse", "1ms")), "ide.plugin.debounse: unknown key"},
		{ghosts(vary(t, "model", "ide.llm.model", "Qwen2.5-73B, Qwen2.5-1.5B")), `model Qwen2.5-73B: ide.llm.model: unknown model "Qwen2.5-73B"`},
		{ghosts(vary(t, "model", "ide.llm.model", "Qwen2.5-72B")), "no combination is possible: Qwen2.5-72B in fp16 does not fit"},
		{ghosts(debounce, debounce), "ide.plugin.debounce is varied twice"},
		{ghosts(many, more), "550 combinations (50 of debounce x 11 of suffix): want at most 500"},
	} {
		if _, err := PlanFrontier(c.set); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	other := ghosts(vary(t, "users", "arrivals.users", "1"))
	other.Load = func(changes []scenario.Change) (*scenario.Scenario, error) {
		return scenario.LoadWith("bench", changes)
	}
	if _, err := PlanFrontier(other); err == nil || !strings.Contains(err.Error(), "of kind grid") {
		t.Errorf("a grid: %v", err)
	}
}

// Settings that cannot be together are named, and the others run.
func TestFrontierOfSettingsThatCannotBeTogether(t *testing.T) {
	f := frontierOf(t, ghosts(vary(t, "cancel", "ide.plugin.cancel", "none, wire"), vary(t, "most live", "ide.plugin.requests.most_live", "~, 1")))
	if got := f.Cells[3].Impossible; !strings.Contains(got, "ide.plugin.requests.most_live: has no effect here") {
		t.Errorf("wire and one at a time: %q", got)
	}
	for _, i := range []int{0, 1, 2} {
		if c := &f.Cells[i]; !f.Told(c) {
			t.Errorf("%s was not run: %s", f.Name(c), c.Impossible)
		}
	}
}

// What was done by then is shown.
func TestFrontierInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	set := ghosts(vary(t, "debounce", "ide.plugin.debounce", "0ms, 10ms, 20ms, 30ms, 40ms, 50ms, 60ms, 70ms, 80ms, 90ms"))
	set.Repeats = 1
	set.Ran = func(runs int) {
		if runs == 2 {
			cancel()
		}
	}
	p, err := PlanFrontier(set)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Frontier(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for i := range f.Cells {
		if f.Told(&f.Cells[i]) {
			told++
		}
	}
	if told < 2 || told == len(f.Cells) || f.Ended != "interrupted" || len(f.Advice) != 1 {
		t.Errorf("%d cells told, ended %q, advice %+v", told, f.Ended, f.Advice)
	}
}

// The capacity is between a number of people of whom no run breaks a budget, and one of whom a
// run does, a twentieth apart or one.
func TestFrontierCapacity(t *testing.T) {
	set := ghosts(vary(t, "debounce", "ide.plugin.debounce", "0ms"), vary(t, "model", "ide.llm.model", "Qwen2.5-7B"), vary(t, "hardware", "ide.llm.hardware", "L40S"))
	set.Repeats = 1
	p, err := PlanFrontier(set)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Frontier(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	var told []int
	p.OnRun(func(runs int) { told = append(told, runs) })
	if err := FrontierCapacity(t.Context(), p, f); err != nil {
		t.Fatal(err)
	}
	for i, runs := range told {
		if runs != i+1 || runs > p.CapacityRuns(f) {
			t.Errorf("told of %v runs, want 1, 2 and so on up to %d at most", told, p.CapacityRuns(f))
			break
		}
	}
	if len(told) < 3 {
		t.Errorf("told of %v runs, want each", told)
	}
	c := f.Cells[f.Advice[0].Cell].Capacity
	if c == nil || c.Why != "" || c.Developers < 2 || float64(c.Outside) > max(float64(c.Developers)+1, 1.05*float64(c.Developers)) {
		t.Fatalf("capacity %+v", c)
	}
	w := crowd{ctx: t.Context(), scenario: p.scenarios[f.Advice[0].Cell], settings: p.settings.Settings, repeats: 1}
	w.settings.N = leastJudged
	for n, want := range map[int]bool{c.Developers: false, c.Outside: true} {
		if failed, _, err := w.with(n); err != nil || failed != want {
			t.Errorf("with %d: failed %v, %v, want %v", n, failed, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := FrontierCapacity(ctx, p, f); err != nil || f.Cells[f.Advice[0].Cell].Capacity.Why != "interrupted" {
		t.Errorf("interrupted: %v, %+v", err, f.Cells[f.Advice[0].Cell].Capacity)
	}
}
