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

// anyRules draws every rule that a plugin can have.
func anyRules(d *dist.Rand) plugin.Rules {
	yes := func() bool { return d.IntN(2) == 0 }
	span := func(most int) time.Duration { return time.Duration(d.IntN(3)*d.IntN(most)) * ms }
	return plugin.Rules{
		Prepare:  span(40),
		Wait:     plugin.Wait{Debounce: plugin.Debounces()[d.IntN(len(plugin.Debounces()))], For: time.Duration(d.IntN(4)*50) * ms, Factor: .1 + d.Float64(), EndOfLine: span(50)},
		Throttle: span(300), Trailing: yes(), MostLive: d.IntN(3), Join: yes(), OnLimit: plugin.OnLimit(d.IntN(2)),
		Cancel: plugin.Cancel(d.IntN(3)), KeepMatching: yes(), Rest: plugin.Rest(d.IntN(2)), EditorToken: d.IntN(4) == 0,
		Reuse: plugin.Reuse(d.IntN(2)), KeepSuperseded: yes(), Speculate: yes(), SpeculationLives: yes(),
		Triggers: plugin.Triggers{
			Moves: yes(), Nearby: plugin.Nearby{Within: span(3000), Line: span(2000)}, Changes: yes(), NotInWord: yes(), After: plugin.After(d.IntN(3)), Empty: yes(),
		},
		Display: plugin.Display{
			Hold: span(200), Render: span(20), Lines: plugin.Lines(d.IntN(4)), Accept: plugin.Accept(d.IntN(2)), LeastVisible: span(500),
		},
		Cache:     cache.Config{Capacity: d.IntN(2) * 50},
		Prompt:    shape(1+d.IntN(200), d.IntN(50)),
		MaxTokens: 1 + d.IntN(30),
	}
}

// handed is a trace and how much of it there was when it was handed over.
type handed struct {
	trace        *pipeline.Trace
	marks, facts int
}

// Whatever the rules, and whether the model refuses requests or not, each key leaves one trace
// that nothing is added to afterwards, every request ends once and is in one trace, and
// everybody finishes.
func TestAnyRules(t *testing.T) {
	who := typist(t, "python-report", "average")
	const users, keys = 2, 300
	var due []time.Duration
	landed := 0
	defer func() {
		if landed < 1000 {
			t.Errorf("only %d keys landed: their stages tell nothing", landed)
		}
	}()
	for seed := range uint64(120) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r, model := randomRig(t, seed)
			if seed%4 == 0 {
				r.limited(3*time.Second, time.Duration(seed)*10*ms)
				model.LLM, r.config.LLM = r.config.LLM, model
			}
			d := dist.Stream(seed, "rules")
			r.config.Plugin, r.config.Drift, r.config.Typed = anyRules(&d), true, true
			if err := r.config.Plugin.Validate(); err != nil {
				t.Fatal(err)
			}
			var all []handed
			r.config.Typing = func(user int) typing.Source { return who.Type(5, user) }
			s, err := New(r.config)
			if err != nil {
				t.Fatal(err)
			}
			finished := 0
			for user := range users {
				s.Start(user, keys, func(x *pipeline.Trace) { all = append(all, handed{x, len(x.Marks), len(x.Facts)}) }, func() { finished++ })
			}
			if err := r.virtual.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			var at []time.Duration
			requests, seen := 0, map[[3]int]bool{}
			for _, h := range all {
				x := h.trace
				if len(x.Marks) != h.marks || len(x.Facts) != h.facts {
					t.Errorf("%s %d had %d marks when it was handed over and %d in the end", x.Kind, x.Index, h.marks, len(x.Marks))
				}
				step := 0
				if x.Kind == pipeline.KindStep {
					step = 1
				} else {
					at = append(at, x.Due)
				}
				if id := [3]int{step, x.Session, x.Index}; seen[id] {
					t.Errorf("%s %d of user %d was handed over twice", x.Kind, x.Index, x.Session)
				} else {
					seen[id] = true
				}
				requests += len(x.Requests)
			}
			if finished != users || len(at) != users*keys || requests != model.started || model.ended != model.started {
				t.Errorf("%d finished, %d keys, %d requests in traces of %d that began and %d that ended", finished, len(at), requests, model.started, model.ended)
			}
			var traces []*pipeline.Trace
			for _, h := range all {
				traces = append(traces, h.trace)
			}
			landed += addUp(t, traces)
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
