package ide

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/simulators/ide/cache"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/typing"
)

// anyRules draws every rule that a plugin can have, but for the shapes of its prompts.
func anyRules(d *dist.Rand) plugin.Rules {
	yes := func() bool { return d.IntN(2) == 0 }
	span := func(most int) time.Duration { return time.Duration(d.IntN(3)*d.IntN(most)) * ms }
	return plugin.Rules{
		Prepare:  span(40),
		Wait:     plugin.Wait{Debounce: plugin.Debounces()[d.IntN(len(plugin.Debounces()))], For: time.Duration(d.IntN(4)*50) * ms, Factor: .1 + d.Float64(), EndOfLine: span(50)},
		Throttle: span(300), Trailing: yes(), MostLive: d.IntN(3), Join: yes(), OnLimit: plugin.OnLimit(d.IntN(2)),
		Cancel: plugin.Cancel(d.IntN(3)), KeepMatching: yes(), Rest: plugin.Rest(d.IntN(2)), EditorToken: d.IntN(4) == 0,
		Reuse: plugin.Reuse(d.IntN(3)), KeepSuperseded: yes(), Speculate: yes(), SpeculationLives: yes(),
		WarmUp: yes(),
		Triggers: plugin.Triggers{
			Moves: yes(), Nearby: plugin.Nearby{Within: span(3000), Line: span(2000)}, Changes: yes(), NotInWord: yes(), After: plugin.After(d.IntN(3)), Empty: yes(),
		},
		Display: plugin.Display{
			Hold: span(200), Render: span(20), Lines: plugin.Lines(d.IntN(4)), Accept: plugin.Accept(d.IntN(2)), LeastVisible: span(500),
		},
		Cache: cache.Config{
			Capacity: d.IntN(2) * 50, TTL: span(60_000), Partial: yes(), Empty: yes(), Back: d.IntN(2) * 5,
			Prefix:  cache.Prefix{Reach: d.IntN(2) * 100, SameLine: yes(), MostLeft: yes()},
			Forward: cache.Forward{Characters: d.IntN(2) * 9, NextLine: yes()},
			Fuzzy:   cache.Fuzzy{LostLines: d.IntN(2) * 3},
		},
		Prompt:    shape(1+d.IntN(200), d.IntN(50)),
		MaxTokens: 1 + d.IntN(30),
	}
}

// handed is a trace and how much of it there was when it was handed over.
type handed struct {
	trace        *pipeline.Trace
	marks, facts int
}

// anyRun is two people at work with any rules.
type anyRun struct {
	t        *testing.T
	rig      *rig
	model    *counting
	editors  []*Editor
	all      []handed
	finished int
}

// newAnyRun draws a run: where reads is so, people accept suggestions.
func newAnyRun(t *testing.T, seed uint64, reads bool) *anyRun {
	x := &anyRun{t: t}
	x.rig, x.model = randomRig(t, seed)
	c := &x.rig.config
	if seed%4 == 0 {
		x.rig.limited(3*time.Second, time.Duration(seed)*10*ms)
		x.model.LLM, c.LLM = c.LLM, x.model
	}
	d := dist.Stream(seed, "rules")
	c.Plugin, c.Drift, c.Typed = anyRules(&d), true, true
	if err := c.Plugin.Validate(); err != nil {
		t.Fatal(err)
	}
	who := typist(t, "python-report", "average")
	c.Typing = func(user int) typing.Source { return typing.Focused(who.Type(5, user)) }
	if reads {
		c.Reads = &typing.Reader{Seed: seed, Right: .6, Wrong: .3, Full: 3}
	}
	return x
}

// start lets them type so many keys.
func (x *anyRun) start(keys int) {
	s, err := New(x.rig.config)
	if err != nil {
		x.t.Fatal(err)
	}
	done := func(t *pipeline.Trace) { x.all = append(x.all, handed{t, len(t.Marks), len(t.Facts)}) }
	for user := range 2 {
		x.editors = append(x.editors, s.Start(user, keys, done, func() { x.finished++ }))
	}
}

// traces returns what was handed over, to which nothing was added since.
func (x *anyRun) traces() (all []*pipeline.Trace) {
	for _, h := range x.all {
		if t := h.trace; len(t.Marks) != h.marks || len(t.Facts) != h.facts {
			x.t.Errorf("%s %d had %d marks when it was handed over and %d in the end", t.Kind, t.Index, h.marks, len(t.Marks))
		}
		all = append(all, h.trace)
	}
	return all
}

// whole checks that each key and each other step has one trace, and that each request is in one.
func (x *anyRun) whole() {
	type id struct {
		kind       string
		user, step int
	}
	seen, requests := map[id]int{}, 0
	for _, t := range x.traces() {
		seen[id{t.Kind, t.Session, t.Index}]++
		requests += len(t.Requests)
	}
	steps := 0
	for user, e := range x.editors {
		steps += e.typed + e.other
		for i := range e.typed {
			if n := seen[id{pipeline.KindIDE, user, i}]; n != 1 {
				x.t.Errorf("key %d of user %d has %d traces", i, user, n)
			}
		}
		for i := range e.other {
			if n := seen[id{pipeline.KindStep, user, i}]; n != 1 {
				x.t.Errorf("step %d of user %d has %d traces", i, user, n)
			}
		}
	}
	if len(seen) != steps || requests != x.model.started {
		x.t.Errorf("traces of %d steps, of %d that were done, with %d requests, of %d that began", len(seen), steps, requests, x.model.started)
	}
}

// inOrder checks the times of a trace: it has a source if it landed, and nothing of it ends
// before it begins, or was there before the step.
func inOrder(t *testing.T, x *pipeline.Trace) {
	t.Helper()
	if source := x.Fact(pipeline.FactSource); (source == sourceNone) != (x.Mark(pipeline.MarkFirstCharacter) == pipeline.Unknown) {
		t.Errorf("%s %d: text from %s, first character at %s", x.Kind, x.Index, source, x.Mark(pipeline.MarkFirstCharacter))
	}
	for _, s := range x.Spans {
		if s.Start < x.Due || s.End != pipeline.Unknown && s.End < s.Start {
			t.Errorf("%s %d of %s: %s from %s to %s", x.Kind, x.Index, x.Due, s.Name, s.Start, s.End)
		}
	}
	for _, m := range x.Marks {
		if m.At < x.Due {
			t.Errorf("%s %d of %s: %s at %s", x.Kind, x.Index, x.Due, m.Name, m.At)
		}
	}
}

// Whatever the rules, whether people accept suggestions, and whether the model refuses requests
// or not, each key leaves one trace that nothing is added to afterwards, every request ends once
// and is in one trace, no span ends before it begins, and everybody finishes. Who accepts nothing
// types at the same instants with all rules.
func TestAnyRules(t *testing.T) {
	const keys = 300
	var due []time.Duration
	landed := 0
	defer func() {
		if landed < 1000 {
			t.Errorf("only %d keys landed: their stages tell nothing", landed)
		}
	}()
	for seed := range uint64(120) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			reads := seed%2 == 1
			x := newAnyRun(t, seed, reads)
			x.start(keys)
			if err := x.rig.virtual.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			x.whole()
			var at []time.Duration
			for _, trace := range x.traces() {
				inOrder(t, trace)
				if trace.Kind == pipeline.KindIDE {
					at = append(at, trace.Due)
				}
			}
			if x.finished != 2 || len(at) != 2*keys || x.model.ended != x.model.started {
				t.Errorf("%d finished, %d keys, %d requests of %d ended", x.finished, len(at), x.model.ended, x.model.started)
			}
			landed += addUp(t, x.traces())
			if reads {
				return
			}
			slices.Sort(at)
			if due == nil {
				due = at
			}
			if !slices.Equal(at, due) {
				t.Error("the keys came at other instants than with other rules")
			}
		})
	}
}

// TestAnyCut: a run that is cut keeps every trace and every request, whatever the rules.
func TestAnyCut(t *testing.T) {
	for seed := range uint64(200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			x := newAnyRun(t, seed, seed%2 == 1)
			x.start(300)
			d := dist.Stream(seed, "cut")
			x.rig.virtual.RunUntil(time.Duration(2000+d.IntN(20_000)) * ms)
			for _, e := range x.editors {
				e.Stop()
			}
			x.whole()
			for _, trace := range x.traces() {
				inOrder(t, trace)
			}
		})
	}
}
