package recording_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
	"halfsecond/simulators/ide"
	"halfsecond/simulators/ide/cache"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/prompt"
	"halfsecond/simulators/ide/recording"
	"halfsecond/simulators/ide/typing"
)

// stated is the plugin that the session is replayed with: VS Code's wait and its token, and
// a provider that finds what was typed as suggested, and what it said before, in a cache of
// 100 answers, as Copilot has it (docs/plugins.md). Nothing is held back.
func stated() plugin.Rules {
	return plugin.Rules{
		Wait: plugin.Wait{For: 50 * ms}, EditorToken: true,
		Triggers:  plugin.Triggers{Moves: true, Nearby: plugin.Nearby{Within: 10 * time.Second, Line: 5 * time.Second}, Changes: true},
		Cache:     cache.Config{Capacity: 100, Prefix: cache.Prefix{Reach: cache.Unlimited}},
		Prompt:    prompt.Shape{Layout: prompt.PSM, Prefix: prompt.Size{N: 100}},
		MaxTokens: 100,
	}
}

// replay replays the session.
func replay(t testing.TB, rules plugin.Rules, build func(loop pipeline.Scheduler) *provider) *figures {
	t.Helper()
	var loop pipeline.Virtual
	p := build(&loop)
	id := int64(0)
	sim, err := ide.New(ide.Config{
		Loop: &loop, LLM: p, Seed: 1, Plugin: rules, Says: p.says,
		Typing:      func(int) typing.Source { return recording.BuiltIn().Whole() },
		NextRequest: func() int64 { id++; return id },
	})
	if err != nil {
		t.Fatal(err)
	}
	var traces []*pipeline.Trace
	sim.Start(0, 1<<30, func(x *pipeline.Trace) { traces = append(traces, x) }, func() {})
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(traces, func(a, b *pipeline.Trace) int { return cmp.Compare(a.Due, b.Due) })
	return replayed(traces)
}

// variant is a way to replay the session.
type variant struct {
	name   string
	change func(r *plugin.Rules) // from stated
	// Uncensored weighs the waits of the provider for those that were cancelled.
	uncensored bool
	misses     []string // figures that are not as they should be
}

// variants are the settings of stated, and what it comes to when one of them is
// another. docs/session.md tells what follows.
var variants = []variant{
	{name: "stated", change: func(*plugin.Rules) {}},
	{name: "asks after every move", change: func(r *plugin.Rules) { r.Triggers.Nearby = plugin.Nearby{} }, misses: []string{"calls a typing edit", "inside 150 ms"}},
	{name: "shrinks and does not ask", change: func(r *plugin.Rules) { r.Reuse = plugin.TypedAsSuggested }, misses: []string{"typing edits with a call", "edit to text, p50, ms", "inside 150 ms"}},
	{name: "shrinks and asks", change: func(r *plugin.Rules) { r.Reuse = plugin.ShrinkAndAsk }},
	{name: "requests go on, answers kept", change: keepsAnswers, misses: []string{"cancelled"}},
	{name: "uncensored waits", change: func(*plugin.Rules) {}, uncensored: true, misses: []string{"cancelled", "edit to text, p50, ms", "inside 150 ms"}},
	{name: "both", change: keepsAnswers, uncensored: true, misses: []string{"cancelled"}},
}

// keepsAnswers has the editor's token end a call and not its request.
func keepsAnswers(r *plugin.Rules) {
	r.EditorToken, r.Cancel, r.KeepSuperseded = false, plugin.CancelDiscard, true
}

// seeds is how many draws of the provider a replay is judged by.
const seeds = 8

// replay returns the figures of the session replayed with each seed.
func (v *variant) replay(t testing.TB, asked []call) (all []*figures) {
	rules := stated()
	v.change(&rules)
	for seed := range uint64(seeds) {
		all = append(all, replay(t, rules, func(loop pipeline.Scheduler) *provider {
			p := newProvider(loop, seed, asked)
			if v.uncensored {
				p.uncensor(asked)
			}
			return p
		}))
	}
	return all
}

// mean returns the mean of a figure over the seeds.
func (g *figure) mean(all []*figures) (sum float64) {
	for _, f := range all {
		sum += g.of(f) / seeds
	}
	return sum
}

// show returns the mean of a figure, and the lowest and the highest of it where they differ.
func (g *figure) show(all []*figures) string {
	var each []float64
	for _, f := range all {
		each = append(each, g.of(f))
	}
	mean, low, high := fmt.Sprintf(g.form, g.mean(all)), fmt.Sprintf(g.form, slices.Min(each)), fmt.Sprintf(g.form, slices.Max(each))
	if low == high {
		return mean
	}
	return fmt.Sprintf("%s (%s to %s)", mean, low, high)
}

// misses returns the names of the figures that are not as they should be.
func misses(all []*figures) (names []string) {
	for _, g := range judged {
		if m := g.mean(all); m < g.want-g.off || m > g.want+g.off {
			names = append(names, g.name)
		}
	}
	return names
}

// TestProvided replays the session with the answers of its own provider, and judges each
// figure. It prints the table of docs/session.md.
func TestProvided(t *testing.T) {
	all, asked := events(t), calls(t)
	agree(t, all, asked)
	head := []string{"", "in the session", "wanted"}
	figuresOf := [][]*figures{}
	for _, v := range variants {
		got := v.replay(t, asked)
		if names := misses(got); !slices.Equal(names, v.misses) {
			t.Errorf("%s misses %q, want %q", v.name, names, v.misses)
		}
		head, figuresOf = append(head, v.name), append(figuresOf, got)
	}
	out := tabwriter.NewWriter(t.Output(), 0, 0, 2, ' ', 0)
	defer out.Flush()
	fmt.Fprintln(out, strings.Join(head, "\t"))
	session := measured(all, asked)
	for _, g := range slices.Concat(judged, told) {
		row := []string{g.name, fmt.Sprintf(g.form, g.of(session)), ""}
		if g.want > 0 {
			row[2] = fmt.Sprintf(g.form+" +- "+g.form, g.want, g.off)
		}
		for _, f := range figuresOf {
			row = append(row, g.show(f))
		}
		fmt.Fprintln(out, strings.Join(row, "\t"))
	}
}

// TestMeasured: what the session itself has.
func TestMeasured(t *testing.T) {
	all, asked := events(t), calls(t)
	agree(t, all, asked)
	f := measured(all, asked)
	if f.typed != 2133 || f.asked != 1848 || f.calls != 2802 || f.cancelled != 1605 || f.network != 2098 || len(f.texts) != 803 {
		t.Errorf("%d typing edits, %d with a call, %d calls, %d cancelled, %d not by the cache, %d texts; want 2133, 1848, 2802, 1605, 2098, 803",
			f.typed, f.asked, f.calls, f.cancelled, f.network, len(f.texts))
	}
	for q, want := range map[quantile.Q]float64{quantile.P50: 63, quantile.P90: 922} {
		if got := f.text(q); got != want {
			t.Errorf("%s of edit to text %v ms, want %v", q, got, want)
		}
	}
	p := newProvider(nil, 0, asked)
	texts, on := 0, 0
	for _, w := range p.waits {
		if w.text {
			texts++
		}
	}
	for _, n := range p.agrees {
		if n > 0 {
			on++
		}
	}
	if len(p.waits) != 493 || texts != 357 || len(p.agrees) != 220 || on != 110 {
		t.Errorf("%d answers of a server, %d with a text; of %d it is told, and %d went on; want 493, 357, 220, 110", len(p.waits), texts, len(p.agrees), on)
	}
}

// TestAnswersOfCancelledCalls: in the session a request goes on behind a cancelled call, and
// its answer is kept. So many answers of the cache come right after a cancelled call and
// have a text that no answer before had.
func TestAnswersOfCancelledCalls(t *testing.T) {
	asked := calls(t)
	said := map[string]bool{}
	n := 0
	for i := range asked {
		c := &asked[i]
		if c.cached() && c.items > 0 && !said[c.text] && asked[i-1].cancelled {
			n++
		}
		if c.items > 0 {
			said[c.text] = true
		}
	}
	if n != 64 {
		t.Errorf("%d answers came of cancelled calls, want 64", n)
	}
}

// TestUncensored: the waits by Kaplan and Meier, of a few calls by hand.
func TestUncensored(t *testing.T) {
	p := &provider{}
	p.uncensor([]call{{took: 100 * ms}, {took: 30 * ms, cancelled: true}, {took: 300 * ms, items: 1}, {took: 10 * ms}, {took: 200 * ms, cancelled: true}, {took: 100 * ms, cancelled: true}})
	want := []wait{{100 * ms, false, .25}, {300 * ms, true, 1}}
	if !slices.Equal(p.waits, want) {
		t.Errorf("waits %v, want %v", p.waits, want)
	}
}
